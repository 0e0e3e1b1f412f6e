/** What of the cost events is asked for. */
import type { QueryParams } from '../http/index.ts';
import { refuse } from '../query/index.ts';
import type { EventType, ResourceType } from './cost-event.ts';

export interface EventQuery {
  /** At most so many, the newest. */
  readonly count: number;
  /** null: whichever. */
  readonly namespaces: ReadonlySet<string> | null;
  readonly eventTypes: ReadonlySet<EventType> | null;
  readonly resourceTypes: ReadonlySet<ResourceType> | null;
  /** USD a month, inclusive. */
  readonly lowerBound: number;
  readonly upperBound: number;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;

/** @throws Fault naming the parameter, what came and what is accepted */
export function readEventQuery(params: QueryParams): EventQuery {
  const types = <T extends string>(name: string, accepted: readonly T[]): ReadonlySet<T> | null =>
    params.parsed(name, (value) => namesOf(name, value, accepted), null);
  const query = {
    count: params.parsed('count', readCount, Infinity),
    namespaces: params.parsed('filterNamespaces', (value) => new Set(itemsOf(value)), null),
    eventTypes: types('filterEventTypes', ['add', 'delete']),
    // Stateful sets are told, too, but the interface has a filter for deployments only.
    resourceTypes: types('filterResourceTypes', ['deployment']),
    lowerBound: bound(params, LOWER, -Infinity),
    upperBound: bound(params, UPPER, Infinity),
  };
  if (query.lowerBound <= query.upperBound) return query;
  const accepted = `at least the lower bound, ${query.lowerBound}`;
  throw refuse(UPPER, String(query.upperBound), accepted, String(query.lowerBound));
}

const LOWER = 'filterTotalCostLowerBound';
const UPPER = 'filterTotalCostUpperBound';

function readCount(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw refuse('count', value, 'a whole number of at least 0', '100');
}

function namesOf<T extends string>(
  parameter: string,
  value: string,
  accepted: readonly T[],
): ReadonlySet<T> {
  const names = itemsOf(value).map((item) => {
    const name = accepted.find((one) => one === item.toLowerCase());
    if (name === undefined)
      throw refuse(parameter, item, accepted.join(' or '), accepted.join(','));
    return name;
  });
  return new Set(names);
}

function itemsOf(value: string): string[] {
  const items = value.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

function bound(params: QueryParams, name: string, byDefault: number): number {
  const read = (value: string): number => {
    if (NUMBER.test(value) && Number.isFinite(Number(value))) return Number(value);
    throw refuse(name, value, 'a number of USD a month', '12.50');
  };
  return params.parsed(name, read, byDefault);
}
