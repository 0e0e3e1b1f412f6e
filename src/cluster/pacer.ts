/** Limits calls to a rate, in order. */
import { setTimeout as sleep } from 'node:timers/promises';

export type Pacer = (signal: AbortSignal) => Promise<void>;

/** @param burstMs calls not made within this time may follow at once */
export function createPacer(perSecond: number, burstMs: number): Pacer {
  const spacingMs = 1000 / perSecond;
  /** The time up to which the rate is used, on the clock of `performance`. */
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
