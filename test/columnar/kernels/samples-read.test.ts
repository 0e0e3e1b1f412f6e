/** Samples are counted as they are walked, whether they are kept, dropped or outside of what was requested. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  compileKernels,
  condense,
  createEngine,
  samplesRead,
} from '../../../src/columnar/index.ts';
import { placeBatch } from '../../support/references/arena-batch.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';
import { ENCODERS, ENCODINGS } from '../../support/stores/stored-series.ts';

const engine = createEngine(compileKernels(), dirtyMemory(16 << 20), 1);
const OWNER = 2;
const T0 = 1_767_225_600_000;
const MINUTE = 60_000;

const steady = fc
  .integer({ min: 1, max: 5000 })
  .map((count) => Array.from({ length: count }, () => 1));
const uneven = fc.array(fc.constantFrom(1, 2, NaN, Infinity, 'stale' as const), {
  minLength: 1,
  maxLength: 300,
});
const anySeries = fc.oneof(steady, uneven).map((values): TestSeries => ({
  labels: [['pod', 'a']],
  timestampsMs: values.map((_, i) => T0 + i * MINUTE),
  values,
}));

for (const encoding of ENCODINGS) {
  test(`each sample of a batch is counted once, encoded as ${encoding}`, () => {
    fc.assert(
      fc.property(
        fc.array(anySeries, { maxLength: 5 }),
        fc.integer({ min: 0, max: 400 }),
        (series, minutes) => {
          const batch = placeBatch(engine, OWNER, ENCODERS[encoding](series), encoding);
          const times = { startMs: T0 + 5 * MINUTE, endMs: T0 + minutes * MINUTE };
          const options = { keep: ['*'], identity: [], gapMs: 10 * MINUTE, ...times };
          condense(engine, batch, options, [], OWNER);
          const found = samplesRead(engine.arena, engine.cursor);
          engine.arena.release(OWNER);
          assert.equal(found, series.flatMap(({ values }) => values).length);
        },
      ),
      { numRuns: 100 },
    );
  });
}
