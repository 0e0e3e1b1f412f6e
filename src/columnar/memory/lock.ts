/**
 * A spin lock in shared memory whose holder may die in it: a worker that is stopped, or runs out of heap,
 * runs no `finally`. Other threads would wait for ever, and the main thread would not even hear that
 * the worker ended. So one word says which thread of the system is in the lock:
 *
 *   0 ── enter ──> thread ── leave ──> 0
 *                    └─ it is gone: mend, enter ──> next thread
 *
 * Where the system does not list its threads (https://man7.org/linux/man-pages/man5/proc.5.html),
 * no thread is succeeded.
 */
import { existsSync, readlinkSync } from 'node:fs';
import { threadId } from 'node:worker_threads';

const FREE = 0;
const WAIT_MS = 1;
/** Between two looks at whether the holder still lives. */
const LOOK_WAITS = 64;
const THREADS = '/proc/self/task';

export class Lock {
  readonly #words: Int32Array;
  readonly #at: number;
  readonly #mend: () => void;
  readonly #self: number = ownThread();

  /** @param mend makes what the lock protects whole, whatever part of a change was made */
  constructor(words: Int32Array, at: number, mend: () => void) {
    this.#words = words;
    this.#at = at;
    this.#mend = mend;
  }

  /** Runs `work`, which must not come back here, while no other thread is in the lock. */
  run<T>(work: () => T): T {
    if (!this.#enter()) this.#mend();
    try {
      return work();
    } finally {
      Atomics.store(this.#words, this.#at, FREE);
      Atomics.notify(this.#words, this.#at, 1);
    }
  }

  /** @returns whether the last holder left it, rather than died in it */
  #enter(): boolean {
    for (let waits = 0; ; waits++) {
      const holder = Atomics.compareExchange(this.#words, this.#at, FREE, this.#self);
      if (holder === FREE) return true;
      const isDue = waits % LOOK_WAITS === LOOK_WAITS - 1;
      if (holder === this.#self || (isDue && !lives(holder))) {
        if (this.#succeed(holder)) return false;
      } else Atomics.wait(this.#words, this.#at, holder, WAIT_MS);
    }
  }

  #succeed(holder: number): boolean {
    return Atomics.compareExchange(this.#words, this.#at, holder, this.#self) === holder;
  }
}

/** A number that no other living thread of this process has; the system gives those of dead ones again. */
function ownThread(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return threadId + 1;
  }
}

function lives(thread: number): boolean {
  return existsSync(`${THREADS}/${thread}`) || !existsSync(THREADS);
}
