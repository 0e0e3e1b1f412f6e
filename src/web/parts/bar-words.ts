/** What bars show, and how a bar is said. */
import { partOver, type Span } from '../costs/periods.ts';
import type { Stack } from '../costs/series.ts';
import { day, moment, moneyOrZero } from '../format.ts';
import { zone } from '../session.ts';

export interface BarsOf {
  readonly spans: readonly Span[];
  readonly stacks: readonly Stack[];
  readonly totals: Float64Array;
  /** Drawn below the axis; undefined: not apart. */
  readonly idle: Float64Array | undefined;
  /** Totals of the time before, bar by bar. */
  readonly before: readonly (number | undefined)[];
  readonly nowMs: number;
  /** A part of each stack that is hatched, and what that is. */
  readonly inside?: {
    readonly says: string;
    readonly costs: readonly Float64Array[];
  };
  /** Where a bar leads. */
  readonly href: (span: Span) => string;
}

/** What a bar comes to when its time is over. */
export function runRate({ spans, totals, nowMs }: BarsOf, index: number): number | undefined {
  const span = spans[index];
  const part = span === undefined ? 1 : partOver(span, nowMs);
  // From a few minutes nothing can be said of a day.
  if (part >= 1 || part < 0.05) return undefined;
  return (totals[index] ?? 0) / part;
}

const HOUR_MS = 3_600_000;

export function spanLabel(span: Span | undefined): string {
  if (span === undefined) return '';
  const isShort = span.endMs - span.startMs < 23 * HOUR_MS;
  return isShort ? moment(span.startMs, zone()).replace(/^.*, /, '') : day(span.startMs, zone());
}

/** When a bar is, in full. */
export function spanWords({ startMs, endMs }: Span): string {
  const length = endMs - startMs;
  if (length < 23 * HOUR_MS) return `${moment(startMs, zone())} to ${moment(endMs, zone())}`;
  if (length <= 25 * HOUR_MS) return day(startMs, zone());
  return `${day(startMs, zone())} to ${day(endMs - 1, zone())}`;
}

export function barWords(bars: BarsOf, index: number): string {
  const { spans, totals, idle } = bars;
  const span = spans[index];
  const parts = [
    span === undefined ? '' : spanWords(span),
    moneyOrZero(totals[index]),
    ...(idle === undefined ? [] : [`idle ${moneyOrZero(idle[index])}`]),
    ...(runRate(bars, index) === undefined ? [] : ['not over yet']),
  ];
  return parts.join(', ');
}
