/**
 * What a meter (workers/kernels/meter/meter.ts) integrates, moment by moment with plain arrays: usage,
 * request and price are looked up at the start of every stretch in which none of them changes.
 */
import type { RowSums, Runs, TestIdentity, TestLedger, TestSegment } from './meter-ledger.ts';
import { containersOf } from './meter-ledger.ts';
import type { TestSeries } from '../stores/samples-encoding.ts';

export interface Rules {
  readonly resource: 'cpu' | 'ram';
  readonly isCounter: boolean;
  readonly gapMs: number;
  readonly maxRate: number;
}

interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
  readonly usage: number;
}

/** A stretch that the samples of one series cover without a gap. */
interface Span {
  /** The run of the container that it is of: a counter of another one started at zero. */
  readonly life: string | undefined;
  readonly samples: { ms: number; value: number }[];
  intervals: Interval[];
  staleMs: number;
  /** Its series, and since when that stands still. */
  readonly series: TestSeries;
  stillMs: number;
  /** When it was last seen with a value that its counter cannot have. */
  dippedMs: number;
}

type Sums = { -readonly [K in keyof RowSums]: RowSums[K] };

/** Rows by container, then set. `series[i]`: those of identity i, in the order they arrive. */
export function meterSlowly(
  ledger: TestLedger,
  series: readonly (readonly TestSeries[])[],
  rules: Rules,
): RowSums[][] {
  const rows = Array.from({ length: containersOf(ledger) }, () =>
    ledger.setsMs.slice(1).map((): Sums => ({
      request: 0,
      requestCost: 0,
      excess: 0,
      excessCost: 0,
      usage: 0,
      usageMax: 0,
    })),
  );
  ledger.identities.forEach((identity, i) => {
    const capacityAt = (ms: number): number =>
      identity.segments.find((s) => s.startMs <= ms && ms < s.endMs)?.[rules.resource].capacity ??
      Infinity;
    const spans = (series[i] ?? []).flatMap((one) => spansOf(one, rules, capacityAt));
    for (const [fromMs, ms] of moments(ledger.setsMs, identity, spans, rules)) {
      const segment = identity.segments.find((s) => s.startMs <= fromMs && fromMs < s.endMs);
      if (!segment) continue;
      const set = ledger.setsMs.findLastIndex((startMs) => startMs <= fromMs);
      const row = rows[segment.container]?.[set];
      if (row)
        add(row, segment, { fromMs, ms, usage: usageAt(fromMs, segment, spans, rules) }, rules);
    }
  });
  return rows;
}

function add(
  row: Sums,
  segment: TestSegment,
  { fromMs, ms, usage }: { fromMs: number; ms: number; usage: number | undefined },
  rules: Rules,
): void {
  const request = valueAt(segment[rules.resource].request, fromMs);
  const price = valueAt(segment[rules.resource].price, fromMs);
  row.request += request * ms;
  row.requestCost += request * ms * price;
  if (usage === undefined || !(usage >= 0) || usage > rules.maxRate) return;
  row.usage += usage * ms;
  row.usageMax = Math.max(row.usageMax, usage);
  row.excess += Math.max(0, usage - request) * ms;
  row.excessCost += Math.max(0, usage - request) * ms * price;
}

/** The moments to look at, and how long each stands for. */
function moments(
  setsMs: readonly number[],
  identity: TestIdentity,
  spans: readonly Span[],
  { resource }: Rules,
): [fromMs: number, ms: number][] {
  const changes = [
    ...setsMs,
    ...spans.flatMap((span) => [...span.samples.map(({ ms }) => ms), span.staleMs, span.dippedMs]),
    ...identity.segments.flatMap((segment) => [
      segment.startMs,
      segment.endMs,
      ...segment[resource].request.map(([ms]) => ms),
      ...segment[resource].price.map(([ms]) => ms),
    ]),
  ];
  const [startMs = 0, endMs = 0] = [setsMs[0], setsMs.at(-1)];
  const inside = changes.filter((ms) => ms >= startMs && ms <= endMs);
  const sorted = [...new Set(inside)].sort((a, b) => a - b);
  return sorted.slice(1).map((ms, i) => [sorted[i] ?? 0, ms - (sorted[i] ?? 0)]);
}

function valueAt(runs: Runs, ms: number): number {
  return (runs.findLast(([fromMs]) => fromMs <= ms) ?? runs[0])?.[1] ?? 0;
}

function spansOf(series: TestSeries, rules: Rules, capacityAt: (ms: number) => number): Span[] {
  const { labels, timestampsMs, values } = series;
  const life = labels.find(([name]) => name === 'id')?.[1];
  const spans: Span[] = [];
  let open: Span | undefined;
  let counter = new Counter();
  timestampsMs.forEach((ms, i) => {
    const value = values[i] ?? 0;
    if (value === 'stale') {
      if (open) open.staleMs = ms;
      open = undefined;
    } else if (Number.isFinite(value)) {
      const before = open?.samples.at(-1);
      if (before && ms <= before.ms) return;
      if (!open || !before || ms - before.ms > rules.gapMs) {
        spans.push((open = { life, series, stillMs: NaN, samples: [], intervals: [], staleMs: NaN, dippedMs: NaN })); // prettier-ignore
        counter = new Counter();
      } else if (rules.isCounter) {
        const seconds = (ms - before.ms) / 1000;
        const used = counter.used(before.value, value, 2 * capacityAt(before.ms) * seconds);
        if (used === 'passed over') {
          open.dippedMs = ms;
          return;
        }
        if (used !== 'unknown')
          open.intervals.push({ fromMs: before.ms, toMs: ms, usage: used / seconds });
      } else open.intervals.push({ fromMs: before.ms, toMs: ms, usage: before.value });
      open.samples.push({ ms, value });
    }
  });
  for (const span of spans) span.stillMs = span === spans.at(-1) ? stillMs(span) : toOf(span);
  return spans;
}

/** Since when the series of the span stands still, dips included. */
function stillMs(span: Span): number {
  const { timestampsMs, values } = span.series;
  let i = timestampsMs.lastIndexOf(toOf(span));
  const value = span.samples.at(-1)?.value;
  if (values[i] !== value) return toOf(span);
  while (i > 0 && values[i - 1] === value && (timestampsMs[i - 1] ?? 0) >= fromOf(span)) i--;
  return timestampsMs[i] ?? NaN;
}

/** What a counter counts that falls and jumps: resets, and faults of single samples. */
class Counter {
  /** Its values before it last fell, and before it last rose by more than can have been used. */
  #high = NaN;
  #low = NaN;

  /** @param most that can have been used in between */
  used(before: number, now: number, most: number): number | 'passed over' | 'unknown' {
    const isPlausible = (used: number): boolean => used >= 0 && used <= most;
    if (now >= before) {
      if (isPlausible(now - before)) return now - before;
      const isBackUp = now >= this.#high;
      // As much as it showed while it was low has been counted.
      const since = Math.max(0, now - this.#high - before);
      this.#low = before;
      if (!isBackUp || !isPlausible(since)) return 'unknown';
      this.#high = NaN;
      return since;
    }
    if (isPlausible(now - this.#low)) {
      const since = now - this.#low;
      this.#high = before - this.#low;
      this.#low = NaN;
      return since;
    }
    if (!isPlausible(now) || now > before / 2) return 'passed over';
    this.#high = before;
    return now;
  }
}

/** A gauge holds its value; a counter that fell was reset to zero. */
function usageBetween(
  before: { ms: number; value: number },
  after: { ms: number; value: number },
  isCounter: boolean,
): number {
  if (!isCounter) return before.value;
  const increase = after.value < before.value ? after.value : after.value - before.value;
  return (increase * 1000) / (after.ms - before.ms);
}

const fromOf = (span: Span): number => span.samples[0]?.ms ?? NaN;
const toOf = (span: Span): number => span.samples.at(-1)?.ms ?? NaN;

/** A counter of another run that stands still to its end is of a container that is dead. */
function coveredUntil(span: Span, other: Span, { isCounter }: Rules): number {
  return isCounter && span.life !== other.life ? span.stillMs : toOf(span);
}

/** What was used at `ms`: told by the span that came first of those that cover it, else bridged. */
function usageAt(
  ms: number,
  segment: TestSegment,
  spans: readonly Span[],
  rules: Rules,
): number | undefined {
  const covering = spans.filter((span) => fromOf(span) <= ms && ms < toOf(span));
  const told = covering.filter((span, i) => {
    const others = covering.slice(0, i).filter((one) => one.series !== span.series);
    return !others.some((one) => ms < coveredUntil(one, span, rules));
  });
  const usages = told.map(
    (span) => span.intervals.find((i) => i.fromMs <= ms && ms < i.toMs)?.usage,
  );
  if (told.length > 0) return usages.findLast((usage) => usage !== undefined);
  const seen = spans
    .filter((span) => toOf(span) >= segment.startMs && fromOf(span) < segment.endMs)
    .sort((a, b) => fromOf(a) - fromOf(b));
  const after = seen.find((span) => fromOf(span) > ms);
  const before = seen
    .filter((span) => toOf(span) <= ms)
    .reduce<Span | undefined>((a, b) => (a && toOf(a) > toOf(b) ? a : b), undefined);
  return bridge(ms, segment, { before, after }, rules);
}

function bridge(
  ms: number,
  segment: TestSegment,
  { before, after }: { before: Span | undefined; after: Span | undefined },
  { isCounter, gapMs }: Rules,
): number | undefined {
  const [first, last] = [after?.samples[0], before?.samples.at(-1)];
  const fromMs = last?.ms ?? segment.startMs;
  const toMs = first?.ms ?? segment.endMs;
  if (toMs - fromMs > gapMs)
    return before && ms < before.dippedMs ? before.intervals.at(-1)?.usage : undefined;
  if (!last) {
    if (!first || !isCounter) return first?.value;
    const rate = after?.intervals[0]?.usage;
    const isSinceZero = segment.zeroMs === segment.startMs || rate === undefined;
    return isSinceZero ? (sinceZero(segment, first) ?? rate) : rate;
  }
  if (isCounter && first) {
    const isSameRun = before?.life === after?.life;
    return usageBetween(isSameRun ? last : { ms: last.ms, value: 0 }, first, true);
  }
  if (before && ms >= before.staleMs) return undefined;
  if (!isCounter) return last.value;
  const known = before?.intervals.at(-1)?.usage;
  // Scraped once, it is known by what it counted since its start.
  const sample = before?.samples[0];
  return known ?? (sample && sinceZero(segment, sample));
}

/** The rate of a counter since it stood at zero; undefined where that is not known. */
function sinceZero(
  { zeroMs }: TestSegment,
  { ms, value }: { readonly ms: number; readonly value: number },
): number | undefined {
  return ms > zeroMs ? (value * 1000) / (ms - zeroMs) : undefined;
}
