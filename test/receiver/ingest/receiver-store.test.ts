/** The store of the receiver beside a slow, obvious one: random writes, restarts, reads. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { snappy } from '../../../src/metrics/index.ts';
import { ReceiverStore, type StoreOptions } from '../../../src/receiver/ingest/receiver-store.ts';
import type { WriteOutcome } from '../../../src/receiver/index.ts';
import { readBatches, type ReadSeries } from '../../support/references/read-batches.ts';
import { ReceivedSamples } from '../../support/references/received-samples.ts';
import { STALE_BITS } from '../../support/stores/samples-encoding.ts';
import { writeBody, writeBodyV2, type WrittenSeries } from '../../support/stores/write-bodies.ts';
import { bitsOf } from '../../support/stores/xor-encoder.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-receiver-'));
after(() => rmSync(home, { recursive: true, force: true }));

const HOUR_MS = 3_600_000;
/** A little after a window of two hours began. */
const NOW_MS = 1_790_000_000_000 - (1_790_000_000_000 % (2 * HOUR_MS)) + 40_000;
const METRICS = ['up', 'ups'];

let folders = 0;
function options(changes: Partial<StoreOptions> = {}): StoreOptions {
  const folder = join(home, `store-${folders++}`);
  return {
    folder,
    outOfOrderMs: 2 * HOUR_MS,
    maxSeries: 100,
    maxSamplesPerSecond: 1e9,
    ...changes,
  };
}

const valueBits = fc.oneof(
  fc.constantFrom(0n, STALE_BITS, 0x7ff8000000000001n, bitsOf(1), bitsOf(-0)),
  fc.double().map(bitsOf),
  fc.integer({ min: 0, max: 2 }).map(bitsOf),
);
/** Near now, where windows meet, and beyond each bound. */
const timeMs = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -20, max: 20 }).map((n) => NOW_MS - n * 15_000) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 130 }).map((n) => NOW_MS - n * 60_000) },
  fc.constantFrom(
    NOW_MS + 600_001,
    NOW_MS - 2 * HOUR_MS,
    NOW_MS - 2 * HOUR_MS - 1,
    NOW_MS - HOUR_MS - 1,
    -5,
    2 ** 62,
  ),
);
const labels = fc
  .record({ metric: fc.constantFrom(...METRICS), pod: fc.constantFrom('a', 'b', 'ü', ''), isTurned: fc.boolean(), fault: fc.constantFrom('', '', '', '', '', '', 'twice', 'nameless') })
  .map(({ metric, pod, isTurned, fault }): WrittenSeries['labels'] => {
    const pairs: [string, string][] = [['__name__', metric], ['pod', pod]];
    if (fault === 'twice') pairs.push(['pod', 'c'], ['pod', 'd']);
    if (fault === 'nameless') pairs.shift();
    return isTurned ? pairs.toReversed() : pairs;
  }); // prettier-ignore
const series: fc.Arbitrary<WrittenSeries> = fc.record({
  labels,
  samples: fc.array(fc.record({ timeMs, valueBits }), { maxLength: 12 }),
  areLabelsLast: fc.boolean(),
});
const request = fc.record({
  series: fc.array(series, { maxLength: 5 }),
  version: fc.constantFrom('1.0' as const, '2.0' as const),
});
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.array(request, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
  ),
  { maxLength: 10 },
);

function bodyOf({
  series: all,
  version,
}: {
  series: WrittenSeries[];
  version: '1.0' | '2.0';
}): Uint8Array {
  return snappy(version === '1.0' ? writeBody(all) : writeBodyV2(all));
}

async function stored(
  store: ReceiverStore,
  startMs = 0,
  endMs = 2 ** 50,
): Promise<Map<string, ReadSeries>> {
  const batches = [...store.read({ metrics: METRICS }, { startMs, endMs })];
  return readBatches(batches.map((bytes) => ({ encoding: 'chunked-read', bytes })));
}

function inOrder(series: Map<string, ReadSeries>): [string, ReadSeries][] {
  return [...series].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function samplesOf(outcome: WriteOutcome | undefined): number {
  return outcome !== undefined && 'samples' in outcome ? outcome.samples : NaN;
}

for (const outOfOrderMs of [2 * HOUR_MS, 60_000])
  test(`random requests within ${outOfOrderMs / 1000} s are held as an array would hold them, through restarts`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const own = options({ outOfOrderMs });
        let store = new ReceiverStore(own, NOW_MS);
        const reference = new ReceivedSamples(outOfOrderMs);
        for (const step of all) {
          if (step === 'restart') {
            store.close();
            store = new ReceiverStore(own, NOW_MS);
          } else {
            const expected = step.map((one) => reference.write(one.series, NOW_MS));
            const outcomes = store.write(
              step.map((one) => ({ body: bodyOf(one), version: one.version })),
              NOW_MS,
            );
            for (const [i, outcome] of outcomes.entries()) {
              assert.equal(samplesOf(outcome), expected[i]?.accepted);
              assert.equal(outcome.kind, expected[i]?.refused === 0 ? 'stored' : 'refused');
            }
          }
          assert.deepEqual(inOrder(await stored(store)), inOrder(reference.all()));
        }
        store.close();
        rmSync(own.folder, { recursive: true });
      }),
      { numRuns: 12 },
    );
  });
