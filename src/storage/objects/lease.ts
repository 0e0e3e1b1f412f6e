/**
 * One builder a store at a time, by an object that names it:
 *
 *   lease.json   {"holder":"prorata-0-1f0c…","term":7,"ttlMs":30000,"beat":"…"}
 *
 * It is written only on the condition that it is as it was read, and each time with a new `beat`, so
 * that no two writes are alike. The term grows with each holder. Clocks are never compared: each side
 * measures with its own, which does not jump.
 *
 *   holder    sends ─── written ──────────── stops at 80 % of the time since it sent ─┤
 *   another               reads it ──────────────────── still the same after all of it ┤ takes over
 *
 * The other began to measure after the holder did, so that the holder stops first, as long as clocks
 * run alike within a fifth. A process that stood still may not know that its time is over: its term does,
 * as each commit is checked against the term of the one before (mark.ts).
 */
import { Unavailable } from '../../query/index.ts';
import { bytesOf, textOf, type SharedObjects } from './changes.ts';
import { STEADY_CLOCK, within, type SteadyClock } from './steady-clock.ts';
import { StaleBuilder, type Mark } from '../mark.ts';
import { leaseText, readLease, type Written } from './lease-text.ts';

export interface LeaseOptions {
  readonly objects: SharedObjects;
  readonly key: string;
  /** Unlike that of any other process, and of an earlier one of the same place. */
  readonly holder: string;
  /** For how long nobody takes it over that is not renewed. */
  readonly ttlMs?: number;
  /** The highest term that a commit has: a lease that was removed or is damaged does not begin again. */
  readonly termAtLeast: () => number;
  /** Called with a sentence when it is taken, lost or not reached. */
  readonly note: (sentence: string) => void;
  readonly clock?: SteadyClock;
}

export interface LeaseState {
  /** The newest that is known; empty: nobody. */
  readonly holder: string;
  readonly term: number;
  /** Whether it is this process. */
  readonly isHeld: boolean;
}

interface Seen extends Written {
  readonly version: string;
  /** When this version was read first. */
  readonly sinceMs: number;
}

interface Held {
  readonly term: number;
  readonly version: string;
  /** When it must be renewed, and until when it holds. */
  readonly renewMs: number;
  readonly untilMs: number;
}

const TTL_MS = 30_000;
/** Shares of the time to live. */
const RENEWED_AT = 1 / 3;
const HELD_FOR = 0.8;
const LOOKED_EVERY = 1 / 6;
const TRIED_EVERY = 1 / 15;
/** A clean end waits for the lease to be given back, but not longer. */
const GIVING_BACK_MS = 3000;

export class Lease {
  readonly #options: LeaseOptions;
  readonly #clock: SteadyClock;
  readonly #ttlMs: number;
  #seen: Seen | undefined;
  #held: Held | undefined;
  #troubleNoted = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#clock = options.clock ?? STEADY_CLOCK;
    this.#ttlMs = options.ttlMs ?? TTL_MS;
  }

  get state(): LeaseState {
    const { holder = '', term = 0 } = this.#seen ?? {};
    return { holder, term, isHeld: this.#isHeld() };
  }

  /** For each commit. @throws {Unavailable} where this process does not hold it, or no longer */
  mark(): Mark {
    const mark = this.#heldMark();
    if (mark !== undefined) return mark;
    const { holder = '' } = this.#seen ?? {};
    const who = holder === '' || holder === this.#options.holder ? 'nobody' : holder;
    throw new Unavailable(`this process may not build now: ${who} has the lease of the store`);
  }

  /**
   * Does the work whenever this process holds the lease, and gives it back at the end.
   * @param work ends soon after its signal is aborted; an error of it while the lease is held ends all, but {StaleBuilder}:
   * then a higher term is taken
   * @throws the signal's reason, once aborted
   */
  async run(
    work: (mark: Mark, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<never> {
    try {
      for (;;) {
        this.#held = await this.#acquired(signal);
        // The answer may come when the time that it grants is over.
        const mark = this.#heldMark();
        if (mark !== undefined) await this.#whileHeld(mark, work, signal);
      }
    } finally {
      await this.#giveBack();
    }
  }

  #isHeld(): boolean {
    return this.#heldMark() !== undefined;
  }

  #heldMark(): Mark | undefined {
    const held = this.#held;
    if (held === undefined || this.#clock.elapsedMs() >= held.untilMs) return undefined;
    return { holder: this.#options.holder, term: held.term };
  }

  async #acquired(signal: AbortSignal): Promise<Held> {
    for (;;) {
      try {
        const held = await within(this.#clock, this.#ttlMs, signal, (either) =>
          this.#tryTake(either),
        );
        this.#troubleNoted = false;
        if (held !== undefined) {
          this.#options.note(`this process builds from now on, in term ${held.term}`);
          return held;
        }
      } catch (error) {
        signal.throwIfAborted();
        this.#noteTrouble(error);
      }
      await this.#clock.sleep(this.#ttlMs * LOOKED_EVERY, signal);
    }
  }

  async #tryTake(signal: AbortSignal): Promise<Held | undefined> {
    const seen = await this.#look(signal);
    if (seen === undefined)
      return await this.#put(this.#options.termAtLeast() + 1, undefined, signal);
    const { holder, term, ttlMs, version, sinceMs } = seen;
    // An own one is of a write whose answer was lost.
    const isFree = holder === '' || holder === this.#options.holder;
    if (!isFree && this.#clock.elapsedMs() - sinceMs < ttlMs) return undefined;
    const next = Math.max(term, this.#options.termAtLeast()) + 1;
    return await this.#put(next, version, signal);
  }

  async #look(signal: AbortSignal): Promise<Seen | undefined> {
    const { objects, key } = this.#options;
    const found = await objects.fetch(key, signal);
    if (found === undefined) return (this.#seen = undefined);
    const { bytes, version } = found;
    if (this.#seen?.version === version) return this.#seen;
    // A damaged one names nobody who could be asked, but may be somebody's: it is waited for as well.
    const unknown = { holder: 'an unknown process', term: 0, ttlMs: this.#ttlMs };
    const written = readLease(textOf(bytes)) ?? unknown;
    return (this.#seen = { ...written, version, sinceMs: this.#clock.elapsedMs() });
  }

  /** @param version undefined: there is none @returns undefined where another was faster */
  async #put(
    term: number,
    version: string | undefined,
    signal: AbortSignal,
  ): Promise<Held | undefined> {
    const { objects, key, holder } = this.#options;
    const sentMs = this.#clock.elapsedMs();
    const text = leaseText({ holder, term, ttlMs: this.#ttlMs });
    const condition = version === undefined ? 'absent' : { version };
    const now = await objects.write(key, bytesOf(text), condition, signal);
    if (now === undefined) return undefined;
    this.#seen = { holder, term, ttlMs: this.#ttlMs, version: now, sinceMs: sentMs };
    return {
      term,
      version: now,
      renewMs: sentMs + this.#ttlMs * RENEWED_AT,
      untilMs: sentMs + this.#ttlMs * HELD_FOR,
    };
  }

  async #whileHeld(
    mark: Mark,
    work: (mark: Mark, signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const lost = new AbortController();
    const ended = new AbortController();
    const keeping = this.#keep(AbortSignal.any([signal, ended.signal])).then(
      (reason) => lost.abort(new Unavailable(reason)),
      () => undefined,
    );
    const either = AbortSignal.any([signal, lost.signal]);
    try {
      await work(mark, either);
    } catch (error) {
      // A process that stood still may commit before it finds out that its time is over.
      const isOver = either.aborted || !this.#isHeld();
      if (!isOver && !(error instanceof StaleBuilder)) throw error;
    } finally {
      ended.abort();
      await keeping;
    }
    signal.throwIfAborted();
    if (!lost.signal.aborted) return;
    this.#held = undefined;
  }

  /** Renews it until it is lost. @returns why it is */
  async #keep(signal: AbortSignal): Promise<string> {
    for (;;) {
      const held = this.#held;
      if (held === undefined) return 'it is not held';
      const nowMs = this.#clock.elapsedMs();
      if (nowMs >= held.untilMs) return this.#lost('it could not be renewed in time');
      if (nowMs < held.renewMs) {
        await this.#clock.sleep(held.renewMs - nowMs, signal);
        continue;
      }
      try {
        const next = await within(this.#clock, held.untilMs - nowMs, signal, (either) =>
          this.#renewed(held, either),
        );
        if (next === undefined) {
          const { holder = '' } = this.#seen ?? {};
          return this.#lost(holder === '' ? 'it was removed' : `${holder} took it over`);
        }
        this.#held = next;
        this.#troubleNoted = false;
      } catch (error) {
        signal.throwIfAborted();
        this.#noteTrouble(error);
        const leftMs = held.untilMs - this.#clock.elapsedMs();
        await this.#clock.sleep(Math.max(0, Math.min(this.#ttlMs * TRIED_EVERY, leftMs)), signal);
      }
    }
  }

  /** @returns undefined where it is another's */
  async #renewed(held: Held, signal: AbortSignal): Promise<Held | undefined> {
    const renewed = await this.#put(held.term, held.version, signal);
    if (renewed !== undefined) return renewed;
    // It may be an own write of before, of which no answer came.
    const seen = await this.#look(signal);
    const isOwn = seen?.holder === this.#options.holder && seen.term === held.term;
    return isOwn ? await this.#put(held.term, seen.version, signal) : undefined;
  }

  #lost(why: string): string {
    const reason = `this process builds no longer: the lease of the store is lost, as ${why}`;
    this.#options.note(reason);
    return reason;
  }

  #noteTrouble(error: unknown): void {
    if (this.#troubleNoted) return;
    this.#troubleNoted = true;
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.note(`the lease of the store cannot be read or written: ${reason}`);
  }

  /** So that another need not wait. */
  async #giveBack(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    const { objects, key } = this.#options;
    const text = leaseText({ holder: '', term: held.term, ttlMs: this.#ttlMs });
    const condition = { version: held.version };
    const never = new AbortController().signal;
    await within(this.#clock, GIVING_BACK_MS, never, (signal) =>
      objects.write(key, bytesOf(text), condition, signal),
    ).catch(() => undefined);
  }
}
