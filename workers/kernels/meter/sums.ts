// Adds usage over time to the rows of a meter: over [from, to) as far as the identity's segments and
// the window reach, stretch by stretch. In a stretch request, price, set and segment do not change.

import { sample } from "./samples";
import { hiddenOfRow, identityAt, Meter, ResourceRuns, Row, ROW_BYTES, Segment, segmentAt } from "./tables";

/** Adds usage over [from, to), as far as the identity's segments and the window reach. */
export function add(m: Meter, from: f64, to: f64, usage: f64): void {
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
    const ms = end - from;
    const row = changetype<Row>(<usize>m.row);
    row.usage += usage * ms;
    row.usageMax = max(row.usageMax, usage);
    const excess = (usage - m.request) * ms;
    if (excess > 0) {
      row.excess += excess;
      row.excessCost += excess * m.price;
    }
    if (m.sampler != 0) sample(m, from, end, usage, end == to);
    from = end;
  }
}

/** Notes [from, to), in which `usage` is the least that was used, as what a counter had before its reset is lost. */
export function addRestart(m: Meter, from: f64, to: f64, usage: f64): void {
  while (m.hidden != 0 && from < to) {
    if (!(from >= m.sinceMs && from < m.untilMs)) {
      from = locate(m, from, to);
      if (from >= to) return;
    }
    const end = min(to, m.untilMs);
    const hidden = hiddenOfRow(m);
    hidden.restartMs += end - from;
    hidden.restartCost += max(m.request, usage) * (end - from) * m.price;
    from = end;
  }
}

/** Notes [from, to), in which `charged` was more than the counter shows. */
export function addEarly(m: Meter, from: f64, to: f64, charged: f64, shown: f64): void {
  while (from < to) {
    if (!(from >= m.sinceMs && from < m.untilMs)) {
      from = locate(m, from, to);
      if (from >= to) return;
    }
    const end = min(to, m.untilMs);
    hiddenOfRow(m).earlyCost += (max(m.request, charged) - max(m.request, shown)) * (end - from) * m.price;
    from = end;
  }
}

/** Caches the stretch around the first moment at or after `from` that a segment covers. */
function locate(m: Meter, from: f64, to: f64): f64 {
  from = max(from, load<f64>(m.sets));
  to = min(to, load<f64>(m.sets + (m.setCount << 3)));
  const entry = identityAt(m, <u32>m.identity);
  const first = entry.firstSegment;
  const end = first + entry.segments;
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

export function forget(m: Meter): void {
  m.sinceMs = Infinity;
  m.untilMs = -Infinity;
}

/** Caches the stretch of `segment` around `t`, which lies in it and in the window. */
export function enter(m: Meter, segment: Segment, t: f64): void {
  let low: u32 = 0;
  let high = m.setCount; // finds the set of t: the last one that starts at or before it
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (load<f64>(m.sets + (middle << 3)) <= t) low = middle;
    else high = middle;
  }
  m.setStartMs = load<f64>(m.sets + (low << 3));
  m.sinceMs = max(segment.startMs, m.setStartMs);
  m.untilMs = min(segment.endMs, load<f64>(m.sets + (low << 3), 8));
  m.row = m.rows + (segment.row + (low - segment.set)) * ROW_BYTES;
  const runs = runsOf(m, segment);
  m.request = valueAt(m, runs.firstRequest, runs.requests, t);
  m.price = valueAt(m, runs.firstPrice, runs.prices, t);
  m.capacity = runs.capacity;
}

/** The capacity that holds at a moment; infinite where no segment does. */
export function capacityAt(m: Meter, t: f64): f64 {
  if (t >= m.sinceMs && t < m.untilMs) return m.capacity;
  const entry = identityAt(m, <u32>m.identity);
  const end = entry.firstSegment + entry.segments;
  for (let s = entry.firstSegment; s < end; s++) {
    const segment = segmentAt(m, s);
    if (segment.startMs <= t && t < segment.endMs) return runsOf(m, segment).capacity;
  }
  return Infinity;
}

@inline function runsOf(m: Meter, segment: Segment): ResourceRuns {
  return changetype<ResourceRuns>(
    changetype<usize>(segment) + offsetof<Segment>() + <usize>m.resource * offsetof<ResourceRuns>(),
  );
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
