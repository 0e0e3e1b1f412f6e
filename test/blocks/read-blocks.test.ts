/** What blocks of a folder tell, against an obvious reader that has all samples in a map. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';

import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { folderSource } from '../../src/blocks/places/folder-source.ts';
import type { Selection, TimeRange } from '../../src/metrics/index.ts';
import { compileMatchers } from '../../src/metrics/matching.ts';
import type { BlockQuery } from '../../src/tsdb/index.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { labelKey, plainSamples, type PlainSeries } from '../support/stores/block-samples.ts';
import { opened, readAll } from '../support/stores/opened-blocks.ts';
import { deleteBlock, storeBlock, type BlockWish } from '../support/stores/stored-blocks.ts';

const STEP_MS = 60_000;
const BLOCK_MS = 20 * STEP_MS;
const BLOCKS = 6;
const START_MS = Date.UTC(2024, 2, 10);
const ALL: TimeRange = { startMs: START_MS, endMs: START_MS + BLOCKS * BLOCK_MS };

const home = quickFolder('stored-blocks');

function newFolder(): string {
  return mkdtempSync(join(home, 'blocks-'));
}

interface World {
  readonly wishes: readonly BlockWish[];
  /** Samples by labels, as they are to be read. */
  readonly truth: Map<string, Map<number, number>>;
}

/** What a series has at a time, wherever it is read. */
function valueAt(place: number, timeMs: number): number {
  return place * 1000 + ((timeMs - START_MS) / STEP_MS) * 1.5;
}

const CLUSTERS = ['a', 'b'];
const METRICS = ['up', 'usage', 'other'];

/** Series of one cluster in one block: which, and which of their samples. */
const part = fc.record({
  block: fc.nat(BLOCKS - 1),
  cluster: fc.constantFrom(...CLUSTERS),
  /** Bit by bit which of eight series have samples. */
  series: fc.integer({ min: 1, max: 255 }),
  /** Every such sample is missing. */
  sieve: fc.integer({ min: 2, max: 20 }),
  chunkSamples: fc.constantFrom(1, 3, 120),
  span: fc.integer({ min: 1, max: 3 }),
  deletes: fc.option(fc.nat(19), { nil: undefined }),
  /** Every such chunk of a series is a histogram, which is not told. */
  histograms: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 2 }),
  /** Chunks may be longer than is expected of the last one of a file, and of any other. */
  spareBytes: fc.constantFrom(0, 0, 0, 0, 0, 0, 17_000, 70_000),
});
const parts = fc.array(part, { minLength: 1, maxLength: 8 });

function worldOf(drawn: readonly (typeof part extends fc.Arbitrary<infer T> ? T : never)[]): World {
  const truth = new Map<string, Map<number, number>>();
  const wishes = drawn.map((each): BlockWish => {
    const startMs = START_MS + each.block * BLOCK_MS;
    const endMs = Math.min(startMs + each.span * BLOCK_MS, ALL.endMs);
    const gone = each.deletes === undefined ? undefined : startMs + each.deletes * STEP_MS;
    const isHistogram = (chunk: number): boolean =>
      each.histograms !== undefined && chunk % each.histograms === each.histograms - 1;
    const series: PlainSeries[] = [];
    for (let place = 0; place < 8; place++) {
      if ((each.series & (1 << place)) === 0) continue;
      const labels: Record<string, string> = {
        __name__: METRICS[place % METRICS.length] ?? '',
        ...(place % 2 === 0 ? { pod: `pod-${place}` } : {}),
        ...(place === 7 ? { zone: 'z' } : {}),
      };
      const samples: [number, number][] = [];
      for (let ms = startMs, i = 0; ms < endMs; ms += STEP_MS, i++)
        if (i % each.sieve !== each.sieve - 1) samples.push([ms, valueAt(place, ms)]);
      series.push({ labels, samples });
      const key = labelKey({ ...labels, cluster: each.cluster });
      const known = truth.get(key) ?? new Map<number, number>();
      for (const [i, [ms, value]] of samples.entries()) {
        const isGone = gone !== undefined && ms >= gone && ms <= gone + 5 * STEP_MS;
        if (!isGone && !isHistogram(Math.floor(i / each.chunkSamples))) known.set(ms, value);
      }
      truth.set(key, known);
    }
    // All series of a block have samples at the same times.
    const chunks = Math.ceil((series[0]?.samples.length ?? 0) / each.chunkSamples);
    const deleted = series.map((_, i) => [i, gone ?? 0, (gone ?? 0) + 5 * STEP_MS] as const);
    return {
      startMs,
      endMs,
      series,
      labels: { cluster: each.cluster },
      chunkSamples: each.chunkSamples,
      spareBytes: each.spareBytes,
      isHistogram: (chunk) => isHistogram(chunk % chunks),
      ...(gone === undefined ? {} : { deleted }),
    };
  });
  return { wishes, truth };
}

function expected(
  { truth }: World,
  query: BlockQuery,
  { startMs, endMs }: TimeRange,
): ReturnType<typeof plainSamples> {
  const matches = 'metrics' in query ? () => true : compileMatchers(query.matchers);
  const metrics = 'metrics' in query ? query.metrics : [query.metric];
  const found: ReturnType<typeof plainSamples> = new Map();
  for (const [key, samples] of truth) {
    const labels = Object.fromEntries(JSON.parse(key) as [string, string][]);
    if (!metrics.includes(labels['__name__'] ?? '') || !matches(labels)) continue;
    const own = [...samples].filter(([ms]) => ms >= startMs && ms <= endMs);
    if (own.length > 0)
      found.set(
        key,
        own.sort(([a], [b]) => a - b),
      );
  }
  return found;
}

function assertSame(
  found: ReturnType<typeof plainSamples>,
  wanted: ReturnType<typeof plainSamples>,
): void {
  const sorted = (map: typeof found): unknown => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  assert.deepEqual(sorted(found), sorted(wanted));
}

const queries = fc.oneof(
  fc.constantFrom<BlockQuery>(
    { metrics: ['up', 'usage'] },
    { metrics: METRICS },
    { metrics: ['nothing'] },
  ),
  fc.record<Selection>({
    metric: fc.constantFrom(...METRICS),
    matchers: fc.array(
      fc.record({
        label: fc.constantFrom('pod', 'cluster', 'zone', 'absent'),
        operator: fc.constantFrom('=', '!=', '=~', '!~'),
        value: fc.constantFrom('', 'pod-2', 'a', 'pod-.*', 'z|b'),
      }),
      { maxLength: 2 },
    ),
  }),
);
const ranges = fc.tuple(fc.nat(BLOCKS * 20), fc.nat(BLOCKS * 20)).map(([from, length]) => ({
  startMs: START_MS + from * STEP_MS,
  endMs: START_MS + (from + length) * STEP_MS + 1,
}));

const wants = fc.record({ portionSeries: fc.constantFrom(1, 3, 4096), isChecked: fc.boolean() });

describe('blocks of a folder', () => {
  test('any overlapping, deleted and cut blocks are told as a map of their samples tells them', async () => {
    await fc.assert(
      fc.asyncProperty(parts, queries, ranges, wants, async (drawn, query, range, wanted) => {
        const { portionSeries, isChecked } = wanted;
        const folder = newFolder();
        const world = worldOf(drawn);
        for (const wish of world.wishes) await storeBlock(folder, wish);
        const blocks = opened(folderSource(folder), { portionSeries });
        // A sample that one block tells is there, whichever other block has it deleted.
        const found = await readAll(blocks, query, range, { isChecked });
        assertSame(found, expected(world, query, range));
        rmSync(folder, { recursive: true });
      }),
      { numRuns: 40 },
    );
  });

  test('a block that is deleted while it is read is told by the one that has its samples, once', async () => {
    await fc.assert(
      fc.asyncProperty(parts, fc.nat(12), async (drawn, at) => {
        const folder = newFolder();
        const world = worldOf(drawn.map((each) => ({ ...each, cluster: 'a', spareBytes: 0 })));
        const ulids: string[] = [];
        for (const wish of world.wishes) ulids.push((await storeBlock(folder, wish)) ?? '');
        const query = { metrics: METRICS };
        let seen = 0;
        const state: { compact: Promise<unknown> | undefined } = { compact: undefined };
        const source = folderSource(folder);
        const blocks = opened({
          ...source,
          read: async (file, from, bytes, signal) => {
            if (!file.key.endsWith('meta.json') && seen++ === at) {
              const merged = [...world.truth].map(([key, samples]) => {
                const { cluster: _cluster, ...labels } = Object.fromEntries(
                  JSON.parse(key) as [string, string][],
                ) as Record<string, string>;
                return { labels, samples: [...samples].sort(([a], [b]) => a - b) };
              });
              state.compact = storeBlock(folder, {
                startMs: ALL.startMs,
                endMs: ALL.endMs,
                series: merged.filter(({ samples }) => samples.length > 0),
                labels: { cluster: 'a' },
                sources: ulids,
              });
              await state.compact;
              for (const ulid of ulids) deleteBlock(folder, ulid);
            }
            return await source.read(file, from, bytes, signal);
          },
        });
        assertSame(await readAll(blocks, query, ALL), expected(world, query, ALL));
        rmSync(folder, { recursive: true });
      }),
      { numRuns: 30 },
    );
  });
});
