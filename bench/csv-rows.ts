/**
 * 500,000 rows × 23 columns as CSV, against DuckDB on two threads; and numbers as text, against V8.
 */
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  compileKernels,
  compileRow,
  createEngine,
  createMemory,
  writeRows,
  type Engine,
} from '../src/columnar/index.ts';
import { csvNumbers, csvRow } from '../src/export/index.ts';
import { Crew } from './crew.ts';
import { COLUMNS, createSheet, CsvChecksum, type Sheet } from './csv-sheet.ts';
import { TO_FILES, TO_NOWHERE, type CsvThreadData } from './csv-rows-thread.ts';
import { openDuckdb, type Duck } from './duckdb.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';

const OWNER = 1;
const THREADS = [1, 2];
const UNIT_ROWS = 2048;
const ROW_BYTES_MAX = 1024;

export async function* csvRowsBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const rows = options.isSmoke ? 5000 : 500_000;
  const module = compileKernels();
  const engine = createEngine(module, createMemory(rows * ROW_BYTES_MAX + (32 << 20)), OWNER);
  const sheet = createSheet(engine, rows);
  yield numbers(engine, sheet);
  yield* csv(engine, module, sheet, options);
}

async function* csv(
  engine: Engine,
  module: CsvThreadData['module'],
  sheet: Sheet,
  options: BenchOptions,
): AsyncGenerator<Benchmark> {
  const { rows, program, columns } = sheet;
  const folder = await mkdtemp(join(tmpdir(), 'csv-rows-'));
  const { memory } = engine.arena;
  const data: CsvThreadData = { module, memory, program, rows, unitRows: UNIT_ROWS, folder };
  const entry = new URL('./csv-rows-thread.ts', import.meta.url);
  const crews = THREADS.map((threads) => new Crew(threads, entry, data));
  await Promise.all(crews.map((crew) => crew.ready()));
  const own = crews.map((crew, i): Task => ({
    name: `rows by the kernel, ${THREADS[i]} thread${THREADS[i] === 1 ? '' : 's'}`,
    run: () => crew.run(TO_NOWHERE),
    checksum: async () => {
      crew.run(TO_FILES);
      return (await readBack(folder)).sum;
    },
  }));
  crews[0]?.run(TO_FILES);
  const { bytes } = await readBack(folder);
  const duck = options.withPeers ? await openDuckdb(columns, 2) : undefined;
  yield {
    title: `CSV, ${rows} rows × ${COLUMNS} columns`,
    amount: bytes / 1e6,
    unit: 'MB',
    isSlow: true,
    tasks: [...(duck ? [duckTask(duck, folder)] : []), ...own],
  };
  duck?.close();
  await Promise.all(crews.map((crew) => crew.close()));
  await rm(folder, { recursive: true });
}

/** Reads all files of the folder, and deletes them. */
async function readBack(folder: string): Promise<{ bytes: number; sum: number }> {
  let [bytes, sum] = [0, 0];
  for (const name of await readdir(folder)) {
    const checksum = new CsvChecksum();
    for await (const chunk of createReadStream(join(folder, name))) {
      bytes += (chunk as Buffer).length;
      checksum.add(chunk as Buffer);
    }
    sum += checksum.total;
    await rm(join(folder, name));
  }
  return { bytes, sum };
}

/** Timed without a disk, as ours is; read back from a file. */
function duckTask(duck: Duck, folder: string): Task {
  const form = '(format csv, header false)';
  return {
    name: 'DuckDB copy, 2 threads',
    run: () => duck.run(`copy t to '/dev/null' ${form}`),
    async checksum() {
      await duck.run(`copy t to '${join(folder, 'duck.csv')}' ${form}`);
      return (await readBack(folder)).sum;
    },
  };
}

/** One column as text, on one thread. */
function numbers(engine: Engine, { frame, rows }: Sheet): Benchmark {
  const { arena } = engine;
  const values = frame.f64('m0');
  const kernelTask = (name: string, decimals?: number): Task => {
    const row = csvRow([csvNumbers(values.byteOffset, decimals)]);
    const program = compileRow(arena, OWNER, rows, row);
    const slot = { address: arena.allocate(64 * rows, OWNER), bytes: 64 * rows };
    let bytes = 0;
    return {
      name,
      run: () => ({ bytes } = writeRows(engine, program, { from: 0, to: rows }, slot)),
      checksum() {
        const text = arena.text(slot.address, bytes).toString('latin1');
        return sumOf(text.split('\n').slice(0, -1));
      },
    };
  };
  let texts: string[] = [];
  const v8Task = (name: string, textOf: (value: number) => string): Task => ({
    name,
    run: () => (texts = Array.from(values, textOf)),
    checksum: () => sumOf(texts),
  });
  return {
    title: `Numbers as text, ${rows} doubles, 1 thread`,
    amount: rows / 1e6,
    unit: 'M',
    tasks: [
      v8Task('V8 String(x)', String),
      kernelTask('shortest by the kernel'),
      v8Task('V8 toFixed(3)', (value) => value.toFixed(3)),
      kernelTask('3 places by the kernel', 3),
    ],
  };
}

function sumOf(texts: readonly string[]): number {
  return texts.reduce((sum, text, i) => sum + Number(text) * (1 + (i % 7)), 0);
}
