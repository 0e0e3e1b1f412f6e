/** A page of rows that are not aggregated is that of the whole answer, and only its rows are laid out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { groupedTable, type Grouped } from '../../../src/allocation/query/aggregate.ts';
import { firstOf } from '../../../src/allocation/query/first-of.ts';
import { SORT_COLUMNS, type Paging } from '../../../src/allocation/query/page.ts';
import { rowsOfPage } from '../../../src/allocation/query/rows-of-page.ts';
import { queryPage, querySet, type SetQuery } from '../../../src/allocation/query/set-query.ts';
import { kindsOf } from '../../../src/allocation/row/row-kinds.ts';
import { COST_COLUMNS } from '../../../src/allocation/row/schema.ts';
import { ALLOCATION_COLUMNS } from '../../../src/allocation/sets/set-files.ts';
import { inNameOrder } from '../../../src/allocation/sets/name-order.ts';
import { compileKernels, createEngine, type Table } from '../../../src/columnar/index.ts';
import { createMemorySets, encodeSet } from '../../../src/storage/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { PLAIN } from '../../support/references/plain-query.ts';
import type { Alloc } from '../../support/references/set-query-reference.ts';
import { anyDay, anyQuery, tableOf } from '../../support/stores/set-days.ts';
import { dayKey, META } from '../../support/stores/stored-sets.ts';

const [OWNER, TASK, SETS] = [1, 2, 3];
const engine = createEngine(compileKernels(), dirtyMemory(256 << 20), OWNER);
const { arena } = engine;
const sets = createMemorySets({ arena, owner: SETS });

/** As a stored set is read: in order of name, unless `isOrdered` is false. */
async function stored(day: readonly Alloc[], isOrdered = true): Promise<Table> {
  const given = tableOf(arena, TASK, day);
  const table = isOrdered ? inNameOrder(arena, TASK, given, ALLOCATION_COLUMNS) : given;
  await sets.write([await encodeSet({ key: dayKey(0), meta: META, table, ...ALLOCATION_COLUMNS })]);
  const read = await sets.read(dayKey(0), TASK);
  assert.ok(read, 'the set was written');
  return read.table;
}

interface Shown {
  readonly name: string;
  readonly isIdle: boolean;
  readonly cells: Readonly<Record<string, unknown>>;
}

/** Each row with every cell, codes as their texts. */
function shownRows({ frame, texts }: Grouped): Shown[] {
  const table = groupedTable(frame, texts);
  const textAt = (column: string, row: number): string => {
    const { codes, texts: own } = table.text(column) ?? { codes: new Uint32Array(), texts };
    return own.text(codes[row] ?? 0);
  };
  return Array.from({ length: frame.rows }, (_, row) => ({
    name: textAt('name', row),
    isIdle: textAt('container', row) === '__idle__',
    cells: Object.fromEntries(
      Array.from(frame.columns.values(), ({ name, type }) => [
        name,
        type === 'f64' ? frame.f64(name)[row] : textAt(name, row),
      ]),
    ),
  }));
}

/** The page of all rows, one row at a time. */
function pageOf(whole: readonly Shown[], { limit, offset, sortBy, isAscending }: Paging): Shown[] {
  const amount = ({ cells }: Shown, column: string): number => Number(cells[column] ?? 0);
  const valueOf = (row: Shown): number =>
    sortBy === 'totalCost'
      ? COST_COLUMNS.reduce((sum, column) => sum + amount(row, column), 0)
      : amount(row, sortBy);
  const others = whole.filter(({ isIdle }) => !isIdle);
  const places = new Map(others.map((row, place) => [row, place]));
  const byPlace = (a: Shown, b: Shown): number => (places.get(a) ?? 0) - (places.get(b) ?? 0);
  const sign = isAscending ? 1 : -1;
  others.sort((a, b) =>
    sortBy === 'name' ? sign * byPlace(a, b) : sign * (valueOf(a) - valueOf(b)) || byPlace(a, b),
  );
  const end = limit === null ? others.length : offset + limit;
  return [...whole.filter(({ isIdle }) => isIdle), ...others.slice(offset, end)];
}

const anyPaging: fc.Arbitrary<Paging> = fc.record({
  limit: fc.option(fc.nat(9), { freq: 9 }),
  offset: fc.nat(6),
  sortBy: fc.constantFrom(...SORT_COLUMNS),
  isAscending: fc.boolean(),
});

/** Few different costs, so that many rows are equal. */
const evenDay = anyDay.map((day) =>
  day.map((row): Alloc => ({ ...row, amounts: { cpuCost: Math.sign(row.amounts.cpuCost ?? 0) } })),
);

for (const [what, days, isOrdered] of [
  ['of any rows', anyDay, true],
  ['of rows that cost the same', evenDay, true],
  ['of rows in no order', anyDay, false],
] as const)
  test(`a page ${what} is the part of the whole answer, whatever is asked`, async () => {
    await fc.assert(
      fc.asyncProperty(days, anyQuery, anyPaging, async (day, asked, paging) => {
        const query: SetQuery = { ...asked, keys: [] };
        const tables = [await stored(day, isOrdered)];
        const whole = shownRows(querySet(engine, TASK, tables, query));
        const page = shownRows(queryPage(engine, TASK, tables, query, [], paging));
        assert.deepEqual(page, pageOf(whole, paging));
        arena.release(TASK);
      }),
      { numRuns: 150 },
    );
  });

test('pages one after the other are the whole answer', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyDay,
      anyQuery,
      fc.integer({ min: 1, max: 5 }),
      async (day, asked, limit) => {
        const query: SetQuery = { ...asked, keys: [] };
        const tables = [await stored(day)];
        const paging = { limit, offset: 0, sortBy: 'totalCost', isAscending: false };
        const whole = pageOf(shownRows(querySet(engine, TASK, tables, query)), {
          ...paging,
          limit: null,
        });
        const rows = whole.filter(({ isIdle }) => isIdle);
        for (let offset = 0; offset < whole.length; offset += limit) {
          const page = queryPage(engine, TASK, tables, query, [], { ...paging, offset });
          rows.push(...shownRows(page).filter(({ isIdle }) => !isIdle));
        }
        assert.deepEqual(rows, whole);
        arena.release(TASK);
      },
    ),
    { numRuns: 60 },
  );
});

const row = (pod: string, cpuCost: number, container = 'k'): Alloc => ({
  cluster: 'c', node: 'n', namespace: 'a', pod, container, team: '', amounts: { cpuCost },
}); // prettier-ignore

test('only the rows of a page are laid out, both lives of a name and idle among them', async () => {
  const pods = Array.from({ length: 40 }, (_, i) => row(`pod-${i + 10}`, i % 7));
  const day = [...pods, row('twice', 4), row('twice', 5), row('', 9, '__idle__')];
  const table = await stored(day);
  const parts = [{ table, kinds: kindsOf(table), counted: null }];
  const page = { limit: 3, offset: 0, sortBy: 'totalCost', isAscending: false };
  const [rows] = rowsOfPage({ engine, owner: TASK }, parts, page) ?? [];
  assert.equal(rows?.length, 1 + 2 + 2, 'idle, two lives of the first name, two others');
  const shown = shownRows(queryPage(engine, TASK, [table], PLAIN, [], page));
  assert.deepEqual(
    shown.map(({ cells }) => [cells['pod'], cells['cpuCost']]),
    [['', 9], ['twice', 9], ['pod-16', 6], ['pod-23', 6]],
  ); // prettier-ignore
  arena.release(TASK);
});

test('the first of many by value are those of a sort', () => {
  const values = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 200 });
  fc.assert(
    fc.property(values, fc.nat(220), fc.boolean(), (all, most, isAscending) => {
      const sign = isAscending ? 1 : -1;
      const sorted = [...all.keys()].sort(
        (a, b) => sign * ((all[a] ?? 0) - (all[b] ?? 0)) || a - b,
      );
      const found = firstOf(Float64Array.from(all), most, isAscending);
      assert.deepEqual([...found], sorted.slice(0, most));
    }),
  );
});
