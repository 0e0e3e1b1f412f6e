/** Parameters of the list of a field's values, read once into a plan. */
import type { QueryParams } from '../../http/index.ts';
import {
  fieldAccepted,
  readField,
  refuse,
  type Calendar,
  type FieldQuery,
  type Filter,
  type Window,
} from '../../query/index.ts';
import { ALLOCATION_FIELDS } from '../row/filter-fields.ts';
import { readFilters } from './filters.ts';
import { readDays } from './stored-params.ts';

/** The field and rows whose values are requested: plain data, sent to workers. */
export interface ValuesQuery extends FieldQuery {
  /** Values have it in them, in any case; '' is in all. */
  readonly search: string;
  /** Most values, at least 1. */
  readonly limit: number;
  /** Rows whose values count; null: all. */
  readonly filter: Filter | null;
}

export interface AutocompletePlan {
  /** Whole days, newest first. */
  readonly days: readonly Window[];
  readonly request: ValuesQuery;
  readonly nowMs: number;
}

const LIMIT = 100;
const LIMIT_MAX = 1000;

const FIELD_ACCEPTED = fieldAccepted(ALLOCATION_FIELDS);

/** @throws {Fault} naming the parameter, its value and what is accepted */
export function readAutocompletePlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
): AutocompletePlan {
  const days = readDays(params, calendar, nowMs);
  const field = readField(params.required('field', FIELD_ACCEPTED, 'namespace'), ALLOCATION_FIELDS);
  const search = (params.text('search') ?? '').toLowerCase();
  const limit = params.parsed('limit', readLimit, LIMIT);
  return { days, request: { ...field, search, limit, filter: readFilters(params) }, nowMs };
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text.trim()) ? Number(text) : NaN;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw refuse('limit', text, `a whole number in 1 to ${LIMIT_MAX}`, String(LIMIT));
}
