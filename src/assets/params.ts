/** Reads the query string of `/assets` into a plan. */
import {
  readRowFilter,
  readIsAscending,
  readPageLimits,
  type FilterParameters,
  type QueryParams,
  type ReadFilter,
} from '../http/index.ts';
import {
  ACCUMULATE_UNITS,
  daysOf,
  listFilter,
  listItems,
  oneOf,
  pairsFilter,
  parseFilter,
  refuse,
  type Accumulate,
  type Calendar,
  type Filter,
  type Spans,
  type Window,
} from '../query/index.ts';
import { ASSET_FIELDS, ASSET_TYPES } from './fields.ts';
import type { AssetQuery } from './groups.ts';
import { DEFAULT_KEYS, readKeys } from './keys.ts';
import { SORTS, type Paging } from './page.ts';

/**
 * A topline is the number of groups and their total, as an asset; totals are the same as costs by kind; a
 * graph is the cost of each group, set by set; a map is one object of all groups.
 */
export type AssetFormat = 'json' | 'csv' | 'topline' | 'totals' | 'graph' | 'map';

/** Formats of one set. */
const OF_ALL: readonly AssetFormat[] = ['csv', 'topline', 'totals'];

export interface AssetPlan {
  /** Whole days, newest first. */
  readonly days: readonly Window[];
  readonly unit: Exclude<Accumulate, 'hour'>;
  readonly query: AssetQuery;
  readonly paging: Paging;
  /** Whether costs are adjusted by the bill. */
  readonly isAdjusted: boolean;
  readonly format: AssetFormat;
  readonly nowMs: number;
}

export const WINDOW_ACCEPTED = 'a window such as 7d, today, lastweek, or start,end';
export const UNITS: readonly Accumulate[] = [
  'none',
  'all',
  ...ACCUMULATE_UNITS.filter((unit) => unit !== 'hour'),
];

const list =
  (field: string): ReadFilter =>
  (text) =>
    listFilter(text, field);

/** A row must match all of them. */
export const ASSET_FILTERS: FilterParameters = [
  ['filter', readAssetFilter],
  ['filterTypes', typesFilter],
  ['filterCategories', list('category')],
  ['filterClusters', list('cluster')],
  ['filterNames', list('name')],
  ['filterProviders', list('provider')],
  ['filterProviderIDs', list('providerID')],
  ['filterProjects', list('project')],
  ['filterAccounts', list('account')],
  ['filterServices', list('service')],
  ['filterLabels', (text, parameter) => pairsFilter(text, parameter, 'label')],
];

/** @returns null for all assets @throws {Fault} naming the parameter, the character, what is accepted */
export function readAssetFilter(text: string, parameter: string): Filter | null {
  return parseFilter(text, { parameter, fields: ASSET_FIELDS, example: 'assetType:"node"' });
}

/** A type that does not exist is refused: as a filter it would silently match nothing. */
function typesFilter(text: string, parameter: string): Filter | null {
  for (const item of listItems(text)) {
    const start = item.replace(/\*$/, '').toLowerCase();
    const isKnown = ASSET_TYPES.some((type) =>
      item.endsWith('*') ? type.toLowerCase().startsWith(start) : type.toLowerCase() === start,
    );
    if (isKnown) continue;
    const accepted = `one of ${ASSET_TYPES.join(', ')}, or how one begins and a *`;
    throw refuse(parameter, item, accepted, 'Node,Disk', ASSET_TYPES);
  }
  return listFilter(text, 'assetType');
}

/**
 * The plan of OpenCost's route: one map of the window, in which `3d` is three days.
 * @throws {Fault} likewise
 */
export function readAssetMapPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
): AssetPlan {
  // Its clients send them, and they change nothing.
  for (const name of ['includeIdle', 'step']) params.accept(name);
  const plan = readAssetPlan(params, calendar, nowMs, undefined, 'units');
  return plan.format === 'json' ? { ...plan, unit: 'all', format: 'map' } : plan;
}

/**
 * @param only the format of the route, whatever `format` says
 * @throws {Fault} naming the parameter, its value and what is accepted
 */
export function readAssetPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
  only?: AssetFormat,
  spans?: Spans,
): AssetPlan {
  const text = params.required('window', WINDOW_ACCEPTED, '7d');
  const window = params.daysWindow(text, {
    nowMs,
    calendar,
    ...(spans === undefined ? {} : { spans }),
  });
  const keys = params.parsed('aggregate', readKeys, DEFAULT_KEYS);
  const filter = readRowFilter(params, ASSET_FILTERS);
  const requested = params.parsed('format', oneOf('format', ['json', 'csv']), 'json');
  const format = only ?? requested;
  const accumulate = params.accumulate(UNITS, 'none') as AssetPlan['unit'];
  return {
    days: daysOf(window, calendar),
    // Rows of a CSV do not show their set, so it has one set, as a topline has.
    unit: OF_ALL.includes(format) ? 'all' : accumulate,
    query: { keys, filter },
    paging: readPaging(params),
    isAdjusted: !params.flag('disableAdjustments', false),
    format,
    nowMs,
  };
}

/** A page begins with the highest costs. */
function readPaging(params: QueryParams): Paging {
  const isPaged = ['limit', 'offset', 'sortByOrder'].some((name) => params.has(name));
  const sortBy = params.parsed('sortBy', oneOf('sortBy', SORTS), isPaged ? 'totalCost' : 'name');
  const byDefault = sortBy === 'name' ? 'asc' : 'desc';
  return {
    ...readPageLimits(params),
    sortBy,
    isAscending: readIsAscending(params, 'sortByOrder', byDefault),
  };
}
