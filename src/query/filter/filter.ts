/**
 * Filters that select rows: combined comparisons of fields. Only comparisons are negated, so that the
 * complement of a filter is a filter of the same form, and each filter can be written as text
 * (filter-format.ts).
 */

/** Compares a text with each of a list of values; any match is enough. */
export type Operator = 'equals' | 'contains' | 'startsWith' | 'endsWith';

/** `field[name] operator values`; a row matches when any text of the field matches any value. */
export interface Comparison {
  readonly kind: 'comparison';
  /** In the endpoint's spelling. */
  readonly field: string;
  /** A name in a map, in the spelling of `storeName`, to compare its value; null: the field itself. */
  readonly name: string | null;
  readonly operator: Operator;
  /** Matches exactly the rows that it would not match otherwise. */
  readonly isNegated: boolean;
  /** One or more, none twice. */
  readonly values: readonly string[];
}

/** Rows that all, or any, of two or more filters select; no part is a combination of the same kind. */
export interface Combination {
  readonly kind: 'all' | 'any';
  readonly parts: readonly Filter[];
}

/** Immutable plain data. An optional filter that is null selects everything. */
export type Filter = Comparison | Combination;

/** Selects the rows that all parts select. @param parts one or more */
export function allOf(parts: readonly Filter[]): Filter {
  return combined('all', parts);
}

/** Selects the rows that any part selects. @param parts one or more */
export function anyOf(parts: readonly Filter[]): Filter {
  return combined('any', parts);
}

/** Selects the rows that `filter` does not select (De Morgan). */
export function complement(filter: Filter): Filter {
  if (filter.kind === 'comparison') return { ...filter, isNegated: !filter.isNegated };
  const kind = filter.kind === 'all' ? 'any' : 'all';
  return { kind, parts: filter.parts.map(complement) };
}

/** The number of comparisons in a filter, a measure of the work to find its rows. */
export function comparisonsIn(filter: Filter): number {
  if (filter.kind === 'comparison') return 1;
  return filter.parts.reduce((sum, part) => sum + comparisonsIn(part), 0);
}

/**
 * Flattens parts of the same kind, and merges comparisons that differ only in their values: ten thousand
 * names are one list to look up, not ten thousand comparisons.
 */
function combined(kind: 'all' | 'any', parts: readonly Filter[]): Filter {
  const byKey = new Map<Filter | string, Filter[]>();
  for (const part of parts.flatMap((each) => (each.kind === kind ? each.parts : [each]))) {
    const key = mergeKey(kind, part);
    const known = byKey.get(key);
    if (known) known.push(part);
    else byKey.set(key, [part]);
  }
  const [first, ...rest] = [...byKey.values()].flatMap(merged);
  if (first === undefined) throw new Error(`BUG: ${kind} of no filters`);
  return rest.length === 0 ? first : { kind, parts: [first, ...rest] };
}

/**
 * Lists of values are alternatives, so several comparisons under `any` are one with all their values, and
 * several negated ones under `all` are one negated. Other parts are not merged.
 */
function mergeKey(kind: 'all' | 'any', part: Filter): Filter | string {
  if (part.kind !== 'comparison' || part.isNegated !== (kind === 'all')) return part;
  return `${part.field}[${part.name ?? ''}]${part.operator}`;
}

function merged(parts: readonly Filter[]): readonly Filter[] {
  const [first] = parts;
  if (parts.length === 1 || first?.kind !== 'comparison') return parts;
  const values = parts.flatMap((part) => (part.kind === 'comparison' ? part.values : []));
  return [{ ...first, values: [...new Set(values)] }];
}
