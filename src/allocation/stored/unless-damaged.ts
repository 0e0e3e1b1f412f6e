/** Damage that is found only when a stored set is read. */
import { isPassing, Unavailable } from '../../query/index.ts';
import type { QueriedSets, StoredSet } from '../../storage/index.ts';

/** @returns undefined for a set that turns out to be damaged: it is set aside, with a warning */
export async function unlessDamaged<Result>(
  sets: QueriedSets,
  stored: StoredSet,
  warnings: Set<string>,
  read: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    return await setAside(sets, stored, warnings, error);
  }
}

/** Sets a damaged set aside, with a warning. @throws `error` where it is no damage */
export async function setAside(
  sets: QueriedSets,
  stored: StoredSet,
  warnings: Set<string>,
  error: unknown,
): Promise<undefined> {
  if (!(error instanceof Unavailable) || isPassing(error)) throw error;
  warnings.add(error.message);
  await sets.setAside(stored);
}
