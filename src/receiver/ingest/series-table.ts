/** All series of the head, found by the bytes of their labels. */
import { compareLabels } from '../../tsdb/index.ts';
import { labelTexts } from './label-bytes.ts';
import type { HeadWindow } from './head-window.ts';
import type { Part } from './part.ts';

export class Series {
  readonly labels: Uint8Array;
  readonly hash: number;
  /** The newest sample, also one that is not on the disk yet. */
  newestMs: number = -Infinity;
  newestLow: number = 0;
  newestHigh: number = 0;
  /** The one that came after it last: senders have an order of their own. */
  next: Series | undefined;
  /** No table has it any more. */
  isGone: boolean = false;
  /** A part for each window with samples, oldest window first; replaced, never changed. */
  parts: readonly Part[] = [];

  constructor(labels: Uint8Array, hash: number) {
    this.labels = labels;
    this.hash = hash;
  }

  hasLabels(bytes: Buffer, from: number, to: number): boolean {
    const { length } = this.labels;
    return length === to - from && bytes.compare(this.labels, 0, length, from, to) === 0;
  }

  /** Remembers its newest sample. */
  see(timeMs: number, low: number, high: number): void {
    this.newestMs = timeMs;
    this.newestLow = low;
    this.newestHigh = high;
  }

  /** Its newest sample is that of its parts. */
  seeParts(): void {
    this.newestMs = -Infinity;
    for (const { lastMs, lastLow, lastHigh } of this.parts)
      if (lastMs > this.newestMs) this.see(lastMs, lastLow, lastHigh);
  }

  partIn(window: HeadWindow): Part | undefined {
    return this.parts.findLast((part) => part.window === window);
  }
}

/** Series of one metric; put in order when they are read. */
interface MetricSeries {
  series: Series[];
  isInOrder: boolean;
}

function byLabels(a: Series, b: Series): number {
  return compareLabels(a.labels, b.labels);
}

const FIRST_SLOTS = 1024;
const MULTIPLIER = 0x9e3779b1;

/** Nobody who sends labels knows it: series that all have one hash would be slow to find. */
const SEED = Math.floor(Math.random() * 2 ** 32) | 0;

export function hashOf(view: DataView, from: number, to: number): number {
  let hash = SEED ^ (to - from);
  let at = from;
  for (; at + 4 <= to; at += 4) {
    hash = Math.imul(hash ^ view.getInt32(at, true), MULTIPLIER);
    hash ^= hash >>> 15;
  }
  for (; at < to; at++) hash = Math.imul(hash ^ view.getUint8(at), MULTIPLIER);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

export class SeriesTable {
  /** Open addressing: places in the list of series, plus one; 0 is free. */
  #slots: Int32Array = new Int32Array(FIRST_SLOTS);
  #all: Series[] = [];
  readonly #byMetric = new Map<string, MetricSeries>();
  #labelBytes = 0;
  /** Each series begins with its metric's name: no label's name is before `__name__`. */
  #areMetricsFirst = true;

  get size(): number {
    return this.#all.length;
  }

  /** Bytes of the labels of all series. */
  get labelBytes(): number {
    return this.#labelBytes;
  }

  all(): readonly Series[] {
    return this.#all;
  }

  /** Those of some metrics, in the order of their labels. */
  ofMetrics(metrics: readonly string[]): readonly Series[] {
    const found = new Set(metrics);
    if (this.#areMetricsFirst) {
      const names = [...found].map((metric) => Buffer.from(metric)).sort((a, b) => a.compare(b));
      return names.flatMap((name) => this.#ofMetric(name.toString()));
    }
    return [...found].flatMap((metric) => this.#ofMetric(metric)).sort(byLabels);
  }

  /** All in the order of their labels. */
  inOrder(): readonly Series[] {
    return this.ofMetrics([...this.#byMetric.keys()]);
  }

  find(bytes: Buffer, from: number, to: number, hash: number): Series | undefined {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot] ?? 0;
      if (place === 0) return undefined;
      const series = this.#all[place - 1];
      if (series?.hash === hash && series.hasLabels(bytes, from, to)) return series;
    }
  }

  /** @param labels in the order of the store, not yet there; they are the table's from here on */
  add(labels: Uint8Array, hash: number): Series {
    if (2 * (this.#all.length + 1) > this.#slots.length) this.#grow();
    const series = new Series(labels, hash);
    this.#all.push(series);
    this.#labelBytes += labels.length;
    this.#place(hash, this.#all.length);
    const texts = labelTexts(labels);
    const metric = texts['__name__'] ?? '';
    if (Object.keys(texts)[0] !== '__name__') this.#areMetricsFirst = false;
    const others = this.#byMetric.get(metric);
    if (others === undefined) this.#byMetric.set(metric, { series: [series], isInOrder: true });
    else {
      others.series.push(series);
      others.isInOrder = false;
    }
    return series;
  }

  /** Forgets those that were added last, before any of them is read: `size` are left. */
  truncate(size: number): void {
    while (this.#all.length > size) {
      const series = this.#all.pop();
      if (series === undefined) return;
      series.isGone = true;
      this.#labelBytes -= series.labels.length;
      this.#free(series.hash, this.#all.length + 1);
      const metric = labelTexts(series.labels)['__name__'] ?? '';
      const of = this.#byMetric.get(metric);
      of?.series.pop();
      if (of?.series.length === 0) this.#byMetric.delete(metric);
    }
  }

  /** Forgets series without samples. */
  sweep(): void {
    const kept = this.#all.filter(({ parts }) => parts.length > 0);
    if (kept.length === this.#all.length) return;
    for (const series of this.#all) series.isGone = series.parts.length === 0;
    for (const series of this.#all)
      if (series.isGone || series.next?.isGone === true) series.next = undefined;
    this.#all = kept;
    this.#labelBytes = kept.reduce((sum, { labels }) => sum + labels.length, 0);
    for (const [metric, of] of this.#byMetric) {
      of.series = of.series.filter(({ parts }) => parts.length > 0);
      if (of.series.length === 0) this.#byMetric.delete(metric);
    }
    let slots = FIRST_SLOTS;
    while (slots < 2 * (kept.length + 1)) slots *= 2;
    this.#lay(slots);
  }

  #ofMetric(metric: string): readonly Series[] {
    const of = this.#byMetric.get(metric);
    if (of === undefined) return [];
    if (!of.isInOrder) of.series.sort(byLabels);
    of.isInOrder = true;
    return of.series;
  }

  #grow(): void {
    this.#lay(2 * this.#slots.length);
  }

  #lay(slots: number): void {
    this.#slots = new Int32Array(slots);
    for (const [index, { hash }] of this.#all.entries()) this.#place(hash, index + 1);
  }

  /** Only of the series that was placed last: no other was put elsewhere for it. */
  #free(hash: number, place: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== place) slot = (slot + 1) & mask;
    this.#slots[slot] = 0;
  }

  #place(hash: number, place: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = place;
  }
}
