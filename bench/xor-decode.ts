/** Prometheus chunks of 120 samples to columns, on one thread. */
import { compileKernels, createEngine, createMemory, type Engine } from '../src/columnar/index.ts';
import { bitsOf, encodeXorChunk, type Sample } from '../test/support/stores/xor-encoder.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import { seededRandom } from './random.ts';

const OWNER = 1;
const CHUNK_SAMPLES = 120;
const START_MS = 1_767_225_600_000;

/** How a kind of series goes on: a value's successor, `r` in [0, 1). */
interface Kind {
  readonly name: string;
  readonly stepMs: number;
  readonly jitterMs: number;
  readonly next: (value: number, r: number) => number;
}

const toNanoseconds = (seconds: number): number => Math.round(seconds * 1e9) / 1e9;
const page = (bytes: number): number => Math.max(0, Math.round(bytes / 4096) * 4096);
const KINDS: readonly Kind[] = [
  kind('CPU seconds counter, 15 s', 15, (v, r) => toNanoseconds(v + r * 30)),
  kind('CPU seconds counter, 60 s', 60, (v, r) => toNanoseconds(v + r * 120)),
  kind('CPU seconds counter, 15 s ± 20 ms', 15, (v, r) => toNanoseconds(v + r * 30), 40),
  kind('bytes counter, 15 s', 15, (v, r) => v + Math.floor(r * r * 1e7)),
  kind('bytes counter, 60 s', 60, (v, r) => v + Math.floor(r * r * 4e7)),
  kind('memory gauge, 15 s', 15, (v, r) => (r < 0.5 ? v : page(v + (r - 0.75) * 1e7))),
  kind('memory gauge, 60 s', 60, (v, r) => (r < 0.2 ? v : page(v + (r - 0.6) * 1e7))),
  kind('constant, 60 s', 60, (v) => v),
];

function kind(name: string, stepS: number, next: Kind['next'], jitterMs: number = 0): Kind {
  return { name, stepMs: stepS * 1000, jitterMs, next };
}

export async function* xorDecodeBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const chunks = options.isSmoke ? 10 : 1000;
  const engine = createEngine(compileKernels(), createMemory(64 << 20), OWNER);
  yield {
    title: `XOR chunks to columns, ${chunks} × ${CHUNK_SAMPLES} samples, 1 thread`,
    amount: (chunks * CHUNK_SAMPLES) / 1e6,
    unit: 'M samples',
    tasks: KINDS.map((each) => decodeTask(engine, each, chunks)),
  };
}

/** The samples of one kind, chunk by chunk: the same on every run. */
export function* samplesOf(kindOfSeries: Kind, chunks: number): Generator<Sample[]> {
  const { stepMs, jitterMs, next } = kindOfSeries;
  const random = seededRandom(1);
  for (let chunk = 0; chunk < chunks; chunk++) {
    let value = Math.floor(random() * 1e9);
    yield Array.from({ length: CHUNK_SAMPLES }, (_, i) => {
      const timestampMs = START_MS + i * stepMs + Math.floor(random() * jitterMs);
      value = next(value, random());
      return { timestampMs: BigInt(timestampMs), valueBits: bitsOf(value) };
    });
  }
}

/** Checksum of decoded samples; both columns count, each sample at its place. */
export function checksumOf(timesMs: Float64Array, values: Float64Array): number {
  return values.reduce(
    (sum, v, i) => sum + (v + (timesMs[i] ?? NaN) - START_MS) * (1 + (i % 7)),
    0,
  );
}

/** The kinds of series, for references. */
export const kinds: readonly Kind[] = KINDS;

function decodeTask({ arena, kernels }: Engine, each: Kind, chunks: number): Task {
  const encoded = [...samplesOf(each, chunks)].map((samples) => encodeXorChunk(samples));
  const bytes = encoded.reduce((sum, chunk) => sum + chunk.length, 8);
  let end = arena.allocate(bytes, OWNER);
  const addresses = encoded.map((chunk) => {
    const at = end;
    arena.u8(at, chunk.length).set(chunk);
    end += chunk.length;
    return { at, length: chunk.length };
  });
  const times = arena.allocate(CHUNK_SAMPLES * 16, OWNER);
  const values = times + CHUNK_SAMPLES * 8;
  const columns = [times, values].map((at) => arena.f64(at, CHUNK_SAMPLES));
  const decode = (visit: () => void): void => {
    for (const { at, length } of addresses) {
      const samples = kernels.decodeXorChunk(at, length, times, values, CHUNK_SAMPLES);
      if (samples !== CHUNK_SAMPLES) throw new Error(`BUG: ${samples} samples of a chunk`);
      visit();
    }
  };
  const checksum = (): number => {
    let sum = 0;
    const [timesMs, valuesOf] = columns;
    if (timesMs && valuesOf) decode(() => (sum += checksumOf(timesMs, valuesOf)));
    return sum;
  };
  const perSample = ((bytes - 8) / (chunks * CHUNK_SAMPLES)).toFixed(1);
  return { name: `${each.name}, ${perSample} B`, run: () => decode(() => {}), checksum };
}
