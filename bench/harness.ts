/**
 * Benchmarks: named tasks over one piece of data, timed with tinybench, the first of them the one
 * that the ratios compare with. Each result has a checksum, so that a fast wrong answer shows.
 */
import type { BenchValues } from '../scripts/commands.ts';
import { Bench, type BenchOptions as BenchLimits } from 'tinybench';

export interface Task {
  readonly name: string;
  readonly run: () => unknown;
  /** A number of the result of the last run, to about ten digits the same for every engine. */
  readonly checksum?: () => number | Promise<number>;
}

export interface Benchmark {
  readonly title: string;
  /** What one run does, for the rate: `amount` in `unit`s. */
  readonly amount: number;
  readonly unit: string;
  /** A run takes so long that one is enough for a round: then there are more rounds. */
  readonly isSlow?: boolean;
  readonly tasks: readonly Task[];
}

export interface Measurement {
  readonly title: string;
  readonly task: string;
  readonly medianMs: number;
  /** Times as fast as the first task. */
  readonly ratio: number;
  /** Units a second. */
  readonly rate: number;
  readonly unit: string;
  /** NaN where there is no result. */
  readonly checksum: number;
}

export interface BenchOptions {
  /** One run of little data, to see that it works. */
  readonly isSmoke: boolean;
  /** Whether to run the peers as well: they have to be installed. */
  readonly withPeers: boolean;
  /** Options of single benchmarks. */
  readonly settings: Partial<BenchValues>;
  /** Prints a line beside the tables. */
  readonly note: (line: string) => void;
}

/** What a file exports; it frees what one benchmark holds before it yields the next. */
export type Benchmarks = (options: BenchOptions) => AsyncGenerator<Benchmark>;

/** Tasks take turns, so that a noisy minute harms them all alike. */
const ROUNDS = 5;
const ROUND = { time: 150, iterations: 7, warmupTime: 30, warmupIterations: 2 };
const SLOW_ROUNDS = 9;
const SINGLE = { time: 0, iterations: 1, warmup: false };

/** Measures one benchmark after the other. */
export async function* measureAll(
  benchmarks: Benchmarks,
  options: BenchOptions,
): AsyncGenerator<Measurement[]> {
  for await (const benchmark of benchmarks(options)) yield await measure(benchmark, options);
}

async function measure(benchmark: Benchmark, options: BenchOptions): Promise<Measurement[]> {
  const { title, amount, unit, isSlow = false, tasks } = benchmark;
  const limits = isSlow || options.isSmoke ? SINGLE : ROUND;
  const count = isSlow ? SLOW_ROUNDS : ROUNDS;
  if (isSlow && !options.isSmoke) await medians(tasks, limits); // to warm up
  const rounds: number[][] = [];
  for (let round = 0; round < (options.isSmoke ? 1 : count); round++) {
    rounds.push(await medians(tasks, limits));
  }
  const measurements: Measurement[] = [];
  for (const [i, task] of tasks.entries()) {
    const medianMs = median(rounds.map((round) => round[i] ?? NaN));
    await task.run();
    const checksum = (await task.checksum?.()) ?? NaN;
    const ratio = (measurements[0]?.medianMs ?? medianMs) / medianMs;
    const rate = (amount / medianMs) * 1000;
    measurements.push({ title, task: task.name, medianMs, ratio, rate, unit, checksum });
  }
  return measurements;
}

async function medians(tasks: readonly Task[], limits: BenchLimits): Promise<number[]> {
  const bench = new Bench({ ...limits, throws: true });
  for (const { name, run } of tasks) bench.add(name, async () => void (await run()));
  await bench.run();
  return bench.tasks.map(({ result }) => ('latency' in result ? result.latency.p50 : NaN));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

/** A table in Markdown. */
export function toTable(measurements: readonly Measurement[]): string {
  const rows = measurements.map(({ task, medianMs, ratio, rate, unit, checksum }) => [
    task,
    `${medianMs.toFixed(2)} ms`,
    `${ratio.toFixed(2)}×`,
    `${rate >= 100 ? rate.toFixed(0) : rate.toFixed(1)} ${unit}/s`,
    Number.isNaN(checksum) ? '' : checksum.toPrecision(10),
  ]);
  const lines = [['task', 'median', 'ratio', 'rate', 'checksum'], Array(5).fill('---'), ...rows];
  const title = measurements[0]?.title ?? '';
  return `**${title}**\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}
