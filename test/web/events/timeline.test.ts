/** The time line of cost events: each change is in one span, and in the picture. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Change } from '../../../src/web/events/events.ts';
import { binsOf, labelled, timelineOf } from '../../../src/web/events/timeline.ts';

const NOW_MS = Date.UTC(2026, 10, 25, 22, 50, 35);

function changeAt(atMs: number, usdPerMonth: number, isComing: boolean): Change {
  return {
    key: `${atMs}`,
    isComing,
    kind: 'deployment',
    cluster: 'c',
    namespace: 'n',
    name: 'a',
    requests: '',
    atMs,
    usdPerMonth: isComing ? usdPerMonth : -usdPerMonth,
    cameMs: undefined,
    wentMs: undefined,
  };
}

/** From seconds to years before now. */
const drawn = fc
  .record({
    lengthMs: fc.integer({ min: 1, max: 3e10 }),
    parts: fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        usd: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e5, noNaN: true })),
        isComing: fc.boolean(),
      }),
      { maxLength: 40 },
    ),
    most: fc.integer({ min: 8, max: 60 }),
  })
  .map(({ lengthMs, parts, most }) => {
    const startMs = NOW_MS - lengthMs;
    const changes = parts.map(({ at, usd, isComing }) =>
      changeAt(Math.floor(startMs + at * lengthMs), usd, isComing),
    );
    return { startMs, changes, most };
  });

test('spans follow each other, have the whole time, and each change once', () => {
  fc.assert(
    fc.property(drawn, ({ startMs, changes, most }) => {
      const bins = binsOf(changes, startMs, NOW_MS, most);
      assert.ok(bins.length >= 1 && bins.length <= most, `${bins.length} of ${most}`);
      assert.ok((bins[0]?.startMs ?? NaN) <= startMs && (bins.at(-1)?.endMs ?? NaN) >= NOW_MS);
      for (const [at, { startMs: start, endMs: end }] of bins.entries()) {
        assert.equal(start, at === 0 ? start : bins[at - 1]?.endMs);
        const own = changes.filter(({ atMs }) => atMs >= start && atMs < end);
        const [came, went] = [bins[at]?.came, bins[at]?.went];
        assert.equal((came?.count ?? 0) + (went?.count ?? 0), own.length);
        const sum = own.reduce((all, { usdPerMonth }) => all + usdPerMonth, 0);
        const found = (came?.usdPerMonth ?? 0) + (went?.usdPerMonth ?? 0);
        assert.ok(Math.abs(found - sum) <= 1e-6, `${found}, not ${sum}`);
      }
      const count = bins.reduce((sum, { came, went }) => sum + came.count + went.count, 0);
      assert.equal(count, changes.length);
    }),
  );
});

test('marks are within the picture, apart, as long as their money, and seen', () => {
  fc.assert(
    fc.property(drawn, fc.integer({ min: 280, max: 1600 }), ({ startMs, changes, most }, width) => {
      const bins = binsOf(changes, startMs, NOW_MS, most);
      const { placed, zeroY, height } = timelineOf(bins, width, 144);
      const full = bins.filter(({ came, went }) => came.count + went.count > 0);
      assert.equal(placed.length, full.length);
      let right = 0;
      for (const { x, width: wide, came, went } of placed) {
        assert.ok(x >= right && x + wide <= width + 1e-9);
        right = x + wide;
        if (came !== undefined) {
          assert.ok(came.y >= -1e-9 && came.height >= 3);
          assert.ok(Math.abs(came.y + came.height - zeroY) < 1e-9);
        }
        if (went !== undefined) {
          assert.ok(went.y === zeroY && went.height >= 3 && zeroY + went.height <= height + 1e-9);
        }
      }
      const long = placed.flatMap(({ bin, came }) =>
        came !== undefined && came.height > 3.01 ? [came.height / bin.came.usdPerMonth] : [],
      );
      for (const each of long) assert.ok(Math.abs(each / (long[0] ?? NaN) - 1) < 1e-6);
    }),
  );
});

test('labels have room', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 280, max: 1600 }),
      (count, width) => {
        const places = labelled(count, width, 144);
        const step = width / count;
        assert.equal(places[0], 0);
        for (const [at, place] of places.slice(1).entries()) {
          assert.ok((place - (places[at] ?? NaN)) * step >= 144 - 1e-9);
        }
      },
    ),
  );
});
