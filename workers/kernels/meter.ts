// Integration of max(request, usage) over time, priced, for one resource.
//
//   allocated(t) = max(request(t), usage(t)) = request(t) + max(0, usage(t) - request(t))
//
// Request and price are step functions that are known whole; usage streams by and is never kept. So
// `settle` integrates the request once, `absorb` adds what usage has above it, piece by piece.
//
// identity   a container by name; one or more segments
// segment    a stretch [start, end) in which one container ran with one request and price function
// row        the sums of one container in one set (a set is a slice of the window)
// span       a stretch [from, to] that one series' samples cover; kept so that a doubled series counts
//            once, and so that `settle` can bridge restarts and the edges of a segment

import { findKey, KeyIndex, NOT_FOUND } from "./key-index";
import { LabelView, nameIndex, readLabel } from "./labels";
import { nextPiece, SeriesCursor, STALE } from "./series";

/** absorb: the current piece belongs to no identity; the caller may keep it, then calls again */
const UNKNOWN: i32 = 2;
/** absorb: the pool of spans has not enough free ones for the next piece; call again with more */
const SPANS_FULL: i32 = 3;

/**
 * 32 bytes, then 16 for each resource of the ledger: first run and count of its request, first run
 * and count of its price. Runs are (f64 fromMs, f64 value), a value holds until the next run's time.
 */
@unmanaged
export class Segment {
  startMs: f64;
  endMs: f64;
  /** row of the first set it touches, and that set */
  row: u32;
  set: u32;
  /** 1: a counter stood at zero when it started */
  startsAtZero: u32;
  unused: u32;
}
const RUNS_OF_RESOURCE: u32 = 32;

/** Sums of one container and set: times in ms x units of the resource, costs x price an hour. */
@unmanaged
export class Row {
  request: f64;
  requestCost: f64;
  excess: f64;
  excessCost: f64;
  usage: f64;
  usageMax: f64;
}
const ROW_BYTES: u32 = 48;

@unmanaged
export class Span {
  fromMs: f64;
  toMs: f64;
  firstValue: f64;
  lastValue: f64;
  /** counters: the rates of the first and the latest interval, NaN with a single sample */
  firstRate: f64;
  lastRate: f64;
  /** when the series was marked as ended, NaN if it was not */
  staleMs: f64;
  /** next span of the identity by fromMs: its place + 1, 0 none */
  next: u32;
  /** which run of the container the series is of: equal for series of one counter */
  life: u32;
  /** which of several series that add up, such as those of network interfaces */
  variant: u32;
  unused: u32;
}
const SPAN_BYTES: u32 = 72;

/** 28 u32, then 12 f64; src/columnar/meter.ts mirrors the order. */
@unmanaged
export class Meter {
  cursor: u32;
  index: u32;
  /** u32 first segment, u32 segments, an identity; segments by start */
  identities: u32;
  segments: u32;
  runs: u32;
  /** setCount + 1 f64: set s is [sets[s], sets[s + 1]) */
  sets: u32;
  setCount: u32;
  rows: u32;
  /** which of a segment's references */
  resource: u32;
  /** 1: samples are of a counter in unit-seconds; 0: of a gauge in units */
  isCounter: u32;
  /** u32 an identity: its first span + 1 */
  heads: u32;
  spans: u32;
  spanCount: u32;
  spanRoom: u32;
  /** 1: the piece in the cursor is still to be absorbed; 2: it is unknown and to be skipped */
  pending: u32;
  // the series in progress: so that a series can go on in the next piece or batch
  identity: i32;
  span: u32;
  labelHash: u32;
  /** 1: the identity has other spans, which may already cover what the series brings */
  multiple: u32;
  /** samples that were NaN or infinite, or rates above maxRate */
  dropped: u32;
  row: u32;
  /** label names that tell one run of a container from the next, see labels.ts */
  lifeNames: u32;
  life: u32;
  /** the identity's spans up to this one, in its list, end by `coveredMs`; 0: none do */
  covered: u32;
  /** label names that tell series that add up; series alike in them count once */
  variantNames: u32;
  variant: u32;
  segmentBytes: u32;
  unused: u32;
  /** 0: exact; else the distance of the grid's points, which start at each set's start */
  resolutionMs: f64;
  gapMs: f64;
  /** units; a higher rate is taken for a fault of the counter, not for usage */
  maxRate: f64;
  lastMs: f64;
  lastValue: f64;
  // the cached stretch in which request, price, set and segment do not change
  sinceMs: f64;
  untilMs: f64;
  setStartMs: f64;
  setEndMs: f64;
  request: f64;
  price: f64;
  coveredMs: f64;
}

/** 0 the batch is done, 2 or 3 see above, negative: an error. */
export function absorb(m: Meter): i32 {
  const c = changetype<SeriesCursor>(<usize>m.cursor);
  while (true) {
    if (m.pending == 2) m.pending = 0;
    if (m.pending == 0) {
      const found = nextPiece(c);
      if (found <= 0) return found;
      const status = identify(m, c);
      if (status == UNKNOWN) {
        m.pending = 2;
        return UNKNOWN;
      }
      if (status < 0) return status;
    }
    m.pending = 0;
    if (m.spanCount + c.samples + 1 > m.spanRoom && m.spanCount + spansNeeded(m, c) > m.spanRoom) {
      m.pending = 1;
      return SPANS_FULL;
    }
    absorbPiece(m, c);
  }
}

/** Finds the piece's identity; a piece that goes on where the last one ended keeps its span. */
function identify(m: Meter, c: SeriesCursor): i32 {
  let hash: u32 = 2166136261;
  for (let at = c.labels; at < c.labelsEnd; at++) hash = (hash ^ load<u8>(at)) * 16777619;
  const found = findKey(changetype<KeyIndex>(<usize>m.index), c.labels, c.labelsEnd);
  if (found < 0) {
    m.identity = -1;
    return found == NOT_FOUND ? UNKNOWN : found;
  }
  const goesOn = found == m.identity && hash == m.labelHash
    && load<f64>(c.timestamps) >= m.lastMs;
  if (!goesOn) {
    if (found != m.identity) m.covered = 0;
    m.identity = found;
    m.labelHash = hash;
    m.life = hashOf(m, c, m.lifeNames);
    m.variant = hashOf(m, c, m.variantNames);
    m.span = 0;
    m.lastMs = -Infinity;
    m.multiple = load<u32>(m.heads + (<u32>found << 2)) != 0 ? 1 : 0;
    forget(m);
  }
  return 1;
}

/**
 * At most this many spans come from the piece: one, and one more a gap or end marker. Samples that
 * are dropped do not shorten a gap.
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
    if (t - before > m.gapMs) needed++;
    before = t;
  }
  return needed;
}

function absorbPiece(m: Meter, c: SeriesCursor): void {
  for (let i: u32 = 0; i < c.samples; i++) {
    // Fast path: nearly all samples are another one of the same span, in the same cached stretch.
    if (m.span != 0 && m.multiple == 0 && m.lastMs >= m.sinceMs) {
      i = m.isCounter ? absorbRun(m, c, i, true) : absorbRun(m, c, i, false);
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
    if (m.span == 0 || dt > m.gapMs) {
      if (m.span != 0) m.multiple = 1;
      m.span = openSpan(m, t, v);
    } else if (dt > 0) step(m, t, v, dt);
    else continue; // the store repeats itself: the first of equal times counts
    m.lastMs = t;
    m.lastValue = v;
  }
}

/**
 * Takes samples from the i-th on as `step` would, in registers, while each is finite, follows its
 * predecessor within gapMs, does not fall (a counter), and ends inside the cached stretch; sums are
 * added in the same order. @returns the first sample it did not take
 */
// @ts-ignore: decorator
@inline function absorbRun(m: Meter, c: SeriesCursor, i: u32, isCounter: bool): u32 {
  const span = spanAt(m, m.span);
  const row = changetype<Row>(<usize>m.row);
  const from = i;
  const until = m.untilMs;
  const gap = m.gapMs;
  const request = m.request;
  const price = m.price;
  const maxRate = m.maxRate;
  const resolution = m.resolutionMs;
  const setEnd = m.setEndMs;
  let lastMs = m.lastMs;
  let lastValue = m.lastValue;
  let usageSum = row.usage;
  let usageMax = row.usageMax;
  let excessSum = row.excess;
  let excessCost = row.excessCost;
  let rate = span.lastRate;
  // the first point of the grid at or after the last sample
  let point = resolution == 0 ? 0 : m.setStartMs + ceil((lastMs - m.setStartMs) / resolution) * resolution;
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
    let ms = dt;
    if (resolution != 0) {
      ms = 0;
      while (point < t) {
        ms += resolution;
        point += resolution;
      }
      if (ms > 0 && point > setEnd) ms -= point - setEnd;
    }
    if (ms > 0) {
      usageSum += usage * ms;
      usageMax = max(usageMax, usage);
      const excess = (usage - request) * ms;
      if (excess > 0) {
        excessSum += excess;
        excessCost += excess * price;
      }
    }
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

/** A hash of the values of those of the piece's labels that are in `names`. */
function hashOf(m: Meter, c: SeriesCursor, names: u32): u32 {
  const index = changetype<KeyIndex>(<usize>m.index);
  const view = changetype<LabelView>(<usize>index.scratch);
  let hash: u32 = 2166136261;
  for (let at = c.labels; at < c.labelsEnd; at = view.next) {
    if (!readLabel(view, at, c.labelsEnd) || nameIndex(names, view) < 0) continue;
    for (let i: u32 = 0; i < view.valueBytes; i++) hash = (hash ^ load<u8>(view.value + i)) * 16777619;
  }
  return hash;
}

/** Takes the interval between the last sample and this one. */
// @ts-ignore: decorator
@inline function step(m: Meter, t: f64, v: f64, dt: f64): void {
  const span = spanAt(m, m.span);
  let usage = m.lastValue;
  if (m.isCounter) {
    const increase = v - m.lastValue;
    usage = (increase < 0 ? v : increase) * 1000 / dt; // a counter that fell was reset to zero
    if (span.firstRate != span.firstRate) span.firstRate = usage;
    span.lastRate = usage;
  }
  span.toMs = t;
  span.lastValue = v;
  if (m.multiple) addUncovered(m, m.lastMs, t, usage);
  else add(m, m.lastMs, t, usage);
}

// @ts-ignore: decorator
@inline function spanAt(m: Meter, place: u32): Span {
  return changetype<Span>(<usize>(m.spans + (place - 1) * SPAN_BYTES));
}

/** A new span, linked into the identity's list in order of its start. @returns its place + 1 */
function openSpan(m: Meter, t: f64, v: f64): u32 {
  const place = ++m.spanCount;
  const span = spanAt(m, place);
  span.fromMs = t;
  span.toMs = t;
  span.firstValue = v;
  span.lastValue = v;
  span.firstRate = NaN;
  span.lastRate = NaN;
  span.staleMs = NaN;
  span.life = m.life;
  span.variant = m.variant;
  let link = passCovered(m, t);
  while (load<u32>(link) != 0) {
    if (spanAt(m, load<u32>(link)).fromMs > t) break;
    link = linkAfter(m, load<u32>(link));
  }
  span.next = load<u32>(link);
  store<u32>(link, place);
  return place;
}

// @ts-ignore: decorator
@inline function linkAfter(m: Meter, place: u32): u32 {
  return m.spans + (place - 1) * SPAN_BYTES + <u32>offsetof<Span>("next");
}

/**
 * Passes over the spans at the front of the identity's list that end by `at`, and keeps the place,
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

/** Like `add`, less what other series of the identity already cover. */
function addUncovered(m: Meter, from: f64, to: f64, usage: f64): void {
  let at = from;
  for (let p = load<u32>(passCovered(m, from)); p != 0; p = spanAt(m, p).next) {
    const span = spanAt(m, p);
    if (p == m.span || span.variant != m.variant || span.toMs <= at) continue;
    if (span.fromMs >= to) break;
    if (span.fromMs > at) add(m, at, span.fromMs, usage);
    at = span.toMs;
    if (at >= to) return;
  }
  add(m, at, to, usage);
}

/** Adds usage over [from, to), as far as the identity's segments and the window reach. */
function add(m: Meter, from: f64, to: f64, usage: f64): void {
  if (!(usage >= 0) || usage > m.maxRate) {
    m.dropped++;
    return;
  }
  while (from < to) {
    if (!(from >= m.sinceMs && from < m.untilMs)) {
      from = locate(m, from, to);
      if (from >= to) return;
    }
    const end = min(to, m.untilMs);
    const ms = measure(m, from, end);
    if (ms > 0) {
      const row = changetype<Row>(<usize>m.row);
      row.usage += usage * ms;
      row.usageMax = max(row.usageMax, usage);
      const excess = (usage - m.request) * ms;
      if (excess > 0) {
        row.excess += excess;
        row.excessCost += excess * m.price;
      }
    }
    from = end;
  }
}

/** Caches the stretch around the first moment at or after `from` that a segment covers. */
function locate(m: Meter, from: f64, to: f64): f64 {
  from = max(from, load<f64>(m.sets));
  to = min(to, load<f64>(m.sets + (m.setCount << 3)));
  const entry = m.identities + (<u32>m.identity << 3);
  const first = load<u32>(entry);
  const end = first + load<u32>(entry, 4);
  for (let s = first; s < end; s++) {
    const segment = segmentAt(m, s);
    if (segment.endMs <= from) continue;
    from = max(from, segment.startMs);
    if (from >= to) return Infinity;
    enter(m, segment, from);
    return from;
  }
  return Infinity;
}

// @ts-ignore: decorator
@inline function segmentAt(m: Meter, s: u32): Segment {
  return changetype<Segment>(<usize>(m.segments + s * m.segmentBytes));
}

function forget(m: Meter): void {
  m.sinceMs = Infinity;
  m.untilMs = -Infinity;
}

/** Caches the stretch of `segment` around `t`, which lies in it and in the window. */
function enter(m: Meter, segment: Segment, t: f64): void {
  let low: u32 = 0;
  let high = m.setCount; // the set of t: the last that starts at or before it
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (load<f64>(m.sets + (middle << 3)) <= t) low = middle;
    else high = middle;
  }
  m.setStartMs = load<f64>(m.sets + (low << 3));
  m.setEndMs = load<f64>(m.sets + (low << 3), 8);
  m.sinceMs = max(segment.startMs, m.setStartMs);
  m.untilMs = min(segment.endMs, m.setEndMs);
  m.row = m.rows + (segment.row + (low - segment.set)) * ROW_BYTES;
  const refs = changetype<usize>(segment) as u32 + RUNS_OF_RESOURCE + (m.resource << 4);
  m.request = valueAt(m, load<u32>(refs), load<u32>(refs, 4), t);
  m.price = valueAt(m, load<u32>(refs, 8), load<u32>(refs, 12), t);
}

/** The step function's value at t; narrows the cached stretch to where it holds. */
function valueAt(m: Meter, first: u32, count: u32, t: f64): f64 {
  if (count == 0) return 0;
  const runs = m.runs + (first << 4);
  let low: u32 = 0;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (load<f64>(runs + (middle << 4)) <= t) low = middle;
    else high = middle;
  }
  if (low > 0) m.sinceMs = max(m.sinceMs, load<f64>(runs + (low << 4)));
  if (low + 1 < count) m.untilMs = min(m.untilMs, load<f64>(runs + ((low + 1) << 4)));
  return load<f64>(runs + (low << 4), 8);
}

/**
 * How much time [from, to) stands for, inside the cached set: all of it when exact; on a grid the
 * points in it times the resolution, the last point of a set only up to the set's end.
 */
// @ts-ignore: decorator
@inline function measure(m: Meter, from: f64, to: f64): f64 {
  return m.resolutionMs == 0 ? to - from : onGrid(m, from, to);
}

function onGrid(m: Meter, from: f64, to: f64): f64 {
  const r = m.resolutionMs;
  const first = ceil((from - m.setStartMs) / r);
  const end = ceil((to - m.setStartMs) / r);
  if (end <= first) return 0;
  const beyond = m.setStartMs + end * r - m.setEndMs;
  return (end - first) * r - max(beyond, 0);
}

/** Integrates requests and bridges the edges of usage, for identities [from, to). Once, at the end. */
export function settle(m: Meter, from: u32, to: u32): void {
  for (let identity = from; identity < to; identity++) {
    m.identity = <i32>identity;
    const entry = m.identities + (identity << 3);
    const first = load<u32>(entry);
    const end = first + load<u32>(entry, 4);
    for (let s = first; s < end; s++) {
      const segment = segmentAt(m, s);
      forget(m);
      addRequest(m, segment);
      forget(m);
      if (m.heads != 0) bridge(m, segment, load<u32>(m.heads + (identity << 2)));
    }
  }
}

function addRequest(m: Meter, segment: Segment): void {
  let from = max(segment.startMs, load<f64>(m.sets));
  const to = min(segment.endMs, load<f64>(m.sets + (m.setCount << 3)));
  while (from < to) {
    enter(m, segment, from);
    const end = min(to, m.untilMs);
    const row = changetype<Row>(<usize>m.row);
    const amount = m.request * measure(m, from, end);
    row.request += amount;
    row.requestCost += amount * m.price;
    from = end;
  }
}

/**
 * Usage where no interval between two samples tells it: from the segment's start to the first
 * sample, between the series of a restarted container, from the last sample to the end.
 */
function bridge(m: Meter, segment: Segment, head: u32): void {
  for (let p = head; p != 0; p = spanAt(m, p).next) {
    if (isFirstOfVariant(m, head, p)) bridgeVariant(m, segment, p);
  }
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
    if (last == 0 || span.toMs >= spanAt(m, last).toMs) last = p;
  }
  if (last != 0) bridgeEnd(m, segment, spanAt(m, last));
}

function bridgeStart(m: Meter, segment: Segment, span: Span): void {
  const ms = span.fromMs - segment.startMs;
  if (ms <= 0 || ms > m.gapMs) return;
  let usage = span.firstValue;
  if (m.isCounter) usage = segment.startsAtZero ? span.firstValue * 1000 / ms : span.firstRate;
  if (usage == usage) add(m, segment.startMs, span.fromMs, usage);
}

function bridgeJoint(m: Meter, segment: Segment, before: Span, after: Span): void {
  const ms = after.fromMs - before.toMs;
  if (ms > m.gapMs) return;
  const from = max(before.toMs, segment.startMs);
  if (m.isCounter) {
    // A container that was started again counts from zero, however far it came since.
    const increase = after.life == before.life ? after.firstValue - before.lastValue : -1;
    add(m, from, after.fromMs, (increase < 0 ? after.firstValue : increase) * 1000 / ms);
  } else add(m, from, heldUntil(before, after.fromMs), before.lastValue);
}

function bridgeEnd(m: Meter, segment: Segment, span: Span): void {
  const ms = segment.endMs - span.toMs;
  if (ms <= 0 || ms > m.gapMs) return;
  const usage = m.isCounter ? span.lastRate : span.lastValue;
  if (usage == usage) add(m, span.toMs, heldUntil(span, segment.endMs), usage);
}

/** A last value holds to `end`, but not past the moment its series was marked as ended. */
function heldUntil(span: Span, end: f64): f64 {
  return span.staleMs == span.staleMs ? min(span.staleMs, end) : end;
}
