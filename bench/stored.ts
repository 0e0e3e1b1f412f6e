/**
 * Queries over 30 stored days of 50,000 containers, through the whole server on this machine: the
 * first answer of a fresh process whose files are in the page cache, the same rows asked otherwise,
 * and the same question on another page. Each answer's total is that of the days.
 */
import { startProrata, type Prorata } from '../test/support/servers/prorata.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import { cpuMs, peakBytes } from './process-figures.ts';
import { FIRST_DAY_MS, prepareDays, type DaysSize } from './stored-days.ts';

const DAY_MS = 86_400_000;
const STARTS = 5;
const QUESTIONS: readonly (readonly [string, string])[] = [
  ['by namespace, accumulated', 'aggregate=namespace&accumulate=true'],
  ['by namespace, 30 sets', 'aggregate=namespace'],
  ['by controller, accumulated', 'aggregate=controller&accumulate=true'],
  ['by label app, accumulated', 'aggregate=label:app&accumulate=true'],
  ['not aggregated, 30 sets', ''],
];

export async function* storedBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const size = options.isSmoke ? { days: 2, rows: 1000 } : { days: 30, rows: 50_000 };
  const folder = await prepareDays(size);
  const flags = flagsOf(folder, size);
  for (let i = 0; i < (options.isSmoke ? 1 : STARTS); i++) await firstAnswer(flags, size, options);
  const prorata = await startProrata(flags);
  try {
    const amount = (size.days * size.rows) / 1e6;
    const common = { amount, unit: 'M rows', isSlow: true } as const;
    for (const [name, question] of QUESTIONS) {
      const tasks = tasksOf(prorata, `${windowOf(size)}&${question}`);
      yield { title: `${size.days} × ${size.rows} rows ${name}`, ...common, tasks };
      for (const task of tasks) options.note(`${task.name}: ${await leastCpu(prorata, task)}`);
    }
    options.note(`peak resident size ${(peakBytes(prorata.pid) / 1e6).toFixed(0)} MB`);
  } finally {
    await prorata.stop();
  }
}

export function flagsOf(folder: string, { days }: DaysSize): string[] {
  const now = new Date(FIRST_DAY_MS + (days + 1) * DAY_MS).toISOString();
  return ['--data-dir', folder, '--now', now];
}

export function windowOf({ days }: DaysSize): string {
  const [from, to] = [FIRST_DAY_MS, FIRST_DAY_MS + days * DAY_MS];
  return `window=${new Date(from).toISOString()},${new Date(to).toISOString()}`;
}

/** So that no question is asked twice. */
let asked = 0;

/** `otherwise` reads every row again; another page needs only what the sets came to before. */
function tasksOf(prorata: Prorata, query: string): Task[] {
  const next = (): number => ++asked;
  const otherwise = (): string => `${query}&filter=node!:"none-${next()}"&limit=20`;
  if (!query.includes('aggregate')) {
    const page = (): string => `${query}&limit=20&offset=${20 * next()}`;
    return [
      task(prorata, 'asked otherwise, 20 rows', otherwise),
      task(prorata, 'another page, 20 rows', page, `${query}&limit=20&offset=20`),
    ];
  }
  const page = (): string => `${query}&limit=${1_000_000 + next()}`;
  return [
    task(prorata, 'asked otherwise, 20 rows', otherwise),
    task(prorata, 'another page', page),
  ];
}

/** @param checked the query of the checksum; absent: the next one, which comes to the same */
function task(prorata: Prorata, name: string, query: () => string, checked?: string): Task {
  return {
    name,
    run: async () => void (await ask(prorata, query())).length,
    checksum: async () => totalOf(await ask(prorata, checked ?? query())),
  };
}

async function leastCpu(prorata: Prorata, { run }: Task): Promise<string> {
  let least = Infinity;
  for (let i = 0; i < 5; i++) {
    const before = cpuMs(prorata.pid);
    await run();
    least = Math.min(least, cpuMs(prorata.pid) - before);
  }
  return `${least.toFixed(1)} ms of CPU at least`;
}

async function firstAnswer(
  flags: readonly string[],
  size: DaysSize,
  { note }: BenchOptions,
): Promise<void> {
  const begunMs = performance.now();
  const prorata = await startProrata(flags);
  const startedMs = performance.now();
  const before = cpuMs(prorata.pid);
  const text = await ask(prorata, `${windowOf(size)}&aggregate=namespace&accumulate=true`);
  const endMs = performance.now();
  const cpu = cpuMs(prorata.pid) - before;
  const took = `${(endMs - startedMs).toFixed(0)} ms (${cpu.toFixed(0)} ms of CPU)`;
  note(`first answer ${took}, ${(endMs - begunMs).toFixed(0)} ms from start; ${totalOf(text)} USD`);
  await prorata.stop();
}

export async function ask({ url }: Prorata, query: string): Promise<string> {
  const response = await fetch(`${url}/model/allocation?${query}`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${query}: ${response.status} ${text}`);
  return text;
}

export function totalOf(text: string): number {
  const { data } = JSON.parse(text) as { data: Record<string, { totalCost: number }>[] };
  const rows = data.flatMap((set) => Object.values(set));
  return rows.reduce((sum, { totalCost }) => sum + totalCost, 0);
}
