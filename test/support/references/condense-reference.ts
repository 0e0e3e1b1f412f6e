/** What `condense` makes of a series, sample by sample: its slow, obvious reference. */
import type { CondenseOptions } from '../../../src/columnar/index.ts';
import type { TestSeries } from '../stores/samples-encoding.ts';

export interface PlainRecord {
  /** As they came; in order of name where some of them tell who the series is of. */
  labels: [string, string][];
  firstMs: number;
  lastMs: number;
  staleMs: number;
  intervalMs: number;
  pairs: number[];
}

function isKept(name: string, keep: readonly string[]): boolean {
  return keep.some((k) => (k.endsWith('*') ? name.startsWith(k.slice(0, -1)) : k === name));
}

/** The median of up to 31 distances between neighbours, spread evenly over all of them. */
function medianSlowly(timesMs: readonly number[]): number {
  const distances = timesMs.slice(1).map((ms, i) => ms - (timesMs[i] ?? 0));
  const count = Math.min(31, distances.length);
  const some = Array.from(
    { length: count },
    (_, k) => distances[Math.floor((k * distances.length) / count)] ?? 0,
  );
  return some.sort((a, b) => a - b)[count >> 1] ?? NaN;
}

/** Samples further apart than a gap by themselves are no gaps, if four of them show it. */
function longestStep(timesMs: readonly number[], gapMs: number): number {
  const steps = timesMs.length - 1;
  const spanMs = (timesMs.at(-1) ?? 0) - (timesMs[0] ?? 0);
  if (steps < 3 || 5 * spanMs <= gapMs * steps) return gapMs;
  const interval = medianSlowly(timesMs);
  return interval <= 4_200_000 ? Math.max(gapMs, 2.5 * interval) : gapMs;
}

function keptLabels(
  { labels }: TestSeries,
  { keep, identity }: Pick<CondenseOptions, 'keep' | 'identity'>,
): [string, string][] {
  const kept = labels.filter(([name]) => isKept(name, keep));
  const isMoved = kept.some(([name]) => keep.includes(name) && identity.includes(name));
  const told = isMoved ? kept.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) : kept;
  return told.map(([name, value]) => [name, value]);
}

/** Records of one piece, sample by sample. */
export function condenseSlowly(
  series: TestSeries,
  options: CondenseOptions,
): { records: PlainRecord[]; dropped: number } {
  const labels = keptLabels(series, options);
  const made: PlainRecord[] = [];
  let open: { timesMs: number[]; lastMs: number; pairs: number[]; held: number } | undefined;
  let dropped = 0;
  const gapMs = longestStep(series.timestampsMs, options.gapMs);
  const close = (staleMs: number): void => {
    const timesMs = open?.timesMs ?? [];
    const lastFinite = timesMs.indexOf(open?.lastMs ?? 0) + 1;
    made.push({
      labels: labels.map(([name, value]) => [name, value]),
      firstMs: timesMs[0] ?? NaN,
      lastMs: open?.lastMs ?? NaN,
      staleMs,
      intervalMs: medianSlowly(timesMs.slice(0, lastFinite)),
      pairs: open?.pairs ?? [],
    });
    open = undefined;
  };
  series.timestampsMs.forEach((ms, i) => {
    const value = series.values[i] ?? 0;
    if (ms < options.startMs || ms > options.endMs) return;
    if (value === 'stale') return close(ms);
    open?.timesMs.push(ms);
    if (!Number.isFinite(value)) return void dropped++;
    if (open && ms - open.lastMs > gapMs) {
      open.timesMs.pop();
      close(NaN);
    }
    open ??= { timesMs: [ms], lastMs: ms, pairs: [], held: NaN };
    open.lastMs = ms;
    if (open.held !== value) open.pairs.push(ms, value);
    open.held = value;
  });
  if (open) close(NaN);
  return { records: made, dropped };
}
