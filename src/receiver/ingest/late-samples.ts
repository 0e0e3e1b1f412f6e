/**
 * Samples of a request that are older than another of their series: which of them are new, which are there
 * already, and which contradict what is there. Series by series, so that a request of any order takes
 * time by its length only.
 */
import type { Pending } from './pending.ts';
import { Samples } from './samples.ts';
import type { Series } from './series-table.ts';
import { exampleOf, type Tally } from './tally.ts';

type Values = Map<number, readonly [low: number, high: number]>;

const decoded = new Samples();

export interface LateRequest {
  /** Where it begins among the pending. */
  readonly from: number;
  /** New samples before are refused. */
  readonly oldestMs: number;
  readonly tally: Tally;
}

/** Takes those that are not new out of the pending. */
export function resolveLate(pending: Pending, { from, oldestMs, tally }: LateRequest): void {
  const places = pending.late.filter((place) => place >= from);
  const late = new Set(places);
  const known = knownValues(pending, places, late);
  const dropped = new Set<number>();
  const { times, lows, highs } = pending.samples;
  for (const place of places) {
    const series = pending.series[place];
    const values = series === undefined ? undefined : known.get(series);
    if (series === undefined || values === undefined) continue;
    const [timeMs, low, high] = [times[place] ?? 0, lows[place] ?? 0, highs[place] ?? 0];
    const there = values.get(timeMs);
    if (there === undefined && timeMs >= oldestMs) {
      values.set(timeMs, [low, high]);
      tally.samples++;
      continue;
    }
    dropped.add(place);
    if (there === undefined) tally.refuse('outOfOrder', () => exampleOf(series.labels));
    else if (there[0] === low && there[1] === high) tally.samples++;
    else tally.refuse('otherValue', () => exampleOf(series.labels));
  }
  if (dropped.size > 0) remove(pending, from, dropped);
}

/** What the series have at the times of late samples, on the disk or pending. */
function knownValues(
  pending: Pending,
  places: readonly number[],
  late: ReadonlySet<number>,
): Map<Series, Values> {
  const bounds = new Map<Series, [firstMs: number, lastMs: number]>();
  const { times, lows, highs } = pending.samples;
  for (const place of places) {
    const series = pending.series[place];
    const timeMs = times[place] ?? 0;
    if (series === undefined) continue;
    const [firstMs, lastMs] = bounds.get(series) ?? [timeMs, timeMs];
    bounds.set(series, [Math.min(firstMs, timeMs), Math.max(lastMs, timeMs)]);
  }
  const known = new Map<Series, Values>();
  for (const [series, [firstMs, lastMs]] of bounds)
    known.set(series, storedValues(series, firstMs, lastMs));
  for (let place = 0; place < pending.count; place++) {
    const series = pending.series[place];
    if (series === undefined || late.has(place)) continue;
    known.get(series)?.set(times[place] ?? 0, [lows[place] ?? 0, highs[place] ?? 0]);
  }
  return known;
}

function storedValues(series: Series, firstMs: number, lastMs: number): Values {
  const values: Values = new Map();
  decoded.clear();
  for (const part of series.parts) {
    const { startMs, endMs } = part.window;
    if (endMs > firstMs && startMs <= lastMs) part.around(firstMs, lastMs, decoded);
  }
  for (let i = 0; i < decoded.count; i++)
    values.set(decoded.times[i] ?? 0, [decoded.lows[i] ?? 0, decoded.highs[i] ?? 0]);
  return values;
}

function remove(pending: Pending, from: number, dropped: ReadonlySet<number>): void {
  const late = new Set(pending.late);
  const rest = Array.from({ length: pending.count - from }, (_, i) => from + i)
    .filter((place) => !dropped.has(place))
    .map((place) => ({
      series: pending.series[place],
      isLate: late.has(place),
      timeMs: pending.samples.times[place] ?? 0,
      low: pending.samples.lows[place] ?? 0,
      high: pending.samples.highs[place] ?? 0,
    }));
  pending.truncate(from);
  for (const { series, isLate, timeMs, low, high } of rest) {
    if (series === undefined) continue;
    if (isLate) pending.pushLate(series, timeMs, low, high);
    else pending.push(series, timeMs, low, high);
  }
}
