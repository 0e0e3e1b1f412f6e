// The meter's records in memory; src/columnar/meter.ts mirrors them.
//
// identity   a container by name; one or more segments
// segment    a stretch [start, end) in which one container ran with one request and price function
// row        the sums of one container in one set (a set is a slice of the window)
// span       a stretch [from, to] that one series' samples cover; kept so that a doubled series counts
//            once, and so that `settle` can bridge restarts and the edges of a segment

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
export const RUNS_OF_RESOURCE: u32 = 32;

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
export const ROW_BYTES: u32 = 48;

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
  /** what counts usage in sketches (meter-samples.ts); 0: nothing does */
  sampler: u32;
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

// @ts-ignore: decorator
@inline export function spanAt(m: Meter, place: u32): Span {
  return changetype<Span>(<usize>(m.spans + (place - 1) * SPAN_BYTES));
}

// @ts-ignore: decorator
@inline export function linkAfter(m: Meter, place: u32): u32 {
  return m.spans + (place - 1) * SPAN_BYTES + <u32>offsetof<Span>("next");
}

// @ts-ignore: decorator
@inline export function segmentAt(m: Meter, s: u32): Segment {
  return changetype<Segment>(<usize>(m.segments + s * m.segmentBytes));
}
