/** Where the configuration says that sets are kept. */
import type { Arena, Owners } from '../columnar/index.ts';
import type { Config } from '../config.ts';
import { createMemorySets, openArrowFiles, type Sets } from '../storage/index.ts';

/**
 * @param note told what was found damaged and what was done about it
 * @throws {Unavailable} when another process has the folder
 */
export async function openSets(
  { dataDir, nowMs }: Config,
  { arena, owners }: { readonly arena: Arena; readonly owners: Owners },
  note: (sentence: string) => void,
): Promise<Sets> {
  const clock = nowMs === undefined ? {} : { nowMs: () => nowMs };
  return dataDir === undefined
    ? createMemorySets({ arena, owner: owners.take(), ...clock })
    : await openArrowFiles({ folder: dataDir, arena, note, ...clock });
}
