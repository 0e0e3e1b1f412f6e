/** A folder of sealed days of 50,000 containers under the schema's names, written once and kept. */
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MEASURES } from '../src/allocation/row/schema.ts';
import { Arena, createMemory, type Table } from '../src/columnar/index.ts';
import { inNameOrder } from '../src/allocation/sets/name-order.ts';
import { encodeSet, openArrowFiles } from '../src/storage/index.ts';
import { FLEET_MEASURES, FLEET_TEXTS, fleetDay } from './stored-fleet.ts';

const DAY_MS = 86_400_000;
/** As in stored-fleet.ts. */
const FIRST_MS = 1_714_521_600_000;
const VERSION = 2;

export interface StreamSize {
  readonly days: number;
  readonly rows: number;
}

/** Owner of a day's rows on the way. */
const OWNER = 1;

/** What the fleet's measures stand for. */
const COSTS = MEASURES.map(({ column }) => column).filter((name) => !/sampled|Max$/.test(name));
const NAMES = new Map(FLEET_MEASURES.map((name, i) => [COSTS[i] ?? name, name]));

/** @returns the folder, in the system's for temporary files */
export async function prepareDays(size: StreamSize): Promise<string> {
  const folder = join(tmpdir(), `prorata-bench-days-${VERSION}-${size.days}x${size.rows}`);
  if (existsSync(folder)) return folder;
  const making = `${folder}.${process.pid}`;
  mkdirSync(making);
  await writeDays(making, size);
  renameSync(making, folder);
  return folder;
}

/** Writes sealed days into an empty folder. @param rowsOf by day, from the oldest; else as many each */
export async function writeDays(
  folder: string,
  { days, rows }: StreamSize,
  rowsOf: (day: number) => number = () => rows,
): Promise<void> {
  const arena = new Arena(createMemory(32 << 20));
  const sets = await openArrowFiles({ folder, arena, note: () => undefined, graceMs: 0 });
  const columns = { texts: FLEET_TEXTS, numbers: ['startMs', 'endMs', ...NAMES.keys()] };
  for (let day = 0; day < days; day++) {
    const startMs = FIRST_MS + day * DAY_MS;
    const encoded = await encodeSet({
      key: { kind: 'allocations', startMs, endMs: startMs + DAY_MS },
      meta: { state: 'sealed', timezone: 'UTC', createdMs: startMs, source: 'bench', warnings: [] },
      table: inNameOrder(arena, OWNER, renamed(fleetDay(rowsOf(day), day)), columns),
      ...columns,
    });
    await sets.write([encoded]);
    arena.release(OWNER);
  }
  await sets.close();
}

/** The allocation query for all rows of all days. */
export function rowsPath({ days }: StreamSize, format: string = 'csv&columns=full'): string {
  const [start, end] = [FIRST_MS, FIRST_MS + days * DAY_MS].map((ms) => new Date(ms).toISOString());
  return `/model/allocation?window=${start},${end}&accumulate=false&format=${format}`;
}

function renamed(table: Table): Table {
  return { ...table, numbers: (name) => table.numbers(NAMES.get(name) ?? name) };
}
