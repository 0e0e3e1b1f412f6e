/** Where cost events are kept, of this process alone or of all servers of a bucket. */
import type { CostEvent } from './cost-event.ts';

/** Older events are dropped. */
export const EVENTS_MAX = 1000;

export interface EventList {
  /** Oldest first. */
  readonly latest: readonly CostEvent[];
  /** @param key of the change of the workload, the same for whoever sees it */
  add(key: string, event: CostEvent): void;
}

/** Events of this process. */
export class OwnEvents implements EventList {
  readonly #events: CostEvent[];

  /** @param earlier oldest first */
  constructor(earlier: readonly CostEvent[] = []) {
    this.#events = earlier.slice(-EVENTS_MAX);
  }

  get latest(): readonly CostEvent[] {
    return this.#events;
  }

  add(_key: string, event: CostEvent): void {
    this.#events.push(event);
    if (this.#events.length > EVENTS_MAX) this.#events.shift();
  }
}
