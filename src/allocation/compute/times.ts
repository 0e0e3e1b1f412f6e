/** Times, sets and rules by which a query's lives are decided. */
import type { TimeRange } from '../../metrics/index.ts';
import type { PriceBook } from '../../pricing/index.ts';
import type { DecideInput } from '../ledger/decide.ts';
import { GAP_MS, type SumsPlan } from '../params/plan.ts';

/** @param read where samples are read: it reaches beyond the window */
export function timesOf(
  { window, sets, resolutionMs }: SumsPlan,
  read: TimeRange,
  book: PriceBook,
): Pick<DecideInput, 'workloads' | 'ledger'> {
  const ascending = sets.toReversed();
  return {
    workloads: {
      book,
      readStartMs: read.startMs,
      readEndMs: read.endMs,
      windowStartMs: window.startMs,
      windowEndMs: window.endMs,
      gapMs: GAP_MS,
      onGrid: resolutionMs > 0,
    },
    ledger: {
      setsMs: [...ascending.map((set) => set.startMs), window.endMs],
      resolutionMs,
      gapMs: GAP_MS,
    },
  };
}
