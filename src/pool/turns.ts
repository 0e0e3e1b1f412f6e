import { setMaxListeners } from 'node:events';
import { Unavailable } from '../query/index.ts';

interface Waiting {
  readonly start: () => void;
  readonly refuse: (reason: Error) => void;
}

/** Turns: so many go on at once, the others wait in order. */
export class Turns {
  readonly #most: number;
  readonly #waiting: Set<Waiting> = new Set();
  #running: number = 0;
  #isClosed: boolean = false;
  #whenIdle: (() => void) | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  /** @throws the reason of `signal` when it is aborted before the turn, {Unavailable} once closed */
  take(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#isClosed) throw closed();
      const giveUp = (): void => {
        if (this.#waiting.delete(entry)) reject(signal.reason as Error);
      };
      const ends = (): void => signal.removeEventListener('abort', giveUp);
      const entry: Waiting = {
        start: () => {
          ends();
          resolve();
        },
        refuse: (reason) => {
          ends();
          reject(reason);
        },
      };
      // Many tasks of one answer may wait at once, which Node takes for a leak.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(entry);
      this.#startNext();
    });
  }

  /** Ends a turn that was taken. */
  end(): void {
    this.#running--;
    this.#startNext();
    if (this.#running === 0) this.#whenIdle?.();
  }

  /** Refuses who waits. @returns once every turn has ended, or after `withinMs` */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true;
    for (const { refuse } of this.#waiting) refuse(closed());
    this.#waiting.clear();
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#whenIdle = (): void => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #startNext(): void {
    for (const next of this.#waiting) {
      if (this.#running >= this.#most) return;
      this.#waiting.delete(next);
      this.#running++;
      next.start();
    }
  }
}

function closed(): Unavailable {
  return new Unavailable('prorata is stopping', { hint: 'ask again in a moment' });
}
