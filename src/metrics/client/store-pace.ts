/**
 * How many reads a store gets at once, found out by what it answers: more while it is quick, half as soon as it is
 * overloaded. What it refused is remembered, so that it is met again seldom.
 *
 *   limit
 *    12 ┤            ╷ refused: half, and 12 is known as too many
 *     9 ┤          ╱ │     ╭────────────────╮ probed once in a while
 *     6 ┤        ╱   │   ╱
 *     2 ┤ ──── ╱     ╰ ╱
 */
import { ReadTurns, type Turns } from './read-turns.ts';

export interface StorePaceOptions {
  /** Never more reads at once. */
  readonly most: number;
  /** A clock that cannot jump, ms. */
  readonly elapsedMs?: () => number;
}

const FIRST = 2;
/** Answers, by the limit, after which a limit that was refused before is tried again. */
const ROUNDS_BEFORE_PROBE = 32;
/** An answer is slow that begins so many times later than the quickest ones, and later than this at all. */
const SLOW_TIMES = 4;
const SLOW_MS = 100;
/** So the quickest is forgotten, where all have become slower. */
const FORGETTING = 1.01;
/** A store that wants to be left alone for longer is asked again nevertheless: the reads' own deadlines are shorter. */
const PAUSE_MS_MAX = 30_000;

export class StorePace implements Turns {
  readonly #most: number;
  readonly #elapsedMs: () => number;
  readonly #turns: ReadTurns;
  #limit: number;
  /** The least limit at which it was overloaded. */
  #refusedAt = Infinity;
  /** Quick answers since the limit changed. */
  #quick = 0;
  #pausing = 0;
  #quickestMs = Infinity;
  #halvedMs = -Infinity;
  #pausedUntilMs = -Infinity;
  #resuming: NodeJS.Timeout | undefined;

  constructor({ most, elapsedMs = () => performance.now() }: StorePaceOptions) {
    this.#most = Math.max(1, most);
    this.#elapsedMs = elapsedMs;
    this.#limit = Math.min(FIRST, this.#most);
    this.#turns = new ReadTurns(this.#limit);
  }

  /** Reads at once, as of now. */
  get limit(): number {
    return this.#limit;
  }

  /** Reads that have their turn. */
  get taken(): number {
    return this.#turns.taken;
  }

  take(signal: AbortSignal): Promise<() => void> {
    return this.#turns.take(signal);
  }

  /** @returns the moment at which a call begins, for what it comes to */
  begin(): number {
    return this.#elapsedMs();
  }

  /** A read pauses, and keeps its turn. @returns what ends the pause */
  pauses(): () => void {
    this.#pausing++;
    return () => void this.#pausing--;
  }

  /** The call that began then is answered. */
  answered(beganMs: number): void {
    const tookMs = this.#elapsedMs() - beganMs;
    this.#quickestMs = Math.min(tookMs, this.#quickestMs * FORGETTING);
    const isSlow = tookMs > SLOW_MS && tookMs > SLOW_TIMES * this.#quickestMs;
    // A limit that is not reached says nothing about what the store can stand.
    const isReached = this.#turns.taken - this.#pausing >= this.#limit;
    if (isSlow || !isReached || this.#limit >= this.#most) return;
    this.#quick++;
    if (this.#limit + 1 >= this.#refusedAt) {
      if (this.#quick < ROUNDS_BEFORE_PROBE * this.#limit) return;
      // The store can stand more than it could.
      if (this.#limit >= this.#refusedAt) this.#refusedAt = Infinity;
    }
    this.#set(this.#limit + 1);
  }

  /** The store was overloaded by the call that began then. @param retryAfterMs how long it wants to be left alone */
  overloaded(beganMs: number, retryAfterMs: number = 0): void {
    const nowMs = this.#elapsedMs();
    if (retryAfterMs > 0) this.#pause(nowMs + Math.min(retryAfterMs, PAUSE_MS_MAX));
    // Calls that were under way when it was halved were part of the same overload.
    if (beganMs <= this.#halvedMs) return;
    this.#halvedMs = nowMs;
    this.#refusedAt = Math.max(2, this.#limit);
    this.#set(Math.max(1, Math.floor(this.#limit / 2)));
  }

  close(): void {
    clearTimeout(this.#resuming);
  }

  #set(limit: number): void {
    this.#limit = limit;
    this.#quick = 0;
    if (this.#elapsedMs() >= this.#pausedUntilMs) this.#turns.allow(limit);
  }

  #pause(untilMs: number): void {
    if (untilMs <= this.#pausedUntilMs) return;
    this.#pausedUntilMs = untilMs;
    this.#turns.allow(0);
    clearTimeout(this.#resuming);
    this.#resuming = setTimeout(() => this.#turns.allow(this.#limit), untilMs - this.#elapsedMs());
  }
}
