/**
 * Processes that share objects, in a time of their own: every answer takes a while by chance, some are
 * lost, some writes are done long after their writer gave up; a process stands still, with its clock or
 * without, or dies. All follows from a seed.
 */
import type { SharedObjects } from '../../../src/storage/objects/changes.ts';
import type { SteadyClock } from '../../../src/storage/objects/steady-clock.ts';

interface Stored {
  readonly bytes: Uint8Array;
  readonly version: string;
}

export interface Trouble {
  /** Shares of calls: lost before or after they are done, and done only after their caller was told that they are lost. */
  readonly lost: number;
  readonly late: number;
  /** Milliseconds that a call takes at most, and one that is done late. */
  readonly callMs: number;
  readonly lateMs: number;
}

export const NO_TROUBLE: Trouble = { lost: 0, late: 0, callMs: 50, lateMs: 0 };

export class ScriptedWorld {
  nowMs = 0;
  trouble: Trouble = NO_TROUBLE;
  readonly objects: Map<string, Stored> = new Map();
  /** Called after each event. */
  check: () => void = () => undefined;
  readonly #random: () => number;
  #events: { readonly atMs: number; readonly order: number; readonly work: () => void }[] = [];
  #order = 0;
  #versions = 0;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  random(): number {
    return this.#random();
  }

  at(atMs: number, work: () => void): void {
    const event = { atMs, order: ++this.#order, work };
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.atMs ?? 0) <= atMs) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }

  async run(untilMs: number): Promise<void> {
    await settled();
    for (;;) {
      const [event] = this.#events;
      if (event === undefined || event.atMs > untilMs) break;
      this.#events.shift();
      this.nowMs = event.atMs;
      event.work();
      await settled();
      this.check();
    }
    this.nowMs = untilMs;
  }

  put(key: string, bytes: Uint8Array, condition: string | undefined): string | undefined {
    if (this.objects.get(key)?.version !== condition) return undefined;
    const version = `"${++this.#versions}"`;
    this.objects.set(key, { bytes, version });
    return version;
  }
}

export class Actor {
  readonly #world: ScriptedWorld;
  readonly #rate: number;
  #isDead = false;
  #pausedUntilMs = 0;
  /** Time that its clock did not count. */
  #missedMs = 0;

  /** @param rate of its clock */
  constructor(world: ScriptedWorld, rate: number) {
    this.#world = world;
    this.#rate = rate;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** @param isClockStill as where the whole machine stands still */
  pause(ms: number, isClockStill: boolean): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#world.nowMs + ms);
    if (isClockStill) this.#missedMs += ms;
  }

  kill(): void {
    this.#isDead = true;
  }

  readonly clock: SteadyClock = {
    elapsedMs: () => 1e6 + (this.#world.nowMs - this.#missedMs) * this.#rate,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const refuse = (): void => reject(signal.reason as Error);
        if (signal.aborted) return refuse();
        signal.addEventListener('abort', refuse, { once: true });
        this.#later(ms / this.#rate, () => {
          signal.removeEventListener('abort', refuse);
          resolve();
        });
      }),
  };

  readonly objects: SharedObjects = {
    fetch: (key) => this.#call(() => this.#world.objects.get(key), false),
    write: (key, bytes, condition) =>
      this.#call(
        () => this.#world.put(key, bytes, condition === 'absent' ? undefined : condition.version),
        true,
      ),
  };

  #call<Answer>(work: () => Answer, isWrite: boolean): Promise<Answer> {
    const world = this.#world;
    const { lost, late, callMs, lateMs } = world.trouble;
    const chance = world.random();
    const thereMs = world.random() * callMs;
    const backMs = world.random() * callMs;
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error('the answer is lost'));
      if (chance < lost / 2) return this.#later(thereMs + backMs, fail);
      if (isWrite && chance > 1 - late) {
        world.at(world.nowMs + thereMs + world.random() * lateMs, () => void work());
        return this.#later(backMs, fail);
      }
      // What was sent is done, also when its sender stands still or dies.
      world.at(world.nowMs + thereMs, () => {
        const answer = work();
        this.#later(backMs, () => (chance < lost ? fail() : resolve(answer)));
      });
    });
  }

  /** Nothing happens in a process that stands still. */
  #later(ms: number, work: () => void): void {
    this.#world.at(this.#world.nowMs + ms, () => {
      if (this.#isDead) return;
      const leftMs = this.#pausedUntilMs - this.#world.nowMs;
      if (leftMs > 0) this.#later(leftMs, work);
      else work();
    });
  }
}

/** All that follows from what happened is done. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
