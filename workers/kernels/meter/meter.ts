// Integration of max(request, usage) over time, priced, for one resource.
//
//   allocated(t) = max(request(t), usage(t)) = request(t) + max(0, usage(t) - request(t))
//
// Request and price are step functions that are known in full; usage streams by and is never stored. So
// `finishMeter` integrates the request once, and `accumulateUsage` adds the usage above it, piece by
// piece. Their tables are drawn in tables.ts.

import { findKey, hashValues, KeyIndex, NOT_FOUND } from "./key-index";
import { LabelView, nameIndex, Names, readLabel, TextAt } from "../decode/labels";
import { longestStep, tellInterval } from "../decode/intervals";
import { accumulatePairs } from "./pairs";
import { canSample, sample } from "./samples";
import { DIPPED, JUMPED, rateOf, scaleValues } from "./rates";
import { add, addRestart, forget } from "./sums";
import { firstScrapeOf, identityAt, linkAfter, Meter, PLAUSIBLE, Row, scrapeAt, Span, spanAt } from "./tables";
import { nextPiece, SeriesCursor, STALE } from "../decode/series";
import { hashBytes, sameBytes } from "../decode/wire";

/** Shorter gaps hold whatever the interval of a series. */
const LIFE_GAP_MS: f64 = 600000;

/** accumulateUsage: the current piece belongs to no identity; the caller may copy it, then calls again */
export const UNKNOWN: i32 = 2;
/** accumulateUsage: the pool has too few free spans for the next piece; call again with more */
export const SPANS_FULL: i32 = 3;
/** accumulateUsage: sketches have too little room for the next piece; call again with more */
export const SAMPLES_FULL: i32 = 4;

/** accumulateUsage: the current piece is of a part of a counter; the caller may copy it, then calls again */
export const PART: i32 = 5;

/** 0: the batch is done; 2 to 5: see above; negative: an error. */
export function accumulateUsage(m: Meter): i32 {
  const c = changetype<SeriesCursor>(<usize>m.cursor);
  while (true) {
    if (m.pending == 2) m.pending = 0;
    if (m.pending == 0) {
      const found = nextPiece(c);
      if (found <= 0) return found;
      if (m.scale != 1) scaleValues(c, m.scale);
      const status = identify(m, c);
      if (status == UNKNOWN || status == PART) {
        m.pending = 2;
        return status;
      }
      if (status < 0) return status;
    }
    m.pending = 0;
    if (m.spanCount + c.samples + 1 > m.spanRoom && m.spanCount + spansNeeded(m, c) > m.spanRoom) {
      m.pending = 1;
      return SPANS_FULL;
    }
    if (m.sampler != 0 && !canSample(m, c.samples + 1)) {
      m.pending = 1;
      return SAMPLES_FULL;
    }
    accumulatePiece(m, c);
  }
}

/** Finds the piece's identity; a piece that continues the last one stays in its span. */
function identify(m: Meter, c: SeriesCursor): i32 {
  const hash = hashBytes(c.labels, c.labelsEnd);
  if (hash != m.labelHash && isPart(m, c)) return PART;
  const index = changetype<KeyIndex>(<usize>m.index);
  const found = findKey(index, c.labels, c.labelsEnd);
  if (found < 0) {
    m.identity = -1;
    return found == NOT_FOUND ? UNKNOWN : found;
  }
  const goesOn = found == m.identity && hash == m.labelHash
    && load<f64>(c.timestamps) >= m.lastMs;
  // A piece of few samples tells no interval of its own.
  if (!goesOn || tellInterval(c.samples))
    m.stepMs = m.gapMs < LIFE_GAP_MS ? m.gapMs
      : !tellInterval(c.samples) ? max(m.gapMs, <f64>identityAt(m, found).fewGapMs)
      : longestStep(c.timestamps, c.samples, m.gapMs, index.scratch);
  if (!goesOn) {
    if (found != m.identity) m.covered = 0;
    m.identity = found;
    m.labelHash = hash;
    m.life = hashValues(index, c, m.lifeNames);
    m.variant = hashValues(index, c, m.variantNames);
    m.span = 0;
    m.lastMs = -Infinity;
    const head = load<u32>(m.heads + (<u32>found << 2));
    m.multiple = head != 0 ? 1 : 0;
    if (m.scrapes != 0) {
      m.scrape = hashValues(index, c, m.scrapeNames);
      m.firstScrape = firstScrapeOf(m, head, m.scrape);
    }
    forget(m);
  }
  return 1;
}

/** Whether the piece is of a part of a counter, such as that of one CPU. */
function isPart(m: Meter, c: SeriesCursor): bool {
  if (changetype<Names>(<usize>m.splitNames).count == 0) return false;
  const index = changetype<KeyIndex>(<usize>m.index);
  const view = changetype<LabelView>(<usize>index.scratch);
  for (let at = c.labels; at < c.labelsEnd; at = view.next) {
    if (!readLabel(view, at, c.labelsEnd)) return false;
    if (nameIndex(m.splitNames, view) == 0) return !isWhole(m, view);
  }
  return false;
}

/** Whether the label's value is that of a whole counter: none, or the second text of `splitNames`. */
function isWhole(m: Meter, view: LabelView): bool {
  const whole = m.splitNames + <u32>(offsetof<Names>() + offsetof<TextAt>());
  const text = changetype<TextAt>(<usize>whole);
  if (view.valueBytes == 0) return true;
  return view.valueBytes == text.bytes && sameBytes(view.value, text.address, text.bytes);
}

/**
 * The most spans that the piece can need: one, and one more for each gap or end marker. Dropped samples
 * do not shorten a gap.
 */
function spansNeeded(m: Meter, c: SeriesCursor): u32 {
  let needed: u32 = 1;
  let before = m.lastMs;
  for (let i: u32 = 0; i < c.samples; i++) {
    const t = load<f64>(c.timestamps + (i << 3));
    const v = load<f64>(c.values + (i << 3));
    if (!isFinite(v)) {
      if (reinterpret<u64>(v) == STALE) needed++;
      continue;
    }
    if (t - before > m.stepMs) needed++;
    before = t;
  }
  return needed;
}

function accumulatePiece(m: Meter, c: SeriesCursor): void {
  const before = m.span != 0 ? m.lastValue : NaN;
  takePiece(m, c);
  if (m.isCounter) noteStill(m, c, before);
}

/** Notes since when the counter stands still. @param before its value before the piece, NaN without one */
function noteStill(m: Meter, c: SeriesCursor, before: f64): void {
  if (m.spanCount == 0) return;
  const span = spanAt(m, m.spanCount);
  let i = <i32>c.samples - 1;
  while (i >= 0 && load<f64>(c.timestamps + (i << 3)) != span.toMs) i--;
  // The first of equal times counts.
  while (i > 0 && load<f64>(c.timestamps + ((i - 1) << 3)) == span.toMs) i--;
  if (i < 0) return;
  const value = span.lastValue;
  if (load<f64>(c.values + (i << 3)) != value) return;
  while (i > 0 && load<f64>(c.values + ((i - 1) << 3)) == value) {
    if (load<f64>(c.timestamps + ((i - 1) << 3)) < span.fromMs) break;
    i--;
  }
  const at = load<f64>(c.timestamps + (i << 3));
  if (i != 0 || before != value || span.fromMs >= at) span.stillMs = at;
}

function takePiece(m: Meter, c: SeriesCursor): void {
  for (let i: u32 = 0; i < c.samples; i++) {
    // Fast path: nearly all samples are another one of the same span, in the same cached stretch.
    if (m.span != 0 && m.multiple == 0 && m.lastMs >= m.sinceMs) {
      if (m.sampler != 0) i = accumulateSampled(m, c, i);
      else i = m.isCounter ? accumulateRun(m, c, i, true, false) : accumulateRun(m, c, i, false, false);
      if (i == c.samples) return;
    }
    const t = load<f64>(c.timestamps + (i << 3));
    const v = load<f64>(c.values + (i << 3));
    if (!isFinite(v)) {
      if (reinterpret<u64>(v) != STALE) m.dropped++;
      else if (m.span != 0) {
        spanAt(m, m.span).staleMs = t;
        m.span = 0;
        m.multiple = 1;
      }
      continue;
    }
    const dt = t - m.lastMs;
    if (m.span == 0 || dt > m.stepMs) {
      if (m.span != 0) m.multiple = 1;
      m.span = openSpan(m, t, v);
    } else if (!(dt > 0)) continue; // the store repeats a sample: the first of equal times counts
    else if (!step(m, t, v, dt)) {
      m.dropped++;
      continue;
    }
    m.lastMs = t;
    m.lastValue = v;
  }
}

function accumulateSampled(m: Meter, c: SeriesCursor, i: u32): u32 {
  return m.isCounter ? accumulateRun(m, c, i, true, true) : accumulateRun(m, c, i, false, true);
}

/**
 * Takes samples from the i-th on as `step` would, in registers, while each is finite, follows its
 * predecessor within gapMs, does not fall (a counter), and ends inside the cached stretch; sums are
 * added in the same order. @returns the first sample it did not take
 */
@inline function accumulateRun(m: Meter, c: SeriesCursor, i: u32, isCounter: bool, isSampled: bool): u32 {
  const span = spanAt(m, m.span);
  const row = changetype<Row>(<usize>m.row);
  const until = m.untilMs;
  const gap = m.stepMs;
  const request = m.request;
  const price = m.price;
  const maxRate = min(m.maxRate, PLAUSIBLE * m.capacity);
  if (!isSampled && (!isCounter || span.lastRate == span.lastRate)) i = accumulatePairs(m, c, i, isCounter);
  const from = i;
  let lastMs = m.lastMs;
  let lastValue = m.lastValue;
  let usageSum = row.usage;
  let usageMax = row.usageMax;
  let excessSum = row.excess;
  let excessCost = row.excessCost;
  let rate = span.lastRate;
  for (; i < c.samples; i++) {
    const t = load<f64>(c.timestamps + (i << 3));
    const v = load<f64>(c.values + (i << 3));
    const dt = t - lastMs;
    if (!(dt > 0 && dt <= gap && t <= until && v - v == 0)) break;
    let usage = lastValue;
    if (isCounter) {
      if (v < lastValue || rate != rate) break; // a reset, or the first interval of a span
      usage = (v - lastValue) * 1000 / dt;
    }
    if (!(usage >= 0 && usage <= maxRate)) break;
    usageSum += usage * dt;
    usageMax = max(usageMax, usage);
    const excess = (usage - request) * dt;
    if (excess > 0) {
      excessSum += excess;
      excessCost += excess * price;
    }
    if (isSampled) sample(m, lastMs, t, usage, true);
    rate = usage;
    lastMs = t;
    lastValue = v;
  }
  if (i == from) return i;
  row.usage = usageSum;
  row.usageMax = usageMax;
  row.excess = excessSum;
  row.excessCost = excessCost;
  if (isCounter) span.lastRate = rate;
  span.toMs = lastMs;
  span.lastValue = lastValue;
  m.lastMs = lastMs;
  m.lastValue = lastValue;
  return i;
}

/** Takes the interval between the last sample and this one. @returns false for a sample to pass over */
@inline function step(m: Meter, t: f64, v: f64, dt: f64): bool {
  const span = spanAt(m, m.span);
  const usage = m.isCounter ? rateOf(m, v, dt) : m.lastValue;
  if (m.isCounter && usage == DIPPED) {
    span.dippedMs = t;
    return false;
  }
  span.toMs = t;
  span.lastValue = v;
  if (m.isCounter && usage == JUMPED) return true;
  if (m.isCounter) {
    if (span.firstRate != span.firstRate) span.firstRate = usage;
    span.lastRate = usage;
  }
  if (m.multiple) addUncovered(m, m.lastMs, t, usage);
  else add(m, m.lastMs, t, usage);
  if (m.wasReset) addRestart(m, m.lastMs, t, usage);
  m.wasReset = 0;
  return true;
}

/** A new span, linked into the identity's list in order of its start. @returns its place + 1 */
function openSpan(m: Meter, t: f64, v: f64): u32 {
  // Only the last span of a series can be of a container that is dead.
  if (m.lastMs > -Infinity && m.spanCount != 0) spanAt(m, m.spanCount).stillMs = NaN;
  const place = ++m.spanCount;
  m.fallenFrom = NaN;
  m.risenFrom = NaN;
  const span = spanAt(m, place);
  span.fromMs = t;
  span.toMs = t;
  span.firstValue = v;
  span.lastValue = v;
  span.firstRate = NaN;
  span.lastRate = NaN;
  span.staleMs = NaN;
  span.dippedMs = NaN;
  span.stillMs = NaN;
  span.life = m.life;
  span.variant = m.variant;
  span.gapMs = <u32>m.stepMs;
  if (m.scrapes != 0) store<u32>(m.scrapes + ((place - 1) << 2), m.scrape);
  let link = passCovered(m, t);
  while (load<u32>(link) != 0) {
    if (spanAt(m, load<u32>(link)).fromMs > t) break;
    link = linkAfter(m, load<u32>(link));
  }
  span.next = load<u32>(link);
  store<u32>(link, place);
  return place;
}

/**
 * Skips the spans at the front of the identity's list that end by `at`, and remembers the place,
 * so that the samples of a crash loop do not walk all runs before theirs. @returns the link behind
 */
function passCovered(m: Meter, at: f64): u32 {
  if (!(at >= m.coveredMs)) m.covered = 0;
  m.coveredMs = at;
  let link = m.covered == 0 ? m.heads + (<u32>m.identity << 2) : linkAfter(m, m.covered);
  for (let p = load<u32>(link); p != 0 && spanAt(m, p).toMs <= at; p = load<u32>(link)) {
    m.covered = p;
    link = linkAfter(m, p);
  }
  return link;
}

/**
 * Up to when a span covers times of the series in progress. cAdvisor shows a dead container for minutes
 * beside its successor: the counter of another run covers nothing any more once it stands still.
 */
function coveredUntil(m: Meter, span: Span): f64 {
  const isOther = m.isCounter && span.life != m.life && span.stillMs == span.stillMs;
  return isOther ? span.stillMs : span.toMs;
}

/**
 * Whether the span tells what the series in progress does in [from, to). Series of one scrape add up by
 * variant. Another scrape tells all of it again, whatever labels it adds: the one that came first counts.
 */
function isSameFact(m: Meter, p: u32, span: Span, from: f64, to: f64): bool {
  const isVariant = span.variant == m.variant;
  if (m.scrapes == 0) return isVariant;
  const scrape = scrapeAt(m, p);
  if (scrape == m.scrape) return isVariant;
  if (m.scrape != m.firstScrape) return isVariant || scrape == m.firstScrape;
  return isVariant && !wasLeftOut(m, p, from, to);
}

/** Whether a span of another scrape counted nothing in [from, to), as the first scrape covered it. */
function wasLeftOut(m: Meter, place: u32, from: f64, to: f64): bool {
  let p = load<u32>(m.heads + (<u32>m.identity << 2));
  for (; p != 0; p = spanAt(m, p).next) {
    if (p >= place || scrapeAt(m, p) != m.firstScrape) continue;
    const span = spanAt(m, p);
    if (span.fromMs <= from && span.toMs >= to) return true;
  }
  return false;
}

/** Like `add`, without times that other series of the identity already cover. */
function addUncovered(m: Meter, from: f64, to: f64, usage: f64): void {
  let at = from;
  for (let p = load<u32>(passCovered(m, from)); p != 0; p = spanAt(m, p).next) {
    const span = spanAt(m, p);
    const until = coveredUntil(m, span);
    if (p == m.span || until <= at || !isSameFact(m, p, span, from, to)) continue;
    if (span.fromMs >= to) break;
    if (span.fromMs > at) add(m, at, span.fromMs, usage);
    at = until;
    if (at >= to) return;
  }
  add(m, at, to, usage);
}
