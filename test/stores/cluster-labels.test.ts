/** Labels of clusters, given to series in batches of either encoding, beside a slow reference. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Batch } from '../../src/metrics/index.ts';
import { ClusterLabels } from '../../src/stores/cluster-labels.ts';
import { readBatches, seriesKey } from '../support/references/read-batches.ts';
import { encodeChunked } from '../support/stores/chunked-frames.ts';
import { encodeStored } from '../support/stores/stored-series.ts';
import { encodeSamples, type TestSeries } from '../support/stores/samples-encoding.ts';

const NAMES = ['cluster_id', 'cluster'];
const room = (bytes: number): Uint8Array => new Uint8Array(bytes);

const label = fc.constantFrom('cluster', 'cluster_id', 'clusters', 'pod', 'cluster_', 'ünïcode');
const text = fc.oneof(fc.constantFrom('east', 'west', ''), fc.string({ maxLength: 200 }));
const series: fc.Arbitrary<TestSeries> = fc
  .record({
    labels: fc.uniqueArray(fc.tuple(label, text), { selector: ([name]) => name, maxLength: 5 }),
    steps: fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 20 }),
  })
  .map(({ labels, steps }, i = 0) => {
    let ms = 1_700_000_000_000;
    const timestampsMs = steps.map((step) => (ms += step));
    const all = [['__name__', `m${i}`] as const, ...labels];
    return { labels: all, timestampsMs, values: timestampsMs.map((_, at) => at) };
  });

function expected(all: readonly TestSeries[], cluster: string): string[] {
  return all.map(({ labels, timestampsMs }) => {
    const named = Object.fromEntries(labels);
    const isNamed = NAMES.some((name) => (named[name] ?? '') !== '');
    return `${seriesKey(isNamed ? named : withoutEmpty(named, cluster))} ${timestampsMs.join()}`;
  });
}

/** The one that is given comes first, and an empty one of its name after it. */
function withoutEmpty(
  named: Readonly<Record<string, string>>,
  cluster: string,
): Record<string, string> {
  return { cluster_id: cluster, ...named, ...('cluster_id' in named ? { cluster_id: '' } : {}) };
}

const ENCODINGS: readonly (readonly [
  Batch['encoding'],
  (all: readonly TestSeries[]) => Uint8Array,
])[] = [
  ['samples', (all) => Uint8Array.from(encodeSamples(all))],
  ['stored-chunks', (all) => Uint8Array.from(encodeStored(all))],
  ['chunked-read', (all) => Buffer.concat(all.map((one) => encodeChunked([one])))],
  ['chunked-read', (all) => Buffer.concat([encodeChunked(all), encodeChunked(all)])],
];

describe('the label of a cluster', () => {
  for (const [i, [encoding, encode]] of ENCODINGS.entries())
    test(`is given to series without one, with the same samples: ${encoding}, ${i}`, async () => {
      const property = async (all: readonly TestSeries[], cluster: string): Promise<void> => {
        const labels = new ClusterLabels(cluster, NAMES);
        for (const each of i < 3 ? all : []) {
          const given = labels.give({ encoding, bytes: encode([each]) }, room);
          const read = [...(await readBatches([given])).values()];
          const found = read.map((one) => `${seriesKey(one.labels)} ${one.timestampsMs.join()}`);
          assert.deepEqual(found, expected([each], cluster));
        }
        if (i === 3) {
          const given = labels.give({ encoding, bytes: encode(all) }, room);
          const read = [...(await readBatches([given])).values()];
          const wanted = expected(all, cluster).map((line) => line.split(' 17')[0] ?? '');
          assert.deepEqual(
            read.map((one) => seriesKey(one.labels)),
            [...new Set(wanted)],
          );
          return;
        }
        // All at once comes to the bytes of one after the other.
        const parts = all.map((one) => labels.give({ encoding, bytes: encode([one]) }, room).bytes);
        const whole = labels.give({ encoding, bytes: encode(all) }, room);
        assert.deepEqual(Buffer.from(whole.bytes), Buffer.concat(parts));
      };
      const name = fc.string({ minLength: 1, maxLength: 120 });
      await fc.assert(
        fc.asyncProperty(fc.array(series, { minLength: 1, maxLength: 5 }), name, property),
        { numRuns: 60 },
      );
    });

  test('leaves a batch as it is in which all series have one, and names other clusters', () => {
    const labels = new ClusterLabels('east', NAMES);
    const one = { labels: [['cluster', 'west']], timestampsMs: [1], values: [1] } as const;
    const batch: Batch = { encoding: 'chunked-read', bytes: encodeChunked([one]) };
    assert.equal(labels.give(batch, room).bytes, batch.bytes);
    assert.deepEqual([...labels.others], ['west']);
  });

  test('does not hide damage: what came with a wrong checksum still has one, what is cut off still is', async () => {
    const bytes = encodeChunked([{ labels: [['pod', 'p']], timestampsMs: [1, 2], values: [1, 2] }]);
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      const given = new ClusterLabels('east', NAMES).give(
        { encoding: 'chunked-read', bytes: damaged },
        room,
      );
      await assert.rejects(readBatches([given]), `byte ${at}`);
    }
    for (let length = 1; length < bytes.length; length++) {
      const given = new ClusterLabels('east', NAMES).give(
        { encoding: 'chunked-read', bytes: bytes.subarray(0, length) },
        room,
      );
      assert.deepEqual(Buffer.from(given.bytes), bytes.subarray(0, length));
    }
  });
});
