/** Reads parameters of a page: how many items, how many before them, and in which order. */
import { oneOf, wholeNumber } from '../query/index.ts';
import type { QueryParams } from './params.ts';

export interface PageLimits {
  /** Items of a page; null: all. */
  readonly limit: number | null;
  /** Items before the page. */
  readonly offset: number;
}

/** @throws {Fault} naming the parameter */
export function readPageLimits(params: QueryParams): PageLimits {
  return {
    limit: params.parsed('limit', wholeNumber('limit'), null),
    offset: params.parsed('offset', wholeNumber('offset'), 0),
  };
}

/** Whether the order ascends. @throws {Fault} naming the parameter */
export function readIsAscending(
  params: QueryParams,
  parameter: string,
  byDefault: 'asc' | 'desc',
): boolean {
  return params.parsed(parameter, oneOf(parameter, ['desc', 'asc']), byDefault) === 'asc';
}
