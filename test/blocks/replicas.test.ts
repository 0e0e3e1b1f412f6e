/** Replicas as one series, against the same rule sample by sample. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { oneOfReplicas } from '../../src/blocks/reading/replicas.ts';
import { asBlockSeries, chunksOf, plainSamples } from '../support/stores/block-samples.ts';

type Samples = readonly (readonly [timeMs: number, value: number])[];

const INTERVAL_MS = 60_000;
const SCRAPES = 60;
const WHOLE = { beforeMs: -Infinity, afterMs: Infinity };

/** What one replica has of a counter that rises by one a millisecond: by its own clock, and not while it is down. */
const replica = fc
  .record({
    phaseMs: fc.integer({ min: 0, max: INTERVAL_MS - 1 }),
    skewMs: fc.integer({ min: -0.4 * INTERVAL_MS, max: 0.4 * INTERVAL_MS }),
    outages: fc.array(
      fc.record({ at: fc.nat(SCRAPES - 1), scrapes: fc.integer({ min: 1, max: 30 }) }),
      { maxLength: 3 },
    ),
  })
  .map(({ phaseMs, skewMs, outages }): Samples =>
    Array.from({ length: SCRAPES }, (_, i) => i)
      .filter((i) => !outages.some(({ at, scrapes }) => i >= at && i < at + scrapes))
      .map((i) => {
        const realMs = 1_000_000 + i * INTERVAL_MS + phaseMs;
        return [realMs + skewMs, realMs] as const;
      }),
  );
const sizes = fc.constantFrom(2, 7, 120);

function merged(replicas: readonly Samples[], chunkSamples: number): Samples {
  const read = replicas.map((samples) => ({ ...WHOLE, chunks: chunksOf(samples, chunkSamples) }));
  const [labels] = asBlockSeries([{ labels: { __name__: 'x' }, samples: [[0, 0]] }]);
  assert.ok(labels !== undefined);
  const found = plainSamples([{ labels: labels.labels, chunks: oneOfReplicas(read) }]);
  return [...found.values()].flat();
}

/** The median of the steps of the chunk in which they are shortest on average. */
function intervalOf(samples: Samples, chunkSamples: number): number | undefined {
  const chunks: { readonly mean: number; readonly steps: number[] }[] = [];
  for (let from = 0; from + 1 < samples.length; from += chunkSamples) {
    const own = samples.slice(from, from + chunkSamples);
    const steps = own.slice(1).map(([ms], i) => ms - (own[i]?.[0] ?? 0));
    chunks.push({ mean: steps.reduce((sum, step) => sum + step, 0) / steps.length, steps });
  }
  const { steps } = chunks.reduce((a, b) => (b.mean < a.mean ? b : a), {
    mean: Infinity,
    steps: [] as number[],
  });
  return steps.toSorted((a, b) => a - b)[steps.length >> 1];
}

function slowly(first: Samples, other: Samples, chunkSamples: number): Samples {
  const intervalMs =
    intervalOf(first, chunkSamples) ?? intervalOf(other, chunkSamples) ?? INTERVAL_MS;
  const times = [-Infinity, ...first.map(([ms]) => ms), Infinity];
  const filled = times.slice(1).flatMap((toMs, i) => {
    const fromMs = times[i] ?? 0;
    if (toMs - fromMs <= 3 * intervalMs) return [];
    return other.filter(([ms]) => ms >= fromMs + intervalMs && ms <= toMs - intervalMs);
  });
  return [...first, ...filled].sort(([a], [b]) => a - b);
}

describe('replicas', () => {
  test('each time is of one of them: the first, and the other where the first has a gap', () => {
    fc.assert(
      fc.property(replica, replica, sizes, (first, other, size) => {
        assert.deepEqual(merged([first, other], size), slowly(first, other, size));
      }),
      { numRuns: 200 },
    );
  });

  test('a counter never falls, though their clocks differ', () => {
    fc.assert(
      fc.property(replica, replica, replica, sizes, (first, second, third, size) => {
        const samples = merged([first, second, third], size);
        for (const [i, [ms, value]] of samples.entries()) {
          const [beforeMs, before] = samples[i - 1] ?? [-Infinity, -Infinity];
          assert.ok(
            ms > beforeMs && value >= before,
            `${before} at ${beforeMs}, ${value} at ${ms}`,
          );
        }
      }),
      { numRuns: 200 },
    );
  });

  test('one that has no sample in the range, but before and after it, leaves it to the other', () => {
    const other = chunksOf([0, 1, 2, 3, 4, 5].map((i) => [i * INTERVAL_MS, i]));
    const alone = { chunks: [], beforeMs: -INTERVAL_MS, afterMs: 6 * INTERVAL_MS };
    const of = { chunks: other, beforeMs: -Infinity, afterMs: Infinity };
    assert.equal(oneOfReplicas([alone, of]).length, 1);
    const near = { ...alone, beforeMs: 2 * INTERVAL_MS, afterMs: 4 * INTERVAL_MS };
    assert.equal(oneOfReplicas([near, of]).length, 0);
  });
});
