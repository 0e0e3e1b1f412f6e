/**
 * The TypeScript face of workers/kernels/meter-samples.ts: a meter that also counts usage in
 * sketches. Rows (of the meter) that are alike share a slot of three.
 */
import type { Arena, Owner } from './arena.ts';
import type { Engine } from './kernels.ts';
import { createSketches, growSketches, type Sketches } from './sketch.ts';

/** What the sketches of a slot are of, in their order; in units of the meter's resource. */
export const SAMPLED = ['usage', 'hourlyAverage', 'hourlyMax'] as const;

/** Which slot each row of a meter counts in. */
export interface SampledRows {
  /** Address of a u32 a row, below slotCount. */
  readonly slots: number;
  readonly slotCount: number;
  readonly rowCount: number;
}

/** Where a meter has the address of its sampler. */
export const SAMPLER_AT = 108;
const SAMPLER_BYTES = 32;
const HOUR_BYTES = 32;

/**
 * Has a meter count its usage; before anything is absorbed.
 * @param owner of the sketches, also of those that grow later
 * @returns SAMPLED.length sketches a slot, complete when the meter is settled
 */
export function sampleUsage(
  arena: Arena,
  owner: Owner,
  meter: number,
  { slots, slotCount, rowCount }: SampledRows,
): Sketches {
  const sketches = createSketches(arena, owner, SAMPLED.length * slotCount);
  const hoursBytes = HOUR_BYTES * rowCount;
  const sampler = arena.allocateZeroed(SAMPLER_BYTES + hoursBytes, owner);
  const hours = sampler + SAMPLER_BYTES;
  arena.u32(sampler, 7).set([sketches.table, slots, hours, rowCount, 0, 0, owner]);
  arena.u32(meter + SAMPLER_AT, 1)[0] = sampler;
  return sketches;
}

/** Makes the room that a kernel found missing. */
export function growSamples(arena: Arena, meter: number): void {
  const [sampler] = arena.u32(meter + SAMPLER_AT, 1);
  const [table, , , , wanted, , owner] = arena.u32(sampler, 7);
  growSketches(arena, owner, table, wanted);
}

/** Counts the hours that are open. */
export function closeHours({ arena, kernels }: Engine, meter: number): void {
  const [sampler] = arena.u32(meter + SAMPLER_AT, 1);
  const [rows] = arena.u32(sampler + 12, 1);
  for (let row = 0; row < rows;) {
    row = kernels.closeHours(meter, row) >>> 0;
    if (row < rows) growSamples(arena, meter);
  }
}
