// The end of a meter's work: integrates the requests, which are known in full, and bridges the edges
// of usage: from a segment's start to the first sample, over restarts, from the last sample to the end.

import { canSample, samplerOf } from "./samples";
import { add, addEarly, addRestart, enter, forget } from "./sums";
import { firstScrapeOf, Hidden, hiddenOfRow, identityAt, Meter, Row, scrapeAt, Segment, segmentAt, Span, spanAt } from "./tables";

/**
 * Integrates requests and bridges the edges of usage, for identities [from, to). Once, at the end.
 * @returns the first identity for which sketches have no room, or `to`
 */
export function finishMeter(m: Meter, from: u32, to: u32): u32 {
  if (m.sampler != 0) samplerOf(m).isBridging = 1;
  for (let identity = from; identity < to; identity++) {
    m.identity = <i32>identity;
    if (m.sampler != 0 && !canSample(m, 0xffff)) return identity;
    const entry = identityAt(m, identity);
    const first = entry.firstSegment;
    const end = first + entry.segments;
    for (let s = first; s < end; s++) {
      const segment = segmentAt(m, s);
      forget(m);
      addRequest(m, segment);
      forget(m);
      if (m.heads == 0) continue;
      const head = load<u32>(m.heads + (identity << 2));
      if (m.scrapes != 0) m.firstScrape = firstScrapeOf(m, head, 0);
      bridge(m, segment, head);
      if (m.hidden != 0) noteOutside(m, segment, head);
    }
  }
  return to;
}

function addRequest(m: Meter, segment: Segment): void {
  let from = max(segment.startMs, load<f64>(m.sets));
  const to = min(segment.endMs, load<f64>(m.sets + (m.setCount << 3)));
  while (from < to) {
    enter(m, segment, from);
    const end = min(to, m.untilMs);
    const row = changetype<Row>(<usize>m.row);
    const amount = m.request * (end - from);
    row.request += amount;
    row.requestCost += amount * m.price;
    from = end;
  }
}

/** A segment outside of all sets may reach into the nearest, with what its samples show. */
function noteOutside(m: Meter, segment: Segment, head: u32): void {
  const isBefore = segment.endMs <= load<f64>(m.sets);
  if (!isBefore && segment.startMs < load<f64>(m.sets + (m.setCount << 3))) return;
  enter(m, segment, segment.startMs);
  forget(m);
  const hidden = hiddenOfRow(m);
  for (let p = head; p != 0; p = spanAt(m, p).next) {
    const span = spanAt(m, p);
    if (span.toMs + <f64>span.gapMs < segment.startMs || span.fromMs - <f64>span.gapMs > segment.endMs) continue;
    if (m.isCounter) {
      noteUsage(m, hidden, span.firstRate);
      noteUsage(m, hidden, span.lastRate);
      noteUsage(m, hidden, rateSinceZero(segment, span));
    } else {
      noteUsage(m, hidden, span.firstValue);
      noteUsage(m, hidden, span.lastValue);
    }
  }
}

/** @param usage NaN unknown */
function noteUsage(m: Meter, hidden: Hidden, usage: f64): void {
  if (usage <= m.maxRate) hidden.earlyUsage = max(hidden.earlyUsage, usage);
}

/**
 * Usage outside of the intervals between samples: from the segment's start to the first
 * sample, between the series of a restarted container, from the last sample to the end.
 */
function bridge(m: Meter, segment: Segment, head: u32): void {
  for (let p = head; p != 0; p = spanAt(m, p).next) {
    if (isFirstOfVariant(m, head, p) && !isToldBefore(m, segment, head, p)) bridgeVariant(m, segment, p);
  }
}

/** Whether the span is of another scrape than the first, which shows the segment too. */
function isToldBefore(m: Meter, segment: Segment, head: u32, place: u32): bool {
  if (m.scrapes == 0 || scrapeAt(m, place) == m.firstScrape) return false;
  for (let p = head; p != 0; p = spanAt(m, p).next) {
    if (scrapeAt(m, p) != m.firstScrape) continue;
    const span = spanAt(m, p);
    if (span.toMs >= segment.startMs && span.fromMs < segment.endMs) return true;
  }
  return false;
}

function isFirstOfVariant(m: Meter, head: u32, place: u32): bool {
  const variant = spanAt(m, place).variant;
  for (let p = head; p != place; p = spanAt(m, p).next) {
    if (spanAt(m, p).variant == variant) return false;
  }
  return true;
}

function bridgeVariant(m: Meter, segment: Segment, head: u32): void {
  const variant = spanAt(m, head).variant;
  let last: u32 = 0;
  for (let p = head; p != 0; p = spanAt(m, p).next) {
    const span = spanAt(m, p);
    if (span.variant != variant || span.toMs < segment.startMs) continue;
    if (span.fromMs >= segment.endMs) break;
    if (last == 0) bridgeStart(m, segment, span);
    else if (span.fromMs > spanAt(m, last).toMs) bridgeJoint(m, segment, spanAt(m, last), span);
    else noteSuccessor(m, segment, spanAt(m, last), span);
    if (last == 0 || span.toMs >= spanAt(m, last).toMs) last = p;
  }
  if (last != 0) bridgeEnd(m, segment, spanAt(m, last));
}

function bridgeStart(m: Meter, segment: Segment, span: Span): void {
  if (m.isCounter && segment.zeroMs < segment.startMs) noteEarly(m, segment, span);
  const ms = span.fromMs - segment.startMs;
  if (ms <= 0 || ms > <f64>span.gapMs) return;
  let usage = span.firstValue;
  if (m.isCounter) {
    // On a grid it is seen later than it started: its rates then tell more than the time since.
    const isSinceZero = segment.zeroMs == segment.startMs || span.firstRate != span.firstRate;
    usage = isSinceZero ? rateSinceZero(segment, span) : span.firstRate;
    if (usage != usage) usage = span.firstRate;
  }
  if (usage == usage) add(m, segment.startMs, span.fromMs, usage);
}

/** Where only samples begin a segment: what its counter shows of the time before, and of that up to the first sample. */
function noteEarly(m: Meter, segment: Segment, span: Span): void {
  const at = max(segment.startMs, load<f64>(m.sets));
  const rate = rateSinceZero(segment, span);
  if (m.hidden == 0 || rate != rate || !(at < min(segment.endMs, load<f64>(m.sets + (m.setCount << 3))))) return;
  const gap = <f64>span.gapMs;
  const shown = span.fromMs - segment.zeroMs > gap ? 0 : rate;
  enter(m, segment, at);
  const hidden = hiddenOfRow(m);
  hidden.earlyUsage = max(hidden.earlyUsage, shown);
  let charged = span.firstRate == span.firstRate ? span.firstRate : rate;
  if (span.fromMs - segment.startMs > gap) charged = 0;
  if (shown > charged) addRestart(m, segment.startMs, span.fromMs, charged);
  else addEarly(m, segment.startMs, span.fromMs, charged, shown);
}

function bridgeJoint(m: Meter, segment: Segment, before: Span, after: Span): void {
  const ms = after.fromMs - before.toMs;
  if (ms > <f64>max(before.gapMs, after.gapMs)) return bridgeDip(m, segment, before);
  const from = max(before.toMs, segment.startMs);
  if (m.isCounter) {
    // The counter of a restarted container began at zero, whatever its value is now.
    const increase = after.life == before.life ? after.firstValue - before.lastValue : -1;
    const usage = (increase < 0 ? after.firstValue : increase) * 1000 / ms;
    add(m, from, after.fromMs, usage);
    if (increase < 0) addRestart(m, from, after.fromMs, usage);
  } else add(m, from, heldUntil(before, after.fromMs), before.lastValue);
}

/** A dead container is shown beside its successor: when it died, and what that used at first, no sample shows. */
function noteSuccessor(m: Meter, segment: Segment, dead: Span, span: Span): void {
  if (!m.isCounter || dead.life == span.life || !(dead.stillMs < span.fromMs)) return;
  addRestart(m, max(dead.stillMs, segment.startMs), span.fromMs, 0);
}

function bridgeEnd(m: Meter, segment: Segment, span: Span): void {
  const ms = segment.endMs - span.toMs;
  if (ms > <f64>span.gapMs) return bridgeDip(m, segment, span);
  if (ms <= 0) return;
  let usage = m.isCounter ? span.lastRate : span.lastValue;
  // Scraped once, it is known by what it counted since its start.
  if (usage != usage) usage = rateSinceZero(segment, span);
  if (usage == usage) add(m, span.toMs, heldUntil(span, segment.endMs), usage);
}

/** NaN where it is not known when the counter stood at zero. */
function rateSinceZero(segment: Segment, span: Span): f64 {
  const ms = span.fromMs - segment.zeroMs;
  return ms > 0 ? span.firstValue * 1000 / ms : NaN;
}

/** A sample whose value is none of its counter's tells that the container ran up to then. */
function bridgeDip(m: Meter, segment: Segment, span: Span): void {
  if (!(span.dippedMs > span.toMs) || span.lastRate != span.lastRate) return;
  add(m, max(span.toMs, segment.startMs), min(span.dippedMs, segment.endMs), span.lastRate);
}

/** The time up to which a last value holds: `end`, or earlier if its series was marked as ended. */
function heldUntil(span: Span, end: f64): f64 {
  return span.staleMs == span.staleMs ? min(span.staleMs, end) : end;
}
