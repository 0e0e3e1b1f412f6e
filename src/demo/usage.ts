/**
 * How much CPU and memory a demo container uses. The rate of CPU is constant within each cell of
 * five minutes of absolute time, so its counter is a sum of cells that comes out the same bit for
 * bit wherever a window begins.
 */
import type { ContainerSpec } from './fleet.ts';
import { mix, unit } from './hash.ts';

const CELL_MS = 5 * 60 * 1000;
const CELLS_A_DAY = 288;
/** Cells of one burst. */
const BURST_CELLS = 4;
const BURST_CHANCE = 0.06;
const PAGE_BYTES = 4096;

/** What one container does, from its start on. */
export interface UsageCourse {
  readonly key: number;
  readonly startMs: number;
  readonly spec: ContainerSpec;
  /** Follows the day: busiest at 14:00 UTC. */
  readonly isDaily: boolean;
}

/** Fills `out` for rising times at or after the start; the next call goes on from there. */
export type Sampler = (timesMs: Float64Array, out: Float64Array) => void;

const FLAT = new Float64Array(CELLS_A_DAY).fill(1);
const DAILY: Float64Array = FLAT.map(
  (_, cell) => 1 + 0.5 * Math.cos(2 * Math.PI * (cell / CELLS_A_DAY - 14 / 24)),
);

/** A day's course in a cell, 1 in the mean. */
export function shapeOf(isDaily: boolean, cell: number): number {
  return (isDaily ? DAILY : FLAT)[cell % CELLS_A_DAY] ?? 1;
}

/** Cores used in a cell. */
function coresInCell({ key, spec, isDaily }: UsageCourse, cell: number): number {
  const shape = shapeOf(isDaily, cell);
  const noise = 0.7 + 0.6 * unit(mix(key, cell));
  return spec.usageCores * shape * noise * burstFactor(key, spec, cell);
}

function burstFactor(key: number, spec: ContainerSpec, cell: number): number {
  const isBurst = unit(mix(key ^ 0x6b43, Math.floor(cell / BURST_CELLS))) < BURST_CHANCE;
  return isBurst ? spec.burst : 1;
}

/** Core-seconds since the start. */
export function cpuCounter(course: UsageCourse): Sampler {
  return integral(course.startMs, (cell) => coresInCell(course, cell));
}

/** What has come together since the start at a rate a second, constant in each cell. */
export function integral(startMs: number, rateInCell: (cell: number) => number): Sampler {
  let cell = Math.floor(startMs / CELL_MS);
  let sinceMs = startMs;
  let total = 0;
  let rate = rateInCell(cell);
  return (timesMs, out) => {
    for (let i = 0; i < timesMs.length; i++) {
      const timeMs = timesMs[i] ?? 0;
      for (let endMs = (cell + 1) * CELL_MS; endMs <= timeMs; endMs += CELL_MS) {
        total += (rate * (endMs - sinceMs)) / 1000;
        sinceMs = endMs;
        rate = rateInCell(++cell);
      }
      out[i] = total + (rate * (timeMs - sinceMs)) / 1000;
    }
  };
}

/** Cells in which a GPU goes on with the same work. */
const GPU_CELLS = 6;

/** The part of the time in which a GPU computes, with as many digits as its exporter writes. */
export function gpuActivity({ key }: UsageCourse): Sampler {
  return (timesMs, out) => {
    for (let i = 0; i < timesMs.length; i++) {
      const work = Math.floor((timesMs[i] ?? 0) / (GPU_CELLS * CELL_MS));
      out[i] = Math.round((0.2 + 0.75 * unit(mix(key ^ 0x91, work))) * 1e6) / 1e6;
    }
  };
}

/** Working set in bytes: whole pages, swelling with bursts. */
export function workingSet({ key, spec, isDaily }: UsageCourse): Sampler {
  return (timesMs, out) => {
    for (let i = 0; i < timesMs.length; i++) {
      const timeMs = timesMs[i] ?? 0;
      const cell = Math.floor(timeMs / CELL_MS);
      const shape = shapeOf(isDaily, cell);
      const swell = 0.8 + 0.15 * shape + 0.05 * burstFactor(key, spec, cell) ** 2;
      const noise = 0.02 * unit(mix(key ^ 0x77, Math.floor(timeMs / 60_000)));
      out[i] = Math.floor((spec.usageRamBytes * (swell + noise)) / PAGE_BYTES) * PAGE_BYTES;
    }
  };
}
