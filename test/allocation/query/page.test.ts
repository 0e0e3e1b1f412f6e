/** Pages and rates of grouped rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { querySet, type SetQuery } from '../../../src/allocation/query/set-query.ts';
import { pageRows } from '../../../src/allocation/query/page.ts';
import { turnToRates } from '../../../src/allocation/row/cost-metric.ts';
import type { Grouped } from '../../../src/allocation/query/aggregate.ts';
import { compileKernels, createEngine } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { costsByName } from '../../support/references/grouped-rows.ts';
import { tableOf } from '../../support/stores/set-days.ts';
import type { Alloc } from '../../support/references/set-query-reference.ts';

const [OWNER, TASK] = [1, 2];
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), OWNER);

const QUERY: SetQuery = {
  keys: [{ kind: 'property', property: 'namespace' }],
  filter: null,
  share: null,
  idle: true,
  shareIdle: false,
  splitIdle: true,
  idleByNode: false,
  external: false,
  shareSplit: 'weighted',
  overheads: [],
  includeSharedCostBreakdown: false,
};

const row = (namespace: string, cpuCost: number, pvCost: number, container = 'k'): Alloc => ({
  cluster: 'c', node: 'n', namespace, pod: 'p', container, team: '', amounts: { cpuCost, pvCost },
}); // prettier-ignore

function day(): Grouped {
  const rows = [
    row('a', 1, 5), row('b', 3, 0), row('e', 2, 4), row('f', 3, 0), row('', 9, 0, '__idle__'),
  ]; // prettier-ignore
  return querySet(engine, TASK, [tableOf(engine.arena, TASK, rows)], QUERY);
}

const PAGES: readonly (readonly [
  limit: number | null, offset: number, sortBy: string, isAscending: boolean, names: string,
])[] = [
  [null, 0, 'totalCost', false, 'a e b f'],
  [2, 0, 'totalCost', false, 'a e'],
  [2, 1, 'totalCost', false, 'e b'],
  [2, 3, 'totalCost', false, 'f'],
  [2, 9, 'totalCost', false, ''],
  [0, 0, 'totalCost', false, ''],
  [null, 0, 'totalCost', true, 'b f a e'],
  [2, 0, 'cpuCost', false, 'b f'],
  [3, 0, 'name', false, 'f e b'],
  [3, 0, 'name', true, 'a b e'],
  [null, 0, 'gpuCost', false, 'a b e f'],
]; // prettier-ignore

for (const [limit, offset, sortBy, isAscending, names] of PAGES)
  test(`a page of ${limit} from ${offset} by ${sortBy}, ${isAscending ? 'least' : 'most'} first`, () => {
    const { frame, texts } = day();
    const paging = { limit, offset, sortBy, isAscending };
    const paged = pageRows(engine, TASK, { frame, texts }, paging);
    const costs = costsByName({ frame: paged, texts });
    const all = costsByName({ frame, texts });
    engine.arena.release(TASK);
    assert.equal([...costs.keys()].join(' '), `c/__idle__ ${names}`.trimEnd());
    for (const [name, amounts] of costs) assert.deepEqual(amounts, all.get(name));
  });

const RATES = [
  ['cumulative', 12, 9],
  ['hourly', 12, 0.75],
  ['daily', 12, 18],
  ['monthly', 12, 547.5],
  ['monthly', 730, 9],
  ['hourly', 0, 0],
] as const;

for (const [metric, hours, usd] of RATES)
  test(`9 USD in ${hours} hours are ${usd} ${metric}`, () => {
    const { frame, texts } = day();
    turnToRates(frame, metric, hours);
    assert.deepEqual(costsByName({ frame, texts }).get('c/__idle__')?.slice(0, 2), [usd, usd]);
    engine.arena.release(TASK);
  });
