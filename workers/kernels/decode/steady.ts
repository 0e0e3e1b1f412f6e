// Steady pieces: all samples have one value, and one distance within a chunk, as requests, labels and
// prices mostly do. Their start and end are found without writing the samples out.

import { lookedAt, lookedFrom } from "./intervals";
import { ENOUGH, nextField, openSeries, SAMPLES, SeriesCursor } from "./series";
import { readSteadyXorChunk } from "./xor-chunk";

/** A chunk: f64 time of its first counted sample, f64 distance, f64 value or u32 number of that sample. */
const ENTRY: u32 = 24;
/** Chunks of a piece at most; longer pieces are read by samples. */
const CHUNKS: u32 = 1024;

/**
 * Like `nextPiece` if the next piece is one of chunks and steady; else the cursor stays before it, or
 * before the damage. Samples outside [startMs, endMs] are left out. The others, `samples` in all, have
 * distances in (0, gapMs]; written are the value, the first and the last time, and the times that
 * `medianInterval` examines.
 */
export function nextSteadyPiece(c: SeriesCursor, startMs: f64, endMs: f64, gapMs: f64): bool {
  if (c.encoding == SAMPLES || !standsAtSeries(c)) return false;
  const at = c.at;
  const seriesEnd = c.seriesEnd;
  const labels = c.labels;
  const labelsEnd = c.labelsEnd;
  c.timestamps = c.scratchTimestamps;
  c.values = c.scratchValues;
  if (readChunks(c, startMs, endMs, gapMs)) return true;
  c.at = at;
  c.seriesEnd = seriesEnd;
  c.labels = labels;
  c.labelsEnd = labelsEnd;
  return false;
}

/** Opens the next series if none is open. */
function standsAtSeries(c: SeriesCursor): bool {
  if (c.seriesEnd != 0) return true;
  const at = c.at;
  const messageEnd = c.messageEnd;
  if (openSeries(c) > 0) return true;
  c.at = at;
  c.messageEnd = messageEnd;
  return false;
}

function readChunks(c: SeriesCursor, startMs: f64, endMs: f64, gapMs: f64): bool {
  const entries = c.scratchValues + 8;
  let chunks: u32 = 0;
  let decoded: u32 = 0;
  let counted: u32 = 0;
  let value: u64 = 0;
  let lastMs: f64 = 0;
  let latestMs: f64 = 0;
  while (c.at < c.seriesEnd && decoded < ENOUGH) {
    const found = nextField(c);
    if (found < 0) return false;
    if (found == 0) continue;
    const entry = entries + chunks * ENTRY;
    const samples = chunks == CHUNKS ? 0 : readSteadyXorChunk(c.data, c.dataBytes, entry);
    if (samples == 0) return false;
    if (decoded == 0) value = load<u64>(entry, 16);
    if (load<u64>(entry, 16) != value) return false;
    decoded += samples;
    const first = load<f64>(entry);
    const distance = load<f64>(entry, 8);
    const last = samples - 1;
    latestMs = first + <f64>last * distance;
    const from = first >= startMs ? 0 : firstFrom(startMs, first, distance);
    const to = latestMs <= endMs ? <f64>last : lastUntil(endMs, first, distance);
    if (from > <f64>last || to < 0 || from > to) continue;
    const fromMs = first + from * distance;
    if (to > from && !(distance <= gapMs)) return false;
    if (counted != 0 && !(fromMs > lastMs && fromMs - lastMs <= gapMs)) return false;
    lastMs = first + to * distance;
    store<f64>(entry, fromMs);
    store<u32>(entry, counted, 16);
    counted += <u32>(to - from) + 1;
    chunks++;
  }
  if (counted == 0 || !isFinite(reinterpret<f64>(value))) return false;
  if (c.at == c.seriesEnd) c.seriesEnd = 0;
  c.samples = counted;
  store<u64>(c.values, value);
  writeTimes(c, entries, chunks, lastMs);
  if (latestMs > c.latestMs) c.latestMs = latestMs;
  c.samplesRead += <f64>decoded;
  return true;
}

// The first sample of `first`, `first + distance`, ... that is not before `ms`; Infinity if there is
// only one sample. Products and sums are exact, quotients may be off by one.
function firstFrom(ms: f64, first: f64, distance: f64): f64 {
  const steps = Math.ceil((ms - first) / distance);
  if (first + steps * distance < ms) return steps + 1;
  return first + (steps - 1) * distance >= ms ? steps - 1 : steps;
}

// The last sample that is not after `ms`; negative if there is none.
function lastUntil(ms: f64, first: f64, distance: f64): f64 {
  const steps = Math.floor((ms - first) / distance);
  if (first + steps * distance > ms) return steps - 1;
  return first + (steps + 1) * distance <= ms ? steps + 1 : steps;
}

/** Writes the times that `medianInterval` will examine, in ascending order. */
function writeTimes(c: SeriesCursor, entries: u32, chunks: u32, lastMs: f64): void {
  const last = c.samples - 1;
  const count = lookedAt(last);
  const end = entries + chunks * ENTRY;
  let entry = entries;
  for (let k: u32 = 0; k < count; k++) {
    const i = lookedFrom(k, last, count);
    entry = writeTime(c, i, entry, end);
    entry = writeTime(c, i + 1, entry, end);
  }
  store<f64>(c.timestamps, load<f64>(entries));
  store<f64>(c.timestamps + (last << 3), lastMs);
}

/** @returns the entry of the sample */
function writeTime(c: SeriesCursor, i: u32, entry: u32, end: u32): u32 {
  while (entry + ENTRY < end && load<u32>(entry + ENTRY, 16) <= i) entry += ENTRY;
  const steps = <f64>(i - load<u32>(entry, 16));
  store<f64>(c.timestamps + (i << 3), load<f64>(entry) + steps * load<f64>(entry, 8));
  return entry;
}
