/** Errors of full memory, turned into the same answers for all requests. */
import { ArenaFull, HeapFull } from '../columnar/index.ts';
import { Fault, Unavailable } from './fault.ts';

const MIB = 2 ** 20;
const LESS = 'for a shorter window, coarser groups or fewer items at once';
const MORE_MEMORY = 'give the server more memory (--memory-limit)';

/**
 * 422 where a request's objects exceed the maximum of a worker; 503 where other requests hold the memory,
 * or the arena, which all share, is full. Other errors are returned unchanged.
 */
export function asRequestError(error: unknown): unknown {
  if (error instanceof HeapFull && !error.isForOthers) {
    const budgetMib = (error.budgetBytes / MIB).toFixed(1);
    return new Fault(`this needs more than the ${budgetMib} MiB of memory that a worker has`, {
      status: 422,
      isOfAllRows: true,
      hint: `ask ${LESS}; or ${MORE_MEMORY}`,
      cause: error,
    });
  }
  if (!(error instanceof ArenaFull || error instanceof HeapFull)) return error;
  return new Unavailable(`cannot compute this now: ${error.message}`, {
    hint: `ask again, ${LESS}; or ${MORE_MEMORY}`,
    retryAfterSeconds: 1,
    cause: error,
  });
}
