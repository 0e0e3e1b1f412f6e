/**
 * Series that contradict each other about one fact, and samples that contradict their neighbours.
 *
 *   1. the series with more labels that identify its subject counts
 *   2. else a plausible value: near the list price or the size of the type, or what pods fit into
 *   3. else the lower value
 *
 * A spike of a few samples, far from the values before and after it, is a fault of its exporter: the
 * value before it holds.
 */

/** Labels that identify the subject of a series beside its name. */
export const IDENTITY: readonly string[] = ['instance_type', 'provider_id', 'uid'];

export interface FactSeries {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly intervalMs: number;
  readonly pairs: readonly number[];
  /** How many labels identify its subject. */
  readonly identity: number;
}

/** A value that does not count, and the one that does instead. */
export interface Dispute {
  readonly startMs: number;
  readonly endMs: number;
  readonly counted: number;
  readonly dropped: number;
}

/** What is disputed about one thing, USD where it counts. */
export interface DisputedFact {
  readonly metric: string;
  readonly cluster: string;
  /** A node or a volume. */
  readonly name: string;
  readonly isNode: boolean;
  /** The values that are furthest apart. */
  readonly counted: number;
  readonly dropped: number;
  /** How much the cost of the window differs by, USD. */
  readonly usd: number;
  /** How much the cost differs by at which times, USD an hour. */
  readonly times: readonly { readonly startMs: number; readonly endMs: number; readonly usdPerHour: number }[]; // prettier-ignore
}

/** How much the cost of a part of the window differs by, USD. */
export function disputedIn({ times }: DisputedFact, startMs: number, endMs: number): number {
  return times.reduce((usd, one) => {
    const ms = Math.min(one.endMs, endMs) - Math.max(one.startMs, startMs);
    return usd + (Math.max(0, ms) * one.usdPerHour) / MS_PER_HOUR;
  }, 0);
}

const MS_PER_HOUR = 3_600_000;

export interface Agreed {
  /** Pairs (fromMs, value). */
  readonly pairs: readonly number[];
  readonly disputes: readonly Dispute[];
}

const NOTHING: Agreed = { pairs: [], disputes: [] };

/** Values nearer to each other than that part are the same price, rounded by its exporter. */
const ROUNDING = 1e-6;

/**
 * @param gapMs series that overlap for no longer follow one another: the later counts
 * @returns no pairs where no series contradict each other
 */
export function agreedOf(
  series: readonly FactSeries[],
  gapMs: number,
  isPlausible: (value: number) => boolean,
): Agreed {
  if (!doOverlap(series, gapMs)) return NOTHING;
  const ends = series.map((one) => endOf(one, series, gapMs));
  const times = new Set(
    series.flatMap(({ pairs }, i) => [...pairs.filter((_, at) => at % 2 === 0), ends[i] ?? NaN]),
  );
  const sorted = [...times].sort((a, b) => a - b);
  const next = series.map(() => 0);
  const pairs: number[] = [];
  const disputes: Dispute[] = [];
  sorted.forEach((startMs, at) => {
    const active = series.filter((one, i) => {
      let place = next[i] ?? 0;
      while ((one.pairs[place] ?? Infinity) <= startMs) place += 2;
      next[i] = place;
      return place > 0 && startMs < (ends[i] ?? NaN);
    });
    const told = active.map((one) => ({
      one,
      value: one.pairs[(next[series.indexOf(one)] ?? 0) - 1] ?? NaN,
    }));
    if (told.length === 0) return;
    const counted = chosen(told, isPlausible);
    if (pairs.length === 0 || pairs.at(-1) !== counted) pairs.push(startMs, counted);
    const dropped = Math.max(...told.map(({ value }) => value));
    const far = told.find(({ value }) => Math.abs(value - counted) > ROUNDING * Math.abs(counted));
    const endMs = sorted[at + 1] ?? startMs;
    if (far)
      disputes.push({
        startMs,
        endMs,
        counted,
        dropped: dropped === counted ? far.value : dropped,
      });
  });
  return { pairs, disputes };
}

function doOverlap(series: readonly FactSeries[], gapMs: number): boolean {
  if (series.length < 2) return false;
  let untilMs = -Infinity;
  return series
    .toSorted((a, b) => a.firstMs - b.firstMs)
    .some(({ firstMs, lastMs }) => {
      const isBeside = Math.min(untilMs, lastMs) - firstMs > gapMs;
      untilMs = Math.max(untilMs, lastMs);
      return isBeside;
    });
}

/** A series is over when one that takes its place begins, which stores may show a little before. */
function endOf({ firstMs, lastMs }: FactSeries, all: readonly FactSeries[], gapMs: number): number {
  const successors = all.filter(
    (other) => other.firstMs > firstMs && other.firstMs >= lastMs - gapMs && other.lastMs > lastMs,
  );
  return Math.min(lastMs + 1, ...successors.map((other) => other.firstMs));
}

function chosen(
  told: readonly { readonly one: FactSeries; readonly value: number }[],
  isPlausible: (value: number) => boolean,
): number {
  const most = Math.max(...told.map(({ one }) => one.identity));
  const identified = told.filter(({ one }) => one.identity === most).map(({ value }) => value);
  // A price of 0 is one that its exporter did not know.
  const positive = identified.filter((value) => value > 0);
  const known = positive.length > 0 ? positive : identified;
  const plausible = known.filter(isPlausible);
  return Math.min(...(plausible.length > 0 ? plausible : known));
}

/** A spike lasts no longer, in samples. */
const SPIKE_SAMPLES = 5;
/** A spike is so many times its neighbours, or such a part of them. */
const SPIKE_FACTOR = 3;

/** @param intervalMs of the samples; Infinity unknown */
export function withoutSpikes(pairs: readonly number[], intervalMs: number): Agreed {
  if (pairs.length < 6 || intervalMs === Infinity) return { ...NOTHING, pairs };
  const kept: number[] = [];
  const disputes: Dispute[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const [atMs = NaN, value = NaN] = [pairs[i], pairs[i + 1]];
    const before = kept.at(-1);
    const back =
      before === undefined || !isFar(value, before) ? i : backFrom(pairs, i, before, intervalMs);
    if (before === undefined || back === i) {
      if (value !== before) kept.push(atMs, value);
      continue;
    }
    for (let at = i; at < back; at += 2)
      disputes.push({
        startMs: pairs[at] ?? NaN,
        endMs: pairs[at + 2] ?? NaN,
        counted: before,
        dropped: pairs[at + 1] ?? NaN,
      });
    i = back - 2;
  }
  return { pairs: kept, disputes };
}

/** Where values are near `before` again after a spike that begins at `from`; `from` where it is none. */
function backFrom(
  pairs: readonly number[],
  from: number,
  before: number,
  intervalMs: number,
): number {
  const untilMs = (pairs[from] ?? NaN) + (SPIKE_SAMPLES + 0.5) * intervalMs;
  for (let at = from + 2; at < pairs.length && (pairs[at] ?? NaN) <= untilMs; at += 2)
    if (!isFar(pairs[at + 1] ?? NaN, before)) return at;
  return from;
}

/** A price of 0 is one that its exporter did not know, which `believedPrices` decides. */
function isFar(value: number, other: number): boolean {
  if (value === 0) return false;
  return value > SPIKE_FACTOR * other || value * SPIKE_FACTOR < other;
}
