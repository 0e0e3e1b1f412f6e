import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mergeChunks } from '../../src/tsdb/format/merge-chunks.ts';
import { mergeSeries } from '../../src/tsdb/format/merge-series.ts';
import { HOUR_MS } from '../../src/query/index.ts';
import { planMerge } from '../../src/tsdb/folder/plan-merge.ts';
import type { BlockMeta, XorChunk } from '../../src/tsdb/index.ts';
import {
  asBlockSeries,
  chunksOf,
  plainSamples,
  type PlainSeries,
} from '../support/stores/block-samples.ts';

type Samples = PlainSeries['samples'];

/** Times of few values, so that sources often have the same ones. */
const samples: fc.Arbitrary<Samples> = fc
  .uniqueArray(
    fc.tuple(fc.integer({ min: -40, max: 60 }), fc.constantFrom(1, 2, 2.5, -0, 0, NaN, Infinity)),
    { selector: ([time]) => time, maxLength: 30 },
  )
  .map((all) => all.sort(([a], [b]) => a - b));
const source = fc.dictionary(fc.constantFrom('a', 'b', 'ç', '💶'), samples, { maxKeys: 4 });

function series(texts: Readonly<Record<string, Samples>>): PlainSeries[] {
  return Object.entries(texts)
    .filter(([, all]) => all.length > 0)
    .map(([pod, all]) => ({ labels: { __name__: 'm', pod }, samples: all }));
}

/** What is kept of two values of one time: a number before NaN, then the larger; -0 has the larger bits. */
function larger(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  if (Number.isNaN(b)) return a;
  return a === b ? (Object.is(a, -0) ? a : b) : Math.max(a, b);
}

/** Plain: a map of times for each series. */
function union(sources: readonly (readonly PlainSeries[])[]): Map<string, Samples> {
  const all = new Map<string, Map<number, number>>();
  for (const { labels, samples: list } of sources.flat()) {
    const key = JSON.stringify(Object.entries(labels));
    const times = all.get(key) ?? new Map<number, number>();
    all.set(key, times);
    for (const [time, value] of list) times.set(time, larger(value, times.get(time) ?? NaN));
  }
  return new Map([...all].map(([key, times]) => [key, [...times].sort(([a], [b]) => a - b)]));
}

const chunkSamples = fc.constantFrom(1, 3, 7, 120);

test('merged series have each sample of their sources once', () => {
  fc.assert(
    fc.property(fc.array(source, { maxLength: 4 }), chunkSamples, (texts, size) => {
      const sources = texts.map(series);
      const merged = [...mergeSeries(sources.map((one) => asBlockSeries(one, size)))];
      assert.equal(
        merged.length,
        new Set(merged.map(({ labels }) => Buffer.from(labels).toString('hex'))).size,
      );
      assert.deepEqual(plainSamples(merged), union(sources));
    }),
  );
});

test('it does not matter which sources are merged first', () => {
  fc.assert(
    fc.property(samples, samples, samples, chunkSamples, (a, b, c, size) => {
      const [x, y, z] = [a, b, c].map((each) => chunksOf(each, size));
      const texts = (chunks: readonly XorChunk[]): unknown =>
        plainSamples([{ labels: new Uint8Array(0), chunks }]);
      const first = mergeChunks([mergeChunks([x ?? [], y ?? []]), z ?? []]);
      const last = mergeChunks([x ?? [], mergeChunks([z ?? [], y ?? []])]);
      assert.deepEqual(texts(first), texts(last));
    }),
  );
});

test('chunks that overlap no other stay as they are, byte by byte', () => {
  const [a, b] = [
    chunksOf([
      [1, 1],
      [2, 2],
    ]),
    chunksOf([
      [3, 3],
      [4, 4],
    ]),
  ];
  const merged = mergeChunks([b, a, a]);
  assert.deepEqual(merged, [...a, ...b]);
  assert.equal(merged[0]?.bytes, a[0]?.bytes);
});

test('a source that is not read to its end is closed', () => {
  let closed = 0;
  function* one(): Generator<ReturnType<typeof asBlockSeries>[number], void> {
    try {
      yield* asBlockSeries(series({ a: [[1, 1]], b: [[1, 1]] }));
    } finally {
      closed++;
    }
  }
  for (const _ of mergeSeries([one(), one()])) break;
  assert.equal(closed, 2);
});

function meta(startHour: number, hours: number): BlockMeta {
  const ulid = `${startHour}+${hours}`;
  const [startMs, endMs] = [startHour * HOUR_MS, (startHour + hours) * HOUR_MS];
  return {
    ulid,
    startMs,
    endMs,
    samples: 1,
    series: 1,
    chunks: 1,
    level: 1,
    sources: [],
    parents: [],
  };
}

test('blocks are merged where they overlap, then by spans that are over', () => {
  const rows: readonly (readonly [
    blocks: readonly (readonly [number, number])[],
    merged: string | undefined,
  ])[] = [
    [[], undefined],
    [[[0, 2]], undefined],
    [
      [
        [0, 2],
        [2, 2],
        [4, 2],
        [6, 2],
      ],
      undefined,
    ], // nothing newer yet
    [
      [
        [0, 2],
        [2, 2],
        [4, 2],
        [6, 2],
        [8, 2],
      ],
      '0+2 2+2 4+2 6+2',
    ],
    [
      [
        [0, 2],
        [4, 2],
        [8, 2],
      ],
      '0+2 4+2',
    ],
    [
      [
        [0, 8],
        [8, 2],
      ],
      undefined,
    ],
    [
      [
        [0, 8],
        [8, 8],
        [16, 8],
        [24, 2],
      ],
      '0+8 8+8 16+8',
    ],
    [
      [
        [0, 8],
        [8, 2],
        [8, 2],
        [10, 2],
      ],
      '8+2 8+2',
    ],
    [
      [
        [0, 24],
        [2, 2],
        [24, 2],
      ],
      '0+24 2+2',
    ],
    [
      [
        [0, 24],
        [24, 24],
        [48, 2],
      ],
      undefined,
    ],
    [
      [
        [6, 4],
        [10, 2],
        [16, 2],
      ],
      undefined,
    ], // reaches over two spans
    [
      [
        [6, 4],
        [10, 2],
        [24, 2],
      ],
      '6+4 10+2',
    ],
  ];
  for (const [blocks, merged] of rows) {
    const plan = planMerge(blocks.map(([start, hours]) => meta(start, hours)));
    assert.equal(plan?.map(({ ulid }) => ulid).join(' '), merged, JSON.stringify(blocks));
  }
});
