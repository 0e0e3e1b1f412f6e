/** Batches of an observed source are reported, and unchanged. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import {
  observed,
  type Batch,
  type MetricsSource,
  type ReadEvent,
} from '../../src/metrics/index.ts';
import { Unavailable } from '../../src/query/index.ts';
import { encodeChunked } from '../support/stores/chunked-frames.ts';
import { encodeSamples, type TestSeries } from '../support/stores/samples-encoding.ts';
import { encodeStored } from '../support/stores/stored-series.ts';

function series(name: string, samples: number): TestSeries {
  const times = Array.from({ length: samples }, (_, i) => 1000 * i);
  return { labels: [['__name__', name]], timestampsMs: times, values: times };
}

const THREE = [series('a', 1), series('longer', 300), series('c', 2)];
const BATCHES: readonly Batch[] = [
  { encoding: 'samples', bytes: encodeSamples(THREE) },
  { encoding: 'chunked-read', bytes: Buffer.concat(THREE.map((one) => encodeChunked([one]))) },
  { encoding: 'chunked-read', bytes: new Uint8Array(0) },
  { encoding: 'stored-chunks', bytes: encodeStored(THREE) },
  { encoding: 'stored-chunks', bytes: encodeStored(THREE).subarray(0, -8) },
  { encoding: 'stored-chunks', bytes: new Uint8Array(20) },
  { encoding: 'samples', bytes: new Uint8Array(16).fill(255) },
];

test('bytes and series of each batch are reported, also of damaged ones, and the end of the read', async () => {
  const source: MetricsSource = {
    name: 'a list',
    concurrentReads: 3,
    async *read() {
      yield* BATCHES;
    },
  };
  const events: ReadEvent[] = [];
  const watched = observed(source, (event) => events.push(event));
  assert.deepEqual([watched.name, watched.concurrentReads], ['a list', 3]);
  const range = { startMs: 0, endMs: 1 };
  const passed: Batch[] = [];
  const { signal } = new AbortController();
  for await (const batch of watched.read({ metric: 'm', matchers: [] }, range, signal))
    passed.push(batch);
  assert.deepEqual(passed, BATCHES);
  assert.deepEqual(
    events.map(({ metric, bytes, series: count, isDone }) => [metric, bytes, count, isDone]),
    [
      ['m', BATCHES[0]?.bytes.length, 3, false],
      ['m', BATCHES[1]?.bytes.length, 3, false],
      ['m', 0, 0, false],
      ['m', BATCHES[3]?.bytes.length, 3, false],
      ['m', BATCHES[4]?.bytes.length, 3, false],
      ['m', 20, 1, false],
      ['m', 16, 1, false],
      ['m', 0, 0, true],
    ],
  );
  assert.equal(await watched.earliestSampleMs?.(signal), undefined);
});

test('what a source knows of replicas and of damage is known of it when it is observed', async () => {
  const range = { startMs: 0, endMs: 1 };
  const { signal } = new AbortController();
  const plain: MetricsSource = { name: 'a list', concurrentReads: 1, async *read() {} };
  const damage = new Unavailable('a block is damaged');
  const source: MetricsSource = {
    ...plain,
    hasReplicas: true,
    findDamage: ([metric]) => Promise.resolve(metric === 'm' ? damage : undefined),
  };
  const watched = observed(source, () => undefined);
  assert.equal(watched.hasReplicas, true);
  assert.equal(await watched.findDamage?.(['m'], range, signal), damage);
  const without = observed(plain, () => undefined);
  assert.equal(without.hasReplicas, false);
  assert.equal(await without.findDamage?.(['m'], range, signal), undefined);
});
