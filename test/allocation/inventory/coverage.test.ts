/** Which sets see a life, exactly and at the points of a grid. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isSeen } from '../../../src/allocation/inventory/coverage.ts';
import type { Stretch } from '../../../src/allocation/inventory/presence.ts';
import { someLives } from '../../support/arbitraries/lives.ts';

/** Points every 100. */
const SET = { startMs: 1000, endMs: 2000, resolutionMs: 100 };

const CASES: readonly (readonly [name: string, lives: readonly [number, number][], boolean])[] = [
  ['a life around a point', [[1190, 1210]], true],
  ['a life that begins at a point', [[1200, 1201]], true],
  ['a life that ends at a point', [[1110, 1200]], false],
  ['a life between points', [[1110, 1190]], false],
  ['a life that was there when the set began', [[0, 1001]], true],
  ['a life before the set', [[0, 1000]], false],
  ['a life after the set', [[2000, 3000]], false],
  ['the second of two', [[1110, 1190], [1290, 1310]], true],
]; // prettier-ignore

function stretchesOf(lives: readonly (readonly [number, number])[]): Stretch[] {
  return lives.map(([startMs, endMs]) => ({ startMs, endMs }));
}

for (const [name, lives, expected] of CASES)
  test(`${name} is ${expected ? '' : 'not '}seen`, () => {
    assert.equal(isSeen(stretchesOf(lives), SET), expected);
  });

test('exactly, every life in the set is seen', () => {
  assert.equal(isSeen(stretchesOf([[1110, 1190]]), { ...SET, resolutionMs: 0 }), true);
});

test('a life is seen exactly when a point lies in it', () => {
  fc.assert(
    fc.property(someLives, fc.integer({ min: 1, max: 700 }), (lives, resolutionMs) => {
      let points = 0;
      for (let at = SET.startMs; at < SET.endMs; at += resolutionMs)
        if (lives.some(([startMs, endMs]) => startMs <= at && at < endMs)) points++;
      assert.equal(isSeen(stretchesOf(lives), { ...SET, resolutionMs }), points > 0);
    }),
  );
});
