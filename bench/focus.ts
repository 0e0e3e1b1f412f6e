/**
 * A bill of 1 GB (`--megabytes=N`: of another size) kept by `import focus`, against DuckDB that turns
 * the same CSV into Parquet; and what the command takes of memory, in a process of its own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openBills, type Bills } from '../src/billing/deliveries/index.ts';
import { clockOf } from '../src/server/clock.ts';
import { startBillEngine, type BillEngine } from '../src/server/bill-engine.ts';
import { loadConfig } from '../src/settings/config.ts';
import { openBillFile } from '../src/billing/focus/index.ts';
import { openArrowFiles, SetReader } from '../src/storage/index.ts';
import { openDuckdb, type Duck } from './duckdb.ts';
import { writeFocusFile } from './focus-file.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import { peakBytes } from './process-figures.ts';

const THREADS = 2;
const ALL_TIME = { startMs: 0, endMs: Date.UTC(2200, 0) };
const BIN = fileURLToPath(new URL('../src/prorata.js', import.meta.url));
const SIGNAL = new AbortController().signal;

export async function* focusBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const megabytes = options.isSmoke ? 4 : (options.settings.megabytes ?? 1000);
  const csv = join(tmpdir(), `prorata-focus-${megabytes}.csv`);
  if (!existsSync(csv)) await writeFocusFile(csv, megabytes * 1e6);
  const folder = mkdtempSync(join(tmpdir(), 'prorata-bench-focus-'));
  const { config } = loadConfig([`--workers=${THREADS}`], {}, () => '');
  const engine = await startBillEngine(config);
  const { compute } = engine;
  const sets = await openArrowFiles({
    folder,
    arena: compute.arena,
    note: options.note,
    graceMs: 0,
  });
  const duck = options.withPeers ? await openDuckdb(new Map(), THREADS) : undefined;
  try {
    const bills = openBills({ sets, compute, clock: clockOf(config) });
    const parquet = join(folder, 'bill.parquet');
    const tasks = [
      ...(duck ? [duckTask(duck, csv, parquet)] : []),
      deliverTask('import focus, CSV', engine, bills, csv),
    ];
    yield {
      title: `A bill of ${megabytes} MB`,
      amount: megabytes,
      unit: 'MB',
      isSlow: true,
      tasks,
    };
    if (options.isSmoke) return;
    for (const path of duck ? [csv, parquet] : [csv]) options.note(await peakOf(path));
  } finally {
    duck?.close();
    await sets.close();
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function duckTask(duck: Duck, csv: string, parquet: string): Task {
  return {
    name: 'DuckDB, CSV to Parquet, 2 threads',
    run: () => duck.run(`copy (select * from read_csv('${csv}')) to '${parquet}' (format parquet)`),
    async checksum() {
      const sum = await duck.run(`select sum("BilledCost") from read_parquet('${parquet}')`);
      return (await duck.columns(sum))[0]?.[0] ?? NaN;
    },
  };
}

function deliverTask(name: string, engine: BillEngine, bills: Bills, path: string): Task {
  const { arena, owners } = engine.compute;
  return {
    name,
    async run() {
      const file = await openBillFile(path);
      const told = { onBad: () => undefined, onRows: () => undefined };
      const asked = { as: 'cloud', source: 'bench', currency: 'USD', isSkipping: false } as const;
      await bills.deliver({ ...asked, ...told, files: [file] }, SIGNAL);
      await file.close();
    },
    checksum() {
      const reader = new SetReader(arena);
      const owner = owners.take();
      let sum = 0;
      for (const stored of bills.stored('cloud', ALL_TIME)) {
        const { table } = reader.read(stored, owner, ['billedCost']);
        for (const cost of table.numbers('billedCost')?.values ?? []) sum += cost;
        arena.release(owner);
      }
      owners.free(owner);
      return sum;
    },
  };
}

/** What the command takes, of what it prints nothing. */
async function peakOf(path: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-bench-import-'));
  const flags = ['--as=cloud', '--quiet', `--workers=${THREADS}`, `--data-dir=${folder}`];
  const child = spawn(process.execPath, [BIN, 'import', 'focus', path, ...flags], {
    stdio: 'ignore',
  });
  const exit = once(child, 'exit');
  let peak = 0;
  while (child.exitCode === null && child.pid !== undefined) {
    peak = Math.max(peak, peakBytes(child.pid));
    await Promise.race([exit, sleep(50)]);
  }
  rmSync(folder, { recursive: true, force: true });
  const form = path.endsWith('.csv') ? 'CSV' : 'Parquet';
  return `import focus, ${form}: peak resident size ${Math.round(peak / 1e6)} MB`;
}
