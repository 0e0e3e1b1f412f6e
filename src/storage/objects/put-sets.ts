/** Puts the objects of sets into a bucket, before any manifest names them. */
import { randomInt } from 'node:crypto';
import { Unavailable } from '../../query/index.ts';
import type { EncodedSet } from '../arrow/encode-set.ts';
import { setName, type Entry } from '../folder/manifest.ts';
import { idOf } from '../set-key.ts';
import { setKey, type ObjectPlace } from './place.ts';
import { writeAsMade } from '../write-as-made.ts';
import { ORPHAN_MS } from './sweep.ts';

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
  const undo = async (): Promise<void> => {
    for (const file of added)
      await place.bucket.remove(setKey(place, file), signal).catch(() => undefined);
  };
  try {
    await writeAsMade(copied(encoded), async ({ bytes, crc32, directory, key, meta, rows }) => {
      const file = setName(key, generation, randomInt(INDEX_MAX));
      added.push(file);
      made.set(idOf(key), { key, meta, rows, crc32, directory, file, bytes: bytes.length });
      await put(place, file, bytes, signal);
    });
  } catch (error) {
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

type OwnSet = EncodedSet & { readonly bytes: Uint8Array<ArrayBuffer> };

/** Sets with bytes of their own, in no shared memory, which requests do not take. */
async function* copied(
  sets: Iterable<EncodedSet> | AsyncIterable<EncodedSet>,
): AsyncGenerator<OwnSet> {
  for await (const set of sets) {
    const bytes = Uint8Array.from(set.bytes);
    set.free?.();
    yield { ...set, bytes, free: () => undefined };
  }
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
