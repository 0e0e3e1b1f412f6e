/** Stored sets in the arena, as long as something is computed from them. */
import type { HotSets } from '../caches/hot-sets.ts';
import type { TableAddresses } from '../../columnar/index.ts';
import {
  isPassing,
  type FoundCaveats,
  spanText,
  Unavailable,
  type Window,
} from '../../query/index.ts';
import type { QueriedSets } from '../../storage/index.ts';
import { spanOf } from './set-index.ts';

export interface HeldSets {
  /** Tables of each set that is stored, in the order of the days. */
  readonly sets: readonly (readonly TableAddresses[])[];
  readonly release: () => void;
}

interface Wanted {
  readonly kind: string;
  readonly days: readonly Window[];
  readonly columns: readonly string[];
}

/**
 * Days without a set are left out, with a warning; a set found damaged is set aside as well.
 * @param caveats get what the sets lack
 */
export async function holdSets(
  { sets, hot }: { readonly sets: QueriedSets; readonly hot: HotSets },
  { kind, days, columns }: Wanted,
  caveats: FoundCaveats,
): Promise<HeldSets> {
  const held: Awaited<ReturnType<HotSets['open']>>[] = [];
  const release = (): void => held.forEach((set) => set.release());
  const infos = new Map(sets.list(kind).map((info) => [spanOf(info.key), info]));
  for (const day of days) {
    const { damage, insteadOf, meta } = infos.get(spanOf(day)) ?? {};
    const stored = damage === undefined ? sets.locate({ kind, ...day }) : undefined;
    if (stored === undefined) {
      const why = damage === undefined ? 'not stored' : `damaged and set aside (${damage})`;
      caveats.lack([`${kind} of ${spanText(day)} are ${why}: the answer lacks them`]);
      continue;
    }
    if (insteadOf !== undefined) {
      caveats.lack([`${kind} of ${spanText(day)} are of an older version than was stored last (${insteadOf})`]); // prettier-ignore
    }
    if (meta) caveats.lackOfSet(meta);
    try {
      held.push(await hot.open(stored, columns));
    } catch (error) {
      if (!(error instanceof Unavailable) || isPassing(error)) {
        release();
        throw error;
      }
      caveats.lack([error.message]);
      await sets.setAside(stored);
    }
  }
  return { sets: held.map(({ tables }) => tables), release };
}
