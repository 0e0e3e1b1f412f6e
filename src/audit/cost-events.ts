/** The latest cost events, newest first. */
import { costEvent, type CostEvent, type Observed } from './cost-event.ts';
import type { Amounts } from '../prediction/index.ts';
import { matchesFilter } from '../query/index.ts';
import { OwnEvents, type EventList } from './event-list.ts';
import type { EventQuery } from './params.ts';

export class CostEvents {
  readonly #cluster: string;
  readonly #clockNs: () => bigint;
  readonly #events: EventList;
  #lastNs = 0n;

  /**
   * @param clockNs Unix nanoseconds
   * @param events where they are kept
   */
  constructor(cluster: string, clockNs: () => bigint, events: EventList = new OwnEvents()) {
    this.#cluster = cluster;
    this.#clockNs = clockNs;
    this.#events = events;
  }

  /** Adds an event with the current time, later than that of any other event here. @param uid of the workload */
  add(uid: string, observed: Omit<Observed, 'atNs' | 'cluster'>, prices: Amounts): CostEvent {
    const nowNs = this.#clockNs();
    this.#lastNs = nowNs > this.#lastNs ? nowNs : this.#lastNs + 1n;
    const event = costEvent({ ...observed, atNs: this.#lastNs, cluster: this.#cluster }, prices);
    this.#events.add(`${observed.eventType}-${uid}`, event);
    return event;
  }

  list({
    count,
    namespaces,
    eventTypes,
    resourceTypes,
    filter,
    lowerBound,
    upperBound,
  }: EventQuery): CostEvent[] {
    const isOf = <T>(wanted: ReadonlySet<T> | null, value: T): boolean =>
      wanted?.has(value) ?? true;
    return this.#events.latest
      .filter((event) => filter === null || matchesFilter(filter, (field) => textOf(event, field)))
      .filter(({ properties, eventType, resourceType, costPrediction: { totalMonthlyRate } }) => {
        const isKind = isOf(eventTypes, eventType) && isOf(resourceTypes, resourceType);
        const isWithin = totalMonthlyRate >= lowerBound && totalMonthlyRate <= upperBound;
        return isKind && isWithin && isOf(namespaces, properties.namespace);
      })
      .toReversed()
      .slice(0, count);
  }
}

/** The text of a field, as the rows of the workload's pods have it. */
function textOf({ properties, resourceType }: CostEvent, field: string): string {
  const { cluster, namespace, name } = properties;
  const texts: Readonly<Record<string, string>> = {
    cluster,
    namespace,
    controllerName: name,
    controllerKind: resourceType,
  };
  const text = texts[field];
  if (text === undefined) throw new Error(`BUG: events have no field ${field}`);
  return text;
}
