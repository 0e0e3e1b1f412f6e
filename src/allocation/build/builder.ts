/**
 * Keeps the stored sets as the metrics store and the retention allow: today first, then back, one day
 * at a time, and after all queries that wait.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Admission } from '../../pool/index.ts';
import { askedOn, childOf, type Window } from '../../query/index.ts';
import type { SetInfo } from '../../storage/index.ts';
import {
  dateOf,
  daysBack,
  expired,
  jobsOf,
  missingHours,
  type Job,
  type Rules,
} from './build-jobs.ts';
import type { BuildOptions } from './build-sets.ts';
import { extendDay } from './extend-day.ts';
import { ALLOCATIONS } from '../sets/set-files.ts';
import { MissingSums } from './missing-sums.ts';
import { ProvenClock } from './proven-clock.ts';
import { Retries } from './retries.ts';
import { sealDay, sealHours, storeBlank } from './seal-day.ts';
import { spanOf, storedIn, wholeSet, type Stored } from '../stored/set-index.ts';

export interface BuilderOptions extends BuildOptions {
  readonly rules: Rules;
  readonly admission: Admission;
  readonly nowMs: () => number;
  /** A clock that never jumps; it counts from anywhere. */
  readonly elapsedMs: () => number;
  /** Days are added while the sets have fewer bytes; Infinity: without end. */
  readonly bytesMax: number;
  /** @param info the day's set; undefined where the store has no samples of the day */
  readonly onBuilt: (what: string, info: SetInfo | undefined) => void;
  readonly onFailed: (what: string, error: unknown, retryMs: number) => void;
}

/** How far the sets are, in days. */
export interface Backfill {
  readonly done: number;
  readonly total: number;
  /** Jobs that failed last time, with the reason; all are tried again. */
  readonly failing: readonly string[];
}

export interface FillOptions {
  /** Only days that it overlaps; absent: all. */
  readonly window: Window | undefined;
  /** Days that are final are built anew too, and the clock is believed as it is. */
  readonly isAgain: boolean;
  readonly onProgress: (progress: Backfill) => void;
}

export interface Builder {
  readonly progress: Backfill;
  /** Runs due jobs for as long as the signal lasts. @throws the signal's reason, once aborted */
  run(signal: AbortSignal): Promise<never>;
  /** Runs the jobs that are due now; one that fails is tried three times. */
  fill(options: FillOptions, signal: AbortSignal): Promise<Backfill>;
}

/** How often is looked whether something is due. */
const LOOK_EVERY_MS = 5000;
const FILL_ATTEMPTS = 3;
/** Consecutive days without samples that mark the beginning of a store which does not name its first. */
const BLANKS_MAX = 7;

export function createBuilder(options: BuilderOptions): Builder {
  return new SetBuilder(options);
}

class SetBuilder implements Builder {
  readonly #options: BuilderOptions;
  readonly #retries: Retries = new Retries();
  /** Days of which the store has no samples, by `spanOf`. */
  readonly #blank: Map<string, Window> = new Map();
  /** The store's first sample, if it names one, and the day of the query for it. */
  #first: { readonly ms: number | undefined; readonly dayMs: number } | undefined;
  readonly #clock: ProvenClock;
  readonly #missing: MissingSums;
  #nowMs: () => number;

  constructor(options: BuilderOptions) {
    this.#options = options;
    const { metrics, rules } = options;
    const { source } = metrics;
    this.#clock = new ProvenClock({ ...options, source, retentionMs: rules.retentionMs });
    this.#nowMs = () => this.#clock.nowMs;
    this.#missing = new MissingSums(options.sets);
  }

  get progress(): Backfill {
    return this.#progressOf(this.#days(storedIn(this.#options.sets), this.#nowMs()));
  }

  async run(until: AbortSignal): Promise<never> {
    const signal = AbortSignal.any([until]);
    for (;;) {
      await sleep(this.#retries.pauseMs, undefined, { signal });
      const isKnown = await this.#ask(signal);
      const job = isKnown ? this.#next() : undefined;
      if (job) await this.#attempt(job, signal);
      else await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  async fill(options: FillOptions, until: AbortSignal): Promise<Backfill> {
    const signal = AbortSignal.any([until]);
    const proven = this.#nowMs;
    if (options.isAgain) this.#nowMs = this.#options.nowMs;
    return await this.#fill(options, signal).finally(() => (this.#nowMs = proven));
  }

  async #fill(
    { window, isAgain, onProgress }: FillOptions,
    signal: AbortSignal,
  ): Promise<Backfill> {
    const { sets } = this.#options;
    // Every day shows better how far back the store goes, and how much room is left.
    const days = (): readonly Window[] =>
      this.#days(storedIn(sets), this.#nowMs()).filter(
        ({ startMs, endMs }) => !window || (startMs < window.endMs && endMs > window.startMs),
      );
    if (!(await this.#persist(() => this.#ask(signal), signal))) {
      return this.#progressOf(days());
    }
    const tried = new Set<string>();
    for (;;) {
      const day = days().find((one) => !tried.has(spanOf(one)));
      if (day === undefined) return this.#progressOf(days());
      tried.add(spanOf(day));
      for (const job of this.#jobs(day, isAgain)) {
        await this.#persist(() => this.#attempt(job, signal), signal);
      }
      onProgress({ ...this.#progressOf(days()), done: tried.size });
    }
  }

  async #persist(attempt: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    for (let i = 1; i < FILL_ATTEMPTS; i++) {
      if (await attempt()) return true;
      await sleep(this.#retries.pauseMs, undefined, { signal });
    }
    return await attempt();
  }

  #progressOf(days: readonly Window[]): Backfill {
    const stored = storedIn(this.#options.sets);
    const isDone = (day: Window): boolean =>
      wholeSet(stored, day) !== undefined || this.#blank.has(spanOf(day));
    const failing = [...this.#retries.failing].map(([id, reason]) => `${id}: ${reason}`);
    const isBelieved = this.#nowMs === this.#options.nowMs;
    const doubt = isBelieved ? undefined : this.#clock.doubt;
    if (doubt !== undefined) failing.push(doubt);
    return { done: days.filter(isDone).length, total: days.length, failing };
  }

  #jobs(day: Window, isAgain: boolean): readonly Job[] {
    const nowMs = this.#nowMs();
    const stored = storedIn(this.#options.sets);
    return jobsOf(this.#options.rules, isAgain ? without(stored, day) : stored, day, nowMs);
  }

  /** The first job that need not wait. */
  #next(): Job | undefined {
    const { sets, rules } = this.#options;
    const stored = storedIn(sets);
    const nowMs = this.#nowMs();
    for (const day of this.#days(stored, nowMs)) {
      if (this.#blank.has(spanOf(day))) continue;
      const due = jobsOf(rules, stored, day, nowMs);
      const job = due.find((one) => !this.#isWaiting(one));
      if (job) return job;
    }
    // Only questions of those days would be faster.
    const sums = this.#missing.days.map((day): Job => ({ kind: 'sums', day }));
    return sums.find((one) => !this.#isWaiting(one));
  }

  #isWaiting(job: Job): boolean {
    return this.#retries.isWaiting(this.#nameOf(job));
  }

  /** The days that there are to be, newest first. */
  #days(stored: Stored, nowMs: number): readonly Window[] {
    const { bytesMax, rules } = this.#options;
    const days = daysBack(rules, this.#first?.ms ?? 0, nowMs);
    const bytes = [...stored.values()].reduce((sum, info) => sum + info.bytes, 0);
    const reached = this.#first?.ms === undefined ? days.slice(0, this.#reach(days)) : days;
    if (bytes < bytesMax) return reached;
    return reached.filter(
      (day) => stored.has(spanOf(day)) || nowMs < day.endMs + rules.sealAfterMs,
    );
  }

  /** How many days it is back to the first of so many blank ones that there is nothing before. */
  #reach(days: readonly Window[]): number {
    let blanks = 0;
    for (const [i, day] of days.entries()) {
      blanks = this.#blank.has(spanOf(day)) ? blanks + 1 : 0;
      if (blanks === BLANKS_MAX) return i + 1;
    }
    return days.length;
  }

  /** How far the store goes, forward and back. @returns whether the answers are known */
  async #ask(signal: AbortSignal): Promise<boolean> {
    const { metrics, rules, nowMs } = this.#options;
    const { source } = metrics;
    const dayMs = rules.calendar.startOfDay(nowMs());
    // Once a day: stores forget.
    const isFirstKnown =
      this.#first?.dayMs === dayMs ||
      (await this.#tried(`the first sample of ${source.name}`, Infinity, signal, async () => {
        this.#first = { ms: await source.earliestSampleMs?.(signal), dayMs };
      }));
    if (!isFirstKnown) return false;
    const newest = `the newest sample of ${source.name}`;
    return await this.#tried(newest, Infinity, signal, () => this.#clock.look(signal));
  }

  async #attempt(job: Job, signal: AbortSignal): Promise<boolean> {
    const { admission, rules } = this.#options;
    const mostMs = job.kind === 'extend' ? rules.refreshMs : Infinity;
    return await this.#tried(this.#nameOf(job), mostMs, signal, async () => {
      const leave = await admission.enterLast(signal);
      try {
        await this.#do(job, signal);
      } finally {
        leave();
      }
    });
  }

  /** @returns whether it succeeded */
  async #tried(
    what: string,
    mostMs: number,
    signal: AbortSignal,
    work: () => Promise<void>,
  ): Promise<boolean> {
    // One trace a job, as each request has one: what the metrics store read for it is found by that.
    askedOn(signal, { trace: childOf(undefined), client: '' });
    try {
      await work();
      this.#retries.succeeded(what);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      this.#options.onFailed(what, error, this.#retries.failed(what, error, mostMs));
      return false;
    }
  }

  async #do(job: Job, signal: AbortSignal): Promise<void> {
    const { sets, rules, onBuilt } = this.#options;
    const { kind, day } = job;
    if (kind === 'sums') return await this.#missing.add(this.#options, day, signal);
    const nowMs = this.#nowMs();
    if (kind === 'extend') await extendDay(this.#options, rules.calendar, day, nowMs, signal);
    else if (kind === 'hours') {
      const hours = missingHours(rules, storedIn(sets), day, nowMs);
      await sealHours(this.#options, hours, nowMs, signal);
    } else if (!(await sealDay(this.#options, day, nowMs, signal))) {
      this.#blank.set(spanOf(day), day);
    }
    await this.#storeBlanks(nowMs, signal);
    await sets.remove(expired(rules, sets.list(ALLOCATIONS), nowMs));
    onBuilt(this.#nameOf(job), wholeSet(storedIn(sets), day));
  }

  /** Blank days are stored once it is known that the store has samples from before them. */
  async #storeBlanks(nowMs: number, signal: AbortSignal): Promise<void> {
    const firstMs = this.#first?.ms ?? -Infinity;
    const known = this.#options.sets.list(ALLOCATIONS).filter(({ rows }) => rows > 0);
    const oldestMs = Math.min(...known.map(({ key }) => key.startMs));
    for (const [span, day] of this.#blank) {
      if (Math.max(firstMs, oldestMs) >= day.startMs) continue;
      await storeBlank(this.#options, day, nowMs, signal);
      this.#blank.delete(span);
    }
  }

  #nameOf({ kind, day }: Job): string {
    const what = { extend: '', seal: '', hours: 'hours of ', sums: 'sums of ' }[kind];
    return what + dateOf(this.#options.rules.calendar, day);
  }
}

function without(stored: Stored, day: Window): Stored {
  return new Map([...stored].filter(([span]) => span !== spanOf(day)));
}
