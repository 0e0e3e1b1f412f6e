/**
 * What a store in a bucket no longer needs: generations that were superseded long enough ago for every
 * reader to have the next one, their sets, and sets that no generation ever had. Ages are by the clock
 * of the bucket. What is removed twice, or by two at a time, does no harm.
 */
import { SETS } from '../folder/folders.ts';
import { generationOf, isSetName, readManifest, type Manifest } from '../folder/manifest.ts';
import { textOf } from './changes.ts';
import type { Generations } from './generations.ts';
import { manifestKey, setKey, type ObjectPlace } from './place.ts';

/** Milliseconds for which a set may wait for its manifest: writers give up after half of it. */
export const ORPHAN_MS = 86_400_000;

/**
 * Removes generations but the newest two, and sets that only they had.
 * @throws {Unavailable} and the rest is removed another time
 */
export async function sweepGenerations(
  place: ObjectPlace,
  generations: Generations,
  graceMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { bucket, prefix } = place;
  const { objects, nowMs } = await bucket.list(`${prefix}manifest-`, () => true, signal);
  const found = objects
    .map(({ key, changedMs }) => ({
      generation: generationOf(key.slice(prefix.length)),
      changedMs,
    }))
    .filter((each) => each.generation !== undefined)
    .toSorted((a, b) => (b.generation ?? 0) - (a.generation ?? 0));
  const gone = found.filter(({ generation }, age) => {
    const next = found[age - 1];
    const isOld = age > 1 && next !== undefined && nowMs - next.changedMs >= graceMs;
    return isOld && generation !== generations.current.generation;
  });
  if (gone.length === 0) return;
  const used = new Set<string>();
  const whole = async (generation: number | undefined): Promise<Manifest | undefined> =>
    await manifestOf(place, generations, generation ?? 0, signal);
  for (const { generation } of found) {
    if (gone.some((each) => each.generation === generation)) continue;
    for (const file of filesOf(await whole(generation))) used.add(file);
  }
  for (const file of filesOf(generations.current)) used.add(file);
  for (const { generation = 0 } of gone) {
    for (const file of filesOf(await whole(generation))) {
      if (!used.has(file)) await bucket.remove(setKey(place, file), signal);
      used.add(file);
    }
    await bucket.remove(manifestKey(place, generation), signal);
    generations.forget(generation);
  }
}

/** Removes sets of writers that ended before their manifest was written. @throws {Unavailable} */
export async function sweepOrphans(
  place: ObjectPlace,
  generations: Generations,
  signal: AbortSignal,
): Promise<void> {
  const { bucket, prefix } = place;
  const used = new Set([generations.current, ...generations.older].flatMap(filesOf));
  const isOrphan = (key: string): boolean => {
    const file = key.slice(prefix.length + SETS.length + 1);
    return isSetName(file) && !used.has(file);
  };
  const { objects, nowMs } = await bucket.list(`${prefix}${SETS}/`, isOrphan, signal);
  for (const { key, changedMs } of objects) {
    if (nowMs - changedMs >= ORPHAN_MS) await bucket.remove(key, signal);
  }
}

async function manifestOf(
  place: ObjectPlace,
  { current, older }: Generations,
  generation: number,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  const known = [current, ...older].find((each) => each.generation === generation);
  if (known !== undefined) return known;
  const found = await place.bucket.fetch(manifestKey(place, generation), signal);
  if (found === undefined) return undefined;
  const read = readManifest(textOf(found.bytes));
  return 'damage' in read ? undefined : read;
}

function filesOf(manifest: Manifest | undefined): string[] {
  return Array.from(manifest?.sets.values() ?? [], ({ file }) => file);
}
