/**
 * Stored sets: 30 days of 50,000 containers and 16 measures as files, each written for good (synced,
 * committed), and read into the arena: two columns, 17, and all of them, every byte checked.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Arena, createMemory } from '../src/columnar/index.ts';
import { encodeSet, openArrowFiles, type EncodedSet, type Sets } from '../src/storage/index.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import { FLEET_MEASURES, FLEET_NUMBERS, FLEET_TEXTS, fleetDay } from './stored-fleet.ts';

const DAY_MS = 86_400_000;
const FIRST_MS = 1_714_521_600_000;
const OWNER = 1;
const DAY_BYTES = 32 << 20;

const READS: readonly (readonly [string, readonly string[] | undefined])[] = [
  ['read namespace and one measure', ['namespace', 'measure0']],
  ['read namespace and 16 measures', ['namespace', ...FLEET_MEASURES]],
  ['read all columns', undefined],
];

export async function* setsBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const size = options.isSmoke ? { days: 2, rows: 2000 } : { days: 30, rows: 50_000 };
  const folder = mkdtempSync(join(tmpdir(), 'prorata-bench-sets-'));
  const arena = new Arena(createMemory(DAY_BYTES));
  const sets = await openArrowFiles({ folder, arena, note: options.note, graceMs: 0 });
  try {
    const days: EncodedSet[] = [];
    for (let day = 0; day < size.days; day++) days.push(await encodedDay(size.rows, day));
    const bytes = days.reduce((sum, set) => sum + set.bytes.length, 0);
    const rows = size.days * size.rows;
    options.note(`${(bytes / rows).toFixed(1)} bytes a container-day on disk`);
    await sets.write(days);
    const tasks: Task[] = READS.map(([name, columns]) => readTask(sets, arena, name, columns));
    const title = `Stored sets, ${size.days} × ${size.rows} rows × ${FLEET_MEASURES.length}`;
    yield { title, amount: rows / 1e6, unit: 'M rows', isSlow: true, tasks };
    const table = fleetDay(size.rows, 0);
    const write: Task[] = [
      {
        name: 'encode',
        run: () => encode(table, 0),
        checksum: async () => (await encode(table, 0)).crc32,
      },
      { name: 'write and commit', run: () => sets.write(days.slice(0, 1)) },
    ];
    const amount = size.rows / 1e6;
    yield { title: 'One day of it', amount, unit: 'M rows', isSlow: true, tasks: write };
    const check: Task = {
      name: 'check every byte',
      run: () => sets.verify(),
      checksum: async () => (await sets.verify()).bytes,
    };
    yield { title: 'All of it', amount: bytes / 1e9, unit: 'GB', isSlow: true, tasks: [check] };
  } finally {
    await sets.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function encodedDay(rows: number, day: number): Promise<EncodedSet> {
  return encode(fleetDay(rows, day), day);
}

function encode(table: ReturnType<typeof fleetDay>, day: number): Promise<EncodedSet> {
  const startMs = FIRST_MS + day * DAY_MS;
  return encodeSet({
    key: { kind: 'allocations', startMs, endMs: startMs + DAY_MS },
    meta: { state: 'sealed', timezone: 'UTC', createdMs: startMs, source: 'bench', warnings: [] },
    table,
    texts: FLEET_TEXTS,
    numbers: FLEET_NUMBERS,
  });
}

function readTask(
  sets: Sets,
  arena: Arena,
  name: string,
  columns: readonly string[] | undefined,
): Task {
  const read = async (look: (values: Float64Array) => void): Promise<void> => {
    for (const { key } of sets.list('allocations')) {
      const table = (await sets.read(key, OWNER, columns))?.table;
      look(table?.numbers('measure0')?.values ?? new Float64Array(0));
      arena.release(OWNER);
    }
  };
  return {
    name,
    run: () => read(() => undefined),
    async checksum() {
      let sum = 0;
      await read((values) => values.forEach((value, row) => (sum += value * (1 + (row % 7)))));
      return sum;
    },
  };
}
