/** Parameters of the list of a field's values, read once into a plan. */
import type { QueryParams } from '../http/index.ts';
import { refuse, storeName, type Calendar, type Filter, type Window } from '../query/index.ts';
import { ALLOCATION_FIELDS } from './filter-fields.ts';
import { readFilters } from './filters.ts';
import { readDays } from './stored-params.ts';

/** Whose values are meant: plain data, sent to workers. */
export interface ValuesAsked {
  /** Of ALLOCATION_FIELDS. */
  readonly field: string;
  /** Of a map, whose values are meant, as `storeName` spells it; null: the field itself. */
  readonly name: string | null;
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
  readonly asked: ValuesAsked;
  readonly nowMs: number;
}

const LIMIT = 100;
const LIMIT_MAX = 1000;

/** Names as they are asked for, in lower case, and those that filters know. */
const FIELDS: ReadonlyMap<string, string> = new Map(
  ALLOCATION_FIELDS.flatMap(({ name, aliases = [] }) =>
    [name, ...aliases].map((each): [string, string] => [each.toLowerCase(), name]),
  ),
);
const MAPS = ALLOCATION_FIELDS.filter(({ isMap = false }) => isMap).map(({ name }) => name);

const FIELD_ACCEPTED = `a field: ${ALLOCATION_FIELDS.map(({ name }) => name).join(', ')}, ${MAPS.map(
  (name) => `${name}:<name>`,
).join(', ')}`;

/** @throws {Fault} naming the parameter, its value and what is accepted */
export function readAutocompletePlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
): AutocompletePlan {
  const days = readDays(params, calendar, nowMs);
  const field = readField(params.required('field', FIELD_ACCEPTED, 'namespace'));
  const search = (params.text('search') ?? '').toLowerCase();
  const limit = params.parsed('limit', readLimit, LIMIT);
  return { days, asked: { ...field, search, limit, filter: readFilters(params) }, nowMs };
}

/** `namespace`, `label` for its names, `label:app` or `label[app]` for values. */
function readField(text: string): Pick<ValuesAsked, 'field' | 'name'> {
  const [, word = '', colon, bracket] =
    /^\s*(\w+)\s*(?::\s*(\S+)|\[\s*([^\s\]]+)\s*\])?\s*$/.exec(text) ?? [];
  const field = FIELDS.get(word.toLowerCase());
  const name = colon ?? bracket;
  if (field === undefined || (name !== undefined && !MAPS.includes(field))) {
    throw refuse('field', text, FIELD_ACCEPTED, 'label:app');
  }
  return { field, name: name === undefined ? null : storeName(name) };
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text.trim()) ? Number(text) : NaN;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw refuse('limit', text, `a whole number in 1 to ${LIMIT_MAX}`, String(LIMIT));
}
