/** What a grid sees of a life, and between what bounds the life must lie. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { coverage } from '../../../src/allocation/inventory/coverage.ts';

const SET = { startMs: 1000, endMs: 2000, resolutionMs: 100 };

/** Lives in the set [1000, 2000), points every 100. */
const CASES: readonly {
  readonly name: string;
  readonly lives: readonly number[];
  readonly span: readonly [startMs: number, endMs: number];
  readonly covered: number;
  readonly least: number;
  readonly most: number;
}[] = [
  {
    name: 'three points stand for three resolutions, and for two to four',
    lives: [1150, 1420],
    span: [1200, 1500],
    covered: 300,
    least: 200,
    most: 400,
  },
  {
    name: 'one point says at most two resolutions and no least',
    lives: [1190, 1210],
    span: [1200, 1300],
    covered: 100,
    least: 0,
    most: 200,
  },
  {
    name: 'what lived when the set began began with it',
    lives: [0, 1250],
    span: [1000, 1300],
    covered: 300,
    least: 200,
    most: 300,
  },
  {
    name: 'nothing lives beyond the end of the set',
    lives: [1850, 5000],
    span: [1900, 2000],
    covered: 100,
    least: 0,
    most: 200,
  },
  {
    name: 'the whole set is never more than whole',
    lives: [0, 5000],
    span: [1000, 2000],
    covered: 1000,
    least: 900,
    most: 1000,
  },
  {
    name: 'each stretch has two ends of its own',
    lives: [1150, 1310, 1560, 1720],
    span: [1200, 1800],
    covered: 400,
    least: 200,
    most: 600,
  },
  {
    name: 'a stretch between points adds what it may have lasted',
    lives: [1110, 1190, 1250, 1420],
    span: [1300, 1500],
    covered: 200,
    least: 100,
    most: 380,
  },
];

for (const { name, lives, span, covered, least, most } of CASES)
  test(name, () => {
    const seen = coverage(Float64Array.from(lives), SET);
    assert.deepEqual([seen.startMs, seen.endMs], span);
    assert.deepEqual([seen.coveredMs, seen.leastMs, seen.mostMs], [covered, least, most]);
  });

test('an uncertain end widens both bounds, within the set', () => {
  const seen = coverage(Float64Array.of(1150, 1420), SET, 60);
  assert.deepEqual([seen.leastMs, seen.mostMs], [140, 460]);
  assert.equal(coverage(Float64Array.of(0, 5000), SET, 60).mostMs, 1000);
});

test('exactly, a life is what it is', () => {
  const seen = coverage(Float64Array.of(1150, 1420), { ...SET, resolutionMs: 0 });
  assert.deepEqual([seen.startMs, seen.endMs, seen.coveredMs], [1150, 1420, 270]);
});

test('a life that no point sees is not there', () => {
  const seen = coverage(Float64Array.of(1110, 1190), SET);
  assert.ok(!(seen.startMs < seen.endMs), `${seen.startMs} to ${seen.endMs}`);
});

const stretches = fc
  .uniqueArray(fc.integer({ min: 0, max: 3000 }), { minLength: 2, maxLength: 8 })
  .map((times) => times.toSorted((a, b) => a - b).slice(0, times.length & ~1));

test('any lives: as many resolutions as points seen, and the truth within the bounds', () => {
  fc.assert(
    fc.property(stretches, fc.integer({ min: 1, max: 700 }), (lives, resolutionMs) => {
      const set = { ...SET, resolutionMs };
      const isAlive = (atMs: number): boolean =>
        lives.findLastIndex((edge) => edge <= atMs) % 2 === 0;
      let covered = 0;
      for (let at = set.startMs; at < set.endMs; at += resolutionMs) {
        if (isAlive(at)) covered += Math.min(resolutionMs, set.endMs - at);
      }
      let truth = 0;
      for (let at = set.startMs; at < set.endMs; at++) if (isAlive(at)) truth++;
      const seen = coverage(Float64Array.from(lives), set);
      assert.equal(seen.coveredMs, covered);
      if (covered === 0) return;
      assert.ok(seen.leastMs <= truth, `${truth} is below ${seen.leastMs}`);
      assert.ok(truth <= seen.mostMs, `${truth} is above ${seen.mostMs}`);
    }),
  );
});
