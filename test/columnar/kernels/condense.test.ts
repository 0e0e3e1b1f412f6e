import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  compileKernels,
  condense,
  createEngine,
  RecordReader,
  type ArenaBatch,
  type Block,
  type CondenseOptions,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { placeBatch } from '../../support/references/arena-batch.ts';
import { encodeChunked } from '../../support/stores/chunked-frames.ts';
import { condenseSlowly, type PlainRecord } from '../../support/references/condense-reference.ts';
import { encodeSamples, type TestSeries } from '../../support/stores/samples-encoding.ts';
import { ENCODERS, ENCODINGS } from '../../support/stores/stored-series.ts';

const engine = createEngine(compileKernels(), dirtyMemory(16 << 20), 1);
const { arena } = engine;
const OWNER = 2;
const T0 = 1_767_225_600_000;
const MINUTE = 60_000;
const WIDE: CondenseOptions = {
  keep: ['*'],
  identity: [],
  startMs: 0,
  endMs: 4e12,
  gapMs: 10 * MINUTE,
};

function condensed(
  batches: readonly Uint8Array[],
  encoding: ArenaBatch['encoding'],
  options: CondenseOptions = WIDE,
): { records: PlainRecord[]; dropped: number; blocks: number } {
  const blocks: Block[] = [];
  let dropped = 0;
  for (const bytes of batches) {
    dropped += condense(engine, placeBatch(engine, OWNER, bytes, encoding), options, blocks, OWNER);
  }
  const found: PlainRecord[] = [];
  for (const record of new RecordReader(arena).read(blocks)) {
    const { firstMs, lastMs, staleMs, intervalMs } = record;
    const pairs = [...record.pairs];
    found.push({ labels: record.labels(''), firstMs, lastMs, staleMs, intervalMs, pairs });
  }
  arena.release(OWNER);
  return { records: found, dropped, blocks: blocks.length };
}

function part(series: TestSeries, from: number, to: number): TestSeries {
  const { labels, timestampsMs, values } = series;
  return { labels, timestampsMs: timestampsMs.slice(from, to), values: values.slice(from, to) };
}

const step = fc.oneof(
  { weight: 12, arbitrary: fc.constant(MINUTE) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 2 * MINUTE }) },
  { weight: 1, arbitrary: fc.integer({ min: 10 * MINUTE - 1, max: 10 * MINUTE + 1 }) },
  { weight: 1, arbitrary: fc.constant(60 * MINUTE) },
);
const value = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(1, 2) },
  { weight: 2, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 1, arbitrary: fc.constantFrom(NaN, Infinity, -Infinity) },
  { weight: 2, arbitrary: fc.constant('stale' as const) },
);
const name = fc.oneof(
  fc.constantFrom('pod', 'namespace', 'label_app', 'label_', 'labels', 'lab', '__proto__'),
  fc.constantFrom('__name__', 'constructor', 'größe_名前', ''),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const anySeries: fc.Arbitrary<TestSeries> = fc
  .record({
    labels: fc.array(fc.tuple(name, text), { maxLength: 8 }),
    samples: fc.array(fc.tuple(step, value), { minLength: 1, maxLength: 60 }),
  })
  .map(({ labels, samples }) => {
    let ms = T0;
    const timestampsMs = samples.map(([deltaMs]) => (ms += deltaMs));
    return { labels, timestampsMs, values: samples.map(([, sample]) => sample) };
  });
const anyKeep = fc.constantFrom(
  ['*'],
  [],
  ['pod'],
  ['label_*'],
  ['label_*', 'label_app', 'pod'],
  ['namespace', 'label_*', '__proto__', 'größe_名前'],
);
const anyOptions: fc.Arbitrary<CondenseOptions> = fc.record({
  keep: anyKeep,
  identity: fc.constantFrom([], ['pod'], ['__proto__', 'label_app', 'namespace']),
  startMs: fc.constantFrom(0, T0 + 5 * MINUTE),
  endMs: fc.constantFrom(4e12, T0 + 20 * MINUTE),
  gapMs: fc.constantFrom(10 * MINUTE, 2 * MINUTE),
});

test('condense makes the same records as the sample-by-sample reference, in all encodings', () => {
  fc.assert(
    fc.property(fc.array(anySeries, { maxLength: 6 }), anyOptions, (series, options) => {
      const expected = series.map((one) => condenseSlowly(one, options));
      for (const encoding of ENCODINGS) {
        const found = condensed([ENCODERS[encoding](series)], encoding, options);
        assert.deepEqual(
          found.records,
          expected.flatMap((one) => one.records),
        );
        assert.equal(
          found.dropped,
          expected.reduce((sum, one) => sum + one.dropped, 0),
        );
      }
    }),
    { numRuns: 300 },
  );
});

test('condense closes a record at each gap, end marker and piece', () => {
  const at = (minute: number): number => T0 + minute * MINUTE;
  const pod: [string, string] = ['pod', 'a'];
  const rows: [string, number[], TestSeries['values'], object[]][] = [
    ['one sample', [0], [3], [{ firstMs: at(0), lastMs: at(0), pairs: [at(0), 3] }]],
    [
      'a value that changes and comes back',
      [0, 1, 2, 3],
      [1, 1, 2, 1],
      [{ lastMs: at(3), intervalMs: MINUTE, pairs: [at(0), 1, at(2), 2, at(3), 1] }],
    ],
    [
      'a gap of gapMs stays open, a longer one does not',
      [0, 10, 21],
      [1, 1, 1],
      [
        { lastMs: at(10), intervalMs: 10 * MINUTE, pairs: [at(0), 1] },
        { firstMs: at(21), intervalMs: NaN, pairs: [at(21), 1] },
      ],
    ],
    [
      'an end marker first, in the middle and last',
      [0, 1, 2, 3, 4],
      ['stale', 1, 'stale', 1, 'stale'],
      [
        { firstMs: NaN, lastMs: NaN, staleMs: at(0), intervalMs: NaN, pairs: [] },
        { firstMs: at(1), staleMs: at(2), pairs: [at(1), 1] },
        { firstMs: at(3), staleMs: at(4), pairs: [at(3), 1] },
      ],
    ],
    ['only NaN', [0, 1], [NaN, NaN], []],
  ];
  for (const [title, minutes, values, expected] of rows) {
    const series = { labels: [pod], timestampsMs: minutes.map(at), values };
    const found = condensed([encodeSamples([series])], 'samples').records;
    assert.equal(found.length, expected.length, title);
    expected.forEach((record, i) => {
      for (const [key, wanted] of Object.entries(record)) {
        assert.deepEqual(found[i]?.[key as keyof PlainRecord], wanted, `${title}: ${key}`);
      }
    });
  }
});

test('samples that are further apart than a short gap by themselves make one record', () => {
  const at = (minute: number): number => T0 + minute * MINUTE;
  const rows: [string, number[], [from: number, to: number][]][] = [
    ['every five minutes', [0, 5, 10, 15, 20], [[0, 20]]],
    ['every five minutes, one missing', [0, 5, 15, 20, 25], [[0, 25]]],
    ['every minute, five missing', [0, 1, 2, 3, 9, 10, 11], [[0, 3], [9, 11]]],
    ['every five minutes, two missing', [0, 5, 10, 25, 30, 35], [[0, 10], [25, 35]]],
  ]; // prettier-ignore
  for (const [title, minutes, expected] of rows) {
    const series = { labels: [], timestampsMs: minutes.map(at), values: minutes.map(() => 1) };
    for (const encoding of ENCODINGS) {
      const short = { ...WIDE, gapMs: 2 * MINUTE };
      const found = condensed([ENCODERS[encoding]([series])], encoding, short).records;
      assert.deepEqual(
        found.map(({ firstMs, lastMs }) => [firstMs, lastMs]),
        expected.map((ends) => ends.map(at)),
        `${title}, ${encoding}`,
      );
    }
  }
});

test('condense stores labels unchanged, whatever their names and lengths', () => {
  const labels: [string, string][] = [
    ['__name__', 'kube_pod_labels'],
    ['__proto__', 'polluted'],
    ['label_app', 'größe 名前 🎈'],
    ['label_', ''],
    ['labels', 'no'],
    ['constructor', 'x'.repeat(100_000)],
  ];
  const series = { labels, timestampsMs: [T0], values: [1] };
  const keep = ['label_*', '__proto__', 'constructor', 'absent'];
  for (const encoding of ENCODINGS) {
    const [found] = condensed([ENCODERS[encoding]([series])], encoding, { ...WIDE, keep }).records;
    assert.deepEqual(found?.labels, [labels[1], labels[2], labels[3], labels[5]]);
  }
});

test('condense reads lengths of one to four bytes, up to their ends', () => {
  for (const end of [2 ** 7, 2 ** 14, 2 ** 21]) {
    for (let length = end - 12; length <= end; length++) {
      const labels: [string, string][] = [['label_long', 'x'.repeat(length)]];
      const batch = encodeSamples([{ labels, timestampsMs: [T0], values: [1] }]);
      assert.deepEqual(condensed([batch], 'samples').records[0]?.labels, labels, `${length}`);
    }
  }
});

test('a record reads one label, and is empty for a label that the series does not have', () => {
  const labels: [string, string][] = [
    ['pod', 'a'],
    ['__proto__', 'b'],
  ];
  const bytes = encodeSamples([{ labels, timestampsMs: [T0], values: [1] }]);
  const blocks: Block[] = [];
  condense(engine, placeBatch(engine, OWNER, bytes, 'samples'), WIDE, blocks, OWNER);
  for (const record of new RecordReader(arena).read(blocks)) {
    const names = ['pod', '__proto__', 'constructor', ''];
    assert.deepEqual(
      names.map((label) => record.label(label)),
      ['a', 'b', '', ''],
    );
  }
  arena.release(OWNER);
});

test('a series in several frames and batches becomes a record for each piece', () => {
  fc.assert(
    fc.property(anySeries, fc.nat(60), fc.boolean(), (series, cut, inOneBatch) => {
      const parts = [part(series, 0, cut), part(series, cut, 60)].filter((p) => p.values.length);
      const expected = parts.flatMap((p) => condenseSlowly(p, WIDE).records);
      for (const encoding of ENCODINGS) {
        const batches = parts.map((p) => ENCODERS[encoding]([p]));
        const found = condensed(inOneBatch ? [Buffer.concat(batches)] : batches, encoding);
        assert.deepEqual(found.records, expected);
      }
    }),
  );
});

test('a chunked piece is closed at the first chunk that brings it to 4,096 samples', () => {
  const timestampsMs = Array.from({ length: 10_000 }, (_, i) => T0 + i * MINUTE);
  const series = {
    labels: [['pod', 'a'] as const],
    timestampsMs,
    values: timestampsMs.map(() => 1),
  };
  const rows: [chunkSamples: number, pieces: number[]][] = [
    [120, [4200, 4200, 1600]],
    [4096, [4096, 4096, 1808]],
    [4095, [8190, 1810]],
    [10_000, [10_000]],
  ];
  for (const [chunkSamples, pieces] of rows) {
    const found = condensed([encodeChunked([series], chunkSamples)], 'chunked-read').records;
    const samples = found.map((record) => (record.lastMs - record.firstMs) / MINUTE + 1);
    assert.deepEqual(samples, pieces, `chunks of ${chunkSamples}`);
  }
});

test('condense asks for further blocks as records fill them, larger ones for large records', () => {
  const length = 20_000;
  const timestampsMs = Array.from({ length }, (_, i) => T0 + i * MINUTE);
  const many: TestSeries[] = Array.from({ length: 4000 }, (_, i) => ({
    labels: [['pod', `pod-${i}`.repeat(1 + (i % 20))]],
    timestampsMs: timestampsMs.slice(0, 5),
    values: [i, i, i + 1, 'stale', i],
  }));
  many.splice(2000, 0, { labels: [], timestampsMs, values: timestampsMs.map((_, i) => i) });
  const bytes = encodeSamples(many);
  const found = condensed([bytes], 'samples');
  assert.deepEqual(
    found.records,
    many.flatMap((series) => condenseSlowly(series, WIDE).records),
  );
  assert.ok(found.blocks > 4, `${found.blocks} blocks`);
});

test('blocks without samples and times that are no number make no record', () => {
  const labels: [string, string][] = [['pod', 'a']];
  const rows: TestSeries[] = [
    { labels, timestampsMs: [], values: [] },
    { labels, timestampsMs: [NaN, T0, NaN], values: [5, 1, 5] },
    { labels, timestampsMs: [], values: [] },
  ];
  const found = condensed([encodeSamples(rows)], 'samples').records;
  assert.deepEqual(
    found.map(({ pairs }) => pairs),
    [[T0, 1]],
  );
});
