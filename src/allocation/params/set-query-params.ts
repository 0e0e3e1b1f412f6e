/** Parameters that say how rows are filtered, shared and shown: those of endpoint 12. */
import { readIsAscending, readPageLimits, type QueryParams } from '../../http/index.ts';
import { oneOf, parseBoolean, refuse, type AggregateKey } from '../../query/index.ts';
import { FILTER_NAMES, readFilters, readShares, SHARED } from './filters.ts';
import { COST_METRICS, type CostMetric } from '../row/cost-metric.ts';
import { SORT_COLUMNS, type Paging } from '../query/page.ts';
import type { SetQuery } from '../query/set-query.ts';
import { ASSET_SHARES_FLAG } from './asset-shares-flag.ts';

/** A parameter of a query, as help shows it. */
export interface Parameter {
  readonly name: string;
  readonly value: string;
  readonly help: string;
}

/** A query over sets; each set's share of `shareCost` is computed once its window is known. */
export interface AllocationQuery {
  readonly query: Omit<SetQuery, 'overheads'>;
  readonly shareUsdPerMonth: number;
  readonly costMetric: CostMetric;
  /** Null: all rows, in order of name. */
  readonly paging: Paging | null;
}

/** Every parameter that `readAllocationQuery` reads, but `external`. */
export const QUERY_PARAMETERS: readonly Parameter[] = [
  {
    name: 'filter',
    value: 'FILTER',
    help: `rows of the answer: namespace:"web"+label[app]:"shop"`,
  },
  ...FILTER_NAMES.filter((name) => name !== 'filter').map((name): Parameter => ({
    name,
    value: 'LIST',
    help: 'rows of the answer; a * at the end of an item stands for any rest',
  })),
  {
    name: 'idle',
    value: 'BOOLEAN',
    help: 'adds what nodes cost beyond allocations; default false',
  },
  { name: 'includeIdle', value: 'BOOLEAN', help: 'the same' },
  { name: 'splitIdle', value: 'BOOLEAN', help: 'a row of idle for each cluster' },
  { name: 'idleByNode', value: 'BOOLEAN', help: 'idle by node where it is split or shared' },
  { name: 'shareIdle', value: 'BOOLEAN', help: 'charges idle to the rows of its cluster or node' },
  { name: 'shareNamespaces', value: 'LIST', help: 'costs to share among the other rows' },
  { name: 'shareLabels', value: 'LIST', help: 'name:value, costs to share among the other rows' },
  { name: 'shareCost', value: 'USD', help: 'a month, shared among the rows; 30.42 is 1.00 a day' },
  {
    name: 'sharelb',
    value: 'BOOLEAN',
    help: 'shares costs of load balancers among the rows; default false',
  },
  { name: 'shareSplit', value: 'weighted|even', help: 'by cost, or the same for each group' },
  { name: 'includeSharedCostBreakdown', value: 'BOOLEAN', help: 'json: sources of shared cost' },
  {
    name: ASSET_SHARES_FLAG,
    value: 'BOOLEAN',
    help: 'json with idle: the part of each node, balancer and volume that rows pay; default false',
  },
  { name: 'costMetric', value: COST_METRICS.join('|'), help: 'costs as rates' },
  { name: 'limit', value: 'N', help: 'rows of a set, highest cost first; idle is not counted' },
  { name: 'offset', value: 'N', help: 'rows before them' },
  { name: 'sortBy', value: 'FIELD', help: 'name, totalCost or another number of a row' },
  { name: 'sortByOrder', value: 'desc|asc', help: 'default desc' },
];

/** @throws {Fault} naming the parameter, its value and what is accepted */
export function readAllocationQuery(
  params: QueryParams,
  keys: readonly AggregateKey[],
  { idleByDefault, showsPaid }: { readonly idleByDefault: boolean; readonly showsPaid: boolean },
): AllocationQuery {
  params.refuseScoped('shareCost', SHARED);
  const shareIdle = params.showsIdle('shareIdle', params.parsed('shareIdle', readShareIdle, false));
  const sharesBalancers = params.flag('sharelb', false);
  const showsAssetShares = params.flag(ASSET_SHARES_FLAG, false);
  if (sharesBalancers) params.refuseScoped('sharelb', SHARED);
  const query = {
    keys,
    filter: readFilters(params),
    share: readShares(params),
    // Idle that no row can be charged for stays visible.
    idle: readIdle(params, idleByDefault || shareIdle),
    shareIdle,
    splitIdle: params.flag('splitIdle', false),
    idleByNode: params.flag('idleByNode', false),
    external: params.flag('external', false),
    shareSplit: params.parsed('shareSplit', oneOf('shareSplit', ['weighted', 'even']), 'weighted'),
    includeSharedCostBreakdown: params.flag('includeSharedCostBreakdown', false),
    ...(sharesBalancers ? { sharesBalancers } : {}),
    ...(params.isScoped ? { isScoped: true } : {}),
    ...(showsPaid ? { showsPaid } : {}),
    ...(showsAssetShares ? { showsAssetShares } : {}),
  } as const;
  return {
    query,
    shareUsdPerMonth: params.parsed('shareCost', readUsd, 0),
    costMetric: params.parsed('costMetric', oneOf('costMetric', COST_METRICS), 'cumulative'),
    paging: readPaging(params),
  };
}

/** Clients send either name, or both. */
function readIdle(params: QueryParams, byDefault: boolean): boolean {
  const names = ['idle', 'includeIdle'].filter((name) => params.text(name) !== undefined);
  if (names.length === 0) return params.showsIdle('idle', byDefault);
  const wanted = names.filter((name) => params.flag(name, false));
  return wanted.map((name) => params.showsIdle(name, true)).includes(true);
}

const SHARED_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['weighted', true],
  ['proportional', true],
  // As Backstage's plug-in of Kubecost spells it.
  ['weightedd', true],
  ['separate', false],
]);

function readShareIdle(text: string): boolean {
  const known = SHARED_WORDS.get(text.trim().toLowerCase());
  if (known !== undefined) return known;
  try {
    return parseBoolean(text, 'shareIdle');
  } catch {
    const names = ['true', 'false', ...SHARED_WORDS.keys()];
    throw refuse('shareIdle', text, 'a boolean or weighted', 'weighted', names);
  }
}

function readUsd(text: string): number {
  const usd = /^\d+(\.\d*)?(e[+-]?\d+)?$|^\.\d+$/i.test(text.trim()) ? Number(text) : NaN;
  if (Number.isFinite(usd)) return usd;
  throw refuse('shareCost', text, 'a cost a month, 0 or more', '30.42');
}

function readPaging(params: QueryParams): Paging | null {
  const names = ['limit', 'offset', 'sortBy', 'sortByOrder'];
  if (names.every((name) => params.text(name) === undefined)) return null;
  return {
    ...readPageLimits(params),
    sortBy: params.parsed('sortBy', oneOf('sortBy', SORT_COLUMNS), 'totalCost'),
    isAscending: readIsAscending(params, 'sortByOrder', 'desc'),
  };
}
