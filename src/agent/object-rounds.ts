/** Takes the samples of all objects at each interval, at times that are whole multiples of it. */
import type { ObjectFacts } from './objects/object-facts.ts';
import type { Sample } from './series.ts';

export interface ObjectRoundsOptions {
  readonly facts: ObjectFacts;
  readonly intervalMs: number;
  /** Ends when all were taken; absent: they are of no use here. */
  readonly take: ((samples: Iterable<Sample>) => Promise<void>) | undefined;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

/** What cannot be listed, as a kind that we may not read, holds up the others no longer. */
const INCOMPLETE_MS_MAX = 60_000;

export class ObjectRounds {
  readonly #options: ObjectRoundsOptions;
  /** What was told of each kind. */
  readonly #faults = new Map<string, string>();
  /** What there was to tell at the round before. */
  readonly #before = new Map<string, string>();
  readonly #sinceMs = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
  #taking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: ObjectRoundsOptions) {
    this.#options = options;
    this.#wait();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#taking;
  }

  #wait(): void {
    if (this.#isClosed) return;
    const { intervalMs } = this.#options;
    const nowMs = Date.now();
    // A timer may be early: a moment that was taken is not taken again.
    this.#dueMs = Math.floor(Math.max(nowMs, this.#dueMs) / intervalMs + 1) * intervalMs;
    this.#timer = setTimeout(() => {
      this.#taking = this.#round(this.#dueMs).finally(() => this.#wait());
    }, this.#dueMs - nowMs);
  }

  async #round(timeMs: number): Promise<void> {
    const { facts, take, log } = this.#options;
    this.#tellFaults();
    const isLate = performance.now() - this.#sinceMs >= INCOMPLETE_MS_MAX;
    if (take === undefined || !(facts.isComplete || isLate)) return;
    try {
      await take(facts.samples(timeMs));
    } catch (error) {
      log.warn({ err: error }, 'objects of the cluster cannot be told');
    }
  }

  /** Each fault is told once, and its end; one that passes by itself until the next round is none. */
  #tellFaults(): void {
    const { facts, log } = this.#options;
    for (const { kind, state, why } of facts.figures().kinds) {
      const known = this.#faults.get(kind) ?? '';
      const isNew = this.#before.get(kind) !== why;
      this.#before.set(kind, why);
      if (why === known || (isNew && state === 'retrying')) continue;
      this.#faults.set(kind, why);
      if (why === '') log.info({ kind }, `objects of kind ${kind} are followed again`);
      else log.warn({ kind, state }, `cannot follow objects of kind ${kind}: ${why}`);
    }
  }
}
