/** Whether and when a failed request to a store is repeated. */
import type { Deadline } from './deadline.ts';
import type { StoreFailure } from './store-failure.ts';

const MOST_TRIES = 3;
const FIRST_PAUSE_MS = 250;

/**
 * Waits before try number `tries + 1`: 0.25 s doubling, shortened at random by up to half, so that callers
 * do not come back together, or as long as the store asked for.
 * @throws {StoreFailure} `failure` itself when another try cannot help or does not fit the deadline
 */
export async function beforeRetry(
  failure: StoreFailure,
  tries: number,
  deadline: Deadline,
): Promise<void> {
  const backoffMs = FIRST_PAUSE_MS * 2 ** (tries - 1) * (1 - Math.random() / 2);
  const pauseMs = Math.max(backoffMs, failure.retryAfterMs ?? 0);
  const isLast = tries >= MOST_TRIES || !failure.mayRetry;
  if (isLast || pauseMs >= deadline.remainingMs) throw failure;
  deadline.retries();
  await deadline.pause(pauseMs);
}
