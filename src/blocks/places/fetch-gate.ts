/** How many fetches run at once, and how much is fetched before it is needed. */
import { setMaxListeners } from 'node:events';

/** A signal that each of many fetches listens to, which is no leak. */
export function ofMany(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}

export class FetchGate {
  readonly #most: number;
  readonly #aheadBytesMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #aheadBytes = 0;

  /**
   * @param most fetches at once
   * @param aheadBytesMax what may be fetched beyond the next of each walk, of all walks together
   */
  constructor(most: number, aheadBytesMax: number) {
    this.#most = most;
    this.#aheadBytesMax = aheadBytesMax;
  }

  async run<T>(fetch: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most)
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await fetch();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  /** @returns whether so many bytes may be fetched ahead; they are given back by `leave` */
  mayGoAhead(bytes: number): boolean {
    if (this.#aheadBytes + bytes > this.#aheadBytesMax) return false;
    this.#aheadBytes += bytes;
    return true;
  }

  leave(bytes: number): void {
    this.#aheadBytes -= bytes;
  }
}
