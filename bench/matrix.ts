/**
 * The JSON of range selectors to columns, on one thread, in pieces as a socket gives them: the kernel
 * (workers/kernels/decode/matrix.ts) against JSON.parse of the whole, and Number for each value.
 */
import {
  Arena,
  compileKernels,
  createMemory,
  instantiateKernels,
  MatrixReader,
} from '../src/columnar/index.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import type { SampledSeries } from './store-block.ts';
import { usageFleet } from './usage-fleet.ts';

const OWNER = 1;
const PIECE_BYTES = 64 * 1024;

const METRICS = [
  'container_cpu_usage_seconds_total',
  'container_memory_working_set_bytes',
  'kube_pod_container_resource_requests',
] as const;

export async function* matrixBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const containers = options.isSmoke ? 3 : 300;
  const fleet = usageFleet({ containers, hours: 6, intervalMs: 60_000, isFourOnly: true });
  for (const metric of METRICS) {
    const series = seriesOf(fleet.series, metric);
    const text = matrixOf(series);
    const samples = series.reduce((sum, each) => sum + each.samples().timesMs.length, 0);
    yield {
      title: `JSON of ${metric} to columns, ${(text.length / samples).toFixed(1)} B a sample, 1 thread`,
      amount: text.length / 1e6,
      unit: 'MB',
      tasks: [byParse(text), byKernel(text)],
    };
  }
}

/** The series of a metric. */
export function seriesOf(series: readonly SampledSeries[], metric: string): SampledSeries[] {
  return series.filter(({ labels }) => labels[0]?.[1] === metric);
}

/** The result of a range selector, as Prometheus writes it. */
export function matrixOf(series: readonly SampledSeries[]): Buffer {
  const result = series.map((each) => {
    const { timesMs, values } = each.samples();
    const pairs = Array.from(timesMs, (ms, i) => [ms / 1000, String(values[i])]);
    return { metric: Object.fromEntries(each.labels), values: pairs };
  });
  return Buffer.from(JSON.stringify(result));
}

/** Weighs each sample by its place in its series. */
export function weighed(
  sum: number,
  timesMs: ArrayLike<number>,
  values: ArrayLike<number>,
): number {
  for (let i = 0; i < timesMs.length; i++)
    sum += ((timesMs[i] ?? NaN) / 1e9 + (values[i] ?? NaN)) * (1 + (i % 7));
  return sum;
}

interface ParsedSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

function byParse(text: Buffer): Task {
  const read = (visit: (timesMs: Float64Array, values: Float64Array) => void): void => {
    for (const { values } of JSON.parse(text.toString()) as ParsedSeries[])
      visit(
        Float64Array.from(values, ([seconds]) => Math.round(seconds * 1000)),
        Float64Array.from(values, ([, value]) => Number(value)),
      );
  };
  return taskOf('JSON.parse and Number', read);
}

function byKernel(text: Buffer): Task {
  const memory = createMemory(16 << 20);
  const arena = new Arena(memory);
  const kernels = instantiateKernels(compileKernels(), memory);
  const none = (): never => {
    throw new Error('BUG: a number that the kernel cannot read');
  };
  const read = (visit: (timesMs: Float64Array, values: Float64Array) => void): void => {
    const reader = new MatrixReader(arena, kernels, OWNER, {
      onSeries: ({ timesMs, values }) => visit(timesMs, values),
      timeMs: none,
      value: none,
    });
    let end = -1;
    // From behind the bracket.
    for (let at = 1; end < 0; at += PIECE_BYTES)
      end = reader.push(text.subarray(at, at + PIECE_BYTES), 0);
    arena.release(OWNER);
  };
  return taskOf(`kernel, pieces of ${PIECE_BYTES >> 10} KiB`, read);
}

type Read = (visit: (timesMs: Float64Array, values: Float64Array) => void) => void;

function taskOf(name: string, read: Read): Task {
  const checksum = (): number => {
    let sum = 0;
    read((timesMs, values) => (sum = weighed(sum, timesMs, values)));
    return sum;
  };
  return { name, run: () => read(() => undefined), checksum };
}
