/** Charges of many sets grouped slice by slice, so that no task of a worker is long. */
import { withOwner, type OwnedMemory, type Owner } from '../../columnar/index.ts';
import type { StoredSet } from '../../storage/index.ts';
import type { GroupsAt } from './charge-groups.ts';

/** What is read at last: sets, or what slices of them came to. */
export interface Gathered {
  readonly stored: readonly StoredSet[];
  readonly parts: readonly GroupsAt[];
}

/** Groups a slice: `keeper` has the result, `owner` all else. */
export type GroupSlice = (
  stored: readonly StoredSet[],
  owner: Owner,
  keeper: Owner,
) => Promise<GroupsAt>;

/**
 * Sets of a slice, 350,000 charges or so: half a second of a worker. Always the same, so that sums do
 * not depend on the number of workers.
 */
const SETS = 64;

/**
 * @param keeper whom what slices came to belongs to
 * @throws what a slice throws, once all that were begun have ended
 */
export async function inSlices(
  memory: OwnedMemory,
  stored: readonly StoredSet[],
  keeper: Owner,
  group: GroupSlice,
): Promise<Gathered> {
  if (stored.length <= SETS) return { stored, parts: [] };
  const slices = Array.from({ length: Math.ceil(stored.length / SETS) }, (_, i) =>
    stored.slice(i * SETS, (i + 1) * SETS),
  );
  const begun = slices.map((slice) => withOwner(memory, (owner) => group(slice, owner, keeper)));
  // Nobody frees what the keeper has under a task that still writes.
  await Promise.allSettled(begun);
  return { stored: [], parts: await Promise.all(begun) };
}
