/** Series of states, condensed without writing samples out: the records are the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
import { placeBatch } from '../../support/references/arena-batch.ts';
import { condenseSlowly, type PlainRecord } from '../../support/references/condense-reference.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';
import { ENCODERS } from '../../support/stores/stored-series.ts';

const engine = createEngine(compileKernels(), dirtyMemory(16 << 20), 1);
const { arena } = engine;
const OWNER = 2;
const T0 = 1_767_225_600_000;
const MINUTE = 60_000;
const GAP_MS = 10 * MINUTE;
/** A piece is closed after this many samples, at the end of the open chunk. */
const ENOUGH = 4096;

function condensed(
  series: readonly TestSeries[],
  chunkSamples: number,
  options: CondenseOptions,
  encoding: ArenaBatch['encoding'],
): { records: PlainRecord[]; dropped: number } {
  const blocks: Block[] = [];
  const bytes = ENCODERS[encoding](series, chunkSamples);
  const batch = placeBatch(engine, OWNER, bytes, encoding);
  const dropped = condense(engine, batch, options, blocks, OWNER);
  const records = Array.from(new RecordReader(arena).read(blocks), (record): PlainRecord => {
    const { firstMs, lastMs, staleMs, intervalMs } = record;
    const pairs = [...record.pairs];
    return { labels: record.labels(''), firstMs, lastMs, staleMs, intervalMs, pairs };
  });
  arena.release(OWNER);
  return { records, dropped };
}

function options(startMs: number = 0, endMs: number = 4e12): CondenseOptions {
  return { keep: ['pod'], identity: [], startMs, endMs, gapMs: GAP_MS };
}

/** Samples at one distance, after a distance to the first of them. */
const stretch = fc.record({
  beforeMs: fc.oneof(
    { weight: 8, arbitrary: fc.constant(MINUTE) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: GAP_MS + 1 }) },
    { weight: 1, arbitrary: fc.constantFrom(GAP_MS, GAP_MS + 1, 5 * GAP_MS) },
  ),
  distanceMs: fc.constantFrom(MINUTE, MINUTE, 1, 7, 15_000, GAP_MS, GAP_MS + 1),
  samples: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 300 })),
});
const other = fc.tuple(
  fc.nat({ max: 99 }),
  fc.constantFrom(2, -0, NaN, Infinity, 'stale' as const),
);

/** Series mostly of one value; in a few a sample or two has another. */
const anySeries = fc
  .record({
    stretches: fc.array(stretch, { minLength: 1, maxLength: 4 }),
    value: fc.constantFrom(1, 0, -0.1, 5e-324, 1.7e308),
    others: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(other, { maxLength: 2 }) },
    ),
    pod: fc.string({ maxLength: 9 }),
  })
  .map(({ stretches, value, others, pod }): TestSeries => {
    let ms = T0;
    const timestampsMs = stretches.flatMap(({ beforeMs, distanceMs, samples }) =>
      Array.from({ length: samples }, (_, i) => (ms += i === 0 ? beforeMs : distanceMs)),
    );
    const values: TestSeries['values'][number][] = timestampsMs.map(() => value);
    for (const [percent, instead] of others)
      values[Math.floor((percent / 100) * values.length)] = instead;
    return { labels: [['pod', pod]], timestampsMs, values };
  });

/** Pieces as the kernel makes them: whole chunks until there are enough samples. */
function pieces({ labels, timestampsMs, values }: TestSeries, chunkSamples: number): TestSeries[] {
  const samples = Math.ceil(ENOUGH / chunkSamples) * chunkSamples;
  const count = Math.ceil(values.length / samples);
  return Array.from({ length: count }, (_, i) => ({
    labels,
    timestampsMs: timestampsMs.slice(i * samples, (i + 1) * samples),
    values: values.slice(i * samples, (i + 1) * samples),
  }));
}

function requireSame(
  series: readonly TestSeries[],
  chunkSamples: number,
  chosen: CondenseOptions,
  encoding: ArenaBatch['encoding'],
): void {
  const all = series.flatMap((one) => pieces(one, chunkSamples));
  const expected = all.map((piece) => condenseSlowly(piece, chosen));
  const found = condensed(series, chunkSamples, chosen, encoding);
  assert.deepEqual(
    found.records,
    expected.flatMap(({ records }) => records),
  );
  const dropped = expected.reduce((sum, one) => sum + one.dropped, 0);
  assert.equal(found.dropped, dropped);
}

test('steady series give the reference records for any cuts into chunks and any range of time', () => {
  const edge = fc.oneof(
    fc.integer({ min: -5, max: 700 }),
    fc.double({ min: 0, max: 700, noNaN: true }),
  );
  fc.assert(
    fc.property(
      fc.array(anySeries, { minLength: 1, maxLength: 4 }),
      fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom(120, 333)),
      fc.option(fc.tuple(edge, edge), { nil: undefined }),
      fc.constantFrom('chunked-read' as const, 'stored-chunks' as const),
      (series, chunkSamples, range, encoding) => {
        const [from = 0, to = 0] = range ?? [];
        const chosen = range
          ? options(T0 + Math.min(from, to) * MINUTE, T0 + Math.max(from, to) * MINUTE)
          : options();
        requireSame(series, chunkSamples, chosen, encoding);
      },
    ),
    { numRuns: 1500 },
  );
});

test('steady series give the reference records in pieces of 4,096 samples and of too many chunks', () => {
  const long = (count: number): TestSeries => ({
    labels: [['pod', 'a']],
    timestampsMs: Array.from({ length: count }, (_, i) => T0 + i * 15_000),
    values: Array.from({ length: count }, () => 3),
  });
  for (const chunkSamples of [1, 3, 4, 5, 120, 4096, 5000])
    for (const count of [4095, 4096, 4097, 9000]) {
      requireSame([long(count), long(2)], chunkSamples, options(), 'stored-chunks');
      const inner = options(T0 + 1, T0 + 15_000 * (count - 1) - 1);
      requireSame([long(count)], chunkSamples, inner, 'chunked-read');
    }
});
