/** A rate in the long run: whoever is above it waits until it has been made up for. */

/** What may come at once after a pause. */
const BURST_SECONDS = 5;

export class TokenBucket {
  readonly #perSecond: number;
  #tokens: number;
  #sinceMs: number;

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#tokens = perSecond * BURST_SECONDS;
    this.#sinceMs = nowMs;
  }

  /** @returns the seconds to wait for, 0 when something may come now: as much as there is in one request */
  waitSeconds(nowMs: number): number {
    const passedMs = Math.max(0, nowMs - this.#sinceMs);
    this.#sinceMs = nowMs;
    const most = this.#perSecond * BURST_SECONDS;
    this.#tokens = Math.min(most, this.#tokens + (passedMs / 1000) * this.#perSecond);
    return this.#tokens > 0 ? 0 : Math.max(1, Math.ceil(-this.#tokens / this.#perSecond));
  }

  spend(tokens: number): void {
    this.#tokens -= tokens;
  }
}
