import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { MatrixSeries } from '../../src/columnar/index.ts';
import { encodeLabels } from '../../src/metrics/samples.ts';
import { SeriesBatches } from '../../src/metrics/readers/series-batches.ts';
import { SeriesTails } from '../../src/metrics/readers/series-tails.ts';
import { numberOf, readSamples } from '../support/references/read-batches.ts';

type Sample = readonly [ms: number, value: number];
type Series = ReadonlyMap<string, readonly Sample[]>;

const JOIN_MS = 600_000;

function columns(pod: string, samples: readonly Sample[]): MatrixSeries {
  const values = Float64Array.from(samples, ([, value]) => value);
  return {
    labels: encodeLabels({ pod }),
    timesMs: Float64Array.from(samples, ([ms]) => ms),
    values,
    nonFinite: values.filter((value) => !Number.isFinite(value)).length,
  };
}

/** Blocks by pod, from slices that end at `endsMs`, each slice read `times` times. */
function sliced(series: Series, endsMs: readonly number[], times = 1): Map<string, Sample[][]> {
  const batches = new SeriesBatches();
  const tails = new SeriesTails(batches);
  let fromMs = -Infinity;
  for (const endMs of endsMs) {
    // Both ends belong to the slice, as in Prometheus 2.
    for (let again = 0; again < times; again++)
      for (const [pod, samples] of series) {
        const piece = samples.filter(([ms]) => ms >= fromMs && ms <= endMs);
        if (piece.length > 0) tails.add(columns(pod, piece));
      }
    tails.endSlice(endMs);
    fromMs = endMs;
  }
  tails.endRead();
  const blocks = new Map<string, Sample[][]>([...series.keys()].map((pod) => [pod, []]));
  for (const batch of batches.takeAll())
    for (const { labels, timestampsMs, valueBits } of readSamples(batch))
      blocks
        .get(labels['pod'] ?? '')
        ?.push(timestampsMs.map((ms, i) => [ms, numberOf(valueBits[i] ?? 0n)]));
  return blocks;
}

const series: fc.Arbitrary<Series> = fc
  .array(
    fc.array(
      fc.tuple(
        fc.oneof(fc.constant(30_000), fc.integer({ min: 1, max: 2 * JOIN_MS })),
        fc.constantFrom(0, 1, 2.5, 7, Number.NaN, Infinity),
      ),
      { maxLength: 30 },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((list) => new Map(list.map((steps, n) => [`pod-${n}`, timed(steps)])));

function timed(steps: readonly (readonly [number, number])[]): Sample[] {
  let ms = 0;
  return steps.map(([stepMs, value]): Sample => [(ms += stepMs), value]);
}

const ends = fc
  .array(fc.integer({ min: 1, max: 40 * JOIN_MS }), { maxLength: 12 })
  .map((some) => [...some, 80 * JOIN_MS].sort((a, b) => a - b));

const isFinite = ([, value]: Sample): boolean => Number.isFinite(value);

describe('slices of a read', () => {
  test('yield each sample once, and again at the start of a piece, in order of time', () => {
    fc.assert(
      fc.property(series, ends, fc.integer({ min: 1, max: 2 }), (all, endsMs, times) => {
        for (const [pod, blocks] of sliced(all, endsMs, times)) {
          const finite = blocks.filter((block) => block.every(isFinite));
          const odd = blocks.filter((block) => !block.every(isFinite)).flat();
          const whole: Sample[] = [];
          for (const block of finite)
            whole.push(...(block[0]?.[0] === whole.at(-1)?.[0] ? block.slice(1) : block));
          assert.deepEqual(whole, all.get(pod)?.filter(isFinite));
          assert.deepEqual(
            odd,
            all.get(pod)?.filter((sample) => !isFinite(sample)),
          );
        }
      }),
    );
  });

  test('do not lose an interval of at most ten minutes between two finite samples', () => {
    fc.assert(
      fc.property(series, ends, (all, endsMs) => {
        for (const [pod, blocks] of sliced(all, endsMs)) {
          const pairs = new Set(
            blocks.flatMap((block) => block.slice(1).map(([ms], i) => `${block[i]?.[0]} ${ms}`)),
          );
          const samples = all.get(pod)?.filter(isFinite) ?? [];
          samples.slice(1).forEach(([ms], i) => {
            const before = samples[i]?.[0] ?? 0;
            if (ms - before <= JOIN_MS) assert.ok(pairs.has(`${before} ${ms}`), `${before} ${ms}`);
          });
        }
      }),
    );
  });
});
