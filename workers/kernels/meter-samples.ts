// How a meter counts usage in sketches, where it is asked to: each stretch of usage that is billed up
// to where it ends counts once, however long it was, as a sample does in Prometheus'
// quantile_over_time. Hours begin with each set; of an hour of a row its average and its largest
// usage count once, when the row's next hour begins or at the end. So memory is an hour a row. Series
// of a container that come one after the other, each with a part of an hour, count a part each.

import { Meter, ROW_BYTES } from "./meter-tables";
import { countValue, hasRoom, sketchAt, SketchTable } from "./sketch";

/** src/columnar/samples.ts mirrors it. */
@unmanaged
export class Sampler {
  /** three a slot: of what was used, of averages of hours, of maxima of hours */
  sketches: u32;
  /** u32 a row: its slot */
  slots: u32;
  /** an Hour a row */
  hours: u32;
  rows: u32;
  /** sketches that need room before it can go on */
  wanted: u32;
  /** 1: edges are being bridged */
  isSettling: u32;
  /** of the sketches' memory */
  owner: u32;
}
const SKETCHES_OF_SLOT: u32 = 3;

@unmanaged
class Hour {
  /** its place in the set + 1; 0 before the first */
  number: f64;
  usage: f64;
  /** 0: none is open */
  ms: f64;
  usageMax: f64;
}
const HOUR_BYTES: u32 = 32;
const HOUR_MS: f64 = 3600000;

// @ts-ignore: decorator
@inline export function samplerOf(m: Meter): Sampler { return changetype<Sampler>(<usize>m.sampler); }

// @ts-ignore: decorator
@inline function tableOf(s: Sampler): SketchTable { return changetype<SketchTable>(<usize>s.sketches); }

/**
 * Whether sketches have room for whatever `stretches` of usage of the meter's identity may bring: in
 * order of time they pass at most as many rows as there are segments and sets.
 */
export function canSample(m: Meter, stretches: u32): bool {
  const segments = load<u32>(m.identities + (<u32>m.identity << 3), 4);
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

/** Edges that are bridged when all else was counted are added to an open hour, or are the only one. */
// @ts-ignore: decorator
@inline function isOpened(s: Sampler, hour: Hour, number: f64, slot: u32): bool {
  if (hour.number == number && hour.ms > 0) return true;
  if (s.isSettling != 0 && hour.number != 0) return false;
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

/** Counts what is open, from the row `from` on. @returns the first row without room, or their count */
export function closeHours(m: Meter, from: u32): u32 {
  const s = samplerOf(m);
  s.wanted = SKETCHES_OF_SLOT;
  for (; from < s.rows && hasRoom(tableOf(s), s.wanted); from++) {
    const slot = load<u32>(s.slots + (from << 2));
    closeHour(s, changetype<Hour>(<usize>(s.hours + from * HOUR_BYTES)), slot);
  }
  return from;
}
