/** A change is told in parts that add up to it, whatever the rows are. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { changeOf, reasonsOf } from '../../../src/web/costs/change.ts';
import { linesOf, sumOfLines } from '../../../src/web/costs/made-of.ts';
import { sentenceOf } from '../../../src/web/costs/sentences.ts';
import { anyRow, rowOf } from '../detail-rows.ts';

const maybeRow = fc.option(anyRow, { nil: undefined });

/** @param size of all terms, as what is large and taken away again leaves its error */
function isNear(sum: number, whole: number, size: number): boolean {
  return Math.abs(sum - whole) <= 1e-9 * Math.max(1, size);
}

test('parts of a change add up to it, for any two rows', () => {
  fc.assert(
    fc.property(maybeRow, maybeRow, (before, now) => {
      const change = changeOf('a', before, now);
      const sum = change.parts.reduce((usd, part) => usd + part.usd, 0);
      const parts = change.parts.reduce((usd, part) => usd + Math.abs(part.usd), 0);
      const size = (before?.totalCost ?? 0) + (now?.totalCost ?? 0) + parts;
      assert.equal(change.usd, (now?.totalCost ?? 0) - (before?.totalCost ?? 0));
      assert.ok(isNear(sum, change.usd, size), `${sum} is not ${change.usd}`);
      const sizes = change.parts.map(({ usd }) => Math.abs(usd));
      assert.deepEqual(
        sizes,
        sizes.toSorted((a, b) => b - a),
        'the largest is first',
      );
    }),
  );
});

test('reasons of all changes add up to the change of the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(maybeRow, maybeRow), { maxLength: 6 }), (pairs) => {
      const changes = pairs.map(([before, now], at) => changeOf(String(at), before, now));
      const whole = changes.reduce((usd, change) => usd + change.usd, 0);
      const sum = reasonsOf(changes).reduce((usd, reason) => usd + reason.usd, 0);
      const all = changes.flatMap(({ before, now, parts }) => [
        before,
        now,
        ...parts.map((part) => part.usd),
      ]);
      const size = all.reduce((usd, each) => usd + Math.abs(each), 0);
      assert.ok(isNear(sum, whole, size), `${sum} is not ${whole}`);
    }),
  );
});

test('lines of a number add up to it', () => {
  fc.assert(
    fc.property(anyRow, (row) => {
      assert.ok(isNear(sumOfLines(linesOf(row)), row.totalCost, row.totalCost));
    }),
  );
});

describe('the reason', () => {
  const base = rowOf({
    cpuCoreHours: 240,
    cpuCost: 24,
    minutes: 1440 * 10,
    cpuCoreRequestAverage: 1,
  });
  const cases = [
    ['new', undefined, base, [['new', 24]], /^new/],
    ['gone', base, undefined, [['gone', -24]], /^gone/],
    ['price', base, rowOf({ ...base, cpuCost: 48 }), [['price', 24]], /^prices rose$/],
    [
      'hours',
      base,
      rowOf({ ...base, minutes: 1440 * 5, cpuCoreHours: 120, cpuCost: 12 }),
      [['hours', -12]],
      /^it ran 120 h less; prices unchanged$/,
    ],
    [
      'requests',
      base,
      rowOf({ ...base, cpuCoreHours: 720, cpuCost: 72, cpuCoreRequestAverage: 3 }),
      [['requests', 48]],
      /^it asks for 2 cores more; prices unchanged$/,
    ],
    [
      'a small part of a request',
      base,
      rowOf({ ...base, cpuCoreHours: 232.5, cpuCost: 23.25, cpuCoreRequestAverage: 0.96875 }),
      [['requests', -0.75]],
      /^it asks for 0\.03 cores less; prices unchanged$/,
    ],
    [
      'usage',
      base,
      rowOf({ ...base, cpuCoreHours: 480, cpuCost: 48 }),
      [['usage', 24]],
      /^it used more beyond what it asks for; prices unchanged$/,
    ],
    ['disk', base, rowOf({ ...base, pvCost: 5 }), [['disk', 5]], /^more for disks/],
    ['nothing', base, base, [], /^unchanged$/],
  ] as const;
  for (const [name, before, now, parts, words] of cases) {
    test(`${name} is told where nothing else changed`, () => {
      const change = changeOf('a', before, now);
      assert.deepEqual(
        change.parts.map(({ reason, usd }) => [reason, Math.round(usd * 1e6) / 1e6]),
        parts,
      );
      assert.match(sentenceOf(change), words);
    });
  }
});
