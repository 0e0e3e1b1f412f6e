/** Parameters of the query of assets over stored sets, read once into a plan. */
import {
  readFilterParams,
  type FilterParameters,
  type QueryParams,
  type ReadFilter,
} from '../http/index.ts';
import {
  allOf,
  daysOf,
  listFilter,
  listItems,
  nearest,
  oneOf,
  pairsFilter,
  parseAccumulate,
  parseFilter,
  parseWindow,
  refuse,
  wholeNumber,
  type Accumulate,
  type Calendar,
  type Filter,
  type Window,
} from '../query/index.ts';
import { ASSET_FIELDS, ASSET_TYPES } from './fields.ts';
import type { AssetQuery } from './groups.ts';
import { DEFAULT_KEYS, readKeys } from './keys.ts';
import { SORTS, type Paging } from './page.ts';

/** A topline is how many groups there are, and what all of them come to. */
export type AssetFormat = 'json' | 'csv' | 'topline';

export interface AssetPlan {
  /** Whole days, newest first. */
  readonly days: readonly Window[];
  readonly unit: Exclude<Accumulate, 'quarter'>;
  readonly query: AssetQuery;
  readonly paging: Paging;
  /** Whether a bill counts. */
  readonly isAdjusted: boolean;
  readonly format: AssetFormat;
  readonly nowMs: number;
}

const WINDOW_ACCEPTED = 'a window such as 7d, today, lastweek, or start,end';
const UNITS: readonly Accumulate[] = ['none', 'all', 'day', 'week', 'month'];

const list =
  (field: string): ReadFilter =>
  (text) =>
    listFilter(text, field);

/** Rows have to meet each of them. */
const FILTERS: FilterParameters = [
  [
    'filter',
    (text, parameter) =>
      parseFilter(text, { parameter, fields: ASSET_FIELDS, example: 'assetType:"node"' }),
  ],
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

/** A name that no asset can have is a mistake: a filter that nothing meets would hide it. */
function typesFilter(text: string, parameter: string): Filter | null {
  for (const item of listItems(text)) {
    const start = item.replace(/\*$/, '').toLowerCase();
    const isKnown = ASSET_TYPES.some((type) =>
      item.endsWith('*') ? type.toLowerCase().startsWith(start) : type.toLowerCase() === start,
    );
    if (isKnown) continue;
    const accepted = `one of ${ASSET_TYPES.join(', ')}, or how one begins and a *`;
    throw refuse(parameter, item, accepted, nearest(item, ASSET_TYPES) ?? 'Node,Disk');
  }
  return listFilter(text, 'assetType');
}

/**
 * @param only what is answered, whatever `format` says
 * @throws {Fault} naming the parameter, its value and what is accepted
 */
export function readAssetPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
  only?: AssetFormat,
): AssetPlan {
  const window = parseWindow(params.required('window', WINDOW_ACCEPTED, '7d'), { nowMs, calendar });
  const keys = params.parsed('aggregate', readKeys, DEFAULT_KEYS);
  const filters = readFilterParams(params, FILTERS);
  const asked = params.parsed('format', oneOf('format', ['json', 'csv']), 'json');
  const format = only ?? asked;
  const accumulate = params.parsed(
    'accumulate',
    (text) => parseAccumulate(text, UNITS) as AssetPlan['unit'],
    'none',
  );
  return {
    days: daysOf(window, calendar),
    // Rows of a CSV do not tell one set from the next: they are always of one, as a topline is.
    unit: format === 'json' ? accumulate : 'all',
    query: { keys, filter: filters.length === 0 ? null : allOf(filters) },
    paging: readPaging(params),
    isAdjusted: !params.flag('disableAdjustments', false),
    format,
    nowMs,
  };
}

/** Where a page is asked for, the dearest come first. */
function readPaging(params: QueryParams): Paging {
  const isPaged = ['limit', 'offset', 'sortByOrder'].some((name) => params.has(name));
  const sortBy = params.parsed('sortBy', oneOf('sortBy', SORTS), isPaged ? 'totalCost' : 'name');
  const byDefault = sortBy === 'name' ? 'asc' : 'desc';
  return {
    limit: params.parsed('limit', wholeNumber('limit'), null),
    offset: params.parsed('offset', wholeNumber('offset'), 0),
    sortBy,
    isAscending:
      params.parsed('sortByOrder', oneOf('sortByOrder', ['desc', 'asc']), byDefault) === 'asc',
  };
}
