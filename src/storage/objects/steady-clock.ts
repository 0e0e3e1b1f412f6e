/** Time that never jumps, whatever is done to the clock on the wall. */
import { setTimeout as timeout } from 'node:timers/promises';
import { Unavailable } from '../../query/index.ts';

export interface SteadyClock {
  /** Milliseconds since any instant. */
  elapsedMs(): number;
  /** @throws the signal's reason, once aborted */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const STEADY_CLOCK: SteadyClock = {
  elapsedMs: () => performance.now(),
  sleep: async (ms, signal) => await timeout(ms, undefined, { signal }),
};

/** @throws {Unavailable} where the work does not end in time */
export async function within<Result>(
  clock: SteadyClock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const late = new AbortController();
  const timer = clock.sleep(ms, AbortSignal.any([signal, ended.signal])).then((): never => {
    const error = new Unavailable(`no answer within ${ms / 1000} s`);
    late.abort(error);
    throw error;
  });
  try {
    return await Promise.race([work(AbortSignal.any([signal, late.signal])), timer]);
  } finally {
    ended.abort();
    timer.catch(() => undefined);
  }
}
