// Counts the usage of a meter in sketches, if it has a sampler: each stretch of billed usage counts
// once, however long it was, as a sample does in Prometheus' quantile_over_time. Hours begin with each
// set; the average and the largest usage of a row's hour count once, when its next hour begins or at the
// end. So memory is one hour for each row. Consecutive series of a container with parts of the same hour
// count once each.

import { identityAt, Meter, ROW_BYTES } from "./tables";
import { countValue, hasRoom, sketchAt, SketchTable } from "./sketch";

/** Counts the usage of a meter. */
@unmanaged
export class Sampler {
  /** three a slot: of usage, of averages of hours, of maxima of hours */
  sketches: u32;
  /** u32 a row: its slot */
  slots: u32;
  /** an Hour a row */
  hours: u32;
  rows: u32;
  /** the number of sketches that need room before it can go on */
  wanted: u32;
  /** 1: edges are being bridged */
  isBridging: u32;
  /** the owner of the sketches' memory */
  owner: u32;
}
const SKETCHES_OF_SLOT: u32 = 3;

@unmanaged
export class Hour {
  /** its index in the set + 1; 0 before the first */
  number: f64;
  usage: f64;
  /** 0: none is open */
  ms: f64;
  usageMax: f64;
}
const HOUR_BYTES: u32 = <u32>offsetof<Hour>();
const HOUR_MS: f64 = 3600000;

@inline export function samplerOf(m: Meter): Sampler { return changetype<Sampler>(<usize>m.sampler); }

@inline function tableOf(s: Sampler): SketchTable { return changetype<SketchTable>(<usize>s.sketches); }

/**
 * Whether sketches have room for any `stretches` of usage of the meter's identity: in order of time they
 * touch at most as many rows as there are segments and sets.
 */
export function canSample(m: Meter, stretches: u32): bool {
  const segments = identityAt(m, <u32>m.identity).segments;
  const s = samplerOf(m);
  s.wanted = SKETCHES_OF_SLOT * min(stretches, segments + m.setCount);
  return hasRoom(tableOf(s), s.wanted);
}

/** Usage over [from, end) of the meter's row. @param isWhole usage changes at `end` */
export function sample(m: Meter, from: f64, end: f64, usage: f64, isWhole: bool): void {
  const s = samplerOf(m);
  const row = (m.row - m.rows) / ROW_BYTES;
  const slot = load<u32>(s.slots + (row << 2));
  if (isWhole) countValue(tableOf(s), sketchAt(tableOf(s), SKETCHES_OF_SLOT * slot), usage);
  const hour = changetype<Hour>(<usize>(s.hours + row * HOUR_BYTES));
  while (from < end) {
    const place = floor((from - m.setStartMs) / HOUR_MS);
    const until = min(end, m.setStartMs + (place + 1) * HOUR_MS);
    if (isOpened(s, hour, place + 1, slot)) {
      hour.usage += usage * (until - from);
      hour.ms += until - from;
      hour.usageMax = max(hour.usageMax, usage);
    }
    from = until;
  }
}

/** Edges are bridged last: they are added to an open hour, or make one if there is none. */
@inline function isOpened(s: Sampler, hour: Hour, number: f64, slot: u32): bool {
  if (hour.number == number && hour.ms > 0) return true;
  if (s.isBridging != 0 && hour.number != 0) return false;
  closeHour(s, hour, slot);
  hour.number = number;
  return true;
}

function closeHour(s: Sampler, hour: Hour, slot: u32): void {
  if (hour.ms == 0) return;
  const first = SKETCHES_OF_SLOT * slot;
  countValue(tableOf(s), sketchAt(tableOf(s), first + 1), hour.usage / hour.ms);
  countValue(tableOf(s), sketchAt(tableOf(s), first + 2), hour.usageMax);
  hour.usage = 0;
  hour.ms = 0;
  hour.usageMax = 0;
}

/** Counts open hours from the row `from` on. @returns the first row without room, or the number of rows */
export function closeHours(m: Meter, from: u32): u32 {
  const s = samplerOf(m);
  s.wanted = SKETCHES_OF_SLOT;
  for (; from < s.rows && hasRoom(tableOf(s), s.wanted); from++) {
    const slot = load<u32>(s.slots + (from << 2));
    closeHour(s, changetype<Hour>(<usize>(s.hours + from * HOUR_BYTES)), slot);
  }
  return from;
}
