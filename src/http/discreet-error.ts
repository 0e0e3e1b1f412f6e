/**
 * Errors as callers with a filter are told of them. How much memory all rows take, how long a queue is, what a store
 * answers and which set is damaged depend on rows that they may not see: each such error has one text for all.
 */
import { asRequestError, Fault, Unavailable } from '../query/index.ts';

/** Computed from nothing, as times of turns tell how much there is. */
const RETRY_SECONDS = 5;

/** @returns what is neither of the caller's question nor of the outside world unchanged: nothing is told of it */
export function discreetError(thrown: unknown): unknown {
  const error = asRequestError(thrown);
  if (error instanceof Fault) return error.isOfAllRows ? tooLarge(error) : error;
  if (!(error instanceof Unavailable)) return error;
  if (error.status === 422) return tooLarge(error);
  return new Unavailable('this cannot be answered now', {
    hint: 'ask again in a moment; who sees all rows is told why',
    retryAfterSeconds: RETRY_SECONDS,
    cause: error,
  });
}

function tooLarge(cause: Error): Fault {
  return new Fault('this needs more memory than the server has for one question', {
    status: 422,
    hint: 'ask for a shorter window, longer steps or coarser groups; who sees all rows is told how much',
    cause,
  });
}
