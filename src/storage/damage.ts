/**
 * Damaged sets in tasks of workers: the task fails with an error that reaches the main thread, or goes on
 * without the set and reports it.
 */
import { Unavailable } from '../query/index.ts';
import { DamagedSet } from './set-key.ts';
import type { StoredSet } from './sets.ts';

/** A set that turned out to be damaged when it was read: plain data. */
export interface FoundDamage {
  readonly stored: StoredSet;
  readonly message: string;
}

/**
 * Damage as `Unavailable`: the class `DamagedSet` does not survive the way between threads.
 * @param words in place of those of the error: `what` begins its message
 */
export function readInTask<Result>(
  read: () => Result,
  words: { readonly what?: string; readonly hint?: string } = {},
): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DamagedSet)) throw error;
    const message = words.what === undefined ? error.message : `${words.what}: ${error.message}`;
    const hint = words.hint ?? error.hint;
    throw new Unavailable(message, { ...(hint === undefined ? {} : { hint }), cause: error });
  }
}

/** @returns undefined for a damaged set, which is added to `damages` */
export function unlessDamaged<Result>(
  stored: StoredSet,
  damages: FoundDamage[],
  read: () => Result,
): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DamagedSet)) throw error;
    damages.push({ stored, message: error.message });
    return undefined;
  }
}
