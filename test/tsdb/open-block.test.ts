import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Matcher, Selection, TimeRange } from '../../src/metrics/index.ts';
import { chunkedBatches, openBlock, storedBatches, writeBlock } from '../../src/tsdb/index.ts';
import { openMetricsWriter } from '../../scripts/openmetrics.ts';
import { createBlocks } from '../../scripts/prometheus-blocks.ts';
import { readBatches, numberOf } from '../support/references/read-batches.ts';
import {
  asBlockSeries,
  labelKey,
  plainSamples,
  type PlainSeries,
} from '../support/stores/block-samples.ts';
import { dumped } from '../support/stores/promtool.ts';
import { skipWithout } from '../support/servers/services.ts';
import { readdirSync } from 'node:fs';

const START_MS = Date.UTC(2024, 2, 10, 22);
const END_MS = START_MS + 7_200_000;
const METRICS = ['up', 'container_cpu_usage_seconds_total', 'zz'];

const SERIES: readonly PlainSeries[] = Array.from({ length: 120 }, (_, place) => ({
  labels: {
    __name__: METRICS[place % 2] ?? '',
    ...(place % 5 === 0 ? { Zone: `z${place % 3}` } : {}),
    namespace: `team-${place % 4}`,
    pod: `pod-${place}`,
  },
  samples: Array.from({ length: 1 + ((place * 37) % 240) }, (_, i) => [
    START_MS + i * 29_000 + ((i * 37) % 90),
    place + i / 7,
  ]),
}));

function isMatched(
  { label, operator, value }: Matcher,
  labels: Readonly<Record<string, string>>,
): boolean {
  const text = labels[label] ?? '';
  if (operator === '=') return text === value;
  if (operator === '!=') return text !== value;
  return new RegExp(`^(?:${value})$`).test(text) === (operator === '=~');
}

/** Plain: every series and every sample is looked at. */
function expected({ metric, matchers }: Selection, range: TimeRange): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const { labels, samples } of SERIES) {
    if (labels['__name__'] !== metric || !matchers.every((one) => isMatched(one, labels))) continue;
    const within = samples.filter(([ms]) => ms >= range.startMs && ms <= range.endMs);
    if (within.length > 0) found.set(labelKey(labels), within);
  }
  return found;
}

const matcher = fc.record({
  label: fc.constantFrom('namespace', 'pod', 'Zone', 'absent'),
  operator: fc.constantFrom('=' as const, '!=' as const, '=~' as const, '!~' as const),
  value: fc.constantFrom('', 'team-1', 'pod-1', 'z0', 'pod-1.*', 'team-(1|2)|z1', '.+', '.*'),
});
const selection = fc.record({
  metric: fc.constantFrom(...METRICS),
  matchers: fc.array(matcher, { maxLength: 3 }),
});
const time = fc.integer({ min: START_MS - 60_000, max: END_MS + 60_000 });
const range = fc
  .tuple(time, time)
  .map(([a, b]) => ({ startMs: Math.min(a, b), endMs: Math.max(a, b) }));

describe('a block that is read', () => {
  let folder = '';
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'prorata-blocks-'))));
  after(async () => await rm(folder, { recursive: true }));

  async function written(): Promise<string> {
    const all = asBlockSeries(SERIES, 50);
    const meta = await writeBlock(folder, { startMs: START_MS, endMs: END_MS }, all);
    return join(folder, meta?.ulid ?? '');
  }

  test('any selection gives the samples that a plain search finds, as chunks and as frames', async () => {
    const block = await openBlock(await written());
    await fc.assert(
      fc.asyncProperty(selection, range, async (what, within) => {
        const reference = expected(what, within);
        assert.deepEqual(plainSamples(block.read(what, within), within), reference);
        const framed = await readBatches(chunkedBatches(block.read(what, within)));
        const stored = block.stored([what.metric], within, what.matchers);
        assert.deepEqual(await readBatches(storedBatches(stored)), framed);
        for (const { labels, timestampsMs, valueBits } of framed.values()) {
          const pairs = timestampsMs.map((ms, i) => [ms, numberOf(valueBits[i] ?? 0n)] as const);
          const clipped = pairs.filter(([ms]) => ms >= within.startMs && ms <= within.endMs);
          assert.deepEqual(clipped, reference.get(labelKey(labels)) ?? []);
        }
        assert.ok([...reference.keys()].length <= framed.size);
      }),
      { numRuns: 40 },
    );
    block.close();
  });

  test('several metrics are read together, each series once and in order', async () => {
    const block = await openBlock(await written());
    const within = { startMs: START_MS, endMs: END_MS };
    const names = ['zz', 'up', 'container_cpu_usage_seconds_total', 'up'];
    const all = [...block.readMetrics(names, within)];
    assert.equal(all.length, SERIES.length);
    assert.deepEqual(plainSamples(all), plainSamples(asBlockSeries(SERIES)));
    assert.deepEqual(plainSamples(block.all()), plainSamples(all));
    block.close();
  });

  test('batches are of about 1 MiB, in memory that the reader chooses', () => {
    const bytes = Buffer.alloc(1000, 7);
    const chunk = { minTimeMs: -5, maxTimeMs: 5, bytes };
    const [one] = asBlockSeries(SERIES);
    const labels = one?.labels ?? bytes;
    const series = [{ labels, chunks: Array.from({ length: 3000 }, () => chunk) }];
    const sizes: number[] = [];
    const room = (size: number): Uint8Array => {
      sizes.push(size);
      return new Uint8Array(size);
    };
    const batches = [...chunkedBatches(series, room)];
    assert.deepEqual(
      batches.map((batch) => batch.bytes.length),
      sizes,
    );
    assert.equal(sizes.length, 4);
    for (const size of sizes) assert.ok(size < 1.1 * 2 ** 20);
  });

  test('stored series fill the memory that is given, one batch after the other', () => {
    const spans = Array.from({ length: 9 }, (_, i) => ({
      minTimeMs: i,
      maxTimeMs: i,
      bytes: Buffer.alloc(i === 4 ? 3 << 20 : 200_000, i),
    }));
    const asked: number[] = [];
    const given: Uint8Array[] = [];
    const batches = [
      ...storedBatches([{ labels: Buffer.alloc(5), spans }], (bytes) => {
        asked.push(bytes);
        given.push(new Uint8Array(bytes + 7));
        return given.at(-1) ?? new Uint8Array(0);
      }),
    ];
    assert.deepEqual(asked, [1 << 20, (3 << 20) + 32, 1 << 20]);
    for (const [i, { bytes }] of batches.entries()) {
      assert.equal(bytes.buffer, given[i]?.buffer);
      assert.equal(bytes.length % 8, 0);
    }
    const frame = (bytes: number): number => 8 * Math.ceil((24 + 5 + bytes) / 8);
    const lengths = batches.map(({ bytes }) => bytes.length);
    assert.deepEqual(lengths, [4 * frame(200_000), frame(3 << 20), 4 * frame(200_000)]);
  });

  test('a long series is read in spans of whole chunks', async () => {
    const steps = Array.from({ length: 45_000 }, (_, i) => [START_MS + i, Math.sin(i)] as const);
    const long = asBlockSeries([{ labels: { __name__: 'long' }, samples: steps }], 120);
    const meta = await writeBlock(folder, { startMs: START_MS, endMs: END_MS }, long);
    const block = await openBlock(join(folder, meta?.ulid ?? ''));
    const within = { startMs: START_MS + 1000, endMs: START_MS + 44_000 };
    const [only] = block.stored(['long'], within);
    const sizes = only?.spans.map(({ bytes }) => bytes.length) ?? [];
    assert.ok(sizes.length > 1 && sizes.every((size) => size < 300_000), sizes.join());
    const framed = await readBatches(
      chunkedBatches(block.read({ metric: 'long', matchers: [] }, within)),
    );
    assert.deepEqual(await readBatches(storedBatches(block.stored(['long'], within))), framed);
    block.close();
  });

  test('a walk goes on after its block was closed, and files are closed after it', async () => {
    const block = await openBlock(await written());
    const walk = block.all();
    walk.next();
    block.close();
    assert.equal([...walk].length, SERIES.length - 1);
    assert.throws(() => block.all().next(), /BUG: a block is read after it was closed/);
  });

  test(
    'blocks that Prometheus wrote are read as promtool dumps them',
    { skip: skipWithout('promtool') },
    async () => {
      const [file, home] = [join(folder, 'samples.om'), join(folder, 'prometheus')];
      const writer = openMetricsWriter(file);
      for (const metric of METRICS.slice(0, 2)) {
        writer.family(metric, 'unknown');
        for (const { labels, samples } of SERIES)
          if (labels['__name__'] === metric) {
            const { __name__: _, ...others } = labels;
            await writer.series(others, samples);
          }
      }
      await writer.close();
      await createBlocks(file, home);
      const reference = await dumped(home);
      const found = new Map<string, unknown>();
      for (const name of readdirSync(home).filter((each) => each.length === 26)) {
        const block = await openBlock(join(home, name));
        for (const [key, samples] of plainSamples(block.all())) found.set(key, samples);
        block.close();
      }
      assert.equal(found.size, SERIES.length);
      assert.deepEqual(found, reference);
    },
  );
});
