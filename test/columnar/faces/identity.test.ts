/** Identities of condensed records: the same number for the same labels. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  compileKernels,
  condense,
  createEngine,
  RecordReader,
  type Block,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { placeBatch } from '../../support/references/arena-batch.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';
import { ENCODERS, ENCODINGS } from '../../support/stores/stored-series.ts';

const engine = createEngine(compileKernels(), dirtyMemory(16 << 20), 1);
const { arena } = engine;
const OWNER = 2;
const RANGE = { startMs: 0, endMs: 4e12, gapMs: 600_000 };
const KEEP = ['pod', 'label_*', 'cluster', 'namespace', 'label_id', 'node'];
const IDENTITY = ['cluster', 'namespace', 'pod', 'uid', 'label_id'];
/** `uid` is not stored. */
const STORED = new Set(['cluster', 'namespace', 'pod', 'label_id']);

type Labels = readonly (readonly [string, string])[];
const name = fc.constantFrom(...IDENTITY, 'node', 'label_app', 'label_', 'job', '__name__');
const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', 'a', 'b', 'ab') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 300 }) },
);
const anyLabels: fc.Arbitrary<Labels> = fc.array(fc.tuple(name, value), { maxLength: 7 });

/** Values of all records, read in turn. */
function recordsOf(all: readonly Labels[], encoding: keyof typeof ENCODERS) {
  const series = all.map((labels): TestSeries => ({ labels, timestampsMs: [1e12], values: [1] }));
  const blocks: Block[] = [];
  const options = { ...RANGE, keep: KEEP, identity: IDENTITY };
  const batch = placeBatch(engine, OWNER, ENCODERS[encoding](series), encoding);
  condense(engine, batch, options, blocks, OWNER);
  const found = Array.from(new RecordReader(arena).read(blocks), (record) => ({
    identity: record.identity,
    values: [...STORED, 'node', 'label_app'].map((label) => record.label(label)),
    labels: record.labels(''),
    texts: record.labels('label_'),
  }));
  arena.release(OWNER);
  return found;
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function storedOf(labels: Labels): Labels {
  return labels.filter(([label]) => KEEP.includes(label) || label.startsWith('label_'));
}

test('records have the same number exactly if the labels of their identity have the same bytes', () => {
  fc.assert(
    fc.property(fc.array(anyLabels, { maxLength: 12 }), (all) => {
      const numbers = new Map<string, number>();
      const expected = all.map((labels) => {
        const identity = labels.filter(([label]) => STORED.has(label));
        const key = JSON.stringify(identity);
        if (identity.length > 0 && !numbers.has(key)) numbers.set(key, numbers.size);
        return identity.length === 0 ? -1 : numbers.get(key);
      });
      for (const encoding of ENCODINGS)
        assert.deepEqual(
          recordsOf(all, encoding).map(({ identity }) => identity),
          expected,
        );
    }),
    { numRuns: 300 },
  );
});

test("a label's value does not depend on its position in the record", () => {
  fc.assert(
    fc.property(fc.array(anyLabels, { maxLength: 6 }), (all) => {
      recordsOf(all, 'samples').forEach((record, i) => {
        const stored = storedOf(all[i] ?? []);
        assert.deepEqual(
          record.values,
          [...STORED, 'node', 'label_app'].map(
            (label) => new Map(stored.toReversed()).get(label) ?? '',
          ),
        );
        assert.deepEqual(record.labels.toSorted(byName), stored.toSorted(byName));
        const texts = stored.filter(([label]) => label.startsWith('label_'));
        const isMoved = texts.some(([label]) => STORED.has(label));
        assert.deepEqual(
          record.texts,
          (isMoved ? texts.toSorted(byName) : texts).map(([label, text]) => [label.slice(6), text]),
        );
      });
    }),
    { numRuns: 300 },
  );
});

test('ten thousand pods are told apart by one digit of a uid, in any eight bytes of it', () => {
  const all = Array.from({ length: 10_000 }, (_, i): Labels => {
    const digits = String(i).padStart(4, '0');
    return [
      ['cluster', 'x'.repeat(i % 8)],
      ['pod', `a${digits}`],
      ['node', 'n'],
    ];
  });
  const numbers = recordsOf([...all, ...all.toReversed()], 'samples').map((one) => one.identity);
  assert.deepEqual(numbers, [...all.keys(), ...[...all.keys()].reverse()]);
});
