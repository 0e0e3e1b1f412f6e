// Regular samples, two at a time. The sums of a row have the same bits as with one sample after the
// other, as the order of additions is the same.

import { Meter, PLAUSIBLE, Row, spanAt } from "./tables";
import { SeriesCursor } from "../decode/series";

/** The second of `a`, the first of `b`. */
@inline function across(a: v128, b: v128): v128 { return v128.shuffle<f64>(a, b, 1, 2); }

/**
 * Takes pairs of samples from the i-th on as long as both are finite, follow their predecessor within
 * gapMs, do not fall (a counter, of which an interval was seen), and end inside the cached stretch.
 * @returns the first sample it did not take
 */
@inline export function accumulatePairs(m: Meter, c: SeriesCursor, i: u32, isCounter: bool): u32 {
  const row = changetype<Row>(<usize>m.row);
  // Fields of `c` and `m` are read once: the compiler reads them again for each pair.
  const timesAt = c.timestamps;
  const toValues = c.values - timesAt;
  const first = timesAt + (i << 3);
  const last = timesAt + ((c.samples - 1) << 3);
  let at = first;
  const zero = f64x2.splat(0);
  const until = f64x2.splat(m.untilMs);
  const gap = f64x2.splat(m.stepMs);
  const request = f64x2.splat(m.request);
  const price = f64x2.splat(m.price);
  const maxRate = f64x2.splat(min(m.maxRate, PLAUSIBLE * m.capacity));
  // The two samples before: times, values, and usage up to them.
  let times = f64x2.splat(m.lastMs);
  let values = f64x2.splat(m.lastValue);
  let rates = zero;
  let largest = f64x2.splat(row.usageMax);
  let sums = f64x2.replace_lane(f64x2.splat(row.usage), 1, row.excess);
  let costs = f64x2.splat(row.excessCost);
  for (; at < last; at += 16) {
    const t = v128.load(at);
    const v = v128.load(at + toValues);
    const held = across(values, v);
    const dt = f64x2.sub(t, across(times, t));
    let fits = v128.and(f64x2.gt(dt, zero), f64x2.le(dt, gap));
    fits = v128.and(fits, v128.and(f64x2.le(t, until), f64x2.eq(f64x2.sub(v, v), zero)));
    let usage = held;
    if (isCounter) {
      const rise = f64x2.sub(v, held);
      fits = v128.and(fits, f64x2.ge(rise, zero));
      usage = f64x2.div(f64x2.mul(rise, f64x2.splat(1000)), dt);
    }
    fits = v128.and(fits, v128.and(f64x2.ge(usage, zero), f64x2.le(usage, maxRate)));
    if (v128.bitmask<i64>(fits) != 3) break;
    largest = f64x2.pmax(largest, usage);
    const amount = f64x2.mul(usage, dt);
    let excess = f64x2.mul(f64x2.sub(usage, request), dt);
    const isOver = f64x2.gt(excess, zero);
    excess = v128.and(excess, isOver);
    const cost = v128.and(f64x2.mul(excess, price), isOver);
    sums = f64x2.add(sums, v128.shuffle<f64>(amount, excess, 0, 2));
    sums = f64x2.add(sums, v128.shuffle<f64>(amount, excess, 1, 3));
    costs = f64x2.add(costs, cost);
    costs = f64x2.add(costs, v128.shuffle<f64>(cost, cost, 1, 0));
    times = t;
    values = v;
    rates = usage;
  }
  if (at == first) return i;
  row.usage = f64x2.extract_lane(sums, 0);
  row.excess = f64x2.extract_lane(sums, 1);
  row.excessCost = f64x2.extract_lane(costs, 0);
  row.usageMax = max(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1));
  m.lastMs = f64x2.extract_lane(times, 1);
  m.lastValue = f64x2.extract_lane(values, 1);
  const span = spanAt(m, m.span);
  if (isCounter) span.lastRate = f64x2.extract_lane(rates, 1);
  span.toMs = m.lastMs;
  span.lastValue = m.lastValue;
  return (at - timesAt) >> 3;
}
