/** Stored sets of assets that can be read, and why the others cannot. */
import type { Window } from '../../query/index.ts';
import { DamagedSet, type QueriedSets, type StoredSet } from '../../storage/index.ts';
import { ASSETS } from '../sets/set-files.ts';

export interface StoredAssets {
  readonly stored: readonly StoredSet[];
  /** A sentence for each set that is damaged, or older than what was stored last. */
  readonly lacking: readonly string[];
}

export function storedAssets(
  sets: QueriedSets,
  isWanted: (window: Window) => boolean,
): StoredAssets {
  const infos = sets.list(ASSETS).filter(({ key }) => isWanted(key));
  const stored = infos
    .filter(({ damage }) => damage === undefined)
    .flatMap(({ key }) => sets.locate(key) ?? []);
  const lacking = infos.flatMap(({ key, damage, insteadOf }) => {
    const why = damage ?? insteadOf;
    return why === undefined ? [] : [new DamagedSet(key, why).message];
  });
  return { stored, lacking };
}
