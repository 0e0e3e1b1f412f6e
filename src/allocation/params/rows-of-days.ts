/** The plan of routes that tell of rows of whole days by name: which days, which rows, and how they are grouped. */
import type { QueryParams } from '../../http/index.ts';
import {
  AGGREGATE_NAMES,
  parseAggregate,
  type AggregateKey,
  type Clock,
  type Filter,
  type Property,
  type Window,
} from '../../query/index.ts';
import { readFilters } from './filters.ts';
import { readDays } from './stored-params.ts';

export interface RowsOfDays {
  /** Newest first. */
  readonly days: readonly Window[];
  readonly keys: readonly AggregateKey[];
  readonly filter: Filter | null;
  readonly nowMs: number;
}

/** @param property what rows are grouped by where nothing is said */
export function readRowsOfDays(
  params: QueryParams,
  { calendar, nowMs: now }: Clock,
  property: Property,
): RowsOfDays {
  const nowMs = now();
  const read = (text: string): AggregateKey[] => parseAggregate(text, AGGREGATE_NAMES);
  return {
    days: readDays(params, calendar, nowMs),
    keys: params.parsed('aggregate', read, [{ kind: 'property', property }]),
    filter: readFilters(params),
    nowMs,
  };
}
