/** The store of the receiver beside a slow, obvious one: random writes, restarts, reads. */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { snappy } from '../../../src/metrics/index.ts';
import { ReceiverStore, type StoreOptions } from '../../../src/receiver/ingest/receiver-store.ts';
import type { WriteOutcome } from '../../../src/receiver/index.ts';
import { quickFolder } from '../../support/quick-folder.ts';
import { readBatches, type ReadSeries } from '../../support/references/read-batches.ts';
import { ReceivedSamples } from '../../support/references/received-samples.ts';
import { STALE_BITS } from '../../support/stores/samples-encoding.ts';
import { writeBody, writeBodyV2, type WrittenSeries } from '../../support/stores/write-bodies.ts';
import { bitsOf } from '../../support/stores/xor-encoder.ts';

const home = quickFolder('receiver');

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
    retentionMs: 1e12,
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
/** How long ago: near now, where windows meet, and beyond each bound. */
const ageMs = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -20, max: 20 }).map((n) => n * 15_000) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 130 }).map((n) => n * 60_000) },
  fc.constantFrom(-600_001, 2 * HOUR_MS, 2 * HOUR_MS + 1, HOUR_MS + 1, NOW_MS + 5, -(2 ** 62)),
);
const labels = fc
  .record({ metric: fc.constantFrom(...METRICS), pod: fc.constantFrom('a', 'b', 'ü', ''), isTurned: fc.boolean(), fault: fc.constantFrom('', '', '', '', '', '', 'twice', 'nameless') })
  .map(({ metric, pod, isTurned, fault }): WrittenSeries['labels'] => {
    const pairs: [string, string][] = [['__name__', metric], ['pod', pod]];
    if (fault === 'twice') pairs.push(['pod', 'c'], ['pod', 'd']);
    if (fault === 'nameless') pairs.shift();
    return isTurned ? pairs.toReversed() : pairs;
  }); // prettier-ignore
const series = fc.record({
  labels,
  samples: fc.array(fc.record({ ageMs, valueBits }), { maxLength: 12 }),
  areLabelsLast: fc.boolean(),
});
const request = fc.record({
  series: fc.array(series, { maxLength: 5 }),
  version: fc.constantFrom('1.0' as const, '2.0' as const),
});
type Requested = typeof request extends fc.Arbitrary<infer Value> ? Value : never;
/**
 * A restart; a kill, after which a copy of the folder as it is then is opened; two hours later; the same, where a kill leaves the
 * log beside the block.
 */
const EVENTS = ['restart', 'kill', 'later', 'later', 'half cut'] as const;
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.array(request, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(...EVENTS) },
  ),
  { maxLength: 10 },
);

function writtenAt(nowMs: number, { series: all }: Requested): WrittenSeries[] {
  return all.map(({ samples, ...one }) => ({
    ...one,
    samples: samples.map((sample) => ({
      timeMs: nowMs - sample.ageMs,
      valueBits: sample.valueBits,
    })),
  }));
}

/** A store and the time, as events change them. */
class Scene {
  nowMs = NOW_MS;
  readonly #options: StoreOptions;
  #folder: string;
  store: ReceiverStore;

  private constructor(own: StoreOptions, store: ReceiverStore) {
    this.#options = own;
    this.#folder = own.folder;
    this.store = store;
  }

  static async begin(outOfOrderMs: number): Promise<Scene> {
    const own = options({ outOfOrderMs });
    return new Scene(own, await ReceiverStore.open(own, NOW_MS));
  }

  async happens(event: (typeof EVENTS)[number]): Promise<void> {
    if (event === 'later' || event === 'half cut') this.nowMs += 2 * HOUR_MS;
    const copy = options().folder;
    if (event === 'kill' || event === 'half cut') cpSync(this.#folder, copy, { recursive: true });
    if (event === 'later' || event === 'half cut') await this.store.maintain(this.nowMs);
    if (event === 'later') return;
    this.store.close();
    if (event === 'half cut') {
      rmSync(join(this.#folder, 'logs'), { recursive: true });
      cpSync(join(copy, 'logs'), join(this.#folder, 'logs'), { recursive: true });
    } else if (event === 'kill') this.#folder = copy;
    this.store = await ReceiverStore.open({ ...this.#options, folder: this.#folder }, this.nowMs);
  }

  end(): void {
    this.store.close();
    rmSync(this.#folder, { recursive: true });
  }
}

async function stored(store: ReceiverStore): Promise<Map<string, ReadSeries>> {
  return await readBatches(store.read({ metrics: METRICS }, { startMs: 0, endMs: 2 ** 50 }));
}

function bodyOf(series: readonly WrittenSeries[], version: '1.0' | '2.0'): Uint8Array {
  return snappy(version === '1.0' ? writeBody(series) : writeBodyV2(series));
}

function inOrder(series: Map<string, ReadSeries>): [string, ReadSeries][] {
  return [...series].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function samplesOf(outcome: WriteOutcome | undefined): number {
  return outcome !== undefined && 'samples' in outcome ? outcome.samples : NaN;
}

for (const outOfOrderMs of [2 * HOUR_MS, 60_000])
  test(`P-C1: random requests within ${outOfOrderMs / 1000} s are held as an array would hold them, whatever ends the process`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const scene = await Scene.begin(outOfOrderMs);
        const reference = new ReceivedSamples(outOfOrderMs);
        for (const step of all) {
          if (typeof step === 'string') await scene.happens(step);
          else {
            const { nowMs, store } = scene;
            const written = step.map((one) => writtenAt(nowMs, one));
            const expected = written.map((one) => reference.write(one, nowMs));
            const outcomes = store.write(
              step.map(({ version }, i) => ({ body: bodyOf(written[i] ?? [], version), version })),
              nowMs,
            );
            for (const [i, outcome] of outcomes.entries()) {
              assert.equal(samplesOf(outcome), expected[i]?.accepted);
              assert.equal(outcome.kind, expected[i]?.refused === 0 ? 'stored' : 'refused');
            }
          }
          assert.deepEqual(inOrder(await stored(scene.store)), inOrder(reference.all()));
        }
        scene.end();
      }),
      { numRuns: 9 },
    );
  });
