import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeLabels, markStale, SamplesWriter } from '../../src/metrics/samples.ts';
import {
  encodeLabels as encodeByParts,
  encodeSamples,
} from '../support/stores/samples-encoding.ts';

const NAME = fc.stringMatching(/^[a-z_][a-z0-9_]{0,9}$/);
const TEXT = fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' });
const LABELS = fc.dictionary(NAME, TEXT, { maxKeys: 6 });
const VALUES = fc.array(fc.oneof(fc.double({ noNaN: true }), fc.constant('stale' as const)), {
  maxLength: 40,
});

function sorted(labels: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

test('blocks are, byte for byte, those of the reference', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(LABELS, VALUES), { maxLength: 6 }), (rows) => {
      const writer = new SamplesWriter(1 << 20);
      const series = rows.map(([labels, values]) => {
        const block = writer.block(encodeLabels(labels), values.length);
        assert.ok(block, 'no room for a block');
        const timestampsMs = values.map((_, i) => 1.7e12 + i * 60_000);
        block.timesMs.set(timestampsMs);
        values.forEach((value, i) => {
          if (value === 'stale') markStale(block.values, i);
          else block.values[i] = value;
        });
        return { labels: sorted(labels), timestampsMs, values };
      });
      assert.deepEqual(Buffer.from(writer.take()), encodeSamples(series));
    }),
    { seed: 11, numRuns: 200 },
  );
});

test('labels are sorted by name, and empty ones are left out', () => {
  const labels = { pod: 'p', __name__: 'up', empty: '', namespace: 'n' };
  const expected = encodeByParts([
    ['__name__', 'up'],
    ['namespace', 'n'],
    ['pod', 'p'],
  ]);
  assert.deepEqual(Buffer.from(encodeLabels(labels)), expected);
});

test('a full batch has to be taken, and memory that was taken is not changed', () => {
  const writer = new SamplesWriter(100);
  writer.block(new Uint8Array(0), 5)?.values.fill(1);
  assert.equal(writer.block(new Uint8Array(0), 5), undefined);
  const first = writer.take();
  assert.equal(first.length, 88);
  writer.block(new Uint8Array(0), 5)?.values.fill(2);
  assert.equal(new Float64Array(first.buffer, 48, 1)[0], 1);
});

test('a block larger than a batch gets one of its own size', () => {
  const writer = new SamplesWriter(100);
  assert.equal(writer.block(new Uint8Array(9), 100)?.values.length, 100);
  assert.equal(writer.take().length, 8 + 16 + 1600);
  assert.equal(writer.usedBytes, 0);
});
