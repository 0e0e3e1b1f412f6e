/** What becomes of a damaged set in a bucket: an older version stands for it, where one is whole. */
import { olderFor } from '../folder/lost.ts';
import type { Entry, Manifest } from '../folder/manifest.ts';
import { idOf, nameOf } from '../set-key.ts';
import { objectDamage, quarantineKey, setKey, type ObjectPlace } from './place.ts';

/**
 * @param older generations before the current one, newest first
 * @returns the newest older version that is whole, or else the damage; and a note for the operator
 * @throws {Unavailable} when the bucket does not answer
 */
export async function standIn(
  place: ObjectPlace,
  older: readonly Manifest[],
  { entry, damage }: { readonly entry: Entry; readonly damage: string },
  signal: AbortSignal,
): Promise<{ readonly by: Entry; readonly note: string }> {
  const note = `the stored ${nameOf(entry.key)} are damaged: ${damage}`;
  for (const { sets } of older) {
    const before = sets.get(idOf(entry.key));
    if (before === undefined || before.file === entry.file || before.damage !== undefined) continue;
    if ((await objectDamage(place, before, signal)) !== undefined) continue;
    return { by: olderFor(before, damage), note: `${note}; the version before it is used` };
  }
  return { by: { ...entry, damage }, note };
}

/** Out of use, but not destroyed. @throws {Unavailable} */
export async function quarantine(
  place: ObjectPlace,
  { file }: Entry,
  signal: AbortSignal,
): Promise<void> {
  const { bucket } = place;
  const found = await bucket.fetch(setKey(place, file), signal);
  if (found === undefined) return;
  await bucket.write(quarantineKey(place, file), Uint8Array.from(found.bytes), 'none', signal);
  await bucket.remove(setKey(place, file), signal);
}
