/** Buckets of tokens are as a slow list of what was taken says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TokenBuckets } from '../../src/http/limits/token-buckets.ts';

interface Step {
  readonly passMs: number;
  readonly client: string;
  readonly tokens: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  passMs: fc.integer({ min: 0, max: 5000 }),
  client: fc.constantFrom('a', 'b'),
  tokens: fc.constantFrom(-1, -1, -1, 1),
});

/** What a client has left: full at first, then a millisecond at a time. */
function slowly(steps: readonly Step[], client: string, perSecond: number, most: number): number {
  let left = most;
  for (const { passMs, client: of, tokens } of steps) {
    for (let ms = 0; ms < passMs; ms += 100)
      left = Math.min(most, left + (Math.min(100, passMs - ms) / 1000) * perSecond);
    // A token that is put back may overfill the bucket until time passes.
    if (of === client) left = Math.min(most, left) + tokens;
  }
  return Math.min(most, left);
}

test('a bucket has what it held, and what came back at its rate, at most all that it holds', () => {
  const rates = fc.record({
    perSecond: fc.double({ min: 0.01, max: 50, noNaN: true }),
    most: fc.integer({ min: 1, max: 60 }),
  });
  fc.assert(
    fc.property(rates, fc.array(step, { maxLength: 20 }), ({ perSecond, most }, steps) => {
      let nowMs = 0;
      const buckets = new TokenBuckets({ perSecond, most, nowMs: () => nowMs });
      for (const { passMs, client, tokens } of steps) {
        nowMs += passMs;
        buckets.add(client, tokens);
      }
      for (const client of ['a', 'b'])
        assert.ok(Math.abs(buckets.left(client) - slowly(steps, client, perSecond, most)) < 1e-6);
    }),
  );
});

test('when there is one again is told in whole seconds', () => {
  const buckets = new TokenBuckets({ perSecond: 0.5, most: 1, nowMs: () => 0 });
  assert.deepEqual(
    [0, 0.4, 0.99].map((left) => buckets.secondsUntilOne(left)),
    [2, 2, 1],
  );
});
