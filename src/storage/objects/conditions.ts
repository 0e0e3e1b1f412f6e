/** Whether a bucket keeps its word: two writers of one generation must not both be told that they wrote it. */
import { randomUUID } from 'node:crypto';
import { Unavailable } from '../../query/index.ts';
import { bytesOf } from './changes.ts';
import { nameOfStore, type ObjectPlace } from './place.ts';

/**
 * Writes a small object twice, the second time on a condition that does not hold.
 * @throws {Unavailable} when that is written all the same, or the bucket does not answer
 */
export async function checkConditions(place: ObjectPlace, signal: AbortSignal): Promise<void> {
  const { bucket, prefix } = place;
  const key = `${prefix}probe-${randomUUID()}`;
  const first = await bucket.write(key, bytesOf('first'), 'absent', signal);
  const second = await bucket.write(key, bytesOf('second'), 'absent', signal);
  await bucket.remove(key, signal);
  if (first !== undefined && second === undefined) return;
  throw new Unavailable(
    `cannot store sets in ${nameOfStore(place)}: the store has no conditional writes`,
    {
      hint: 'it must refuse a write with If-None-Match: * where there is an object; see docs/install/store-in-a-bucket.md',
    },
  );
}
