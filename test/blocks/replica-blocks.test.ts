/** Blocks of two replicas, which overlap one another and lack what they lack, against the rule sample by sample. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { folderSource } from '../../src/blocks/places/folder-source.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { opened, readAll } from '../support/stores/opened-blocks.ts';
import { storeBlock } from '../support/stores/stored-blocks.ts';

const STEP_MS = 60_000;
const STEPS = 20;
const BLOCK_MS = STEPS * STEP_MS;
const START_MS = Date.UTC(2024, 2, 10);
const ALL = { startMs: START_MS, endMs: START_MS + 6 * BLOCK_MS };
/** Replicas scrape at times of their own. */
const PHASE_MS = [7000, 31_000] as const;

const home = quickFolder('replica-blocks');

type Samples = readonly (readonly [timeMs: number, value: number])[];

const block = fc.record({
  replica: fc.constantFrom(0, 1),
  at: fc.nat(5),
  span: fc.integer({ min: 1, max: 2 }),
  chunkSamples: fc.constantFrom(4, 10, 120),
  /** Every such chunk is a histogram. */
  histograms: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  spareBytes: fc.constantFrom(0, 0, 0, 70_000),
  deletes: fc.option(fc.nat(STEPS - 1), { nil: undefined }),
});
type Block = typeof block extends fc.Arbitrary<infer T> ? T : never;

/** Writes the block. @returns what is to be read of it */
async function stored(folder: string, drawn: Block): Promise<Samples> {
  const { replica, at, span, chunkSamples, histograms, spareBytes, deletes } = drawn;
  const startMs = START_MS + at * BLOCK_MS;
  const endMs = Math.min(startMs + span * BLOCK_MS, ALL.endMs);
  const samples: [number, number][] = [];
  for (let ms = startMs + (PHASE_MS[replica] ?? 0); ms < endMs; ms += STEP_MS)
    samples.push([ms, ms - START_MS]);
  const isHistogram = (chunk: number): boolean =>
    histograms !== undefined && chunk % histograms === histograms - 1;
  const [goneMs, untilMs] =
    deletes === undefined ? [NaN, NaN] : [0, 5].map((more) => startMs + (deletes + more) * STEP_MS);
  await storeBlock(folder, {
    startMs,
    endMs,
    series: [{ labels: { __name__: 'up', pod: 'a' }, samples }],
    labels: { replica: String(replica) },
    chunkSamples,
    spareBytes,
    isHistogram,
    ...(deletes === undefined ? {} : { deleted: [[0, goneMs ?? 0, untilMs ?? 0]] }),
  });
  return samples.filter(
    ([ms], i) =>
      !isHistogram(Math.floor(i / chunkSamples)) && !(ms >= (goneMs ?? 0) && ms <= (untilMs ?? 0)),
  );
}

/** The first, and of the other what is a step away from both ends of a gap of the first. */
function slowly([first, other]: readonly [Samples, Samples]): Samples {
  if (first.length === 0) return other;
  const times = [-Infinity, ...first.map(([ms]) => ms), Infinity];
  const filled = times.slice(1).flatMap((toMs, i) => {
    const fromMs = times[i] ?? 0;
    if (toMs - fromMs <= 3 * STEP_MS) return [];
    return other.filter(([ms]) => ms >= fromMs + STEP_MS && ms <= toMs - STEP_MS);
  });
  return [...first, ...filled].sort(([a], [b]) => a - b);
}

test('any blocks of replicas, with histograms, long chunks and deleted times, are told by the rule', async () => {
  const blocks = fc.array(block, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(blocks, fc.boolean(), async (drawn, isChecked) => {
      const folder = mkdtempSync(join(home, 'blocks-'));
      const known = [new Map<number, number>(), new Map<number, number>()] as const;
      for (const each of drawn)
        for (const [ms, value] of await stored(folder, each))
          known[each.replica === 0 ? 0 : 1].set(ms, value);
      const [first, other] = known.map((map) => [...map].sort(([a], [b]) => a - b));
      const wanted = slowly([first ?? [], other ?? []]);
      const source = folderSource(folder);
      const found = await readAll(opened(source), { metrics: ['up'] }, ALL, { isChecked });
      assert.deepEqual([...found.values()], wanted.length === 0 ? [] : [wanted]);
      rmSync(folder, { recursive: true });
    }),
    { numRuns: 40 },
  );
});
