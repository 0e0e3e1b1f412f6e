/** Parameters of the external cost endpoints, read once into a plan. */
import {
  entriesOf,
  readChargeKeys,
  readChargeUnit,
  wholeWindow,
  type ChargeQuery,
  type ChargeUnit,
} from '../charges/index.ts';
import { readFilterParams, type QueryParams } from '../../http/index.ts';
import {
  allOf,
  oneOf,
  parseFilter,
  parseWindow,
  wholeNumber,
  type Calendar,
  type Window,
} from '../../query/index.ts';
import { ALL_KEYS, COST_TYPES, EXTERNAL_FIELDS } from './schema.ts';
import { SORTS, type ExternalShown } from './write-entry.ts';

export interface ExternalPlan {
  /** Whole days. */
  readonly window: Window;
  readonly query: ChargeQuery;
  readonly shown: ExternalShown;
}

/** @throws {Fault} naming the parameter, its value and what is accepted */
export function readTimeseriesPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
): ExternalPlan {
  const unit = params.parsed<ChargeUnit>('accumulate', readChargeUnit, 'none');
  return readPlan(params, calendar, nowMs, unit);
}

/**
 * All sets as one.
 * @throws {Fault} likewise
 */
export function readTotalPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
): ExternalPlan {
  params.parsed('accumulate', readChargeUnit, 'all');
  return readPlan(params, calendar, nowMs, 'all');
}

function readPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
  unit: ChargeUnit,
): ExternalPlan {
  const text = params.required(
    'window',
    'a window such as 7d, today, lastweek, or start,end',
    '7d',
  );
  const window = wholeWindow(parseWindow(text, { nowMs, calendar }), calendar);
  const keys = params.parsed('aggregate', (list) => readChargeKeys(list, EXTERNAL_FIELDS), []);
  const filters = readFilterParams(params, [
    ['filter', (filter, parameter) => parseFilter(filter, { parameter, fields: EXTERNAL_FIELDS, example: 'domain:"datadog"' })], // prettier-ignore
  ]);
  return {
    window,
    query: {
      windows: entriesOf(window, unit, calendar),
      keys: keys.length > 0 ? keys : ALL_KEYS,
      isSeparate: keys.length === 0,
      filter: filters.length > 0 ? allOf(filters) : null,
    },
    shown: readShown(params),
  };
}

function readShown(params: QueryParams): ExternalShown {
  const sortBy = params.parsed('sortBy', oneOf('sortBy', SORTS), 'cost');
  const byDefault = sortBy === 'cost' ? 'desc' : 'asc';
  const direction = params.parsed('sortDirection', oneOf('sortDirection', ['desc', 'asc']), byDefault); // prettier-ignore
  return {
    costType: params.parsed('costType', oneOf('costType', COST_TYPES), 'blended'),
    sortBy,
    isAscending: direction === 'asc',
    limit: params.parsed('limit', wholeNumber('limit'), null),
    offset: params.parsed('offset', wholeNumber('offset'), 0),
  };
}
