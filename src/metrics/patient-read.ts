/** What all reads of a store share: they wait for their turn, keep a deadline, and try again. */
import type { Deadline } from './deadline.ts';
import { BrokenFrames } from './frames.ts';
import { BrokenJson } from './json-scan.ts';
import { beforeRetry } from './retry.ts';
import type { Slots } from './slots.ts';
import { connectionFailure, StoreFailure } from './store-failure.ts';

/** Who reads, and within which time. */
export interface Reading {
  /** The store's name, for messages. */
  readonly name: string;
  readonly slots: Slots;
  readonly deadline: Deadline;
}

/** Runs `read` when a slot is free; the deadline ends with it. */
export async function* readInTurn<T>(
  { name, slots, deadline }: Reading,
  read: () => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  let giveBack: (() => void) | undefined;
  try {
    giveBack = await slots.take(deadline.signal);
    yield* read();
  } catch (cause) {
    throw deadline.signal.aborted ? connectionFailure(name, 'queue', cause, deadline) : cause;
  } finally {
    giveBack?.();
    deadline.end();
  }
}

/**
 * Runs `attempt` again when the store failed and that may help, but not once something was handed
 * out, unless the attempts themselves leave out what was (`resumes`).
 */
export async function* readPatiently<T>(
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

/** A body that is damaged or cut off as a failure of the store; other errors as they are. */
export function bodyFailure(name: string, error: unknown): unknown {
  if (!(error instanceof BrokenFrames) && !(error instanceof BrokenJson)) return error;
  const what =
    error.kind === 'damaged' ? 'its answer is damaged' : 'its answer was cut off mid-stream';
  return new StoreFailure(`cannot read ${name}: ${what} (${error.message})`, {
    status: 502,
    mayRetry: true,
  });
}
