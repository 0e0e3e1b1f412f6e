/** Puts the objects of sets into a bucket, before any manifest names them. */
import { randomInt } from 'node:crypto';
import { Unavailable } from '../../query/index.ts';
import type { EncodedSet } from '../arrow/encode-set.ts';
import { setName, type Entry } from '../folder/manifest.ts';
import { idOf } from '../set-key.ts';
import { setKey, type ObjectPlace } from './place.ts';
import { ORPHAN_MS } from './sweep.ts';

/** Objects that are written while the next set is made. */
const WRITES_MAX = 2;
/** Names differ by it, whoever writes them. */
const INDEX_MAX = 2 ** 47;

export interface PutSets {
  /** By the `idOf` of their keys. */
  readonly made: ReadonlyMap<string, Entry>;
  /** @throws {Unavailable} where they are so old that somebody may take them for left behind */
  check(): void;
  /** Removes them, as far as that is possible: no manifest may name them. */
  undo(): Promise<void>;
}

/**
 * @param generation that will have them, or one after it
 * @throws {Unavailable} or the error of making them, and leaves nothing as far as it can
 */
export async function putSets(
  place: ObjectPlace,
  generation: number,
  encoded: Iterable<EncodedSet> | AsyncIterable<EncodedSet>,
  signal: AbortSignal,
): Promise<PutSets> {
  const beganMs = performance.now();
  const made = new Map<string, Entry>();
  const added: string[] = [];
  const writes: Promise<void>[] = [];
  const undo = async (): Promise<void> => {
    for (const file of added)
      await place.bucket.remove(setKey(place, file), signal).catch(() => undefined);
  };
  try {
    for await (const { bytes, free, crc32, directory, key, meta, rows } of encoded) {
      const file = setName(key, generation, randomInt(INDEX_MAX));
      added.push(file);
      // Requests take no shared memory, and the bytes change once the next set is asked for.
      const write = put(place, file, Uint8Array.from(bytes), signal);
      free?.();
      write.catch(() => undefined);
      writes.push(write);
      if (writes.length > WRITES_MAX) await writes.shift();
      made.set(idOf(key), { key, meta, rows, crc32, directory, file, bytes: bytes.length });
    }
    await Promise.all(writes);
  } catch (error) {
    await Promise.allSettled(writes);
    await undo();
    throw error;
  }
  return {
    made,
    undo,
    check() {
      if (performance.now() - beganMs > ORPHAN_MS / 2)
        throw new Unavailable('cannot store sets that took half a day to be made');
    },
  };
}

async function put(
  place: ObjectPlace,
  file: string,
  bytes: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<void> {
  const { bucket } = place;
  const key = setKey(place, file);
  const version = await bucket.write(key, bytes, 'absent', signal);
  if (version === undefined) throw new Unavailable(`${bucket.name}/${key} is there already`);
}
