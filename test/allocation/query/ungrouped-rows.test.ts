/** Rows that are kept in name order are only copied: the answer is that of grouping them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { querySet } from '../../../src/allocation/query/set-query.ts';
import { groupedTable, type Grouped } from '../../../src/allocation/query/aggregate.ts';
import { ALLOCATION_COLUMNS } from '../../../src/allocation/sets/set-files.ts';
import { inNameOrder, partByName } from '../../../src/allocation/sets/name-order.ts';
import type { CodedFrame } from '../../../src/allocation/row/coded-frame.ts';
import { NAME_PARTS } from '../../../src/allocation/row/schema.ts';
import {
  compileKernels,
  createEngine,
  frameTable,
  type Table,
} from '../../../src/columnar/index.ts';
import { createMemorySets, encodeSet } from '../../../src/storage/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { PLAIN } from '../../support/references/plain-query.ts';
import { framed, framedPart, type Row } from '../../support/stores/set-frames.ts';
import { dayKey, META } from '../../support/stores/stored-sets.ts';

const [OWNER, TASK, SETS] = [1, 2, 3];
const engine = createEngine(compileKernels(), dirtyMemory(256 << 20), OWNER);
const { arena } = engine;
const sets = createMemorySets({ arena, owner: SETS });

/** As short as they may be, with what stands on both sides of `/`, and beyond ASCII. */
const name = fc.constantFrom('a', 'a-b', 'a.b', 'ab', 'é', '', 'z"');
const anyRow: fc.Arbitrary<Row> = fc.record({
  cluster: fc.constantFrom('c', 'c-1'),
  node: name,
  namespace: name,
  pod: name,
  container: fc.constantFrom('app', 'app-2', '__idle__', '__unmounted__'),
  labels: fc.dictionary(name, name, { maxKeys: 2 }),
  numbers: fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9)),
  startMs: fc.nat(9),
  priceSource: fc.constantFrom('', 'list', 'book'),
  endSource: fc.constantFrom('running', 'completionTime'),
});

/** The set as a query reads it: each column of texts with a dictionary of its own. */
async function stored(table: Table): Promise<Table> {
  await sets.write([await encodeSet({ key: dayKey(0), meta: META, table, ...ALLOCATION_COLUMNS })]);
  const read = await sets.read(dayKey(0), TASK);
  assert.ok(read, 'the set was written');
  return read.table;
}

/** Every cell of the answer that is not a code. */
function cells({ frame, texts }: Grouped): unknown[] {
  const table = groupedTable(frame, texts);
  return [...frame.columns.values()].map(({ name: column, type }) => {
    if (type === 'f64') return [column, ...(table.numbers(column)?.values ?? [])];
    const { codes, texts: own } = table.text(column) ?? { codes: [], texts };
    return [column, ...Array.from(codes, (code) => own.text(code))];
  });
}

for (const idle of [true, false]) {
  test(`a set in name order answers as its rows do in any order, idle ${idle}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { maxLength: 30 }), async (rows) => {
        const table = framed(arena, TASK, rows);
        const query = { ...PLAIN, idle };
        const ordered = await stored(inNameOrder(arena, TASK, table, ALLOCATION_COLUMNS));
        const known = new Map(
          cells(querySet(engine, TASK, [table], query)).map((of) => [String(Object(of)[0]), of]),
        );
        for (const column of cells(querySet(engine, TASK, [ordered], query))) {
          assert.deepEqual(column, known.get(String(Object(column)[0])));
        }
        arena.release(TASK);
      }),
    );
  });
}

/** What is in the columns of an answer, by their names. */
function columnsOf(grouped: Grouped): Map<string, unknown> {
  return new Map(cells(grouped).map((of) => [String(Object(of)[0]), of]));
}

for (const idle of [true, false]) {
  test(`rows put in name order answer as in the order of their coming, idle ${idle}`, () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 30 }), (rows) => {
        const isIdle = ({ container }: Row): boolean => container === '__idle__';
        const partOf = (of: readonly Row[]): CodedFrame => framedPart(arena, TASK, of);
        const workloads = rows.filter((row) => !isIdle(row));
        const nodes = partOf(rows.filter(isIdle));
        const tables = (part: CodedFrame): Table[] => [part, nodes].map(tableOf);
        const query = { ...PLAIN, idle };
        const asTheyCome = columnsOf(querySet(engine, TASK, tables(partOf(workloads)), query));
        const ordered = partByName({ engine, owner: TASK }, partOf(workloads));
        const names = Array.from({ length: ordered.frame.rows }, (_, row) => nameOf(ordered, row));
        assert.deepEqual(
          names,
          names.toSorted((a, b) => a.compare(b)),
        );
        assert.deepEqual(columnsOf(querySet(engine, TASK, tables(ordered), query)), asTheyCome);
        arena.release(TASK);
      }),
    );
  });
}

function tableOf({ frame, texts }: CodedFrame): Table {
  return frameTable(frame, texts);
}

function nameOf({ frame, texts }: CodedFrame, row: number): Buffer {
  const parts = NAME_PARTS.map((part) => texts.text(frame.u32(part)[row] ?? 0));
  return Buffer.from(parts.join('/'));
}

test('a name that comes twice is one row all the same', async () => {
  const row: Row = { cluster: 'c', namespace: 'n', pod: 'p', container: 'app', numbers: [1, 2, 3] };
  const table = await stored(framed(arena, TASK, [row, row]));
  const { frame } = querySet(engine, TASK, [table], PLAIN);
  assert.equal(frame.rows, 1);
  assert.deepEqual([...frame.f64('cpuCost')], [2]);
  arena.release(TASK);
});
