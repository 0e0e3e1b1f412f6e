/** Tiles fill the room, each by its amount, none over another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { tilesOf } from '../../../src/web/costs/treemap.ts';

const amounts = fc
  .array(fc.double({ min: 0.01, max: 1000, noNaN: true }), { minLength: 1, maxLength: 40 })
  .map((all) => all.toSorted((a, b) => b - a));

test('tiles have areas by their amounts, and fill the room without a gap or an overlap', () => {
  fc.assert(
    fc.property(
      amounts,
      fc.integer({ min: 50, max: 2000 }),
      fc.integer({ min: 50, max: 600 }),
      (all, width, height) => {
        const tiles = tilesOf(all, width, height);
        const sum = all.reduce((a, b) => a + b, 0);
        assert.deepEqual(
          tiles.map(({ at }) => at),
          all.map((_, at) => at),
        );
        for (const { at, x, y, width: w, height: h } of tiles) {
          const area = ((all[at] ?? 0) / sum) * width * height;
          assert.ok(Math.abs(w * h - area) <= 1e-6 * width * height, `${w * h} is not ${area}`);
          assert.ok(x >= -1e-6 && y >= -1e-6 && x + w <= width + 1e-6 && y + h <= height + 1e-6);
        }
        for (const a of tiles) {
          for (const b of tiles) {
            if (a.at >= b.at) continue;
            const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
            const down = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
            assert.ok(Math.min(across, down) <= 1e-6, 'one lies over another');
          }
        }
      },
    ),
  );
});

test('what costs nothing has no tile, and equal amounts are near squares', () => {
  assert.deepEqual(tilesOf([0, 0], 100, 100), []);
  assert.deepEqual(tilesOf([], 100, 100), []);
  assert.equal(tilesOf([2, 1, 0, 0], 100, 100).length, 2);
  for (const { width, height } of tilesOf([1, 1, 1, 1], 100, 100)) {
    assert.ok(Math.max(width / height, height / width) < 1.01);
  }
});
