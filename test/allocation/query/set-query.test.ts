/** What a query distributes, against a slow reference, and what must hold whatever is asked. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { querySet, type SetQuery } from '../../../src/allocation/query/set-query.ts';
import { accumulate } from '../../../src/allocation/query/sum-sets.ts';
import { groupedTable, type Grouped } from '../../../src/allocation/query/aggregate.ts';
import { compileKernels, createEngine } from '../../../src/columnar/index.ts';
import { readShares } from '../../../src/allocation/params/filters.ts';
import { parseQuery } from '../../../src/http/index.ts';
import { complement } from '../../../src/query/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import {
  anyDay,
  anyFilter,
  anyQuery,
  placeFilter,
  tableOf,
} from '../../support/stores/set-days.ts';
import {
  answerOf,
  COSTS,
  HOURS,
  total,
  type Alloc,
  type Amount,
  type Amounts,
  type Answer,
} from '../../support/references/set-query-reference.ts';
import { measured } from '../../support/measured.ts';

const [OWNER, TASK] = [1, 2];
const engine = createEngine(compileKernels(), dirtyMemory(256 << 20), OWNER);
const AMOUNTS: readonly Amount[] = [...COSTS, ...HOURS];

function read({ frame, texts }: Grouped): Answer {
  const table = groupedTable(frame, texts);
  const values = AMOUNTS.map((name) => [name, table.numbers(name)?.values] as const);
  return new Map(
    Array.from(frame.u32('name'), (code, row) => [
      texts.text(code),
      Object.fromEntries(values.map(([name, of]) => [name, of?.[row] ?? 0])) as Amounts,
    ]),
  );
}

/** @param split rows before it are one part of the set, the others another */
function ask(day: readonly Alloc[], query: SetQuery, split: number = day.length): Answer {
  const parts = [day.slice(0, split), day.slice(split)];
  const tables = parts.map((part) => tableOf(engine.arena, TASK, part));
  const answer = read(querySet(engine, TASK, tables, query));
  engine.arena.release(TASK);
  return answer;
}

const sumOf = (answer: Answer): number =>
  [...answer.values()].reduce((sum, one) => sum + total(one), 0);
const sizeOf = (day: readonly Alloc[], query: SetQuery): number =>
  day.reduce(
    (sum, { amounts }) => sum + COSTS.reduce((s, c) => s + Math.abs(amounts[c] ?? 0), 0),
    0,
  ) + query.overheads.reduce((sum, { usd }) => sum + usd, 1e-6);

function assertSame(got: number, wanted: number, size: number, what: string): void {
  assert.ok(Math.abs(got - wanted) <= 1e-9 * size, `${what}: ${got} for ${wanted}`);
}

/** What goes in: the day's costs, external ones only where asked for, and what is shared besides. */
function costOf(day: readonly Alloc[], query: SetQuery): number {
  const rows = day.map(({ amounts }) =>
    total({ ...amounts, ...(query.external ? {} : { externalCost: 0 }) }),
  );
  const isBorne = day.some(({ container }) => ['k', 'l'].includes(container));
  const overheads = isBorne ? query.overheads.map(({ usd }) => usd) : [];
  return [...rows, ...overheads].reduce((sum, usd) => sum + usd, 0);
}

test('P-ORACLE: whatever the day and the question: as one allocation and one dollar at a time', (t) => {
  fc.assert(
    fc.property(anyDay, anyQuery, fc.nat(24), (day, query, split) => {
      const [got, wanted] = [ask(day, query, split), answerOf(day, query)];
      assert.deepEqual([...got.keys()].toSorted(), [...wanted.keys()].toSorted());
      const size = sizeOf(day, query);
      for (const [name, amounts] of wanted) {
        for (const column of AMOUNTS) {
          assertSame(got.get(name)?.[column] ?? NaN, amounts[column], size, `${name} ${column}`);
        }
      }
    }),
    { numRuns: 400 },
  );
  measured(t, 'P-ORACLE', '400 random days and questions as the plain reference');
});

describe('costs of load balancers that are shared', () => {
  const pod = (namespace: string, amounts: Alloc['amounts'], container = 'k'): Alloc => ({
    cluster: 'c', node: 'n', namespace, pod: 'p', container, team: '', amounts,
  }); // prettier-ignore
  const shared: SetQuery = {
    keys: [{ kind: 'property', property: 'namespace' }],
    filter: null,
    share: null,
    idle: true,
    shareIdle: false,
    splitIdle: false,
    idleByNode: false,
    external: false,
    shareSplit: 'weighted',
    overheads: [],
    includeSharedCostBreakdown: false,
    sharesBalancers: true,
  };
  const costs = (answer: Answer): unknown[] =>
    [...answer].map(([name, of]) => [name, of.cpuCost, of.loadBalancerCost, of.sharedCost]);

  test('go to all workloads by what else they cost, and the rows behind them pay no more', () => {
    const day = [pod('web', { cpuCost: 1, loadBalancerCost: 8 }), pod('data', { cpuCost: 3 })];
    assert.deepEqual(costs(ask(day, shared)), [
      ['data', 3, 0, 6],
      ['web', 1, 0, 2],
    ]);
    assert.deepEqual(costs(ask(day, { ...shared, shareSplit: 'even' })), [
      ['data', 3, 0, 4],
      ['web', 1, 0, 4],
    ]);
  });

  test('stay where they are where no workload can bear them', () => {
    const day = [pod('', { loadBalancerCost: 8 }, '__unmounted__')];
    const [[, , balancer, rest] = []] = costs(ask(day, shared)) as number[][];
    assert.deepEqual([balancer, rest], [8, 0]);
  });

  test('those of rows that are shared themselves go to the others', () => {
    const day = [pod('web', { cpuCost: 1, loadBalancerCost: 8 }), pod('data', { cpuCost: 3 })];
    const share = readShares(parseQuery('shareNamespaces=web'));
    assert.deepEqual(costs(ask(day, { ...shared, share })), [['data', 3, 0, 9]]);
  });
});

describe('whatever the day and the question', () => {
  test('without a filter the answer is the day and what is shared besides', () => {
    fc.assert(
      fc.property(anyDay, anyQuery, (day, asked) => {
        const query = { ...asked, filter: null, idle: true };
        assertSame(sumOf(ask(day, query)), costOf(day, query), sizeOf(day, query), 'sum');
      }),
      { numRuns: 120 },
    );
  });

  test('sharing idle never changes the sum', () => {
    fc.assert(
      fc.property(anyDay, anyQuery, (day, asked) => {
        const query = { ...asked, idle: true };
        const [shared, apart] = [true, false].map((shareIdle) =>
          sumOf(ask(day, { ...query, shareIdle })),
        );
        assertSame(shared ?? NaN, apart ?? NaN, sizeOf(day, query), 'sum');
      }),
      { numRuns: 120 },
    );
  });

  test('a filter and its complement add up to the whole', () => {
    fc.assert(
      fc.property(anyDay, anyQuery, anyFilter, (day, asked, filter) => {
        const query = { ...asked, idle: true };
        const of = (one: SetQuery['filter']): number => sumOf(ask(day, { ...query, filter: one }));
        const parts = of(filter) + of(complement(filter));
        assertSame(parts, of(null), sizeOf(day, query), 'sum');
      }),
      { numRuns: 120 },
    );
  });

  test('a filter changes nothing of what those pay whom it means', () => {
    fc.assert(
      fc.property(anyDay, anyQuery, placeFilter, (day, asked, filter) => {
        const query = { ...asked, idle: false, keys: [] };
        const all = ask(day, { ...query, filter: null });
        for (const [name, amounts] of ask(day, { ...query, filter })) {
          for (const column of AMOUNTS) {
            const wanted = all.get(name)?.[column] ?? NaN;
            assertSame(amounts[column], wanted, sizeOf(day, query), `${name} ${column}`);
          }
        }
      }),
      { numRuns: 120 },
    );
  });

  test('the sum of sets is the sum of their rows of one name', () => {
    fc.assert(
      fc.property(fc.array(anyDay, { maxLength: 4 }), anyQuery, (days, query) => {
        const sets = days.map((day) => {
          const table = tableOf(engine.arena, TASK, day);
          const { frame, texts } = querySet(engine, TASK, [table], query);
          return { frame, texts: texts.store(engine.arena, TASK) };
        });
        const got = read(accumulate(engine, TASK, sets, query));
        const wanted = new Map<string, Amounts>();
        for (const day of days) {
          for (const [name, amounts] of answerOf(day, query)) {
            const sum = wanted.get(name) ?? ({} as Amounts);
            wanted.set(name, sum);
            for (const column of AMOUNTS) sum[column] = (sum[column] ?? 0) + amounts[column];
          }
        }
        engine.arena.release(TASK);
        assert.deepEqual([...got.keys()].toSorted(), [...wanted.keys()].toSorted());
        const size = days.reduce((sum, day) => sum + sizeOf(day, query), 0);
        for (const [name, amounts] of wanted)
          for (const column of AMOUNTS)
            assertSame(got.get(name)?.[column] ?? NaN, amounts[column], size, `${name} ${column}`);
      }),
      { numRuns: 80 },
    );
  });
});
