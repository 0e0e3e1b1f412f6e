/** Lets so many calls a second pass, in order. */
import { setTimeout as sleep } from 'node:timers/promises';

export type Pacer = (signal: AbortSignal) => Promise<void>;

/** @param burstMs what was not used for so long may pass at once */
export function createPacer(perSecond: number, burstMs: number): Pacer {
  const spacingMs = 1000 / perSecond;
  /** When the allowance is used up to, on the clock of `performance`. */
  let usedToMs = -Infinity;
  return async (signal) => {
    const nowMs = performance.now();
    const passMs = Math.max(usedToMs, nowMs - burstMs);
    usedToMs = passMs + spacingMs;
    const waitMs = passMs - nowMs;
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    signal.throwIfAborted();
  };
}
