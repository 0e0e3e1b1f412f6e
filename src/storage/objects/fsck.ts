/** Checks a store in a bucket and changes nothing; servers may use it meanwhile. */
import { readChecked } from '../checked-text.ts';
import { QUARANTINE, SETS } from '../folder/folders.ts';
import { isSetName, manifestName, type Entry } from '../folder/manifest.ts';
import { nameOf } from '../set-key.ts';
import type { Damage, Report } from '../sets.ts';
import { textOf } from './changes.ts';
import { Generations } from './generations.ts';
import { MISSING, objectDamage, type ObjectPlace } from './place.ts';

/** Sets that are read at once. */
const AT_ONCE = 4;

/**
 * Reads every byte of the newest generation.
 * @throws {Unavailable} when the bucket does not answer, or a later version wrote the store
 */
export async function fsckObjects(place: ObjectPlace, signal: AbortSignal): Promise<Report> {
  const damages: Damage[] = [];
  const generations = new Generations(place, (reason) =>
    damages.push({ what: 'manifest', reason }),
  );
  await generations.load(signal);
  const { current, older } = generations;
  const entries = [...current.sets.values()];
  let bytes = 0;
  const waiting = entries.values();
  const check = async (): Promise<void> => {
    for (const entry of waiting) {
      const reason = entry.damage ?? (await objectDamage(place, entry, signal));
      if (reason === undefined) bytes += entry.bytes;
      else damages.push(damageOf(entry, reason));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, check));
  const used = new Set(
    [current, ...older].flatMap(({ sets }) => Array.from(sets.values(), ({ file }) => file)),
  );
  const sizes = await sizesIn(place, SETS, signal);
  const unused = [...sizes.keys()].filter((name) => isSetName(name) && !used.has(name)).length;
  const aside = (await sizesIn(place, QUARANTINE, signal)).size;
  const collections = await textDamage(place, 'collections', signal);
  if (collections !== undefined) damages.push({ what: 'collections.json', reason: collections });
  const counts = [
    [unused, 'objects of no generation'],
    [aside, `objects in ${QUARANTINE}`],
  ] as const;
  return {
    sets: entries.length,
    bytes,
    damages: damages.toSorted((a, b) => (a.what < b.what ? -1 : 1)),
    notes: [
      current.generation === 0
        ? 'the store is empty'
        : `newest is ${manifestName(current.generation)}`,
      ...counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`),
      ...entries.flatMap(({ key, insteadOf }) =>
        insteadOf === undefined ? [] : [`older: ${nameOf(key)}: ${insteadOf}`],
      ),
    ],
  };
}

/**
 * The damage of sets that can be seen by a list of the bucket alone.
 * @throws {Unavailable} as `fsckObjects`
 */
export async function quickCheckObjects(
  place: ObjectPlace,
  signal: AbortSignal,
): Promise<Damage[]> {
  const generations = new Generations(place, () => undefined);
  await generations.load(signal);
  const sizes = await sizesIn(place, SETS, signal);
  return [...generations.current.sets.values()].flatMap((entry) => {
    const reason = entry.damage ?? lengthDamage(entry, sizes.get(entry.file));
    return reason === undefined ? [] : [damageOf(entry, reason)];
  });
}

/** The damage of a text that is stored whole beside the sets; none where there is none. */
async function textDamage(
  { bucket, prefix }: ObjectPlace,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await bucket.fetch(`${prefix}${name}.json`, signal);
  const read = found && readChecked(name, textOf(found.bytes));
  return read !== undefined && 'damage' in read ? read.damage : undefined;
}

function lengthDamage({ bytes }: Entry, found: number | undefined): string | undefined {
  if (found === undefined) return MISSING;
  return found === bytes ? undefined : `its object has ${found} of ${bytes} bytes`;
}

function damageOf({ file, key }: Entry, reason: string): Damage {
  return { what: `${SETS}/${file}`, reason: `${nameOf(key)}: ${reason}` };
}

/** Bytes of objects by their names in a part of the store. */
async function sizesIn(
  { bucket, prefix }: ObjectPlace,
  part: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const { objects } = await bucket.list(`${prefix}${part}/`, () => true, signal);
  return new Map(
    objects.map(({ key, bytes }) => [key.slice(prefix.length + part.length + 1), bytes]),
  );
}
