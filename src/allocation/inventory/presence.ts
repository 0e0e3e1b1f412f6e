/**
 * When something was there, told by the samples that name it: first and last samples, end markers,
 * gaps. A gap longer than two lookbacks, or than two and a half of the series' own intervals where these are
 * long, is a gap, not cost.
 */

import type { EndSource } from '../row/schema.ts';
import type { End, PodStatus } from './pod-status.ts';

/** What one condensed record says of the thing it names. Unix ms; NaN where unknown. */
export interface Evidence {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly staleMs: number;
  readonly intervalMs: number;
}

/** A stretch in which it was there: [startMs, endMs). */
export interface Stretch {
  startMs: number;
  endMs: number;
}

export interface Life {
  readonly stretches: readonly Stretch[];
  readonly endSource: EndSource;
  /** How far off the end can be, in ms. */
  readonly endUncertaintyMs: number;
  /** How much earlier it can have started, in ms: 0 where the start is known, or before what was read. */
  readonly startUncertaintyMs: number;
  /** How far off both ends of a gap can be, in ms. */
  readonly gapUncertaintyMs: number;
  /** The start that a state metric tells and samples do not contradict, at the first stretch or before; NaN unknown. */
  readonly zeroMs: number;
}

export interface LifeLimits {
  /** Samples were read from here to there. */
  readonly readEndMs: number;
  readonly readStartMs: number;
  readonly gapMs: number;
  /** Interval to assume where a series has a single sample. */
  readonly intervalMs: number;
  /** From a state metric; NaN unknown. */
  readonly startMs: number;
  /** What tells that it is terminal; absent for what has no phases. */
  readonly status?: PodStatus;
  /** When it was to be gone at the latest; NaN unknown. */
  readonly deletionMs?: number;
  /** When anything of its exporter was scraped, with gaps far shorter than a life's. */
  readonly scrapes?: Presence | undefined;
  /** What ended it, if nothing else did before. */
  readonly goneBy?: End<EndSource> | undefined;
  /** Samples are seen on a grid: an end that only samples tell is paired with such a start. */
  readonly onGrid: boolean;
  /** An end past it is cut there, and so is not late; Infinity unless given. */
  readonly windowEndMs?: number;
}

/** Dead containers are shown for minutes, and exporters are scraped at different times. */
export const UNSEEN_MS = 600_000;

/** Ends that a gap of kube-state-metrics would look like. */
export const BY_SAMPLES: ReadonlySet<string> = new Set(['lastSample', 'staleMarker']);

interface Span {
  firstMs: number;
  lastMs: number;
  intervalMs: number;
}

/** As of a condensed record (workers/kernels/decode/intervals.ts). */
const GAP_INTERVALS = 2.5;
const LONGEST_INTERVAL_MS = 4_200_000;

/** The longest distance of samples that is no gap, where so many ms are usual. */
export function longestStep(intervalMs: number, gapMs: number): number {
  return intervalMs <= LONGEST_INTERVAL_MS ? Math.max(gapMs, GAP_INTERVALS * intervalMs) : gapMs;
}

/** Between the last sample and the marker of an end that was heard of, as `prorata agent` tells it. */
const TOLD_MS = 2;

/** Shared by all that have none. */
const NO_SPANS: readonly Span[] = [];

/** Spans of samples, kept merged. */
export class Presence {
  #spans: readonly Span[] = NO_SPANS;
  #stales: number[] | undefined;
  readonly #gapMs: number;

  constructor(gapMs: number) {
    this.#gapMs = gapMs;
  }

  add(evidence: Evidence): void {
    if (evidence.staleMs === evidence.staleMs) (this.#stales ??= []).push(evidence.staleMs);
    const { firstMs, lastMs, intervalMs } = evidence;
    if (firstMs !== firstMs) return;
    // The usual case: one span that every series of the pod widens.
    const only = this.#spans.length === 1 ? this.#spans[0] : undefined;
    const gapMs = this.#gapBetween(only, evidence);
    if (only && firstMs - only.lastMs <= gapMs && only.firstMs - lastMs <= gapMs) {
      widen(only, evidence);
      return;
    }
    const span = { firstMs, lastMs, intervalMs };
    this.#spans = this.isEmpty ? [span] : this.#merged([...this.#spans, span]);
  }

  /** The longest distance of the samples of both that is no gap. */
  #gapBetween(a: Pick<Span, 'intervalMs'> | undefined, b?: Pick<Span, 'intervalMs'>): number {
    return longestStep(b?.intervalMs ?? NaN, longestStep(a?.intervalMs ?? NaN, this.#gapMs));
  }

  #merged(spans: Span[]): Span[] {
    spans.sort((a, b) => a.firstMs - b.firstMs);
    const apart: Span[] = [];
    for (const span of spans) {
      const before = apart.at(-1);
      const isBeside = before && span.firstMs - before.lastMs <= this.#gapBetween(before, span);
      if (isBeside) widen(before, span);
      else apart.push(span);
    }
    return apart;
  }

  /** The longest distance of its latest samples that is no gap. */
  get gapMs(): number {
    return this.#gapBetween(this.#spans.at(-1));
  }

  get isEmpty(): boolean {
    return this.#spans.length === 0;
  }

  /** Whether samples from then to then go on from what is known, or lead to it. */
  isBeside(firstMs: number, lastMs: number): boolean {
    return this.#spans.some((span) => {
      const gapMs = this.#gapBetween(span);
      return firstMs - span.lastMs <= gapMs && span.firstMs - lastMs <= gapMs;
    });
  }

  /** Whether both were there at once for most of the life of the one that was there for less time. */
  isAtOnceWith(other: Presence): boolean {
    const lengthOf = (spans: readonly Span[]): number =>
      spans.reduce((sum, { firstMs, lastMs }) => sum + lastMs - firstMs + 1, 0);
    const both = this.#spans.flatMap((own) =>
      other.#spans.map(({ firstMs, lastMs, intervalMs }) => ({
        firstMs: Math.max(own.firstMs, firstMs),
        lastMs: Math.min(own.lastMs, lastMs),
        intervalMs,
      })),
    );
    const shorter = Math.min(lengthOf(this.#spans), lengthOf(other.#spans));
    return 2 * lengthOf(both.filter(({ firstMs, lastMs }) => firstMs <= lastMs)) > shorter;
  }

  /** The gaps between samples, and at both ends of the range. */
  gapsWithin({ startMs, endMs }: Stretch): Stretch[] {
    const gaps: Stretch[] = [];
    let untilMs = startMs;
    let before: Span | undefined;
    const end = { firstMs: endMs, lastMs: endMs, intervalMs: NaN };
    for (const span of [...this.#spans, end]) {
      const { firstMs, lastMs } = span;
      const gapMs = this.#gapBetween(before, span);
      before = span;
      if (firstMs - untilMs > gapMs) gaps.push({ startMs: untilMs, endMs: firstMs });
      untilMs = Math.max(untilMs, lastMs);
    }
    return gaps;
  }

  /** The gaps after a sample and before another. */
  gapsBetween(): Stretch[] {
    const isWhole = this.#spans.length < 2;
    return isWhole ? [] : this.gapsWithin({ startMs: this.firstMs, endMs: this.lastMs });
  }

  /** The first and the last sample; NaN when there is none. */
  get firstMs(): number {
    return this.#spans[0]?.firstMs ?? NaN;
  }

  get lastMs(): number {
    return this.#spans.at(-1)?.lastMs ?? NaN;
  }

  /** Adds what `other` knows between fromMs and untilMs. */
  absorb(other: Presence, fromMs: number = -Infinity, untilMs: number = Infinity): void {
    for (const { firstMs, lastMs, intervalMs } of other.#spans) {
      if (lastMs < fromMs || firstMs >= untilMs) continue;
      const startMs = Math.max(firstMs, fromMs);
      const endMs = Math.max(startMs, lastBefore(untilMs, lastMs, intervalMs));
      const span = { firstMs: startMs, lastMs: endMs, intervalMs, staleMs: NaN };
      this.add(span);
    }
    for (const at of other.#stales ?? []) {
      if (at >= fromMs && at < untilMs) (this.#stales ??= []).push(at);
    }
  }

  /** Decides start, gaps and end. undefined when no sample shows it. */
  life(limits: LifeLimits): Life | undefined {
    const first = this.#spans[0];
    const last = this.#spans.at(-1);
    if (!first || !last) return undefined;
    const startIsKnown = limits.startMs === limits.startMs;
    const end = this.#end(last, limits);
    // One interval after the last sample is late by as much as the first sample was late after the
    // start: on a grid both together count right, one alone would count a point too many.
    const isCut = end.endMs >= (limits.windowEndMs ?? Infinity);
    const bySamples = limits.onGrid && end.uncertaintyMs > 0 && !isCut;
    const bornMs = this.#start(first, end, limits);
    const startMs = bySamples ? firstSeen(first, limits) : bornMs;
    const stretches = this.#spans.map((span, i) => ({
      startMs: i === 0 ? startMs : span.firstMs,
      endMs: span === last ? end.endMs : span.lastMs + intervalOf(span, limits),
    }));
    const beginsThere = startIsKnown && startMs === limits.startMs;
    return {
      stretches: clip(stretches, startIsKnown ? limits.startMs : -Infinity, end.endMs),
      endSource: end.source,
      endUncertaintyMs: end.uncertaintyMs,
      startUncertaintyMs: beginsThere ? 0 : missedBefore(first, startMs, limits),
      gapUncertaintyMs: Math.max(...this.#spans.map((span) => intervalOf(span, limits))),
      zeroMs: startIsKnown && bornMs === limits.startMs ? bornMs : NaN,
    };
  }

  /**
   * The start a state metric tells, unless samples are missing for so long after it that nothing
   * shows what was there; a pod first seen after its completion is known by its timestamps alone.
   */
  #start(first: Span, end: End<EndSource>, limits: LifeLimits): number {
    const firstMs = beganBefore(first, limits);
    if (limits.startMs !== limits.startMs) return firstMs;
    const seenFromMs = Math.max(limits.startMs, limits.readStartMs);
    const seenAfterItsEnd = end.source === 'completionTime' && first.firstMs >= end.endMs;
    return first.firstMs - seenFromMs <= this.#gapBetween(first) || seenAfterItsEnd
      ? limits.startMs
      : firstMs;
  }

  #end(last: Span, limits: LifeLimits): End<EndSource> {
    const { status, goneBy, startMs } = limits;
    const byStatus = status?.end(last.lastMs, intervalOf(last, limits), startMs);
    const end = byStatus ?? this.#gone(last, limits);
    return goneBy && goneBy.endMs < end.endMs ? goneBy : end;
  }

  /** It was gone at some time between its last sample and the next scrape. */
  #gone(last: Span, limits: LifeLimits): End<EndSource> {
    const { lastMs } = last;
    const intervalMs = intervalOf(last, limits);
    const staleMs = this.#staleAfter(lastMs);
    const isMarked = staleMs < Infinity;
    if (!isMarked && lastMs + 2 * intervalMs > limits.readEndMs) {
      return { endMs: limits.readEndMs, source: 'running', uncertaintyMs: 0 };
    }
    // Where its whole exporter was gone nothing tells of it until that is back, nor do end markers.
    const backMs = limits.scrapes?.backAfter(lastMs, intervalMs) ?? NaN;
    const isGapOfAll = backMs - lastMs > intervalMs;
    const missedMs = isGapOfAll ? backMs : isMarked ? staleMs : lastMs + intervalMs;
    const bounds = [limits.deletionMs ?? NaN, limits.goneBy?.endMs ?? NaN];
    // The millisecond between such a marker and its last sample is the end: no bound within tells more.
    const isTold = missedMs - lastMs <= TOLD_MS;
    const untilMs = Math.min(missedMs, ...bounds.filter((atMs) => atMs > lastMs && !isTold));
    const source = isMarked && !isGapOfAll ? 'staleMarker' : 'lastSample';
    // A gap of more than that is not cost, though it may have been there.
    const billedMs = untilMs - lastMs > this.#gapBetween(last) ? Math.min(intervalMs, untilMs - lastMs) : untilMs - lastMs; // prettier-ignore
    // A start that only samples tell is late by half an interval: so is this end, both together count right.
    const isPaired = limits.onGrid || limits.startMs !== limits.startMs;
    const lateMs = isPaired ? Math.min(intervalMs, billedMs) / 2 : 0;
    const endMs = lastMs + billedMs / 2 + lateMs;
    return { endMs, source, uncertaintyMs: Math.max(endMs - lastMs, untilMs - endMs) };
  }

  /** When the gap ends that begins with the sample at `lastMs`, or within an interval of it; NaN without one. */
  backAfter(lastMs: number, intervalMs: number): number {
    const next = this.#spans.findIndex(({ firstMs }) => firstMs > lastMs);
    const before = this.#spans[next - 1];
    const isThere = before !== undefined && Math.abs(before.lastMs - lastMs) <= intervalMs;
    return isThere ? (this.#spans[next]?.firstMs ?? NaN) : NaN;
  }

  /** The first end marker after `lastMs`; Infinity without one. */
  #staleAfter(lastMs: number): number {
    let firstMs = Infinity;
    for (const staleMs of this.#stales ?? []) {
      if (staleMs > lastMs && staleMs < firstMs) firstMs = staleMs;
    }
    return firstMs;
  }
}

/** The last sample before `untilMs` of a span that ends with one at `lastMs`. */
function lastBefore(untilMs: number, lastMs: number, intervalMs: number): number {
  if (lastMs < untilMs) return lastMs;
  if (!(intervalMs > 0)) return untilMs;
  return lastMs - (Math.floor((lastMs - untilMs) / intervalMs) + 1) * intervalMs;
}

/** Its first sample; what was read begins before it where its interval is longer than what is read ahead. */
function beganBefore(first: Span, limits: LifeLimits): number {
  const wasMissed = first.firstMs - intervalOf(first, limits) <= limits.readStartMs;
  return wasMissed ? Math.min(first.firstMs, limits.readStartMs) : first.firstMs;
}

/** The first sample since the start: samples before it show a pod that waits for a node. */
function firstSeen(first: Span, limits: LifeLimits): number {
  if (!(first.firstMs < limits.startMs)) return beganBefore(first, limits);
  const intervalMs = intervalOf(first, limits);
  return first.firstMs + Math.ceil((limits.startMs - first.firstMs) / intervalMs) * intervalMs;
}

function widen(span: Span, by: Omit<Evidence, 'staleMs'>): void {
  // The interval that counts is that of the series which lasts longest.
  const isLater = by.lastMs > span.lastMs || span.intervalMs !== span.intervalMs;
  if (isLater && by.intervalMs === by.intervalMs) span.intervalMs = by.intervalMs;
  span.firstMs = Math.min(span.firstMs, by.firstMs);
  span.lastMs = Math.max(span.lastMs, by.lastMs);
}

function intervalOf(span: { intervalMs: number }, limits: LifeLimits): number {
  return span.intervalMs === span.intervalMs ? span.intervalMs : limits.intervalMs;
}

/** How long it may have been there before it was seen. */
function missedBefore(first: Span, startMs: number, limits: LifeLimits): number {
  if (limits.startMs === limits.startMs) return Math.max(0, startMs - limits.startMs);
  const intervalMs = intervalOf(first, limits);
  return first.firstMs - intervalMs > limits.readStartMs ? intervalMs : 0;
}

/** What of the stretches lies in [startMs, endMs). */
function clip(stretches: Stretch[], startMs: number, endMs: number): Stretch[] {
  for (const stretch of stretches) {
    stretch.startMs = Math.max(stretch.startMs, startMs);
    stretch.endMs = Math.min(stretch.endMs, endMs);
  }
  const isWhole = stretches.every((s) => s.startMs < s.endMs);
  return isWhole ? stretches : stretches.filter((s) => s.startMs < s.endMs);
}
