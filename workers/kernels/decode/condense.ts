// Condenses series whose values rarely change (requests, prices, start times, labels) into records
// of runs, so that memory grows with changes, never with samples. To condense is to run-length encode.
// A record, 8-byte aligned:
//
//   CondensedRecord
//   requested labels as they came: first those of the identity; padded to 8 bytes
//   runs x (f64 fromMs, f64 value): a value holds from its time to the next run's
//
// Records with the same bytes in the labels of their identity have the same subject; others may have it
// too, as a label can have several names.
//
// A gap longer than gapMs, or an end marker, closes the record; the series goes on in another one. Samples
// that are further apart than gapMs by themselves are no gaps: records grow with gaps, not samples.

import { DISTANCES, longestStep, medianInterval } from "./intervals";
import { LabelView, nameIndex, readLabel } from "./labels";
import { DAMAGED, nextPiece, SeriesCursor, STALE } from "./series";
import { nextSteadyPiece } from "./steady";
import { hashBytes, sameBytes } from "./wire";

/** The head of a record. */
@unmanaged
export class CondensedRecord {
  labelBytes: u32;
  runs: u32;
  /** bytes of the identity's labels, and their hash */
  identityBytes: u32;
  identityHash: u32;
  /** the samples in it (NaN: only an end marker was seen) */
  firstMs: f64;
  lastMs: f64;
  /** when the series was marked as ended (NaN: not marked) */
  staleMs: f64;
  /** median distance of its samples (NaN: fewer than two) */
  intervalMs: f64;
}

const HEADER: u32 = <u32>offsetof<CondensedRecord>();
export const OUTPUT_FULL: i32 = 1;
export const OTHER_METRIC: i32 = 2;
/** The label __name__, as one little-endian number. */
const METRIC_LABEL: u64 = 0x5f5f656d616e5f5f;

/** Input of a caller, and results of a batch. */
@unmanaged
export class Condenser {
  cursor: u32;
  /** names of the labels to store, see labels.ts; 0: none */
  keep: u32;
  out: u32;
  outEnd: u32;
  /** bytes the next piece needs, when the output is full */
  neededBytes: u32;
  /** 1 while a piece waits for room, or for its metric */
  pending: u32;
  /** samples dropped because they were NaN or infinite */
  dropped: u32;
  /** CondenseScratch */
  scratch: u32;
  labelBytes: u32;
  /** u32 bytes, then the name that series must have; 0 for any */
  metric: u32;
  /** the number of first names to store that make up the identity */
  identity: u32;
  identityBytes: u32;
  /** 1: the piece is known to be one run, and has only the times that one needs */
  isSteady: u32;
  /** pads to a multiple of 8 */
  unused: u32;
  startMs: f64;
  endMs: f64;
  gapMs: f64;
}

/** The current label, then distances whose median is the interval. */
@unmanaged
class CondenseScratch extends LabelView {
  unused: u32;
}
const DISTANCES_AT: u32 = <u32>offsetof<CondenseScratch>();
export const CONDENSE_SCRATCH_BYTES: u32 = DISTANCES_AT + 8 * DISTANCES;

/**
 * 0: the batch is done. 1: the output is full; call again with more room. 2: a series of another metric
 * waits, its name in the view at `scratch`; call again with the settings of that metric. Negative: an
 * error.
 */
export function condense(s: Condenser): i32 {
  const c = changetype<SeriesCursor>(<usize>s.cursor);
  while (true) {
    if (s.pending == 0) {
      s.isSteady = nextSteadyPiece(c, s.startMs, s.endMs, s.gapMs) ? 1 : 0;
      const found = s.isSteady != 0 ? 1 : nextPiece(c);
      if (found <= 0) return found;
      if (!measureLabels(s, c)) return DAMAGED;
    } else measureLabels(s, c);
    s.pending = 0;
    if (s.metric != 0 && !isOfMetric(s, c)) {
      s.pending = 1;
      return OTHER_METRIC;
    }
    const isOneRun = s.isSteady != 0 || holdsOneRun(s, c);
    const needed = isOneRun ? HEADER + ((s.labelBytes + 7) & ~7) + 16 : walk(s, c, false);
    if (needed > s.outEnd - s.out) {
      s.pending = 1;
      s.neededBytes = needed;
      return OUTPUT_FULL;
    }
    if (isOneRun) writeOneRun(s, c);
    else walk(s, c, true);
    s.out += needed;
  }
}

/**
 * Fast path: whether the piece is one record with one run, which requests and prices nearly always are.
 * Two samples a step: all values the first's bits (which is finite), all distances in (0, gapMs].
 */
function holdsOneRun(s: Condenser, c: SeriesCursor): bool {
  const n = c.samples;
  if (n == 0) return false;
  const value = load<f64>(c.values);
  if (!isFinite(value)) return false;
  if (!(load<f64>(c.timestamps) >= s.startMs && load<f64>(c.timestamps + ((n - 1) << 3)) <= s.endMs)) return false;
  const values = f64x2.splat(value);
  const gap = f64x2.splat(s.gapMs);
  const zero = f64x2.splat(0);
  let same = i64x2.splat(-1);
  let i: u32 = 0;
  for (; i + 2 < n; i += 2) {
    const t = c.timestamps + (i << 3);
    const distance = f64x2.sub(v128.load(t, 8), v128.load(t));
    same = v128.and(same, v128.and(f64x2.gt(distance, zero), f64x2.le(distance, gap)));
    same = v128.and(same, i64x2.eq(v128.load(c.values + (i << 3)), values));
  }
  if (!v128.all_true<i64>(same)) return false;
  for (; i < n; i++) {
    if (load<u64>(c.values + (i << 3)) != reinterpret<u64>(value)) return false;
    if (i + 1 == n) break;
    const t = c.timestamps + (i << 3);
    const distance = load<f64>(t, 8) - load<f64>(t);
    if (!(distance > 0 && distance <= s.gapMs)) return false;
  }
  return true;
}

function writeOneRun(s: Condenser, c: SeriesCursor): void {
  writeHeader(s, c, s.out, 1, 0, c.samples - 1, NaN);
  const run = s.out + HEADER + ((s.labelBytes + 7) & ~7);
  store<f64>(run, load<f64>(c.timestamps));
  store<f64>(run, load<f64>(c.values), 8);
}

/** Whether the series is of the metric; the view is at its name afterwards. */
function isOfMetric(s: Condenser, c: SeriesCursor): bool {
  const view = changetype<LabelView>(<usize>s.scratch);
  for (let at = c.labels; at < c.labelsEnd; at = view.next) {
    readLabel(view, at, c.labelsEnd);
    if (view.nameBytes != 8 || load<u64>(view.name) != METRIC_LABEL) continue;
    return view.valueBytes == load<u32>(s.metric) && sameBytes(s.metric + 4, view.value, view.valueBytes);
  }
  view.valueBytes = 0;
  return false;
}

function measureLabels(s: Condenser, c: SeriesCursor): bool {
  const view = changetype<LabelView>(<usize>s.scratch);
  s.labelBytes = 0;
  s.identityBytes = 0;
  for (let at = c.labels; at < c.labelsEnd; at = view.next) {
    if (!readLabel(view, at, c.labelsEnd)) return false;
    const name = s.keep == 0 ? -1 : nameIndex(s.keep, view);
    if (name < 0) continue;
    s.labelBytes += view.next - at;
    if (<u32>name < s.identity) s.identityBytes += view.next - at;
  }
  return true;
}

function copyLabels(s: Condenser, c: SeriesCursor, to: u32): void {
  const view = changetype<LabelView>(<usize>s.scratch);
  let others = to + s.identityBytes;
  for (let at = c.labels; at < c.labelsEnd; at = view.next) {
    readLabel(view, at, c.labelsEnd);
    const name = s.keep == 0 ? -1 : nameIndex(s.keep, view);
    if (name < 0) continue;
    const bytes = view.next - at;
    const isIdentity = <u32>name < s.identity;
    memory.copy(isIdentity ? to : others, at, bytes);
    if (isIdentity) to += bytes;
    else others += bytes;
  }
}

/** Bytes of the piece's records; with `write` they are also written at `out`. */
function walk(s: Condenser, c: SeriesCursor, write: bool): u32 {
  const head = HEADER + ((s.labelBytes + 7) & ~7);
  const gapMs = longestStep(c.timestamps, c.samples, s.gapMs, s.scratch + DISTANCES_AT);
  let total: u32 = 0;
  let open = false;
  let record: u32 = 0;
  let runs: u32 = 0;
  let first: u32 = 0; // index of the open record's first sample
  let last: u32 = 0; // and of its latest
  let lastMs: f64 = 0;
  let held: f64 = 0;
  for (let i: u32 = 0; i < c.samples; i++) {
    const t = load<f64>(c.timestamps + (i << 3));
    const v = load<f64>(c.values + (i << 3));
    if (!(t >= s.startMs && t <= s.endMs)) continue; // so written that a time of NaN is left out
    if (!isFinite(v)) {
      if (reinterpret<u64>(v) == STALE) {
        if (!open) {
          record = s.out + total;
          total += head;
          if (write) writeEndMarker(s, c, record, t);
        } else if (write) writeHeader(s, c, record, runs, first, last, t);
        open = false;
      } else if (write) s.dropped++;
      continue;
    }
    if (open && t - lastMs > gapMs) {
      if (write) writeHeader(s, c, record, runs, first, last, NaN);
      open = false;
    }
    if (!open) {
      record = s.out + total;
      total += head;
      runs = 0;
      first = i;
      open = true;
    }
    if (runs == 0 || v != held) {
      if (write) {
        store<f64>(record + head + (runs << 4), t);
        store<f64>(record + head + (runs << 4), v, 8);
      }
      held = v;
      runs++;
      total += 16;
    }
    last = i;
    lastMs = t;
  }
  if (open && write) writeHeader(s, c, record, runs, first, last, NaN);
  return total;
}

function writeHeader(s: Condenser, c: SeriesCursor, record: u32, runs: u32, first: u32, last: u32, staleMs: f64): void {
  writeRecord(s, c, record, runs);
  const head = changetype<CondensedRecord>(<usize>record);
  head.firstMs = load<f64>(c.timestamps + (first << 3));
  head.lastMs = load<f64>(c.timestamps + (last << 3));
  head.staleMs = staleMs;
  head.intervalMs = medianInterval(c.timestamps + (first << 3), last - first, s.scratch + DISTANCES_AT);
}

/** The record of a piece that begins with an end marker. */
function writeEndMarker(s: Condenser, c: SeriesCursor, record: u32, staleMs: f64): void {
  writeRecord(s, c, record, 0);
  const head = changetype<CondensedRecord>(<usize>record);
  head.firstMs = NaN;
  head.lastMs = NaN;
  head.staleMs = staleMs;
  head.intervalMs = NaN;
}

function writeRecord(s: Condenser, c: SeriesCursor, record: u32, runs: u32): void {
  const labels = record + HEADER;
  copyLabels(s, c, labels);
  const head = changetype<CondensedRecord>(<usize>record);
  head.labelBytes = s.labelBytes;
  head.runs = runs;
  head.identityBytes = s.identityBytes;
  head.identityHash = hashBytes(labels, labels + s.identityBytes);
}
