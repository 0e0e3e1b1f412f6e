/**
 * GPUs that would do for a container:
 *
 *   needed        largest average of a pod in a stored set / target utilization
 *   recommended   needed up to whole devices, or up to hundredths where it has a part of one; at most its request
 *
 * GPUs are not recommended beyond the request, as a busy device is what it is for. A container of which no
 * usage is known gets no recommendation.
 */
import { DEMAND, DEMAND_FIELDS } from '../../columnar/index.ts';

export const GPU_NUMBERS = [
  'gpuLatest',
  'gpuAverage',
  'gpuLargestAverage',
  'gpuEfficiency',
  'gpuNeeded',
  'gpuRecommended',
  'gpuMonthlyUsd',
] as const;
/** Devices, but for efficiency (1) and USD a month; NaN where nothing is known. */
export type GpuNumbers = Readonly<Record<(typeof GPU_NUMBERS)[number], number>>;

/** Averages over times that are not whole are a rounding error off. */
const ROUNDING = 1e-9;
const HUNDREDTHS = 100;

/** The container's GPUs, or undefined if it has none. @param savedUsd of a month, by the recommended request */
export function gpusOf(
  records: Float64Array,
  place: number,
  targetUtilization: number,
  savedUsd: (recommended: number) => number,
): GpuNumbers | undefined {
  const at = place * DEMAND_FIELDS;
  const { gpu } = DEMAND;
  const usage = records[at + gpu.usage] ?? 0;
  const request = records[at + gpu.request] ?? 0;
  if (!(usage > 0) && !(request > 0)) return undefined;
  const latest = records[at + gpu.latest] ?? 0;
  const largest = records[at + gpu.largest] ?? NaN;
  const isKnown = largest > 0;
  const needed = largest / targetUtilization;
  const recommended = latest > 0 ? Math.min(latest, roundedUp(needed, latest)) : NaN;
  return {
    gpuLatest: latest,
    gpuAverage: isKnown ? usage / (records[at + DEMAND.hours] ?? NaN) : NaN,
    gpuLargestAverage: largest,
    gpuEfficiency: isKnown && request > 0 ? usage / request : NaN,
    gpuNeeded: needed,
    gpuRecommended: recommended,
    gpuMonthlyUsd: recommended > 0 ? savedUsd(recommended) : NaN,
  };
}

function roundedUp(needed: number, latest: number): number {
  const isWhole = Math.abs(latest - Math.round(latest)) < ROUNDING;
  const perDevice = isWhole ? 1 : HUNDREDTHS;
  return Math.ceil(needed * perDevice - ROUNDING) / perDevice;
}
