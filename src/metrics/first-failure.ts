/** Why a read fails, for who looks for damage and does nothing with its batches. */
import { Unavailable } from '../query/index.ts';
import type { Batch } from './source.ts';

/** Reads to the end. @returns why that failed, as a store fails; undefined: it did not */
export async function firstFailure(
  batches: AsyncIterable<Batch>,
): Promise<Unavailable | undefined> {
  try {
    for await (const _ of batches);
    return undefined;
  } catch (error) {
    if (error instanceof Unavailable) return error;
    throw error;
  }
}
