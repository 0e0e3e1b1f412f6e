/** Queries over reduced rows against the same over the rows, written in every format, byte for byte. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { encodeSlot } from '../../../src/allocation/formats/set-at.ts';
import { writeSet } from '../../../src/allocation/formats/view.ts';
import type { Format } from '../../../src/allocation/params/format.ts';
import { querySet, type SetQuery } from '../../../src/allocation/query/set-query.ts';
import type { View } from '../../../src/allocation/query/stored-columns.ts';
import { reduceRows } from '../../../src/allocation/reduced/reduce.ts';
import { reductionOf, type Reduction } from '../../../src/allocation/reduced/reduction-of.ts';
import {
  END_SOURCES,
  IDENTITY_COLUMNS,
  MEASURES,
  PAID_COLUMNS,
  PRICE_SOURCE,
  TEXT_COLUMNS,
} from '../../../src/allocation/row/schema.ts';
import { ALLOCATION_COLUMNS } from '../../../src/allocation/sets/set-files.ts';
import { compileKernels, createEngine, type Table } from '../../../src/columnar/index.ts';
import type { AggregateKey, Filter } from '../../../src/query/index.ts';
import { encodeSet, SetReader } from '../../../src/storage/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { PLAIN } from '../../support/references/plain-query.ts';
import { placeFilter } from '../../support/stores/set-days.ts';
import { dayKey, META, tableOf, type Columns } from '../../support/stores/stored-sets.ts';

const [KERNELS, TASK] = [1, 2];
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), KERNELS);
const { arena } = engine;
const space = { engine, owner: TASK };
const reader = new SetReader(arena);

type Row = Readonly<Record<string, string | number>>;

const SUMS = MEASURES.filter(({ fold }) => fold === 'sum').map(({ column }) => column);
const from = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
/** Within what compensated sums are exact for: 2^53 between the largest, times their number, and the least digit. */
const amount = fc.oneof(
  fc.constantFrom(0, -0, 0.1, 0.2, 0.3, 1, -1, 24, 2 ** 13, -(2 ** 13)),
  fc
    .record({ digits: fc.maxSafeInteger(), power: fc.integer({ min: -70, max: -40 }) })
    .map(({ digits, power }) => digits * 2 ** power),
);
const ms = fc.integer({ min: 0, max: 86_400_000 });
const paid = fc.option(fc.dictionary(from('pv-1', 'pv-2', '7'), amount, { maxKeys: 2 }), {
  nil: {},
});
const paidText = paid.map((costs) => {
  const members = Object.entries(costs).map(([key, cost]) => [key, { cost, providerID: key }]);
  return members.length === 0 ? '' : JSON.stringify(Object.fromEntries(members));
});

const TEXTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ...Object.fromEntries(IDENTITY_COLUMNS.map((name) => [name, from('', `${name}-1`, `${name}-2`)])),
  cluster: from('c', 'd'),
  namespace: from('', 'a', 'b', 'é'),
  pod: from('p', 'q', 'r', 's'),
  controllerKind: from('', 'deployment', 'job'),
  ...Object.fromEntries(
    TEXT_COLUMNS.map((name) => [name, from('', '{"team":"red"}', '{"team":"blue","x":"y"}')]),
  ),
  services: from('', '["s"]', '["s","t"]'),
  [PRICE_SOURCE]: from('', 'listPrice', 'default', 'mixed'),
  endSource: from('', ...END_SOURCES),
  ...Object.fromEntries(PAID_COLUMNS.map((name) => [name, paidText])),
};

/** Rows that have something only in some of the columns of amounts. */
const anyRows: fc.Arbitrary<readonly Row[]> = fc
  .subarray(SUMS, { minLength: 1, maxLength: 9 })
  .chain((amounts) => {
    // Columns are of different sizes, from next to nothing to almost too much.
    const numbers = Object.fromEntries(
      amounts.map((name, i) => [name, amount.map((size) => size * 2 ** (200 * (i - 4)))]),
    );
    const times = { startMs: ms, endMs: ms, endUncertaintyMs: ms };
    const of = (kind: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<Row> =>
      fc.record({ ...TEXTS, ...numbers, ...times, ...kind });
    const nobody = { pod: from(''), namespace: from('') };
    return fc.array(
      fc.oneof(
        { weight: 6, arbitrary: of({ container: from('k', 'l', 'm') }) },
        { weight: 2, arbitrary: of({ ...nobody, container: from('__idle__') }) },
        { weight: 1, arbitrary: of({ container: from('__unmounted__') }) },
        { weight: 1, arbitrary: of({ container: from('__external__') }) },
      ),
      { maxLength: 40, size: 'max' },
    );
  });

const property = (name: Extract<AggregateKey, { kind: 'property' }>['property']): AggregateKey => ({
  kind: 'property',
  property: name,
});
const KEYS: readonly AggregateKey[] = [
  property('namespace'),
  property('cluster'),
  property('controller'),
  property('deployment'),
  property('node'),
  property('pod'),
  property('container'),
  property('service'),
  property('team'),
  property('all'),
  { kind: 'label', name: 'team' },
];
const anyQuery: fc.Arbitrary<SetQuery> = fc
  .record({
    keys: fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 2 }),
    filter: fc.option(placeFilter),
    idle: fc.boolean(),
    splitIdle: fc.boolean(),
    idleByNode: fc.boolean(),
    external: fc.boolean(),
    includeSharedCostBreakdown: fc.boolean(),
    showsPaid: fc.constantFrom(true, undefined),
  })
  .map(({ showsPaid, ...query }) => ({ ...PLAIN, ...query, ...(showsPaid ? { showsPaid } : {}) }));

const FORMATS: readonly Format[] = [
  { kind: 'json' },
  { kind: 'arrow' },
  { kind: 'csv', isFull: true, decimals: null },
];

function columnsOf(rows: readonly Row[]): Columns {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = names.map((name) => [name, rows.map((row) => row[name] ?? '')]);
  return Object.fromEntries(columns) as Columns;
}

/** As it comes out of a stored file: columns with dictionaries of their own, without those of zeros. */
async function stored(table: Table): Promise<Table> {
  const encoded = await encodeSet({ key: dayKey(0), meta: META, table, ...ALLOCATION_COLUMNS });
  const address = arena.allocate(encoded.bytes.length, TASK);
  arena.u8(address, encoded.bytes.length).set(encoded.bytes);
  const set = { key: encoded.key, place: { address }, directory: encoded.directory };
  return reader.read(set, TASK).table;
}

function only(table: Table, names: readonly string[]): Table {
  return {
    rows: table.rows,
    text: (name) => (names.includes(name) ? table.text(name) : undefined),
    numbers: (name) => (names.includes(name) ? table.numbers(name) : undefined),
  };
}

const slot = { address: arena.allocate(1 << 20, KERNELS), bytes: 1 << 20 };

async function answers(table: Table, query: SetQuery): Promise<readonly string[]> {
  const grouped = querySet(engine, TASK, [table], query);
  const window = { startMs: 0, endMs: 86_400_000 };
  const views: readonly View[] = ['allocations', 'summary', 'topline'];
  const all: string[] = [];
  for (const view of views) {
    for (const format of view === 'topline' ? FORMATS.slice(0, 1) : FORMATS) {
      const options = { window, resolutionMs: 0, isRaw: false, format };
      const dictionary = grouped.texts.store(arena, TASK);
      const set = await writeSet(
        engine,
        TASK,
        { ...grouped, texts: dictionary },
        view,
        query.keys,
        options,
      );
      const { bytes, nextRow } = encodeSlot(engine, set, 0, slot);
      assert.equal(nextRow, set.rows);
      all.push(`${view} ${format.kind} ${arena.text(slot.address, bytes).toString('latin1')}`);
    }
  }
  return all;
}

/** @param widen the columns that reduced rows are told apart by beyond those that the query needs */
async function compare(
  rows: readonly Row[],
  query: SetQuery,
  widen: Partial<Reduction> = {},
): Promise<void> {
  const reduction = reductionOf(query);
  if ('because' in reduction) return;
  const { columns, apart, idleApart } = reduction;
  const wider = {
    apart: [...new Set([...apart, ...(widen.apart ?? [])])],
    idleApart: [...new Set([...idleApart, ...(widen.idleApart ?? [])])],
  };
  const whole = await stored(tableOf(columnsOf(rows), rows.length));
  const wanted = [...new Set([...columns, ...(widen.columns ?? [])])];
  const reduced = await stored(reduceRows(space, whole, { ...wider, columns: wanted }));
  assert.ok(reduced.rows <= 2 * rows.length);
  const [got, expected] = [
    await answers(only(reduced, columns), query),
    await answers(only(whole, columns), query),
  ];
  assert.deepEqual(got, expected);
  arena.release(TASK);
}

describe('reduced rows', () => {
  test('answer every question that they may answer as the rows do', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, anyQuery, (rows, query) => compare(rows, query)),
      { numRuns: 40 },
    );
  });

  test('answer questions that need fewer columns than they are told apart by', async () => {
    const widen = { apart: ['cluster', 'namespace'], columns: ['namespace', ...PAID_COLUMNS] };
    const coarse = anyQuery.map((query): SetQuery => {
      const keys = query.keys.filter(
        (key) => key.kind === 'property' && ['cluster', 'all', 'namespace'].includes(key.property),
      );
      return { ...query, keys: keys.length > 0 ? keys : [property('namespace')], filter: null };
    });
    await fc.assert(
      fc.asyncProperty(anyRows, coarse, (rows, query) => compare(rows, query, widen)),
      { numRuns: 25 },
    );
  });
});

describe('questions that need the rows', () => {
  const filter: Filter = {
    kind: 'comparison',
    field: 'namespace',
    name: null,
    operator: 'equals',
    isNegated: false,
    values: ['a'],
  };
  const byNamespace: SetQuery = { ...PLAIN, keys: [property('namespace')] };
  const cases: readonly (readonly [string, Partial<SetQuery>])[] = [
    ['rows are not aggregated', { keys: [] }],
    ['costs are shared by row', { share: filter }],
    ['costs are shared by row', { shareIdle: true }],
    ['costs are shared by row', { sharesBalancers: true }],
    ['costs are shared by row', { overheads: [{ name: 'rent', usd: 1 }] }],
    ['a filter leaves of idle what its rows would pay', { filter }],
    ['shares in assets are of rows', { showsAssetShares: true }],
  ];
  for (const [because, query] of cases) {
    test(`are told why: ${Object.keys(query).join()}: ${because}`, () => {
      assert.deepEqual(reductionOf({ ...byNamespace, ...query }), { because });
    });
  }

  test('are not those by namespace, with or without idle, or with a filter and without idle', () => {
    for (const query of [{}, { idle: false }, { filter, idle: false }]) {
      const reduction = reductionOf({ ...byNamespace, ...query });
      assert.ok('apart' in reduction);
      assert.deepEqual(reduction.apart, ['cluster', 'namespace']);
    }
  });
});
