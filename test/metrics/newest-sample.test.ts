/** How far a store's samples go, told by the heads of its chunks and blocks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newestSampleMs, type Batch, type MetricsSource } from '../../src/metrics/index.ts';
import { encodeChunked } from '../support/stores/chunked-frames.ts';
import { encodeSamples, type TestSeries } from '../support/stores/samples-encoding.ts';
import { encodeStored } from '../support/stores/stored-series.ts';

const NOW = Date.UTC(2024, 4, 20);
const MINUTE = 60_000;
const { signal } = new AbortController();

function seriesAt(timestampsMs: readonly number[]): TestSeries {
  return { labels: [['node', 'one']], timestampsMs, values: timestampsMs.map(() => 1) };
}

/** @param only the metric that has samples; by default each */
function sourceOf(batches: readonly Batch[], only?: string): MetricsSource {
  return {
    name: 'a list',
    concurrentReads: 1,
    async *read({ metric }) {
      if (only === undefined || metric === only) yield* batches;
    },
  };
}

const ENCODINGS: readonly ((series: readonly TestSeries[]) => Batch)[] = [
  (series) => ({ encoding: 'samples', bytes: encodeSamples(series) }),
  (series) => ({ encoding: 'chunked-read', bytes: encodeChunked(series, 3) }),
  (series) => ({ encoding: 'stored-chunks', bytes: encodeStored(series, 3) }),
  (series) => ({
    encoding: 'chunked-read',
    bytes: Buffer.concat(series.map((one) => encodeChunked([one], 2))),
  }),
];

test('the newest sample is that of the series, in whatever batches they come', async () => {
  const minutes = fc.uniqueArray(fc.integer({ min: -100, max: 9 }), { minLength: 1, maxLength: 9 });
  const times = minutes.map((all) => all.toSorted((a, b) => a - b).map((at) => NOW + at * MINUTE));
  await fc.assert(
    fc.asyncProperty(fc.array(times, { minLength: 1, maxLength: 4 }), async (all) => {
      const expected = Math.min(NOW, Math.max(...all.flat()));
      for (const encode of ENCODINGS) {
        const source = sourceOf([encode(all.map(seriesAt))]);
        const range = { startMs: NOW - 10 * MINUTE, endMs: NOW };
        assert.equal(await newestSampleMs(source, range, signal), expected);
      }
    }),
    { numRuns: 50 },
  );
});

const CASES: readonly (readonly [string, readonly number[], number | undefined])[] = [
  ['no sample at all', [], undefined],
  ['a sample of a clock that is ahead', [5], 0],
  ['samples of next year, as they prove nothing', [500_000], undefined],
  ['a chunk that begins before', [-40, -7, -3], -3],
  ['a chunk without an end, which shows the start of the range alone', [-40, 500_000], -10],
];
for (const [what, minutes, found] of CASES)
  test(`the newest sample is told for ${what}`, async () => {
    const series = minutes.length === 0 ? [] : [seriesAt(minutes.map((at) => NOW + at * MINUTE))];
    for (const encode of ENCODINGS) {
      const range = { startMs: NOW - 10 * MINUTE, endMs: NOW };
      const newestMs = await newestSampleMs(sourceOf([encode(series)]), range, signal);
      assert.equal(newestMs, found === undefined ? undefined : NOW + found * MINUTE);
    }
  });

test('a store without nodes tells its newest sample by pods', async () => {
  const batch = ENCODINGS[1]?.([seriesAt([NOW - MINUTE])]);
  assert.ok(batch);
  const range = { startMs: NOW - 10 * MINUTE, endMs: NOW };
  for (const metric of ['kube_pod_info', 'kube_pod_container_resource_requests'])
    assert.equal(await newestSampleMs(sourceOf([batch], metric), range, signal), NOW - MINUTE);
});

test('damaged batches end, and prove nothing', async () => {
  const whole = ENCODINGS.map((encode) => encode([seriesAt([NOW - MINUTE])]));
  for (const { encoding, bytes } of whole) {
    for (let length = 0; length < bytes.length; length++) {
      const source = sourceOf([{ encoding, bytes: bytes.subarray(0, length) }]);
      const newestMs = await newestSampleMs(source, { startMs: 0, endMs: NOW }, signal);
      assert.ok((newestMs ?? 0) <= NOW);
    }
  }
});
