/** Promised and measured accuracy for each resolution and lifetime. */

/** Bounds of billed ÷ actual; a lower bound of -1 means that the pod may be missed altogether. */
export type Bounds = readonly [lower: number, upper: number];

export interface Lifetime {
  readonly name: string;
  readonly ms: number;
}

export const LIFETIMES: readonly Lifetime[] = [
  { name: '30s', ms: 30_000 },
  { name: '5m', ms: 300_000 },
  { name: '1h', ms: 3_600_000 },
  { name: '1d', ms: 86_400_000 },
  { name: '7d', ms: 604_800_000 },
];

/** Kubecost's table of accuracy, a row for each resolution, a column for each lifetime. */
const PROMISED: Readonly<Record<string, readonly Bounds[]>> = {
  '1m': [[-1, 2], [0.8, 1], [0.98, 1], [1, 1], [1, 1]],
  '2m': [[-1, 4], [0.8, 1.2], [0.97, 1], [1, 1], [1, 1]],
  '5m': [[-1, 10], [-1, 1], [0.92, 1], [1, 1], [1, 1]],
  '10m': [[-1, 20], [-1, 2], [0.83, 1], [0.99, 1], [1, 1]],
  '30m': [[-1, 60], [-1, 6], [0.5, 1], [0.98, 1], [1, 1]],
  '60m': [[-1, 120], [-1, 12], [-1, 1], [0.96, 1], [0.99, 1]],
  exact: [[1, 1], [1, 1], [1, 1], [1, 1], [1, 1]],
}; // prettier-ignore

export const RESOLUTIONS: readonly string[] = Object.keys(PROMISED);

/** What the store knows of a pod: only its samples, or also its start and completion. */
export const STORE_FACTS = ['samples', 'timestamps'] as const;
export type StoreFacts = (typeof STORE_FACTS)[number];

export interface Measured {
  readonly lower: number;
  readonly upper: number;
  readonly seconds: number;
  /** Peak of the whole process; it never falls, as touched memory stays resident. */
  readonly peakRssBytes: number;
}

export interface Cell extends Measured {
  readonly resolution: string;
  readonly lifetime: string;
}

export function promised({ resolution, lifetime }: Cell): Bounds {
  const column = LIFETIMES.findIndex(({ name }) => name === lifetime);
  const bounds = PROMISED[resolution]?.[column];
  if (!bounds) throw new Error(`BUG: nothing is promised of ${resolution}, ${lifetime}`);
  return bounds;
}

/** Compares to two decimals, as the promise has. */
export function isInside(cell: Cell): boolean {
  const [lower, upper] = promised(cell);
  return rounded(cell.lower) >= lower && rounded(cell.upper) <= upper;
}

function rounded(ratio: number): number {
  return Math.round(ratio * 100) / 100;
}

/**
 * One cell of both measurements, with and without timestamps: the worse of both at a resolution;
 * `exact` is promised only where the store knows start and end.
 */
export function combined(
  resolution: string,
  lifetime: string,
  measured: Readonly<Record<StoreFacts, Measured>>,
): Cell {
  const { samples, timestamps } = measured;
  if (resolution === 'exact') return { resolution, lifetime, ...timestamps };
  return {
    resolution,
    lifetime,
    lower: Math.min(samples.lower, timestamps.lower),
    upper: Math.max(samples.upper, timestamps.upper),
    seconds: Math.max(samples.seconds, timestamps.seconds),
    peakRssBytes: Math.max(samples.peakRssBytes, timestamps.peakRssBytes),
  };
}
