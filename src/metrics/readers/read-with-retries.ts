/** Common steps of all reads of a store: turns, deadlines and retries. */
import type { Deadline } from '../client/deadline.ts';
import { BrokenMessages } from './chunked-messages.ts';
import { BrokenJson } from './json-scan.ts';
import { beforeRetry } from '../client/retry.ts';
import type { Turns } from '../client/read-turns.ts';
import { connectionFailure, StoreFailure } from '../client/store-failure.ts';

/** The store's name, and the turn and deadline of a read. */
export interface Reading {
  /** The store's name, for messages. */
  readonly name: string;
  readonly turns: Turns;
  readonly deadline: Deadline;
}

/** Runs `read` in its turn; the deadline ends with it. */
export async function* readInTurn<T>(
  { name, turns, deadline }: Reading,
  read: () => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  let giveBack: (() => void) | undefined;
  try {
    giveBack = await turns.take(deadline.signal);
    yield* read();
  } catch (cause) {
    throw deadline.signal.aborted ? connectionFailure(name, 'queue', cause, deadline) : cause;
  } finally {
    giveBack?.();
    deadline.end();
  }
}

/**
 * Runs `attempt`, and again after a failure if that may help, but not once something was yielded, unless
 * the attempts themselves leave out what was yielded (`resumes`).
 */
export async function* readWithRetries<T>(
  deadline: Deadline,
  attempt: () => AsyncIterable<T>,
  resumes = false,
): AsyncGenerator<T, void> {
  for (let tries = 1; ; tries++) {
    let begun = false;
    try {
      for await (const item of attempt()) {
        begun = true;
        yield item;
      }
      return;
    } catch (error) {
      if ((begun && !resumes) || !(error instanceof StoreFailure)) throw error;
      await beforeRetry(error, tries, deadline);
    }
  }
}

/** Turns a damaged or incomplete body into a failure of the store; other errors are unchanged. */
export function bodyFailure(name: string, error: unknown): unknown {
  if (!(error instanceof BrokenMessages) && !(error instanceof BrokenJson)) return error;
  const what =
    error.kind === 'damaged' ? 'its answer is damaged' : 'its answer was cut off mid-stream';
  return new StoreFailure(`cannot read ${name}: ${what} (${error.message})`, {
    status: 502,
    mayRetry: true,
  });
}
