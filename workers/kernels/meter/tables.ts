// The meter's records in memory.
//
// identity   a container by name; one or more segments
// segment    a stretch [start, end) in which one container ran with one request and price function
// row        the sums of one container in one set (a set is a slice of the window)
// span       a stretch [from, to] that one series' samples cover; stored so that a doubled series counts
//            once, and so that `finishMeter` can bridge restarts and the edges of a segment

/** The segments of an identity: in order of their starts. */
@unmanaged
export class Identity {
  firstSegment: u32;
  segments: u32;
  /** gap in its series with too few samples to show their interval, ms; a shorter one than the meter's does not count */
  fewGapMs: u32;
}

/** The head of a segment; ResourceRuns for each resource of the ledger follow. */
@unmanaged
export class Segment {
  startMs: f64;
  endMs: f64;
  /** the row of its first set, and that set */
  row: u32;
  set: u32;
  /** when its counter stood at zero: at its start or before, NaN unknown */
  zeroMs: f64;
}

/**
 * Step functions of a resource in a segment. Runs are (f64 fromMs, f64 value), a value holds until
 * the next run's time.
 */
@unmanaged
export class ResourceRuns {
  firstRequest: u32;
  requests: u32;
  firstPrice: u32;
  prices: u32;
  /** units; of the node, infinite where unknown: what a counter rises by beyond it is a fault */
  capacity: f64;
}

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
export const ROW_BYTES: u32 = <u32>offsetof<Row>();

/** What no sample shows of a row, beside it. */
@unmanaged
export class Hidden {
  /** time over restarts, of which usage is known only from below, and what was charged for it; as in Row */
  restartMs: f64;
  restartCost: f64;
  /** what was charged before the first sample above what the counter then shows */
  earlyCost: f64;
  /** usage before a segment that only samples begin, or of a segment outside of all sets, units */
  earlyUsage: f64;
}

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
  /** counters: when it was last seen with a value that is none of its own, NaN if it never was */
  dippedMs: f64;
  /** counters: since when it has stood still at its last value, as those of dead containers do; NaN unknown */
  stillMs: f64;
  /** next span of the identity by fromMs: its index + 1, 0: none */
  next: u32;
  /** hash of the run of the container: equal for series of one counter */
  life: u32;
  /** hash that tells apart series that add up, such as those of network interfaces */
  variant: u32;
  /** the longest distance of its samples that is no gap, in ms */
  gapMs: u32;
}
const SPAN_BYTES: u32 = <u32>offsetof<Span>();

/** Scrapes come early and late: rates up to so many times a node's capacity are measured. */
export const PLAUSIBLE: f64 = 2;

/** A meter: its tables, the series in progress, and the cached stretch. */
@unmanaged
export class Meter {
  cursor: u32;
  index: u32;
  /** an Identity each */
  identities: u32;
  segments: u32;
  runs: u32;
  /** setCount + 1 f64: set s is [sets[s], sets[s + 1]) */
  sets: u32;
  setCount: u32;
  rows: u32;
  /** index among a segment's references */
  resource: u32;
  /** 1: samples are of a counter in unit-seconds; 0: of a gauge in units */
  isCounter: u32;
  /** u32 an identity: its first span + 1 */
  heads: u32;
  spans: u32;
  spanCount: u32;
  spanRoom: u32;
  /** 1: the piece in the cursor is still to be added; 2: it is unknown and to be skipped */
  pending: u32;
  // the series in progress, which may continue in the next piece or batch
  identity: i32;
  span: u32;
  labelHash: u32;
  /** 1: the identity has other spans, which may already cover times of the series */
  multiple: u32;
  /** samples that were NaN or infinite, or rates above maxRate */
  dropped: u32;
  row: u32;
  /** names of labels that change with each run of a container, see labels.ts */
  lifeNames: u32;
  life: u32;
  /** the identity's spans up to this one, in its list, end by `coveredMs`; 0: none do */
  covered: u32;
  /** names of labels that tell apart series that add up; series equal in them count once */
  variantNames: u32;
  variant: u32;
  /** the label that splits a counter into parts, and its value for the whole; see labels.ts */
  splitNames: u32;
  /** names of labels that tell the scrape of a series, such as its job; without any all series are of one */
  scrapeNames: u32;
  /** hash of the scrape of the series in progress */
  scrape: u32;
  /** u32 a span: the hash of its scrape; 0: there is no table, as scrapes are not told apart */
  scrapes: u32;
  /** hash of the scrape that came first of the identity in progress, which counts before others */
  firstScrape: u32;
  /** 1: the latest interval has a reset of the counter */
  wasReset: u32;
  segmentBytes: u32;
  /** a Hidden for each row; 0: none are kept */
  hidden: u32;
  unused: u32;
  /** a Sampler, which counts usage in sketches (samples.ts); 0: none */
  sampler: u32;
  gapMs: f64;
  /** of the series in progress: gapMs, or more where its interval is long */
  stepMs: f64;
  /** units; a higher rate counts as a fault of the counter, not as usage */
  maxRate: f64;
  lastMs: f64;
  lastValue: f64;
  // the cached stretch in which request, price, set and segment do not change
  sinceMs: f64;
  untilMs: f64;
  setStartMs: f64;
  request: f64;
  price: f64;
  capacity: f64;
  coveredMs: f64;
  /** units of the resource that a unit of the samples is; 1 but for other metrics of the same */
  scale: f64;
  /** the counter's value before it last fell, and before it last rose by too much; NaN if it did not */
  fallenFrom: f64;
  risenFrom: f64;
}

@inline export function spanAt(m: Meter, place: u32): Span {
  return changetype<Span>(<usize>(m.spans + (place - 1) * SPAN_BYTES));
}

@inline export function scrapeAt(m: Meter, place: u32): u32 {
  return load<u32>(m.scrapes + ((place - 1) << 2));
}

/** The scrape of the first span that came of those in the list at `head`; `none` where it is empty. */
export function firstScrapeOf(m: Meter, head: u32, none: u32): u32 {
  let first: u32 = 0;
  for (let p = head; p != 0; p = spanAt(m, p).next) if (first == 0 || p < first) first = p;
  return first == 0 ? none : scrapeAt(m, first);
}

@inline export function linkAfter(m: Meter, place: u32): u32 {
  return m.spans + (place - 1) * SPAN_BYTES + <u32>offsetof<Span>("next");
}

/** The record beside the row of the cached stretch, where they are kept. */
@inline export function hiddenOfRow(m: Meter): Hidden {
  return changetype<Hidden>(<usize>(m.hidden + (m.row - m.rows) / ROW_BYTES * <u32>offsetof<Hidden>()));
}

@inline export function identityAt(m: Meter, identity: u32): Identity {
  return changetype<Identity>(<usize>(m.identities + identity * <u32>offsetof<Identity>()));
}

@inline export function segmentAt(m: Meter, s: u32): Segment {
  return changetype<Segment>(<usize>(m.segments + s * m.segmentBytes));
}
