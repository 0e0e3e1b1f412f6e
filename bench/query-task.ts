/** The on-demand query as a task, whose answer must meet the totals of the fleet's samples. */
import type { Prorata } from '../test/support/servers/prorata.ts';
import type { Downloader } from './downloader.ts';
import type { Task } from './harness.ts';
import { WINDOW_START_MS, type FleetOptions, type Totals } from './usage-fleet.ts';

const HOUR_MS = 3_600_000;
const TOLERANCE = 1e-9;
const TOTALS = ['cpuCoreHours', 'totalCost', 'cpuUsageCoreHours', 'ramUsageByteHours'] as const;

export interface QueryTaskOptions {
  readonly name: string;
  readonly prorata: Prorata;
  readonly downloader: Downloader;
  readonly resolution: string;
  readonly fleet: FleetOptions;
  /** What an answer must come to, within 1e-9. */
  readonly totals: Totals;
}

/** Its checksum, CPU core-hours + USD, throws where the totals are others. */
export function queryTask(options: QueryTaskOptions): Task {
  const { name, prorata, downloader, resolution, fleet, totals: expected } = options;
  const path = queryPath(fleet, resolution);
  return {
    name,
    run: () => downloader.run([{ method: 'GET', origin: prorata.url, path }]),
    async checksum() {
      const totals = await answeredTotals(prorata.url + path);
      requireTotals(totals, expected, resolution);
      return totals.cpuCoreHours + totals.totalCost;
    },
  };
}

/** Asks for every container of the fleet, one set. */
export function queryPath(fleet: FleetOptions, resolution: string): string {
  const endMs = WINDOW_START_MS + fleet.hours * HOUR_MS;
  const window = `${new Date(WINDOW_START_MS).toISOString()},${new Date(endMs).toISOString()}`;
  const parameters = new URLSearchParams({ window, resolution });
  return `/model/allocation/compute?${parameters.toString()}`;
}

export async function answeredTotals(url: string): Promise<Totals> {
  const response = await fetch(url);
  const { data } = (await response.json()) as { data: Record<string, Row>[] };
  return totalsOf(data.flatMap((set) => Object.values(set)));
}

/** @throws where an answer's totals are not those of the samples, within 1e-9 */
export function requireTotals(actual: Totals, expected: Totals, resolution: string): void {
  // On a grid usage counts as it is at the grid's points: only requests are the same.
  const names = resolution === 'exact' ? TOTALS : (['cpuCoreHours', 'totalCost'] as const);
  for (const each of names) requireClose(each, actual[each], expected[each]);
}

/** One container's allocation, as the answer has it. */
type Row = Readonly<
  Record<
    'minutes' | 'cpuCoreHours' | 'totalCost' | 'cpuCoreUsageAverage' | 'ramByteUsageAverage',
    number
  >
>;

function totalsOf(rows: readonly Row[]): Totals {
  const sum = (value: (row: Row) => number): number =>
    rows.reduce((total, row) => total + value(row), 0);
  return {
    cpuCoreHours: sum((row) => row.cpuCoreHours),
    totalCost: sum((row) => row.totalCost),
    cpuUsageCoreHours: sum((row) => (row.cpuCoreUsageAverage * row.minutes) / 60),
    ramUsageByteHours: sum((row) => (row.ramByteUsageAverage * row.minutes) / 60),
  };
}

function requireClose(name: string, actual: number, expected: number): void {
  if (Math.abs(actual - expected) <= TOLERANCE * expected) return;
  throw new Error(`BUG: ${name} is ${actual}, and the samples say ${expected}`);
}
