/** Rows that are of the same thing become one, against the obvious sum over lists. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mergeRows, type RowMerge } from '../../../src/allocation/sets/merge-rows.ts';
import { compileKernels, createEngine, type Table } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { tableOf } from '../../support/stores/stored-sets.ts';

const OWNER = 2;
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), 1);
const { arena } = engine;
const SUM: RowMerge = {
  keys: ['node', 'pod'],
  texts: ['node', 'pod', 'labels'],
  objects: ['pvs'],
  numbers: new Map([
    ['cost', 'sum'],
    ['usageMax', 'max'],
    ['startMs', 'min'],
    ['endUncertaintyMs', 'last'],
    ['nothing', 'sum'],
  ]),
};

interface Row {
  readonly node: string;
  readonly pod: string;
  readonly labels: string;
  readonly cost: number;
  readonly usageMax: number;
  readonly startMs: number;
  readonly endUncertaintyMs: number;
  readonly byteHours: number;
}

const row = fc.record<Row>({
  node: fc.constantFrom('', 'a', 'b'),
  pod: fc.constantFrom('', 'a', 'b', 'ab'),
  labels: fc.constantFrom('', '{"x":"1"}', '{"x":"2"}'),
  cost: fc.integer({ min: -9, max: 9 }),
  usageMax: fc.integer({ min: 0, max: 9 }),
  startMs: fc.integer({ min: 1, max: 9 }),
  endUncertaintyMs: fc.integer({ min: 0, max: 9 }),
  byteHours: fc.integer({ min: 0, max: 3 }),
});

const NUMBERS = ['cost', 'usageMax', 'startMs', 'endUncertaintyMs'] as const;

function tableOfRows(rows: readonly Row[]): Table {
  const texts = (['node', 'pod', 'labels'] as const).map((name) => [
    name,
    rows.map((one) => one[name]),
  ]);
  const numbers = NUMBERS.map((name) => [name, rows.map((one) => one[name])]);
  const pvs = rows.map(({ byteHours }) => volume(byteHours));
  return tableOf({ ...Object.fromEntries([...texts, ...numbers]), pvs }, rows.length);
}

function volume(byteHours: number): string {
  return byteHours === 0 ? '' : JSON.stringify({ v: { byteHours, providerID: 'p' } });
}

/** As one row, the obvious way. */
function folded(rows: readonly Row[]): readonly unknown[] {
  const last = rows.at(-1);
  return [
    rows.findLast(({ labels }) => labels !== '')?.labels ?? '',
    rows.reduce((sum, { cost }) => sum + cost, 0),
    Math.max(...rows.map(({ usageMax }) => usageMax)),
    Math.min(...rows.map(({ startMs }) => startMs)),
    last?.endUncertaintyMs,
    volume(rows.reduce((sum, { byteHours }) => sum + byteHours, 0)),
  ];
}

function plainRows(table: Table): ReadonlyMap<string, readonly unknown[]> {
  const text = (name: string, at: number): string => {
    const column = table.text(name);
    return column?.texts.text(column.codes[at] ?? 0) ?? '';
  };
  return new Map(
    Array.from({ length: table.rows }, (_, at) => [
      `${text('node', at)}/${text('pod', at)}`,
      [
        text('labels', at),
        ...NUMBERS.map((name) => table.numbers(name)?.values[at] ?? 0),
        text('pvs', at),
      ],
    ]),
  );
}

test('rows of any tables with the same key are one row, whose numbers are folded', () => {
  fc.assert(
    fc.property(fc.array(fc.array(row, { maxLength: 6 }), { maxLength: 4 }), (lists) => {
      // A table without rows has no columns of texts.
      const tables = lists.filter((rows) => rows.length > 0);
      const sum = mergeRows(engine, OWNER, tables.map(tableOfRows), SUM);
      const groups = byKey(tables.flat());
      const expected = new Map([...groups].map(([key, rows]) => [key, folded(rows)]));
      assert.deepEqual(plainRows(sum), expected);
      assert.equal(sum.numbers('nothing'), undefined);
      arena.release(OWNER);
    }),
  );
});

test('rows that are not kept are in no sum', () => {
  const one: Row = { node: 'n', pod: 'p', labels: '', cost: 1, usageMax: 1, startMs: 1, endUncertaintyMs: 0, byteHours: 2 }; // prettier-ignore
  const tables = [tableOfRows([one, { ...one, cost: 5 }]), tableOfRows([one, one])];
  const sum = mergeRows(engine, OWNER, tables, SUM, () => Uint8Array.of(1, 0));
  assert.deepEqual([...plainRows(sum).values()], [['', 2, 1, 1, 0, volume(4)]]);
});

function byKey(rows: readonly Row[]): ReadonlyMap<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const one of rows) {
    const key = `${one.node}/${one.pod}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}
