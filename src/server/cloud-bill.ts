/** The cloud's bill as allocations are reconciled with it, from the stored sets of bills. */
import type { CloudBill } from '../allocation/index.ts';
import { readBillKind } from '../billing/deliveries/index.ts';
import type { QueriedSets, SetInfo } from '../storage/index.ts';

/** @param sets of a folder, also one that is only read */
export function cloudBill(sets: QueriedSets): CloudBill {
  let listed: number | undefined;
  let parts: readonly SetInfo[] = [];
  // A store of many days and bills has thousands of sets: they are listed once a version.
  const list = (): readonly SetInfo[] => {
    if (sets.version === listed) return parts;
    const kinds = sets.kinds().filter((kind) => readBillKind(kind)?.as === 'cloud');
    parts = kinds.toSorted().flatMap((kind) => sets.list(kind));
    listed = sets.version;
    return parts;
  };
  return {
    linesOf: ({ startMs, endMs }) =>
      list()
        .filter(({ key }) => key.startMs < endMs && key.endMs > startMs)
        .map(({ key }) => sets.locate(key))
        .filter((stored) => stored !== undefined),
  };
}
