/**
 * Copies sets from one store into another. Sets of one window are written together, so that a copy that is
 * interrupted has whole windows, and goes on where it ended: what is there already is not copied again.
 */
import { Unavailable } from '../../query/index.ts';
import type { EncodedSet } from '../arrow/encode-set.ts';
import { DamagedSet, nameOf, type SetKey } from '../set-key.ts';
import type { Damage, SetInfo } from '../sets.ts';
import type { CopyPlace } from './copy-place.ts';

export interface Copied {
  readonly sets: number;
  readonly rows: number;
  readonly bytes: number;
  /** Sets that were there already, the same. */
  readonly same: number;
  /** Sets that cannot be read; nothing is written for them. */
  readonly damages: readonly Damage[];
}

const NOTHING: Copied = { sets: 0, rows: 0, bytes: 0, same: 0, damages: [] };

/**
 * @param onWindow called after each window; `done` of `windows` are there then
 * @throws {Unavailable} where a store does not do its part, or has other bytes than were written to it
 * @throws the signal's reason, once aborted and the set at hand is read, or the window at hand is written
 */
export async function copySets(
  from: CopyPlace,
  to: CopyPlace,
  signal: AbortSignal,
  onWindow: (copied: Copied, done: number, windows: number) => void = () => undefined,
): Promise<Copied> {
  const windows = byWindow(from);
  let copied = NOTHING;
  for (const [i, sets] of windows.entries()) {
    copied = await copyWindow({ from, to, signal }, sets, copied);
    onWindow(copied, i + 1, windows.length);
  }
  return copied;
}

/** Sets of equal times, the oldest first. */
function byWindow(from: CopyPlace): SetInfo[][] {
  const windows = new Map<string, SetInfo[]>();
  const all = from.kinds().flatMap((kind) => from.list(kind));
  for (const set of all.toSorted(
    (a, b) => a.key.startMs - b.key.startMs || a.key.endMs - b.key.endMs,
  )) {
    const id = `${set.key.startMs}/${set.key.endMs}`;
    const window = windows.get(id) ?? [];
    windows.set(id, [...window, set]);
  }
  return [...windows.values()];
}

interface Stores {
  readonly from: CopyPlace;
  readonly to: CopyPlace;
  readonly signal: AbortSignal;
}

async function copyWindow(
  { from, to, signal }: Stores,
  sets: readonly SetInfo[],
  before: Copied,
): Promise<Copied> {
  const loaded: EncodedSet[] = [];
  const damages: Damage[] = [];
  let same = 0;
  for (const set of sets) {
    signal.throwIfAborted();
    if (isThere(from, to, set.key)) {
      same++;
      continue;
    }
    try {
      loaded.push(await from.load(set));
    } catch (error) {
      if (!(error instanceof DamagedSet)) throw error;
      damages.push({ what: nameOf(set.key), reason: error.reason });
    }
  }
  signal.throwIfAborted();
  if (loaded.length > 0) await to.write(loaded);
  for (const set of loaded) {
    signal.throwIfAborted();
    const found = await to.load(set);
    if (found.crc32 === set.crc32 && found.rows === set.rows) continue;
    throw new Unavailable(`the stored ${nameOf(set.key)} are not those that were written`);
  }
  const sum = (of: (set: EncodedSet) => number): number =>
    loaded.reduce((total, set) => total + of(set), 0);
  return {
    sets: before.sets + loaded.length,
    rows: before.rows + sum(({ rows }) => rows),
    bytes: before.bytes + sum(({ bytes }) => bytes.length),
    same: before.same + same,
    damages: [...before.damages, ...damages],
  };
}

/** Damaged sets, on either side, are not. */
function isThere(from: CopyPlace, to: CopyPlace, key: SetKey): boolean {
  try {
    const [here, there] = [from.contentOf(key), to.contentOf(key)];
    return here !== undefined && JSON.stringify(here) === JSON.stringify(there);
  } catch (error) {
    if (error instanceof DamagedSet) return false;
    throw error;
  }
}
