/**
 * The TypeScript face of workers/kernels/meter/samples.ts: a meter that also counts usage in sketches.
 * Several rows of the meter can share a slot of three sketches.
 */
import type { Arena, Owner } from '../memory/arena.ts';
import type { Engine } from '../kernels.ts';
import { fillStruct, structAt } from '../memory/struct.ts';
import { HOUR, METER, SAMPLER } from './layout/meter.ts';
import { createSketches, growSketches, type Sketches } from './sketch.ts';

/** The sketches of a slot, in their order; values are in units of the meter's resource. */
export const SAMPLED = ['usage', 'hourlyAverage', 'hourlyMax'] as const;

/** The slot of each row of a meter. */
export interface SampledRows {
  /** Address of one u32 for each row, below slotCount. */
  readonly slots: number;
  readonly slotCount: number;
  readonly rowCount: number;
}

/** Hours begin with f64. */
const HOURS_AT = 8 * Math.ceil(SAMPLER.bytes / 8);

/**
 * Has a meter count its usage in sketches; call it before any usage is added.
 * @param owner of the sketches, also of their later growth
 * @returns SAMPLED.length sketches for each slot, complete once the meter is finished
 */
export function sampleUsage(
  arena: Arena,
  owner: Owner,
  meter: number,
  { slots, slotCount, rowCount }: SampledRows,
): Sketches {
  const sketches = createSketches(arena, owner, SAMPLED.length * slotCount);
  const hoursBytes = HOUR.bytes * rowCount;
  const sampler = arena.allocateZeroed(HOURS_AT + hoursBytes, owner);
  const hours = sampler + HOURS_AT;
  const fields = { sketches: sketches.table, slots, hours, rows: rowCount, owner };
  fillStruct(arena, sampler, SAMPLER, fields);
  structAt(arena, meter, METER).sampler = sampler;
  return sketches;
}

/** Makes the room that a kernel asked for. */
export function growSamples(arena: Arena, meter: number): void {
  const { sampler } = structAt(arena, meter, METER);
  const { sketches, wanted, owner } = structAt(arena, sampler, SAMPLER);
  growSketches(arena, owner, sketches, wanted);
}

/** Counts the open hours. */
export function closeHours({ arena, kernels }: Engine, meter: number): void {
  const { sampler } = structAt(arena, meter, METER);
  const { rows } = structAt(arena, sampler, SAMPLER);
  for (let row = 0; row < rows;) {
    row = kernels.closeHours(meter, row) >>> 0;
    if (row < rows) growSamples(arena, meter);
  }
}
