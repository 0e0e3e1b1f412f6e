/** What is asked for: a request, read once at the edge. */
import type { AggregateKey, Window } from '../query/index.ts';
import type { Format } from './format.ts';
import type { IdleNames } from './row-names.ts';
import type { SetOfLedger } from './set-rows.ts';

/** Two of Prometheus' lookbacks: a longer gap between samples is a gap, not cost. */
export const GAP_MS = 600_000;
/** Ends are often scraped after they happened: reads reach this far beyond the window. */
export const MARGIN_MS = 600_000;

export interface Plan {
  readonly window: Window;
  /** Newest first; they tile the window. */
  readonly sets: readonly Window[];
  /** Sets are hours, days, weeks or months of the zone; else steps. */
  readonly isByCalendar: boolean;
  /** 0 exact, else the grid's distance. */
  readonly resolutionMs: number;
  readonly keys: readonly AggregateKey[];
  /** Rows are neither aggregated nor accumulated. */
  readonly isRaw: boolean;
  /** How idle rows are told apart; null leaves them out. */
  readonly idle: IdleNames | null;
  readonly format: Format;
  readonly nowMs: number;
}

/** The set as ledgers have it: their sets ascend. @param place the set's, newest first */
export function ledgerSet({ sets, resolutionMs }: Plan, place: number): SetOfLedger {
  const set = sets[place];
  if (!set) throw new Error(`BUG: no set ${place}`);
  return { ...set, index: sets.length - 1 - place, resolutionMs };
}
