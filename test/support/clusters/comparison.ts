/** Compares rows of an allocation query with the closed form of a plan. */
import type { ExpectedRow, Sampled } from './closed-form.ts';
import type { PlannedRequest } from './plan.ts';

/** What of a row is compared, as the API names it. */
export interface CountedRow {
  readonly minutes: number;
  readonly cpuCoreRequestAverage: number;
  readonly cpuCoreUsageAverage: number;
  readonly cpuCoreHours: number;
  readonly ramByteRequestAverage: number;
  readonly ramByteUsageAverage: number;
  readonly ramByteHours: number;
}

export interface Comparison {
  readonly rows: number;
  /** Rows that one side lacks, in words. */
  readonly missing: readonly string[];
  /** Greatest relative difference of what is exact: minutes and requests, each with its row. */
  readonly exact: Readonly<Record<string, Greatest>>;
  /** Greatest share of its bound that a difference of what samples tell has. */
  readonly sampled: Readonly<Record<string, Greatest>>;
}

export interface Greatest {
  readonly value: number;
  readonly row: string;
  /** Rows that differ by more than they may. */
  readonly beyond: number;
}

/** By how much what is exact may differ: what numbers of 64 bits leave. */
const RELATIVE = 1e-9;

/**
 * @param rows of the query, by `cluster/node/namespace/pod/container`
 * @param expected by the same without the cluster; lives of one name and node share a row
 */
export function compared(
  rows: ReadonlyMap<string, CountedRow>,
  expected: ReadonlyMap<string, readonly ExpectedRow[]>,
): Comparison {
  // Volumes that no pod mounts have rows of their own.
  const ofPods = [...rows].filter(([key]) => !key.endsWith('/__unmounted__'));
  const counted = new Map(ofPods.map(([key, row]) => [key.slice(key.indexOf('/') + 1), row]));
  const madeUp = [...counted.keys()].filter((key) => !expected.has(key));
  const missing = madeUp.map((key) => `${key} is made up`);
  const exact = new Greatests(RELATIVE);
  const sampled = new Greatests(1);
  for (const [key, lives] of expected) {
    const row = counted.get(key);
    const mayLack = lives.some(({ lateMs }) => lateMs === Infinity);
    if (row === undefined && !mayLack) missing.push(`${key} is not counted`);
    if (row === undefined || mayLack) continue;
    for (const [name, got, { value, bound }] of figuresOf(row, lives)) {
      const offBy = Math.abs(got - value);
      if (bound > 0) sampled.add(name, key, offBy / bound);
      else exact.add(name, key, offBy / Math.max(Math.abs(value), Number.MIN_VALUE));
    }
  }
  return { rows: counted.size, missing, exact: exact.all(), sampled: sampled.all() };
}

type Figure = readonly [name: string, got: number, wanted: Sampled];

function figuresOf(row: CountedRow, lives: readonly ExpectedRow[]): Figure[] {
  const hours = row.minutes / 60;
  const sum = (of: (life: ExpectedRow) => number): number =>
    lives.reduce((total, life) => total + of(life), 0);
  const lateHours = sum(({ lateMs }) => lateMs) / 3_600_000;
  const most = (of: (request: PlannedRequest) => number): number =>
    Math.max(...lives.flatMap(({ container }) => container.requests.map(of)));
  const cores = lateHours * most((request) => request.cores);
  const ramBytes = lateHours * most((request) => request.ramBytes);
  const sumOf = (of: (life: ExpectedRow) => Sampled, lateBound: number): Sampled => ({
    value: sum((life) => of(life).value),
    bound: sum((life) => of(life).bound) + lateBound,
  });
  const cpuRequested = { value: sum((life) => life.cpuRequestHours), bound: cores };
  const ramRequested = { value: sum((life) => life.ramRequestByteHours), bound: ramBytes };
  const used = sumOf((life) => life.cpuUsageHours, 0);
  const ramUsed = sumOf((life) => life.ramUsageByteHours, 0);
  return [
    ['minutes', row.minutes, { value: spanMinutes(lives), bound: 60 * lateHours }],
    ['cpuRequestHours', row.cpuCoreRequestAverage * hours, cpuRequested],
    ['ramRequestByteHours', row.ramByteRequestAverage * hours, ramRequested],
    ['cpuHours', row.cpuCoreHours, sumOf(({ cpuHours }) => cpuHours, cores)],
    ['ramByteHours', row.ramByteHours, sumOf(({ ramByteHours }) => ramByteHours, ramBytes)],
    ['cpuUsageHours', row.cpuCoreUsageAverage * hours, used],
    ['ramUsageByteHours', row.ramByteUsageAverage * hours, ramUsed],
  ];
}

/** Minutes of a row last from its first start to its last end. */
function spanMinutes(lives: readonly ExpectedRow[]): number {
  const startMs = Math.min(...lives.map((life) => life.startMs));
  return (Math.max(...lives.map((life) => life.endMs)) - startMs) / 60_000;
}

class Greatests {
  readonly #byName: Map<string, Greatest> = new Map();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(name: string, row: string, value: number): void {
    const known = this.#byName.get(name);
    // NaN is greater than all.
    const isGreater = known === undefined || value > known.value || Number.isNaN(value);
    const beyond = (known?.beyond ?? 0) + Number(!(value <= this.#most));
    this.#byName.set(name, { ...(isGreater ? { value, row } : known), beyond });
  }

  all(): Record<string, Greatest> {
    return Object.fromEntries(this.#byName);
  }
}
