/** Step functions as pairs (fromMs, value): a value holds until the next pair's time. */
import type { SeriesRecord } from '../../columnar/index.ts';
import { agreedOf, IDENTITY, withoutSpikes, type Dispute, type FactSeries } from './disputes.ts';

/** Shared: most things have no run of most kinds. */
const NONE: number[] = [];
const NO_SERIES: readonly FactSeries[] = [];

/** Collects the runs of several series of one thing and merges them in order of time. */
export class Runs {
  #pairs: number[] = NONE;
  #isSorted = true;
  #series: readonly FactSeries[] = NO_SERIES;

  /** @param pairs in order of time; copied */
  add(pairs: readonly number[]): void {
    const known = this.#pairs;
    if (pairs.length === 0) return;
    if ((pairs[0] ?? 0) < (known.at(-2) ?? -Infinity)) this.#isSorted = false;
    // Nearly always one pair is all: it gets no room to grow, as `push` would make, and is shared.
    if (known.length <= 2) this.#pairs = known.concat(pairs);
    else for (const value of pairs) known.push(value);
  }

  /** Adds a series of a fact that others may contradict. */
  addSeries(record: SeriesRecord): void {
    const { firstMs, lastMs, intervalMs, pairs } = record;
    this.add(pairs);
    if (!(firstMs <= lastMs)) return;
    const identity = IDENTITY.filter((name) => record.label(name) !== '').length;
    this.#series = [...this.#series, { firstMs, lastMs, intervalMs, pairs: [...pairs], identity }];
  }

  /** Where series contradict each other, and single samples their neighbours: one rule decides each. */
  settle(gapMs: number, isPlausible: (value: number) => boolean): readonly Dispute[] {
    const series = this.#series;
    this.#series = NO_SERIES;
    const agreed = agreedOf(series, gapMs, isPlausible);
    if (agreed.disputes.length > 0) this.#replace(agreed.pairs);
    const intervalMs = Math.min(...series.map((one) => one.intervalMs).filter((ms) => ms > 0));
    const smooth = withoutSpikes(this.merged(), intervalMs);
    if (smooth.disputes.length > 0) this.#replace(smooth.pairs);
    return [...agreed.disputes, ...smooth.disputes];
  }

  #replace(pairs: readonly number[]): void {
    this.#pairs = [...pairs];
    this.#isSorted = true;
  }

  get isEmpty(): boolean {
    return this.#pairs.length === 0;
  }

  /** Pairs in order of time, equal neighbours merged; of equal times the last that came counts. */
  merged(): readonly number[] {
    if (this.#pairs.length <= 2) return this.#pairs;
    const pairs = this.#isSorted ? this.#pairs : sorted(this.#pairs);
    const merged: number[] = [];
    for (let i = 0; i < pairs.length; i += 2) {
      const at = pairs[i] ?? NaN;
      const value = pairs[i + 1] ?? NaN;
      if (merged.at(-2) === at) merged.length -= 2;
      if (merged.length === 0 || merged.at(-1) !== value) merged.push(at, value);
    }
    return merged;
  }

  /** Runs that begin in [fromMs, untilMs). */
  begunIn(fromMs: number, untilMs: number): readonly number[] {
    return inside(this.merged(), fromMs, untilMs);
  }

  /** Like `begunIn`, after the run that holds at fromMs. */
  heldIn(fromMs: number, untilMs: number): readonly number[] {
    const pairs = this.merged();
    const begun = inside(pairs, fromMs, untilMs);
    if (begun[0] === fromMs) return begun;
    const before = inside(pairs, -Infinity, fromMs);
    return before.length === 0 ? begun : [fromMs, before.at(-1) ?? NaN, ...begun];
  }

  /** When the first run begins, NaN when there is none. */
  get firstMs(): number {
    return this.merged()[0] ?? NaN;
  }

  /** The largest value, NaN when there is none. */
  largest(): number {
    let largest = NaN;
    for (let i = 1; i < this.#pairs.length; i += 2) {
      const value = this.#pairs[i] ?? NaN;
      if (!(largest >= value)) largest = value;
    }
    return largest;
  }

  /** The smallest value, NaN when there is none. */
  smallest(): number {
    let smallest = NaN;
    for (let i = 1; i < this.#pairs.length; i += 2) {
      const value = this.#pairs[i] ?? NaN;
      if (!(smallest <= value)) smallest = value;
    }
    return smallest;
  }
}

/**
 * A step function of several, at each time at which one of them changes. Each holds its first value before
 * its first time too.
 */
export function combined(
  parts: readonly (readonly number[])[],
  value: (values: readonly number[]) => number,
): readonly number[] {
  const told = parts.filter((pairs) => pairs.length > 0);
  if (told.length === 0) return NONE;
  const times = new Set(told.flatMap((pairs) => pairs.filter((_, i) => i % 2 === 0)));
  const places = parts.map(() => 0);
  const pairs: number[] = [];
  for (const atMs of [...times].sort((a, b) => a - b)) {
    const values = parts.map((part, i) => {
      let place = places[i] ?? 0;
      while ((part[place + 2] ?? Infinity) <= atMs) place += 2;
      places[i] = place;
      return part[place + 1] ?? 0;
    });
    const held = value(values);
    if (pairs.length === 0 || pairs.at(-1) !== held) pairs.push(atMs, held);
  }
  return pairs;
}

function inside(pairs: readonly number[], fromMs: number, untilMs: number): number[] {
  const found: number[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const at = pairs[i] ?? NaN;
    if (at >= fromMs && at < untilMs) found.push(at, pairs[i + 1] ?? NaN);
  }
  return found;
}

function sorted(pairs: readonly number[]): number[] {
  const order = Array.from({ length: pairs.length / 2 }, (_, i) => i);
  order.sort((a, b) => (pairs[2 * a] ?? 0) - (pairs[2 * b] ?? 0) || a - b);
  return order.flatMap((i) => [pairs[2 * i] ?? NaN, pairs[2 * i + 1] ?? NaN]);
}
