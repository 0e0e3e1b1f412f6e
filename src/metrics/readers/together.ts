/** Reads several metrics at once, which saves requests, as most metrics have few series. */
import type {
  Batch,
  OnWarning,
  ReadTogether,
  Room,
  Selection,
  TimeRange,
  Together,
} from '../source.ts';
import { StoreFailure } from '../client/store-failure.ts';

/** Reads series of one metric or of several. */
export type ReadAny = (
  what: Selection | Together,
  range: TimeRange,
  signal: AbortSignal,
  onWarning?: OnWarning,
  room?: Room,
) => AsyncIterable<Batch>;

/**
 * Reads several metrics at once by `read`, and one after the other if the store refuses that, as it limits
 * series or samples of one query.
 */
export function togetherOrInTurn(read: ReadAny): ReadTogether {
  return async function* (metrics, ...rest) {
    let begun = false;
    try {
      for await (const batch of read({ metrics }, ...rest)) {
        begun = true;
        yield batch;
      }
      return;
    } catch (error) {
      if (begun || !isRefusal(error)) throw error;
    }
    for (const metric of metrics) yield* read({ metric, matchers: [] }, ...rest);
  };
}

/** Statuses that do not depend on the query's size. */
const OF_THE_CALLER: readonly number[] = [401, 403, 404, 407, 408, 429];

function isRefusal(error: unknown): boolean {
  if (!(error instanceof StoreFailure)) return false;
  const { answered = 0 } = error;
  return answered >= 400 && answered < 500 && !OF_THE_CALLER.includes(answered);
}
