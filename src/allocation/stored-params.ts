/** Parameters of the allocation query over stored sets, read once into a plan. */
import type { QueryParams } from '../http/index.ts';
import {
  parseAccumulate,
  parseAggregate,
  parseWindow,
  type Accumulate,
  type Calendar,
  type Window,
} from '../query/index.ts';
import { AGGREGATES, readFormat, WINDOW_ACCEPTED } from './params.ts';
import type { Format } from './format.ts';
import { readAllocationQuery, type AllocationQuery } from './set-query-params.ts';
import { daysOf } from './stored-days.ts';

export type StoredUnit = Exclude<Accumulate, 'quarter'>;

export interface StoredPlan {
  /** Whole days, newest first. */
  readonly days: readonly Window[];
  readonly unit: StoredUnit;
  readonly asked: AllocationQuery;
  /** Rows are neither aggregated nor accumulated. */
  readonly isRaw: boolean;
  readonly format: Format;
  readonly nowMs: number;
}

const ACCEPTED: readonly Accumulate[] = ['none', 'all', 'hour', 'day', 'week', 'month'];

/**
 * @param formatByDefault counts where none is asked for
 * @throws {Fault} naming the parameter, its value and what is accepted
 */
export function readStoredPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
  formatByDefault: 'json' | 'ndjson' = 'json',
): StoredPlan {
  const text = params.required('window', WINDOW_ACCEPTED, '7d');
  const window = parseWindow(text, { nowMs, calendar });
  const keys = params.parsed('aggregate', (value) => parseAggregate(value, AGGREGATES), []);
  const format = readFormat(params, formatByDefault);
  const isCsv = format.kind === 'csv';
  const byDefault: Accumulate = isCsv ? 'all' : 'none';
  const accumulate = params.parsed(
    'accumulate',
    (value) => parseAccumulate(value, ACCEPTED),
    byDefault,
  );
  // The columns clients know do not tell one set from the next: they are always of one.
  const unit = isCsv && !format.isFull ? 'all' : (accumulate as StoredUnit);
  // Accepted, and without effect until there are assets of the cloud's bill to draw on.
  for (const name of ['reconcile', 'shareTenancyCosts']) params.flag(name, true);
  return {
    days: daysOf(window, calendar),
    unit,
    asked: readAllocationQuery(params, keys, true),
    isRaw: keys.length === 0 && unit === 'none',
    format,
    nowMs,
  };
}
