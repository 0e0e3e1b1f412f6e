import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainRequest } from '../../../src/agent/sending/plain-request.ts';
import { SymbolsRequest } from '../../../src/agent/sending/symbols-request.ts';
import { encodeLabels } from '../../../src/metrics/index.ts';
import { seriesOfOne, seriesOfTwo } from '../../support/references/write-requests.ts';

const NAME = fc.constantFrom('__name__', 'a', 'cluster', 'cluster_id', 'pod', 'z', 'Zone');
const TEXT = fc.oneof(
  fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }),
  fc.constantFrom('x_total', 'up'),
);
const LABELS = fc.dictionary(NAME, TEXT, { maxKeys: 6 });
const SAMPLE = fc.record({
  labels: LABELS,
  timeMs: fc.oneof(fc.integer({ min: -5, max: 300 }), fc.integer({ min: 1.6e12, max: 2 ** 45 })),
  value: fc.oneof(fc.double({ noNaN: true }), fc.constant(NaN), fc.constant(undefined)),
});

function sorted(labels: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

test('messages of 1.0 and 2.0 have each sample with its labels and those that are added', () => {
  const added = fc.dictionary(fc.constantFrom('cluster_id', 'b', 'a', 'zz'), TEXT, { maxKeys: 3 });
  fc.assert(
    fc.property(fc.array(SAMPLE, { maxLength: 8 }), added, (samples, more) => {
      const request = new SymbolsRequest(
        sorted(more).map(([name, value]) => ({
          name: Buffer.from(name),
          value: Buffer.from(value),
        })),
      );
      for (const { labels, ...sample } of samples) {
        request.add({ labels: encodeLabels(labels), ...sample });
      }
      assert.equal(request.samples, samples.length);
      const expected = samples.map(({ labels, timeMs, value = 'stale' as const }) => ({
        labels: sorted({ ...more, ...labels }),
        timeMs,
        value,
      }));
      const message = request.take();
      assert.deepEqual(seriesOfOne(plainRequest(message)), expected);
      const typed = expected.map((series) => {
        const [, name = ''] = series.labels.find(([label]) => label === '__name__') ?? [];
        return { ...series, type: name.endsWith('_total') ? 1 : 2 };
      });
      assert.deepEqual(seriesOfTwo(message), typed);
      assert.equal(request.samples, 0);
    }),
    { numRuns: 300 },
  );
});
