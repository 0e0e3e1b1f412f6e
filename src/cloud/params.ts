/** Parameters of the cloud cost endpoints, read once into a plan. */
import {
  entriesOf,
  readChargeKeys,
  readChargeUnit,
  wholeWindow,
  type ChargeKey,
  type ChargeQuery,
  type ChargeUnit,
  type ItemPage,
} from '../charges/index.ts';
import { readFilterParams, type FilterParameters, type QueryParams } from '../http/index.ts';
import {
  allOf,
  listFilter,
  oneOf,
  pairsFilter,
  parseFilter,
  parseWindow,
  wholeNumber,
  type Calendar,
  type Filter,
  type Window,
} from '../query/index.ts';
import { CLOUD_FIELDS, COST_METRICS, DEFAULT_KEYS, type CostMetric } from './schema.ts';

export const SORTS = ['cost', 'name', 'kubernetesPercent'] as const;

/** How costs are shown: plain data, sent to workers. */
export interface CloudShown extends ItemPage {
  readonly costMetric: CostMetric;
  readonly sortBy: (typeof SORTS)[number];
}

export interface CloudPlan {
  /** Whole days. */
  readonly window: Window;
  readonly query: ChargeQuery;
  readonly shown: CloudShown;
}

const WINDOW = 'a window such as 7d, today, lastweek, or start,end';

const FILTERS: FilterParameters = [
  ['filter', readCloudFilter],
  ['filterInvoiceEntityIDs', (text) => listFilter(text, 'invoiceEntityID')],
  ['filterAccountIDs', (text) => listFilter(text, 'accountID')],
  ['filterProviders', (text) => listFilter(text, 'provider')],
  ['filterProviderIDs', (text) => listFilter(text, 'providerID')],
  ['filterCategories', (text) => listFilter(text, 'category')],
  ['filterServices', (text) => listFilter(text, 'service')],
  ['filterLabels', (text, parameter) => pairsFilter(text, parameter, 'label')],
  ['filterLabel', (text, parameter) => pairsFilter(text, parameter, 'label')],
];

/** @returns null: everything @throws {Fault} naming the parameter, the character, what is accepted */
export function readCloudFilter(text: string, parameter: string): Filter | null {
  return parseFilter(text, { parameter, fields: CLOUD_FIELDS, example: 'service:"AmazonEC2"' });
}

/** @returns none for an empty text @throws {Fault} naming the item that costs are not grouped by */
export function readCloudKeys(text: string): ChargeKey[] {
  return readChargeKeys(text, CLOUD_FIELDS);
}

/**
 * @param isOne all is one set, whatever `accumulate` says
 * @throws {Fault} naming the parameter, its value and what is accepted
 */
export function readCloudPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
  isOne: boolean,
): CloudPlan {
  const text = params.required('window', WINDOW, '7d');
  const window = wholeWindow(parseWindow(text, { nowMs, calendar }), calendar);
  const keys = params.parsed('aggregate', readCloudKeys, []);
  const unit = params.parsed<ChargeUnit>('accumulate', readChargeUnit, 'none');
  const filters = readFilterParams(params, FILTERS);
  return {
    window,
    query: {
      windows: entriesOf(window, isOne ? 'all' : unit, calendar),
      keys: keys.length > 0 ? keys : DEFAULT_KEYS,
      isSeparate: false,
      filter: filters.length > 0 ? allOf(filters) : null,
    },
    shown: readShown(params),
  };
}

function readShown(params: QueryParams): CloudShown {
  const sortBy = params.parsed('sortBy', oneOf('sortBy', SORTS), 'cost');
  const byDefault = sortBy === 'name' ? 'asc' : 'desc';
  const order = params.parsed('sortByOrder', oneOf('sortByOrder', ['desc', 'asc']), byDefault);
  return {
    costMetric: params.parsed('costMetric', oneOf('costMetric', COST_METRICS), 'amortizedNetCost'),
    sortBy,
    isAscending: order === 'asc',
    limit: params.parsed('limit', wholeNumber('limit'), null),
    offset: params.parsed('offset', wholeNumber('offset'), 0),
  };
}
