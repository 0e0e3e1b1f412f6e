/** Parameters of the external cost endpoints, read once into a plan. */
import {
  entriesOf,
  readChargeKeys,
  readChargeUnit,
  readWholeWindow,
  type ChargeQuery,
} from '../charges/index.ts';
import {
  readRowFilter,
  readIsAscending,
  readPageLimits,
  type QueryParams,
} from '../../http/index.ts';
import {
  oneOf,
  parseFilter,
  type Accumulate,
  type Calendar,
  type Filter,
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
  const unit = readChargeUnit(params, 'none');
  return readPlan(params, calendar, nowMs, unit);
}

/**
 * The plan of the total: all sets as one.
 * @throws {Fault} naming the parameter, its value and what is accepted
 */
export function readTotalPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
): ExternalPlan {
  readChargeUnit(params, 'all');
  return readPlan(params, calendar, nowMs, 'all');
}

function readPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
  unit: Accumulate,
): ExternalPlan {
  const window = readWholeWindow(params, calendar, nowMs);
  const keys = params.parsed('aggregate', (list) => readChargeKeys(list, EXTERNAL_FIELDS), []);
  const filter = readRowFilter(params, [['filter', readExternalFilter]]);
  return {
    window,
    query: {
      windows: entriesOf(window, unit, calendar),
      keys: keys.length > 0 ? keys : ALL_KEYS,
      isSeparate: keys.length === 0,
      filter,
    },
    shown: readShown(params),
  };
}

/** @returns null for all charges @throws {Fault} naming the parameter, the character, what is accepted */
export function readExternalFilter(text: string, parameter: string): Filter | null {
  return parseFilter(text, { parameter, fields: EXTERNAL_FIELDS, example: 'domain:"datadog"' });
}

function readShown(params: QueryParams): ExternalShown {
  const sortBy = params.parsed('sortBy', oneOf('sortBy', SORTS), 'cost');
  const byDefault = sortBy === 'cost' ? 'desc' : 'asc';
  const isAscending = readIsAscending(params, 'sortDirection', byDefault);
  return {
    costType: params.parsed('costType', oneOf('costType', COST_TYPES), 'blended'),
    sortBy,
    isAscending,
    ...readPageLimits(params),
  };
}
