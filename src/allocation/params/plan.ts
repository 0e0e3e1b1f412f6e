/** A request, read once at the edge. */
import type { Dialect } from '../../http/index.ts';
import type { AggregateKey, Window } from '../../query/index.ts';
import type { Format } from './format.ts';
import type { CostMetric } from '../row/cost-metric.ts';
import type { Paging } from '../query/page.ts';
import type { SetQuery } from '../query/set-query.ts';
import type { SetOfLedger } from '../sets/running.ts';

/** Two of Prometheus' lookbacks: a longer gap between samples is a gap, not cost. */
export const GAP_MS = 600_000;
/** Ends are often scraped after they happened: reads reach this far beyond the window. */
export const MARGIN_MS = 600_000;
/** As far reads reach where samples are so far apart that MARGIN_MS holds hardly one. */
export const WIDE_MARGIN_MS: number = 4 * 3_600_000;

/** Which sums are computed from the store's samples. */
export interface SumsPlan {
  readonly window: Window;
  /** Newest first; they tile the window. */
  readonly sets: readonly Window[];
  /** Sets are hours, days, weeks or months of the zone; else steps. */
  readonly isByCalendar: boolean;
  /** 0 exact, else the grid's distance. */
  readonly resolutionMs: number;
  /** Whether nodes are billed, so that idle can be computed. */
  readonly billsNodes: boolean;
  /** Whether sets are built from it: then usage is counted too, and all assets are listed. */
  readonly buildsSets: boolean;
  readonly nowMs: number;
}

/** Which sums, and how they are shown. */
export interface Plan extends SumsPlan {
  readonly keys: readonly AggregateKey[];
  /** Its sets are shown as one, their sum. */
  readonly isSummed: boolean;
  /** Rows are neither aggregated nor accumulated. */
  readonly isRaw: boolean;
  /** The query of each set, without its share of overheads. */
  readonly query: Omit<SetQuery, 'overheads'>;
  /** Each set's share of `shareCost`, USD, in the order of the sets. */
  readonly overheadsUsd: readonly number[];
  readonly costMetric: CostMetric;
  /** Null: all rows of a set. */
  readonly paging: Paging | null;
  readonly dialect: Dialect;
  /** Sets are shown from the oldest to the newest, else from the newest. */
  readonly isOldestFirst: boolean;
  readonly format: Format;
  readonly view: 'allocations' | 'summary';
  /** Some of several metrics stores may fail: the answer then lacks what they have, and says so. */
  readonly allowsMissingStores?: true;
}

/** The set as ledgers have it: their sets ascend. @param place the set's, newest first */
export function ledgerSet({ sets, resolutionMs, nowMs }: SumsPlan, place: number): SetOfLedger {
  const set = sets[place];
  if (!set) throw new Error(`BUG: no set ${place}`);
  const exact = { ...set, index: sets.length - 1 - place, resolutionMs };
  if (resolutionMs === 0) return exact;
  // The last point that saw what runs stands for no time that is still to come.
  return { ...exact, endMs: Math.max(set.startMs, Math.min(set.endMs, nowMs)) };
}
