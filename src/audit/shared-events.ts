/**
 * Cost events of all servers of a bucket, in an object beside their sets. Several servers may watch one cluster: an event
 * has a key, its kind and the uid of the workload, and is stored once, as the first of them saw it.
 *
 *   add ─▶ waiting ── a quarter of a second ─▶ all that wait, in one change of the object ─▶ everybody's
 *              ▲                                              │ the bucket does not answer
 *              └───────────────── again, a second later ──────┘
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, readJson, shapeOf, type Shape } from '../query/index.ts';
import {
  SharedValue,
  type SharedValueOptions,
  type ValueText,
} from '../storage/objects/shared-value.ts';
import type { CostEvent } from './cost-event.ts';
import { EVENTS_MAX, type EventList } from './event-list.ts';

interface KeyedEvent {
  readonly key: string;
  readonly event: CostEvent;
}

export interface SharedEventsOptions extends Omit<
  SharedValueOptions<readonly KeyedEvent[]>,
  'name' | 'text' | 'nothing'
> {
  /** Oldest first: what a data folder has, which becomes that of a bucket that has none. */
  readonly earlier: readonly CostEvent[];
  /** Whether it looks for what others stored; else it only adds. */
  readonly isFollowing: boolean;
  /** Milliseconds that events wait for others, and after a change that failed. */
  readonly gatherMs?: number;
  readonly againMs?: number;
}

const GATHER_MS = 250;
const AGAIN_MS = 1000;
/** A clean end stores what still waits, but not longer. */
const ENDING_MS = 3000;

export class SharedEvents implements EventList {
  readonly #shared: SharedValue<readonly KeyedEvent[]>;
  readonly #options: SharedEventsOptions;
  readonly #ending: AbortController = new AbortController();
  /** By key, the oldest first. */
  readonly #waiting: Map<string, CostEvent> = new Map();
  #storing: Promise<void> | undefined;
  #noted = '';
  /** Made of `#of` when it is asked for. */
  #latest: readonly CostEvent[] = [];
  #of: readonly KeyedEvent[] = [];

  private constructor(options: SharedEventsOptions, shared: SharedValue<readonly KeyedEvent[]>) {
    this.#options = options;
    this.#shared = shared;
  }

  /** @throws {Unavailable} when the bucket does not answer */
  static async open(options: SharedEventsOptions): Promise<SharedEvents> {
    const { earlier, note } = options;
    const shared = await SharedValue.open({
      ...options,
      name: 'cost-events',
      text: TEXT,
      nothing: [],
    });
    if (earlier.length > 0 && !shared.isStored) {
      await shared.begin(earlier.map((event, i) => ({ key: `earlier-${i}`, event })));
      note('the cost events of the data folder are in the store now, which has had none');
    }
    if (options.isFollowing) shared.follow();
    return new SharedEvents(options, shared);
  }

  /** As it is stored, and known here: the same at each server within two seconds. */
  get latest(): readonly CostEvent[] {
    const { value } = this.#shared;
    if (this.#of !== value) [this.#of, this.#latest] = [value, value.map(({ event }) => event)];
    return this.#latest;
  }

  /** It is stored soon, and tried again until it is. */
  add(key: string, event: CostEvent): void {
    this.#waiting.set(key, event);
    // A bucket that does not answer for long does not fill the memory.
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > EVENTS_MAX && oldest !== undefined) this.#waiting.delete(oldest);
    this.#storing ??= this.#store().finally(() => (this.#storing = undefined));
  }

  /** Takes up what others stored. @throws {Unavailable} */
  look(): Promise<void> {
    return this.#shared.look();
  }

  /** Resolves when nothing waits to be stored. */
  async stored(): Promise<void> {
    while (this.#storing !== undefined) await this.#storing;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    const late = sleep(ENDING_MS, undefined, { ref: false });
    await Promise.race([this.stored(), late]);
    this.#shared.close();
    await this.stored();
    if (this.#waiting.size > 0)
      this.#options.note(`${this.#waiting.size} cost events are not stored`);
  }

  async #store(): Promise<void> {
    const { gatherMs = GATHER_MS, againMs = AGAIN_MS } = this.#options;
    while (this.#waiting.size > 0) {
      await this.#pause(gatherMs);
      if (await this.#storeOnce()) continue;
      if (this.#ending.signal.aborted) return;
      await this.#pause(againMs);
    }
  }

  async #storeOnce(): Promise<boolean> {
    const batch = [...this.#waiting].map(([key, event]) => ({ key, event }));
    try {
      await this.#shared.change((known) => Promise.resolve(withEvents(known, batch)));
    } catch (error) {
      if (!(error instanceof NothingNew)) {
        this.#noteOnce(`cost events wait to be stored: ${String(error)}`);
        return false;
      }
    }
    this.#noted = '';
    for (const { key } of batch) this.#waiting.delete(key);
    return true;
  }

  #noteOnce(sentence: string): void {
    if (this.#noted !== sentence) this.#options.note(sentence);
    this.#noted = sentence;
  }

  /** Not beyond the end of the process's work. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#ending.signal }).catch(() => undefined);
  }
}

/** Ends a change that would change nothing. */
class NothingNew extends Error {}

/** In the order of time, the newest so many. @throws {NothingNew} */
function withEvents(
  known: readonly KeyedEvent[],
  batch: readonly KeyedEvent[],
): readonly KeyedEvent[] {
  const keys = new Set(known.map(({ key }) => key));
  const fresh = batch.filter(({ key }) => !keys.has(key));
  const all = [...known, ...fresh]
    .toSorted((a, b) =>
      a.event.timestamp < b.event.timestamp ? -1 : a.event.timestamp > b.event.timestamp ? 1 : 0,
    )
    .slice(-EVENTS_MAX);
  if (!fresh.some((each) => all.includes(each))) throw new NothingNew();
  return all;
}

interface Document {
  changes: string[];
  events: { key: string; event: object }[];
}

const documentOf: Shape<Document> = shapeOf<Document>(
  {
    type: 'object',
    properties: {
      changes: { type: 'array', items: { type: 'string' } },
      events: {
        type: 'array',
        items: {
          type: 'object',
          properties: { key: { type: 'string' }, event: { type: 'object' } },
          required: ['key', 'event'],
          additionalProperties: false,
        },
      },
    },
    required: ['changes', 'events'],
    additionalProperties: false,
  },
  '{"changes":[],"events":[]}',
);

const TEXT: ValueText<readonly KeyedEvent[]> = {
  textOf: (events, changes) => {
    const lines = events.map((each) => JSON.stringify(each));
    return `{"changes":${JSON.stringify(changes)},"events":[\n${lines.join(',\n')}\n]}\n`;
  },
  valueIn(text) {
    try {
      const { changes, events } = documentOf(readJson(text, 'the document', ''), 'the document');
      // Each is an event as a server wrote it.
      return { value: events as unknown as readonly KeyedEvent[], changes };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { damage: error.message };
    }
  },
};
