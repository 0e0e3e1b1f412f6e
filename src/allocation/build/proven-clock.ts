/**
 * The clock that days are sealed by. A machine's clock may jump ahead, and what is sealed is final: so
 * it counts only up to ten minutes beyond what the metrics store proves.
 *
 *   newest sample ──── what has elapsed since, by a clock that cannot jump ──── 10 min ┐
 *                                                                                now ─┘  …  clock
 *
 * After a restart the newest sample is looked for again; the stored sets tell too how far it had come. A store that gets
 * its samples hours later tells up to where it has them: what is after that is not over yet.
 */
import { newestSampleMs, type MetricsSource } from '../../metrics/index.ts';
import { DAY_MS, HOUR_MS } from '../../query/index.ts';
import type { Sets } from '../../storage/index.ts';
import { MARGIN_MS } from '../params/plan.ts';
import { ALLOCATIONS } from '../sets/set-files.ts';

export interface ProvenClockOptions {
  readonly source: MetricsSource;
  readonly sets: Sets;
  readonly retentionMs: number;
  readonly nowMs: () => number;
  /** Never jumps, and counts from anywhere. */
  readonly elapsedMs: () => number;
}

/** Where the newest sample is older, the search goes on by days. */
const HOURS_BACK = 48;
/** A store that gets samples later is silent for no longer than this. */
const LATE_MS = 12 * HOUR_MS;

export class ProvenClock {
  readonly #options: ProvenClockOptions;
  /** A time that surely was over at `elapsedMs`. */
  #proven: { readonly ms: number; readonly elapsedMs: number } | undefined;
  /** The clock's time when all of the store was searched, at `elapsedMs`. */
  #searched: { readonly ms: number; readonly elapsedMs: number } | undefined;
  /** Up to where samples are there in a store that gets them later. */
  #reachMs: number = Infinity;

  constructor(options: ProvenClockOptions) {
    this.#options = options;
  }

  /** The clock's time, as far as it is proven; all of it where nothing is known. */
  get nowMs(): number {
    return Math.min(this.#options.nowMs(), this.#provenMs + MARGIN_MS, this.#reachMs);
  }

  /** A sentence where the clock is more than an hour beyond. */
  get doubt(): string | undefined {
    const { source, nowMs } = this.#options;
    const isLate = this.#reachMs < Infinity;
    if (nowMs() - this.nowMs <= (isLate ? LATE_MS : HOUR_MS)) return undefined;
    const since = new Date(Math.min(this.#provenMs, this.#reachMs)).toISOString();
    return `${source.name} has no sample after ${since}: either it is no longer written, or the clock is ahead; days after that wait`;
  }

  /** Looks how far the store's samples go, unless that is known to be up to now. @throws {Unavailable} */
  async look(signal: AbortSignal): Promise<void> {
    const { source, nowMs: clockMs } = this.#options;
    const nowMs = clockMs();
    if (source.reachMs !== undefined) {
      this.#reachMs = (await source.reachMs(signal)) ?? Infinity;
      return;
    }
    if (this.#proven !== undefined && nowMs <= this.nowMs) return;
    const range = { startMs: nowMs - MARGIN_MS, endMs: nowMs };
    const newestMs = await newestSampleMs(source, range, signal);
    if (newestMs !== undefined) this.#prove(newestMs);
    if (this.#hasSearched(nowMs) || (newestMs ?? 0) >= range.startMs) return;
    const storedMs = this.#storedMs(nowMs);
    if (storedMs !== undefined) this.#prove(storedMs);
    await this.#search(nowMs, signal);
    this.#searched = { ms: nowMs, elapsedMs: this.#options.elapsedMs() };
  }

  /** What a clock that was wrong did not find proves nothing once it is set. */
  #hasSearched(nowMs: number): boolean {
    if (this.#searched === undefined || this.#proven !== undefined)
      return this.#searched !== undefined;
    const { ms, elapsedMs } = this.#searched;
    return Math.abs(nowMs - ms - (this.#options.elapsedMs() - elapsedMs)) <= MARGIN_MS;
  }

  get #provenMs(): number {
    if (this.#proven === undefined) return Infinity;
    return this.#proven.ms + this.#options.elapsedMs() - this.#proven.elapsedMs;
  }

  #prove(ms: number): void {
    if (this.#proven !== undefined && ms <= this.#provenMs) return;
    this.#proven = { ms, elapsedMs: this.#options.elapsedMs() };
  }

  /** Sets were made by this clock, too. */
  #storedMs(nowMs: number): number | undefined {
    const known = this.#options.sets.list(ALLOCATIONS).filter(({ rows }) => rows > 0);
    const untilMs = Math.max(...known.map(({ meta }) => meta.untilMs ?? -Infinity));
    return untilMs === -Infinity ? undefined : Math.min(untilMs, nowMs) - MARGIN_MS;
  }

  /** Hour by hour back, then the last hours of days, and from the day that has samples by hours to their end. */
  async #search(nowMs: number, signal: AbortSignal): Promise<void> {
    const { source, retentionMs } = this.#options;
    const found = async (startMs: number): Promise<boolean> => {
      const range = { startMs, endMs: startMs + HOUR_MS };
      const newestMs = await newestSampleMs(source, range, signal);
      if (newestMs !== undefined) this.#prove(newestMs);
      return newestMs !== undefined;
    };
    const isProven = (ms: number): boolean => this.#proven !== undefined && this.#provenMs >= ms;
    for (let hour = 1; hour <= HOURS_BACK; hour++) {
      const startMs = nowMs - hour * HOUR_MS;
      if ((await found(startMs)) || isProven(startMs)) return;
    }
    for (let ageMs = HOURS_BACK * HOUR_MS; ageMs <= retentionMs; ageMs += DAY_MS) {
      const startMs = nowMs - ageMs - HOUR_MS;
      if (!(await found(startMs)) && !isProven(startMs)) continue;
      for (let atMs = startMs + HOUR_MS; atMs < startMs + DAY_MS; atMs += HOUR_MS) {
        await found(atMs);
      }
      return;
    }
  }
}
