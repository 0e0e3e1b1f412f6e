/** A folder of sealed days of the stored fleet, written once and kept for later runs. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeSums } from '../src/allocation/reduced/sums-set.ts';
import {
  compileKernels,
  createEngine,
  createMemory,
  type Table,
  type Workspace,
} from '../src/columnar/index.ts';
import { inNameOrder } from '../src/allocation/sets/name-order.ts';
import { encodeSet, openArrowFiles, type EncodedSet } from '../src/storage/index.ts';
import { FLEET_MEASURES, FLEET_TEXTS, fleetDay } from './stored-fleet.ts';

/** 2024-05-01T00:00:00Z */
export const FIRST_DAY_MS = 1_714_521_600_000;
const DAY_MS = 86_400_000;

/** What a cluster with disks and network measures; the last four are not shown of grouped rows. */
const MEASURES: readonly string[] = [
  'cpuCoreHours',
  'cpuCoreRequestHours',
  'cpuCoreUsageHours',
  'cpuCost',
  'gpuHours',
  'gpuCost',
  'networkTransferBytes',
  'networkReceiveBytes',
  'networkCost',
  'pvByteHours',
  'pvCost',
  'loadBalancerCost',
  'ramByteHours',
  'ramByteRequestHours',
  'ramByteUsageHours',
  'ramCost',
  'cpuCoreUsageMax',
  'ramByteUsageMax',
  'sampledCostLeast',
  'sampledCostMost',
];

/** A row of a day on the way. */
const ROW_BYTES = 320;
/** Owners of the kernels, and of a day's rows on the way. */
const [KERNELS, OWNER] = [1, 2];

export interface DaysSize {
  readonly days: number;
  /** A day. */
  readonly rows: number;
}

/** @returns the folder, for `--data-dir` */
export async function prepareDays({ days, rows }: DaysSize): Promise<string> {
  const folder = join(tmpdir(), `prorata-bench-days-${days}x${rows}-3`);
  const note = join(folder, 'written');
  if (existsSync(note)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const memory = createMemory(Math.max(64 << 20, rows * ROW_BYTES));
  const engine = createEngine(compileKernels(), memory, KERNELS);
  const { arena } = engine;
  const sets = await openArrowFiles({ folder, arena, note: () => undefined, graceMs: 0 });
  for (let day = 0; day < days; day++) {
    await sets.write(await benchDay({ engine, owner: OWNER }, rows, day));
    arena.release(OWNER);
  }
  await sets.close();
  writeFileSync(note, '');
  return folder;
}

/** The sets of a day: its rows and their sums. */
export async function benchDay(space: Workspace, rows: number, day: number): Promise<EncodedSet[]> {
  const columns = { texts: FLEET_TEXTS, numbers: ['startMs', 'endMs', ...MEASURES] };
  const startMs = FIRST_DAY_MS + day * DAY_MS;
  const { engine, owner } = space;
  const table = inNameOrder(engine.arena, owner, named(fleetDay(rows, day)), columns);
  const encoded = await encodeSet({
    key: { kind: 'allocations', startMs, endMs: startMs + DAY_MS },
    meta: { state: 'sealed', timezone: 'UTC', createdMs: startMs, source: 'bench', warnings: [] },
    table,
    ...columns,
  });
  return [encoded, await encodeSums(space, table, encoded)];
}

/** The fleet's measures under names that are shown. */
function named(fleet: Table): Table {
  return {
    rows: fleet.rows,
    text: (name) => fleet.text(name),
    numbers(name) {
      const place = MEASURES.indexOf(name);
      const own = FLEET_MEASURES[place % FLEET_MEASURES.length];
      return fleet.numbers(place < 0 || own === undefined ? name : own);
    },
  };
}
