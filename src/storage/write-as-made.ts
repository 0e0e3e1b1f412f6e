/** Writes sets while the next ones are made. */
import type { EncodedSet } from './arrow/encode-set.ts';

/** Sets that are written while the next one is made. */
const WRITES_MAX = 2;

/**
 * The next set is asked for while a few are written, or once all are, where the last one has no bytes of its own.
 * @throws the error of the first write that fails, or of making sets, once no write is under way
 */
export async function writeAsMade<Set extends EncodedSet>(
  sets: Iterable<Set> | AsyncIterable<Set>,
  write: (set: Set) => Promise<void>,
): Promise<void> {
  const writes: Promise<void>[] = [];
  try {
    for await (const set of sets) {
      const written = write(set).finally(set.free);
      // It is awaited in its turn, which may come after it fails.
      written.catch(() => undefined);
      writes.push(written);
      while (writes.length > (set.free === undefined ? 0 : WRITES_MAX)) await writes.shift();
    }
    await Promise.all(writes);
  } catch (error) {
    await Promise.allSettled(writes);
    throw error;
  }
}
