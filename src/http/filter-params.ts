/** Reads parameters that select rows, each into a filter. */
import { allOf, comparisonsIn, Fault, type Filter } from '../query/index.ts';
import type { QueryParams } from './params.ts';

/** Reads the text of a parameter; null: everything. @throws {Fault} naming the parameter */
export type ReadFilter = (text: string, parameter: string) => Filter | null;

export type FilterParameters = readonly (readonly [parameter: string, read: ReadFilter])[];

/** Comparisons of one parameter; a comparison with many values counts once. */
const MAX_COMPARISONS = 500;

/**
 * The filters of all parameters that do not select everything, as one.
 * @param join the filters: rows must match all of them, unless it says otherwise
 * @returns null: there is no filter
 * @throws {Fault} naming the parameter, its mistake and what is accepted
 */
export function readFilterParams(
  params: QueryParams,
  table: FilterParameters,
  join: (filters: readonly Filter[]) => Filter = allOf,
): Filter | null {
  const filters = table.flatMap(([parameter, read]) => {
    const filter = params.parsed(parameter, (text) => read(text, parameter), null);
    if (filter === null) return [];
    const comparisons = comparisonsIn(filter);
    if (comparisons > MAX_COMPARISONS) throw tooMany(parameter, comparisons);
    return [filter];
  });
  return filters.length === 0 ? null : join(filters);
}

/**
 * The rows that the parameters select, among those that the caller may see.
 * @param table with `filter`, whose language the caller's filter is read in
 * @throws {Fault} as `readFilterParams`; 403 when the caller's filter is not of these rows
 */
export function readRowFilter(params: QueryParams, table: FilterParameters): Filter | null {
  const read = table.find(([parameter]) => parameter === 'filter')?.[1];
  if (read === undefined) throw new Error('BUG: rows without a language of filters');
  return params.scoped(readFilterParams(params, table), read);
}

function tooMany(parameter: string, comparisons: number): Fault {
  const message = `${comparisons} comparisons, at most ${MAX_COMPARISONS} are accepted`;
  return new Fault(`parameter '${parameter}': ${message}`, {
    parameter,
    hint: 'give alternatives as one list of values, which may have any length',
  });
}
