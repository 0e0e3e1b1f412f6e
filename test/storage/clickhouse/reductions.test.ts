/** Rows that ClickHouse adds up: the exact sums of each group, and nothing where rows are not those stored. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { openTable, type Arena, type Table } from '../../../src/columnar/index.ts';
import type { ClickHouseStore } from '../../../src/storage/clickhouse/clickhouse-store.ts';
import { reducedTable } from '../../../src/storage/clickhouse/reduced-table.ts';
import type { PushMode } from '../../../src/storage/clickhouse/push-mode.ts';
import { Reductions } from '../../../src/storage/clickhouse/reductions.ts';
import type { Reduction } from '../../../src/storage/reduction.ts';
import { exactRest, exactSum } from '../../support/references/exact-sum.ts';
import { CLICKHOUSE_MISSING, type ClickHouseServer } from '../../support/stores/clickhouse.ts';
import { clickHouseWorld } from '../../support/stores/clickhouse-world.ts';
import { dayKey, encoded, newArena, type Columns } from '../../support/stores/stored-sets.ts';

const REDUCTION: Reduction = {
  apart: ['cluster', 'namespace', 'absent'],
  apartWhere: [
    { column: 'container', texts: ['__idle__', '__unmounted__'] },
    { column: 'container', texts: ['__idle__'], by: ['node'] },
  ],
  sums: ['cost', 'hours', 'nothing'],
  greatest: ['endMs'],
  least: ['startMs'],
  alike: ['node', 'container'],
  alikeWhereKnown: ['source'],
  ranked: [{ column: 'end', order: ['first', 'second', 'third'], ofEmpty: 2 }],
  each: ['pvs'],
  only: [],
  without: null,
};

interface Row {
  readonly cluster: string;
  readonly namespace: string;
  readonly container: string;
  readonly node: string;
  readonly source: string;
  readonly end: string;
  readonly pvs: string;
  readonly cost: number;
  readonly hours: number;
  readonly startMs: number;
  readonly endMs: number;
}

const cost = fc.oneof(
  fc
    .tuple(fc.maxSafeInteger(), fc.integer({ min: -75, max: -45 }))
    .map(([n, power]) => n * 2 ** power),
  fc.constantFrom(0, -0, 0.1, 1e-9, -0.1, 2 ** 40 + 0.5),
);
const row: fc.Arbitrary<Row> = fc.record({
  cluster: fc.constantFrom('one', 'two', ''),
  namespace: fc.constantFrom('', 'shop', "o'clock \\ ü", 'Shop'),
  container: fc.constantFrom('web', 'db', '__idle__', '__unmounted__', ''),
  node: fc.constantFrom('', 'a', 'b'),
  source: fc.constantFrom('', 'list', 'own'),
  end: fc.constantFrom('', 'first', 'second', 'third'),
  pvs: fc.oneof({ weight: 5, arbitrary: fc.constant('') }, fc.constantFrom('{"a":1}', '{"b":2}')),
  cost,
  hours: fc.integer({ min: 0, max: 24 }),
  startMs: fc.integer({ min: 1, max: 1000 }),
  endMs: fc.integer({ min: 1000, max: 2000 }),
});
const rows = fc.array(row, { minLength: 1, maxLength: 40 });

function columnsOf(all: readonly Row[]): Columns {
  const texts = (name: keyof Row): string[] => all.map((each) => String(each[name]));
  const numbers = (name: keyof Row): number[] => all.map((each) => Number(each[name]));
  return {
    ...Object.fromEntries(
      ['cluster', 'namespace', 'container', 'node', 'source', 'end', 'pvs'].map((name) => [
        name,
        texts(name as keyof Row),
      ]),
    ),
    ...Object.fromEntries(
      ['cost', 'hours', 'startMs', 'endMs'].map((name) => [name, numbers(name as keyof Row)]),
    ),
  };
}

describe('rows added up by ClickHouse', { skip: CLICKHOUSE_MISSING }, () => {
  const world = clickHouseWorld();
  const arena = newArena(16 << 20);
  let store: ClickHouseStore;
  let calls = 0;
  before(async () => {
    const counting: typeof fetch = (...call) => {
      calls++;
      return fetch(...call);
    };
    store = await world.open({ fetch: counting });
  });
  after(() => store.close());

  test('groups have exact sums, extremes and two texts where rows differ', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        await write(store, all);
        const table = await reduced(store, arena, REDUCTION);
        assert.ok(table);
        assertGroups(table, groupsOf(all));
        arena.release(1);
      }),
      { numRuns: 8, includeErrorInReport: true },
    );
  });

  test('rows of a condition are told alone, in whichever spelling they have', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.boolean(), async (all, isNegated) => {
        await write(store, all);
        const texts = ["o'clock \\ ü", ''];
        const only = [{ column: 'namespace', texts, isNegated }];
        const table = await reduced(store, arena, { ...REDUCTION, only });
        assert.ok(table);
        // A column that is empty in all rows is none of the set: nobody asks for it.
        const isThere = all.some(({ namespace }) => namespace !== '');
        const wanted = all.filter(
          ({ namespace }) => !isThere || texts.includes(namespace) !== isNegated,
        );
        assertGroups(table, groupsOf(wanted));
        arena.release(1);
      }),
      { numRuns: 4, includeErrorInReport: true },
    );
  });

  const some = fc.sample(row, { numRuns: 30, seed: 7 });

  test('a row that makes the answer useless, numbers that are not finite and -0 as an extreme: rows are read', async () => {
    await write(store, some);
    const without = { column: 'container', text: '__idle__' };
    assert.equal(await reduced(store, arena, { ...REDUCTION, without }), undefined);
    for (const odd of [{ cost: NaN }, { cost: Infinity }, { endMs: -0 }]) {
      await write(store, [...some, { ...some[0], ...odd } as Row]);
      assert.equal(await reduced(store, arena, REDUCTION), undefined, JSON.stringify(odd));
    }
  });

  test('rows that somebody adds, removes or changes: rows are read', async () => {
    const damages = [
      (table: string, own: string) =>
        `INSERT INTO ${table} SELECT * FROM ${table} WHERE setRow = 3 AND ${own}`,
      (table: string, own: string) => `ALTER TABLE ${table} DELETE WHERE setRow = 3 AND ${own}`,
      (table: string, own: string) =>
        `ALTER TABLE ${table} UPDATE cost = cost + 0.0000001 WHERE setRow = 3 AND ${own}`,
      (table: string, own: string) =>
        `ALTER TABLE ${table} UPDATE namespace = 'other' WHERE setRow = 3 AND ${own}`,
    ];
    for (const damage of damages) {
      await write(store, some);
      const before = await reduced(store, arena, REDUCTION);
      assert.ok(before);
      const version = store.find(dayKey(0))?.version;
      const table = store.server.table('allocations_rows');
      assert.equal(await world.server().ask(damage(table, `setVersion = ${version}`)), '');
      await mutated(world.server());
      assert.equal(await reduced(store, arena, REDUCTION), undefined, damage('', ''));
    }
  });

  test('a question with too many groups is asked once', async () => {
    const many = Array.from({ length: 20_000 }, (_, i): Row => ({
      ...(some[0] as Row),
      namespace: `n${i % 1100}`,
      node: `x${i % 1201}`,
    }));
    await write(store, many);
    const reductions = new Reductions(store.server, 'always');
    const entry = store.find(dayKey(0));
    assert.ok(entry);
    const apart = [...REDUCTION.apart, 'node'];
    assert.equal(await reductions.ask(entry, { ...REDUCTION, apart }), undefined);
    const asked = calls;
    assert.equal(await reductions.ask(entry, { ...REDUCTION, apart }), undefined);
    assert.equal(calls, asked);
    assert.ok(await reductions.ask(entry, REDUCTION));
  });

  test('columns are read once they are worth it, and always where nothing is to be added up', async () => {
    await write(store, some);
    const entry = store.find(dayKey(0));
    assert.ok(entry);
    const answered = async (mode: PushMode): Promise<number> => {
      const reductions = new Reductions(store.server, mode);
      for (let i = 0; i < 5; i++) await reductions.ask(entry, REDUCTION);
      return reductions.answered;
    };
    assert.deepEqual(
      [await answered('never'), await answered('auto'), await answered('always')],
      [0, 3, 5],
    );
  });
});

async function write(store: ClickHouseStore, all: readonly Row[]): Promise<void> {
  await store.write([await encoded(dayKey(0), columnsOf(all))]);
}

async function reduced(
  store: ClickHouseStore,
  arena: Arena,
  reduction: Reduction,
): Promise<Table | undefined> {
  const entry = store.find(dayKey(0));
  assert.ok(entry);
  const found = await new Reductions(store.server, 'always').ask(entry, reduction);
  if (found === undefined) return undefined;
  const bytes = Buffer.concat(found.pieces);
  const addresses = await reducedTable(arena, 1, bytes, found.plan, 10_000);
  return addresses && openTable(arena, addresses);
}

/** Waits for changes that the server makes behind its answer. */
async function mutated({ ask }: Pick<ClickHouseServer, 'ask'>): Promise<void> {
  const left = 'SELECT count() FROM system.mutations WHERE is_done = 0';
  while ((await ask(left)).trim() !== '0') await sleep(5);
}

/** Rows that are added up, in the order of the first ones. */
function groupsOf(all: readonly Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const each of all) {
    const { cluster, namespace, container, pvs, node } = each;
    const kind = container.startsWith('__') ? container : '';
    const key = JSON.stringify([cluster, namespace, pvs, kind, kind === '__idle__' ? node : '']);
    const known = groups.get(key);
    if (known) known.push(each);
    else groups.set(key, [each]);
  }
  return [...groups.values()];
}

function assertGroups(table: Table, groups: readonly Row[][]): void {
  const texts = (name: string): string[] => {
    const column = table.text(name);
    return Array.from(
      { length: table.rows },
      (_, i) => column?.texts.text(column.codes[i] ?? 0) ?? '',
    );
  };
  const numbers = (name: string): number[] => [
    ...(table.numbers(name)?.values ?? new Float64Array(table.rows)),
  ];
  let at = 0;
  for (const group of groups) {
    const of = <Name extends keyof Row>(name: Name): Row[Name][] => group.map((each) => each[name]);
    const [{ pvs, cluster, namespace } = { pvs: '', cluster: '', namespace: '' }] = group;
    const end = at + (pvs === '' ? 2 : Math.max(2, group.length));
    const told = <Value>(values: readonly Value[]): readonly Value[] => values.slice(at, end);
    const zeros = Array<number>(end - at - 2).fill(0);
    for (const name of ['cost', 'hours'] as const) {
      const [sum, rest] = [exactSum(of(name)), exactRest(of(name), exactSum(of(name)))];
      assert.deepEqual(told(numbers(name)), [sum, rest, ...zeros]);
    }
    assert.deepEqual(new Set(told(numbers('endMs'))), new Set([Math.max(...of('endMs'))]));
    assert.deepEqual(new Set(told(numbers('startMs'))), new Set([Math.min(...of('startMs'))]));
    assert.deepEqual(new Set(told(texts('cluster'))), new Set([cluster]));
    assert.deepEqual(new Set(told(texts('namespace'))), new Set([namespace]));
    assert.deepEqual(
      told(texts('pvs')).filter((text) => text !== ''),
      of('pvs').filter((text) => text !== ''),
    );
    assert.deepEqual(new Set(told(texts('node'))), ends(of('node')));
    assert.deepEqual(new Set(told(texts('container'))), ends(of('container')));
    const known = of('source').filter((text) => text !== '');
    assert.deepEqual(new Set(told(texts('source'))), ends(known.length > 0 ? known : ['']));
    const sure = (text: string): string => (text === '' ? 'third' : text);
    assert.deepEqual(
      new Set(told(texts('end')).map(sure)),
      new Set([
        of('end')
          .map(sure)
          .toSorted((a, b) => PLACES.indexOf(b) - PLACES.indexOf(a))[0],
      ]),
    );
    at = end;
  }
  assert.equal(at, table.rows);
}

const PLACES = ['first', 'second', 'third'];

/** The first and the last. */
function ends(texts: readonly string[]): Set<string> {
  const sorted = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return new Set([sorted[0] ?? '', sorted.at(-1) ?? '']);
}
