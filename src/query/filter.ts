/**
 * Which rows a query means: comparisons of a row's fields, combined. Negation stands at comparisons
 * only, so that the complement of a filter is a filter of the same form, and every filter can be
 * written as text (filter-format.ts).
 */

/** How a text is compared with each of a list of values; any of them will do. */
export type Operator = 'equals' | 'contains' | 'startsWith' | 'endsWith';

/** `field[name] operator values`; it holds for a row when any text of the field meets any value. */
export interface Comparison {
  readonly kind: 'comparison';
  /** As the endpoint spells it. */
  readonly field: string;
  /** Of a map, whose value is meant, as `storeName` spells it; null: the field itself. */
  readonly name: string | null;
  readonly operator: Operator;
  /** Holds for exactly the rows for which it would not hold otherwise. */
  readonly isNegated: boolean;
  /** One or more, none twice. */
  readonly values: readonly string[];
}

/** Rows that all, or any, of two or more filters mean; none of the parts is of the same kind. */
export interface Combination {
  readonly kind: 'all' | 'any';
  readonly parts: readonly Filter[];
}

/** Immutable plain data. Everything is no filter: null, where a filter is optional. */
export type Filter = Comparison | Combination;

/** The rows that every part means. @param parts one or more */
export function allOf(parts: readonly Filter[]): Filter {
  return combined('all', parts);
}

/** The rows that some part means. @param parts one or more */
export function anyOf(parts: readonly Filter[]): Filter {
  return combined('any', parts);
}

/** The rows that `filter` does not mean (De Morgan). */
export function complement(filter: Filter): Filter {
  if (filter.kind === 'comparison') return { ...filter, isNegated: !filter.isNegated };
  const kind = filter.kind === 'all' ? 'any' : 'all';
  return { kind, parts: filter.parts.map(complement) };
}

/** Comparisons in a filter: what it costs to find its rows. */
export function comparisonsIn(filter: Filter): number {
  if (filter.kind === 'comparison') return 1;
  return filter.parts.reduce((sum, part) => sum + comparisonsIn(part), 0);
}

/**
 * Parts of the same kind are taken apart, and comparisons that differ in their values only become
 * one: ten thousand names are one list to look up, not ten thousand comparisons.
 */
function combined(kind: 'all' | 'any', parts: readonly Filter[]): Filter {
  const alike = new Map<Filter | string, Filter[]>();
  for (const part of parts.flatMap((each) => (each.kind === kind ? each.parts : [each]))) {
    const key = mergeKey(kind, part);
    const known = alike.get(key);
    if (known) known.push(part);
    else alike.set(key, [part]);
  }
  const [first, ...rest] = [...alike.values()].flatMap(merged);
  if (first === undefined) throw new Error(`BUG: ${kind} of no filters`);
  return rest.length === 0 ? first : { kind, parts: [first, ...rest] };
}

/**
 * Lists of values are alternatives, so any of several comparisons is one with all their values, and
 * all of several negated ones are one negated. Other parts are like no other.
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
