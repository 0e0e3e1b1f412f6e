/** Series of several metrics in one batch: each is condensed as if it were read alone. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  compileKernels,
  condenseByMetric,
  createEngine,
  RecordReader,
  type ArenaBatch,
  type Block,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { placeBatch } from '../../support/references/arena-batch.ts';
import { condenseSlowly } from '../../support/references/condense-reference.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';
import { ENCODERS, ENCODINGS } from '../../support/stores/stored-series.ts';

const engine = createEngine(compileKernels(), dirtyMemory(16 << 20), 1);
const { arena } = engine;
const OWNER = 2;
const RANGE = { startMs: 0, endMs: 4e12, gapMs: 600_000, identity: [] };
/** The stored labels of each metric. */
const LABELS: Readonly<Record<string, readonly string[]>> = {
  kube_pod_info: ['pod', 'node'],
  kube_pod_labels: ['pod', 'label_*'],
  kube_pod_info_x: ['*'],
  up: [],
};

const label = fc.tuple(fc.constantFrom('pod', 'node', 'label_app', 'job'), fc.string());
const anySeries: fc.Arbitrary<TestSeries> = fc
  .record({
    metric: fc.constantFrom(...Object.keys(LABELS)),
    labels: fc.array(label, { maxLength: 4 }),
    before: fc.array(fc.tuple(fc.constantFrom('A', 'Namespace'), fc.string()), { maxLength: 2 }),
    values: fc.array(fc.constantFrom(1, 2, NaN, 'stale' as const), { minLength: 1, maxLength: 9 }),
  })
  .map(({ metric, labels, before, values }) => ({
    labels: [...before, ['__name__', metric], ...labels],
    timestampsMs: values.map((_, i) => 1e12 + i * 60_000),
    values,
  }));

/** @returns records by metric, and how many samples were dropped */
function condensed(
  batches: readonly (readonly TestSeries[])[],
  encoding: ArenaBatch['encoding'],
): { found: Record<string, object[]>; dropped: number } {
  const targets = new Map(
    Object.entries(LABELS).map(([metric, keep]) => [
      metric,
      { keep, gapMs: RANGE.gapMs, blocks: [] as Block[] },
    ]),
  );
  let dropped = 0;
  for (const series of batches) {
    const batch = placeBatch(engine, OWNER, ENCODERS[encoding](series), encoding);
    dropped += condenseByMetric(engine, batch, targets, RANGE, OWNER);
  }
  const found: Record<string, object[]> = {};
  for (const [metric, { blocks }] of targets)
    found[metric] = Array.from(new RecordReader(arena).read(blocks), (record) => {
      const { firstMs, lastMs, staleMs, intervalMs } = record;
      const pairs = [...record.pairs];
      return { labels: record.labels(''), firstMs, lastMs, staleMs, intervalMs, pairs };
    });
  arena.release(OWNER);
  return { found, dropped };
}

function metricOf({ labels }: TestSeries): string {
  return labels.find(([name]) => name === '__name__')?.[1] ?? '';
}

test('each series becomes records of its own metric, in any order of series', () => {
  fc.assert(
    fc.property(fc.array(fc.array(anySeries, { maxLength: 8 }), { maxLength: 3 }), (batches) => {
      const all = batches.flat();
      for (const encoding of ENCODINGS) {
        const { found, dropped } = condensed(batches, encoding);
        for (const [metric, keep] of Object.entries(LABELS)) {
          const own = all.filter((series) => metricOf(series) === metric);
          const expected = own.flatMap((one) => condenseSlowly(one, { ...RANGE, keep }).records);
          assert.deepEqual(found[metric], expected, metric);
        }
        const slow = all.map((one) => condenseSlowly(one, { ...RANGE, keep: ['*'] }).dropped);
        assert.equal(
          dropped,
          slow.reduce((sum, count) => sum + count, 0),
        );
      }
    }),
    { numRuns: 200 },
  );
});

test('records continue in further blocks of their own metric', () => {
  const series = Array.from({ length: 3000 }, (_, i): TestSeries => ({
    labels: [
      ['__name__', i % 2 === 0 ? 'kube_pod_info' : 'kube_pod_labels'],
      ['pod', `${i}`.padStart(200, 'p')],
    ],
    timestampsMs: [1e12],
    values: [i],
  }));
  for (const encoding of ENCODINGS) {
    const { found } = condensed([series.slice(0, 1000), series.slice(1000)], encoding);
    assert.equal(found['kube_pod_info']?.length, 1500);
    assert.equal(found['kube_pod_labels']?.length, 1500);
  }
});

for (const [what, labels] of [
  ['another metric', [['__name__', 'kube_pod_inf']]],
  ['no metric', [['pod', 'a']]],
  ['an empty name', [['__name__', '']]],
  ['a very long name', [['__name__', 'kube_pod_info'.repeat(5000)]]],
] as const)
  test(`a series of ${what} is refused`, () => {
    const strange = { labels: labels as unknown as TestSeries['labels'], values: [1] };
    for (const encoding of ENCODINGS)
      assert.throws(() => condensed([[{ ...strange, timestampsMs: [1e12] }]], encoding), {
        name: 'DamagedBatch',
      });
    arena.release(OWNER);
  });
