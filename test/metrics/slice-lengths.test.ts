/** Growing and shrinking slices of a read by range selectors. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SliceLengths, type SliceAnswer } from '../../src/metrics/readers/slice-lengths.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Lengths of the slices for `hours`, in whole minutes. */
function minutesOf(hours: number, answer: (minutes: number) => SliceAnswer): number[] {
  const lengths = new SliceLengths();
  const minutes: number[] = [];
  for (let leftMs = hours * HOUR_MS; leftMs > 0;) {
    const lengthMs = Math.min(leftMs, lengths.nextMs);
    minutes.push(Math.round(lengthMs / MINUTE_MS));
    lengths.answered(lengthMs, answer(lengthMs / MINUTE_MS));
    leftMs -= lengthMs;
  }
  return minutes;
}

function fleet(series: number, intervalSeconds: number): (minutes: number) => SliceAnswer {
  return (minutes) => {
    const seriesPoints = Math.ceil((minutes * 60) / intervalSeconds);
    return { points: series * seriesPoints, seriesPoints };
  };
}

const ROWS: readonly (readonly [what: string, hours: number, ReturnType<typeof fleet>, number[]])[] =
  [
    ['nothing, eight times as long up to twelve hours', 36, fleet(0, 60), [15, 120, 720, 720, 585]],
    ['200 series a minute apart, the same', 18, fleet(200, 60), [15, 120, 720, 225]],
    ['2,000 series a minute apart, the same', 18, fleet(2000, 60), [15, 120, 720, 225]],
    ['2,000 series 15 s apart, two million points', 12, fleet(2000, 15), [15, 120, 250, 250, 85]],
    ['50,000 series 15 s apart, two million points', 1, fleet(50_000, 15), [15, 10, 10, 10, 10, 5]],
    ['2 million series, a minute', 0.3, fleet(2e6, 15), [15, 1, 1, 1]],
    ['a series a second apart, 10,000 points', 6, fleet(1, 1), [15, 120, 167, 58]],
  ]; // prettier-ignore

describe('slices', () => {
  for (const [what, hours, answer, minutes] of ROWS)
    test(`have their lengths: ${what}`, () => assert.deepEqual(minutesOf(hours, answer), minutes));

  test('P-M2: never plan more than two million points or 10,000 for one series, after any answers', () => {
    const some = {
      points: fc.integer({ min: 0, max: 1e9 }),
      share: fc.integer({ min: 1, max: 1e6 }),
    };
    fc.assert(
      fc.property(fc.array(fc.record(some), { maxLength: 12 }), (answers) => {
        const lengths = new SliceLengths();
        for (const { points, share } of answers) {
          const lengthMs = lengths.nextMs;
          const seriesPoints = Math.ceil(points / share);
          lengths.answered(lengthMs, { points, seriesPoints });
          const times = lengths.nextMs / lengthMs;
          assert.ok(times <= 8 && lengths.nextMs <= 12 * HOUR_MS, `${lengths.nextMs} ms`);
          if (lengths.nextMs === MINUTE_MS) continue;
          assert.ok(times * points <= 2e6, `${times * points} points`);
          assert.ok(times * seriesPoints <= 10_000, `${times * seriesPoints} of a series`);
        }
      }),
    );
  });

  test('stay at half of a refused length, and end at a minute', () => {
    const lengths = new SliceLengths();
    assert.equal(lengths.refused(HOUR_MS), true);
    assert.equal(lengths.nextMs, HOUR_MS / 2);
    lengths.answered(HOUR_MS / 2, { points: 1, seriesPoints: 1 });
    assert.equal(lengths.nextMs, HOUR_MS / 2);
    assert.equal(lengths.refused(MINUTE_MS), false);
  });
});
