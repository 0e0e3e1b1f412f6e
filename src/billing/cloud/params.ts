/** Parameters of the cloud cost endpoints, read once into a plan. */
import {
  entriesOf,
  readChargeKeys,
  readChargeUnit,
  readWholeWindow,
  type ChargeKey,
  type ChargeQuery,
  type ItemPage,
} from '../charges/index.ts';
import {
  readRowFilter,
  readIsAscending,
  readPageLimits,
  type FilterParameters,
  type QueryParams,
} from '../../http/index.ts';
import {
  fieldAccepted,
  listFilter,
  listItems,
  oneOf,
  pairsFilter,
  parseFilter,
  readField,
  wholeNumber,
  type Calendar,
  type Filter,
  type FilterGrammar,
  type Window,
} from '../../query/index.ts';
import type { ValuesQuery } from './values.ts';
import { CLOUD_FIELDS, COST_METRICS, DEFAULT_KEYS, type CostMetric } from './schema.ts';

export const SORTS = ['cost', 'name', 'kubernetesPercent'] as const;

/** The form in which costs are shown: plain data, sent to workers. */
export interface CloudShown extends ItemPage {
  readonly costMetric: CostMetric;
  readonly sortBy: (typeof SORTS)[number];
  /** Names of the trends to show, in this order; null: all. */
  readonly names: readonly string[] | null;
}

/** One set for the window, sets by `accumulate`, or two: as many days before, and the window. */
export type Layout = 'one' | 'accumulated' | 'compared';

export interface CloudPlan {
  /** The window of the request, as whole days. */
  readonly asked: Window;
  /** Whole days: the time of all sets of the answer. */
  readonly window: Window;
  readonly query: ChargeQuery;
  readonly shown: CloudShown;
}

/** Listed values: by default, and at most. */
const VALUES = 100;
const VALUES_MAX = 1000;

export const FILTERS: FilterParameters = [
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

export interface ValuesPlan {
  readonly window: Window;
  readonly query: ChargeQuery;
  readonly values: ValuesQuery;
}

/** @throws {Fault} naming the parameter, its value and what is accepted */
export function readValuesPlan(params: QueryParams, calendar: Calendar, nowMs: number): ValuesPlan {
  const window = readWholeWindow(params, calendar, nowMs);
  const text = params.required('field', fieldAccepted(CLOUD_FIELDS), 'service');
  const field = readField(text, CLOUD_FIELDS);
  const search = (params.text('search') ?? '').toLowerCase();
  const limit = Math.min(params.parsed('limit', wholeNumber('limit'), VALUES), VALUES_MAX);
  const key = { field: field.field, label: field.name };
  const query = {
    windows: [window],
    keys: [key],
    isSeparate: false,
    filter: readRowFilter(params, FILTERS),
  };
  return { window, query, values: { ...field, search, limit } };
}

/** The grammar of filters of cloud costs. */
export const CLOUD_FILTER: Omit<FilterGrammar, 'parameter'> = {
  fields: CLOUD_FIELDS,
  example: 'service:"AmazonEC2"',
};

/** @returns null for all charges @throws {Fault} naming the parameter, the character, what is accepted */
export function readCloudFilter(text: string, parameter: string): Filter | null {
  return parseFilter(text, { parameter, ...CLOUD_FILTER });
}

/** @returns none for an empty text @throws {Fault} naming the item that costs are not grouped by */
export function readCloudKeys(text: string): ChargeKey[] {
  return readChargeKeys(text, CLOUD_FIELDS);
}

/** @throws {Fault} naming the parameter, its value and what is accepted */
export function readCloudPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
  layout: Layout,
): CloudPlan {
  const window = readWholeWindow(params, calendar, nowMs);
  const keys = params.parsed('aggregate', readCloudKeys, []);
  const unit = readChargeUnit(params, 'none');
  const windows =
    layout === 'compared'
      ? [asLongBefore(window, calendar), window]
      : entriesOf(window, layout === 'one' ? 'all' : unit, calendar);
  return {
    asked: window,
    window: { startMs: windows[0]?.startMs ?? window.startMs, endMs: window.endMs },
    query: {
      windows,
      keys: keys.length > 0 ? keys : DEFAULT_KEYS,
      isSeparate: false,
      filter: readRowFilter(params, FILTERS),
    },
    shown: readShown(params),
  };
}

/** As many days, directly before the window. */
function asLongBefore({ startMs, endMs }: Window, calendar: Calendar): Window {
  const days = calendar.days(startMs, endMs).length - 1;
  return { startMs: calendar.addDays(startMs, -days), endMs: startMs };
}

function readShown(params: QueryParams): CloudShown {
  const sortBy = params.parsed('sortBy', oneOf('sortBy', SORTS), 'cost');
  const isAscending = readIsAscending(params, 'sortByOrder', sortBy === 'name' ? 'asc' : 'desc');
  return {
    costMetric: params.parsed('costMetric', oneOf('costMetric', COST_METRICS), 'amortizedNetCost'),
    sortBy,
    isAscending,
    names: params.parsed('names', (text) => [...new Set(listItems(text))], null),
    ...readPageLimits(params),
  };
}
