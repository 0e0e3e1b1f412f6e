/** Requests of a receiver that is killed: their samples are known by their numbers. */
import { snappy } from '../../../src/metrics/readers/snappy.ts';
import type { StoreOptions } from '../../../src/receiver/ingest/receiver-store.ts';
import { writeBody } from './write-bodies.ts';
import { bitsOf } from './xor-encoder.ts';

const HOUR_MS = 3_600_000;
const FIRST_MS = 1_790_000_000_000;
/** So much time passes with each request: a window is cut after a few. */
const STEP_MS = 20 * 60_000;
export const SERIES = 8;

export const WRITER_OPTIONS: Omit<StoreOptions, 'folder'> = {
  outOfOrderMs: HOUR_MS,
  retentionMs: 1e12,
  maxSeries: 1000,
  maxSamplesPerSecond: 1e9,
};

export function nowOf(number: number): number {
  return FIRST_MS + number * STEP_MS;
}

/** Times and values of a series in a request: in order, and one that is late. */
export function samplesOf(number: number, series: number): [timeMs: number, value: number][] {
  const nowMs = nowOf(number);
  const own: [number, number][] = [0, 1, 2].map((i) => [
    nowMs - 30_000 + i * 10_000,
    number + i / 4,
  ]);
  return number % SERIES === series ? [...own, [nowMs - STEP_MS - 45_000, -number]] : own;
}

export function requestOf(number: number): Uint8Array {
  const series = Array.from({ length: SERIES }, (_, i) => ({
    labels: [['__name__', 'up'], ['pod', `${i}`]] as const,
    samples: samplesOf(number, i).map(([timeMs, value]) => ({ timeMs, valueBits: bitsOf(value) })),
  })); // prettier-ignore
  return snappy(writeBody(series));
}
