/** Reads the query string of the cost events. */
import type { QueryParams } from '../http/index.ts';
import {
  listItems,
  oneOf,
  parseFilter,
  refuse,
  wholeNumber,
  type Filter,
  type FilterField,
} from '../query/index.ts';
import type { EventType, ResourceType } from './cost-event.ts';

export interface EventQuery {
  /** At most this many, the newest. */
  readonly count: number;
  /** null: all */
  readonly namespaces: ReadonlySet<string> | null;
  readonly eventTypes: ReadonlySet<EventType> | null;
  readonly resourceTypes: ReadonlySet<ResourceType> | null;
  /** Events that the caller may see; null: all. */
  readonly filter: Filter | null;
  /** USD a month, inclusive. */
  readonly lowerBound: number;
  readonly upperBound: number;
}

/** Fields of allocations that events have, too. */
const EVENT_FIELDS: readonly FilterField[] = [
  { name: 'cluster' },
  { name: 'namespace' },
  { name: 'controllerName', aliases: ['controller'] },
  { name: 'controllerKind' },
];

function readEventFilter(text: string, parameter: string): Filter | null {
  return parseFilter(text, { parameter, fields: EVENT_FIELDS, example: 'namespace:"web"' });
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;

/** @throws Fault naming the parameter, what came and what is accepted */
export function readEventQuery(params: QueryParams): EventQuery {
  const types = <T extends string>(name: string, accepted: readonly T[]): ReadonlySet<T> | null =>
    params.parsed(name, (value) => new Set(listItems(value).map(oneOf(name, accepted))), null);
  const query = {
    count: params.parsed('count', wholeNumber('count'), Infinity),
    namespaces: params.parsed('filterNamespaces', (value) => new Set(listItems(value)), null),
    eventTypes: types('filterEventTypes', ['add', 'delete']),
    // There are events of stateful sets too, but the interface filters deployments only.
    resourceTypes: types('filterResourceTypes', ['deployment']),
    filter: params.scoped(null, readEventFilter),
    lowerBound: bound(params, LOWER, -Infinity),
    upperBound: bound(params, UPPER, Infinity),
  };
  if (query.lowerBound <= query.upperBound) return query;
  const accepted = `at least the lower bound, ${query.lowerBound}`;
  throw refuse(UPPER, String(query.upperBound), accepted, String(query.lowerBound));
}

const LOWER = 'filterTotalCostLowerBound';
const UPPER = 'filterTotalCostUpperBound';

function bound(params: QueryParams, name: string, byDefault: number): number {
  const read = (value: string): number => {
    if (NUMBER.test(value) && Number.isFinite(Number(value))) return Number(value);
    throw refuse(name, value, 'a number of USD a month', '12.50');
  };
  return params.parsed(name, read, byDefault);
}
