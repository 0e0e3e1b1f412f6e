/** What is asked for: a request, read once at the edge. */
import type { AggregateKey, Window } from '../query/index.ts';
import type { Format } from './format.ts';

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
  readonly format: Format;
  readonly nowMs: number;
}
