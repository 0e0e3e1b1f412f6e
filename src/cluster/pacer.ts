/** Lets so many calls a second pass, in order; a second's worth may pass at once. */
import { setTimeout as sleep } from 'node:timers/promises';

export type Pacer = (signal: AbortSignal) => Promise<void>;

export function createPacer(perSecond: number): Pacer {
  const spacingMs = 1000 / perSecond;
  /** When the allowance is used up to, on the clock of `performance`. */
  let usedToMs = 0;
  return async (signal) => {
    const nowMs = performance.now();
    usedToMs = Math.max(usedToMs, nowMs - 1000) + spacingMs;
    const waitMs = usedToMs - nowMs;
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    signal.throwIfAborted();
  };
}
