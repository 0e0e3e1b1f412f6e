/** Limits the number of reads at once; the others wait in the order in which they came. */
export interface Turns {
  /** @returns a function that ends the turn @throws the signal's reason when it aborts first */
  take(signal: AbortSignal): Promise<() => void>;
}

export class ReadTurns implements Turns {
  readonly #waiting: Set<() => void> = new Set();
  /** How many may have a turn; fewer than have one where it has fallen. */
  #most: number;
  #taken = 0;

  constructor(count: number) {
    this.#most = count;
  }

  /** Turns that are taken. */
  get taken(): number {
    return this.#taken;
  }

  get isWaitedFor(): boolean {
    return this.#waiting.size > 0;
  }

  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#taken < this.#most) this.#taken++;
    else await this.#turn(signal);
    return () => this.#giveBack();
  }

  /** From now on so many; turns that are taken stay. */
  allow(count: number): void {
    this.#most = count;
    while (this.#taken < this.#most && this.#pass()) this.#taken++;
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(signal.reason);
      };
      this.#waiting.add(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #giveBack(): void {
    if (this.#taken > this.#most || !this.#pass()) this.#taken--;
  }

  /** Hands a turn to who waits longest. @returns whether anybody did */
  #pass(): boolean {
    const [next] = this.#waiting;
    if (next === undefined) return false;
    this.#waiting.delete(next);
    next();
    return true;
  }
}
