/** Work that ends by itself, unless it exceeds a limit. */
export interface Watched {
  /** Called regularly with `performance.now()`. */
  check(nowMs: number): void;
  /** Ends it at once. */
  cut(): void;
}

/** The open exchanges: one timer checks the limits of all, and shutdown waits for them. */
export class Watch {
  /** Shutdown has begun: connections close after their answer. */
  closing: boolean = false;
  readonly #open: Set<Watched> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #whenEmpty: (() => void) | undefined;

  start(intervalMs: number): void {
    this.#timer = setInterval(() => this.#check(), intervalMs).unref();
  }

  add(exchange: Watched): void {
    this.#open.add(exchange);
  }

  delete(exchange: Watched): void {
    this.#open.delete(exchange);
    if (this.#open.size === 0) this.#whenEmpty?.();
  }

  /** Waits for open exchanges, and cuts off those that are left after `graceMs`. @returns how many those are */
  async drain(graceMs: number): Promise<number> {
    this.closing = true;
    if (this.#open.size > 0) await this.#emptyWithin(graceMs);
    const left = this.#open.size;
    for (const exchange of this.#open) exchange.cut();
    clearInterval(this.#timer);
    return left;
  }

  async #emptyWithin(graceMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => resolve(), graceMs);
      this.#whenEmpty = (): void => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #check(): void {
    const nowMs = performance.now();
    for (const exchange of this.#open) exchange.check(nowMs);
  }
}
