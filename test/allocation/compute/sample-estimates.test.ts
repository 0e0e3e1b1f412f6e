/** How many samples a question will read is estimated before its first read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  countingSamples,
  SampleEstimates,
} from '../../../src/allocation/compute/sample-estimates.ts';
import type { Metrics } from '../../../src/allocation/compute/priced-store.ts';

const MINUTE_MS = 60_000;
/** Reads reach ten minutes beyond both ends of a window. */
const BEYOND_MINUTES = 20;

interface Asked {
  readonly minutes: number;
  readonly resolutionMs: number;
}

const asked = ({ minutes, resolutionMs }: Asked) => ({
  window: { startMs: 0, endMs: minutes * MINUTE_MS },
  resolutionMs,
});
const minutes = fc.integer({ min: 0, max: 60 * 24 * 90 });
const resolutionMs = fc.constantFrom(0, 10_000, 60_000, 300_000);
const fleet = fc.integer({ min: 1, max: 100_000 });

test('before the first question as many samples as there can be are expected', () => {
  assert.equal(new SampleEstimates().samplesOf(asked({ minutes: 1, resolutionMs: 0 })), Infinity);
});

test('each question to a store of one sample a minute is known by any before it', () => {
  const questions = fc.array(fc.record({ minutes, resolutionMs }), { minLength: 2, maxLength: 40 });
  const property = fc.property(fleet, questions, (series, all) => {
    const estimates = new SampleEstimates();
    for (const [i, question] of all.entries()) {
      const samples = series * (question.minutes + BEYOND_MINUTES);
      const estimated = estimates.samplesOf(asked(question));
      assert.ok(estimated >= samples * (1 - 1e-9), `${estimated} for ${samples}`);
      if (i === 0) assert.equal(estimated, Infinity);
      estimates.note(asked(question), samples);
    }
    const same = all.map((each) => ({ ...each, resolutionMs: 60_000 }));
    const coarse = new SampleEstimates();
    for (const each of same) coarse.note(asked(each), series * (each.minutes + BEYOND_MINUTES));
    const [last = { minutes: 0, resolutionMs: 60_000 }] = same;
    const exact = series * (last.minutes + BEYOND_MINUTES);
    assert.ok(Math.abs(coarse.samplesOf(asked(last)) / exact - 1) < 1e-9, 'nor more than it reads');
  });
  fc.assert(property, { numRuns: 200 });
});

test('a finer question is expected to read as much more, as stores of one sample a step give it', () => {
  const estimates = new SampleEstimates();
  estimates.note(asked({ minutes: 100, resolutionMs: 60_000 }), 120);
  assert.equal(estimates.samplesOf(asked({ minutes: 100, resolutionMs: 10_000 })), 720);
  assert.equal(estimates.samplesOf(asked({ minutes: 100, resolutionMs: 600_000 })), 120);
});

test('windows without samples tell nothing, and a fleet that has shrunk is known after sixteen', () => {
  const estimates = new SampleEstimates();
  const day = asked({ minutes: 1420, resolutionMs: 60_000 });
  estimates.note(day, 1_440_000);
  for (let i = 0; i < 100; i++) estimates.note(day, 0);
  for (let i = 0; i < 15; i++) estimates.note(day, 1440);
  assert.equal(estimates.samplesOf(day), 1_440_000);
  estimates.note(day, 1440);
  assert.equal(estimates.samplesOf(day), 1440);
});

test('samples are counted for the question that reads them, and for the store', () => {
  let ofStore = 0;
  const source = {
    name: 'a store',
    concurrentReads: 1,
    read: async function* () {},
    countSamples: (samples: number) => void (ofStore += samples),
  };
  const metrics = { source } as unknown as Metrics;
  const [one, other] = [countingSamples(metrics), countingSamples(metrics)];
  one.metrics.source.countSamples?.(3);
  other.metrics.source.countSamples?.(4);
  assert.deepEqual([one.read(), other.read(), ofStore], [3, 4, 7]);
  assert.equal(one.metrics.source.name, 'a store');
});
