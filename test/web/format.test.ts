/** Numbers as people read them: empty for zero, a dash for what is not known, signs for changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as format from '../../src/web/format.ts';

/** The locale decides on commas and signs of currency: digits alone are compared. */
function digits(text: string): string {
  return text.replace(/[^\d<>–−+]/g, '');
}

test('money', () => {
  const cases = [
    [1204.5, '120450'],
    [0, ''],
    [0.004, '<001'],
    [-0.004, '>001'],
    [undefined, '–'],
    [NaN, '–'],
  ] as const;
  for (const [usd, text] of cases) assert.equal(digits(format.money(usd)), text, String(usd));
  assert.equal(digits(format.moneyOrZero(0)), '000');
  assert.equal(digits(format.moneyExact(1.23456)), '12346');
});

test('changes have their sign, and none below half a cent', () => {
  assert.equal(digits(format.moneyChange(12.1)), '+1210');
  assert.equal(digits(format.moneyChange(-3)), '−300');
  assert.equal(format.moneyChange(0.001), '');
  assert.equal(format.moneyChange(undefined), '–');
  assert.match(format.percentChange(0.07), /^\+7\s?%$/);
  assert.equal(format.percentChange(Infinity), '–');
});

test('shares', () => {
  assert.match(format.percent(0.61), /^61\s?%$/);
  assert.match(format.percent(1.48), /^148\s?%$/);
  assert.equal(format.percent(Infinity), '–');
});

test('bytes by powers of 1024', () => {
  assert.deepEqual([0, 1023, 1024, 1536, 5 * 2 ** 30].map(format.bytes), [
    '0 B',
    '1,023 B',
    '1 KiB',
    '1.5 KiB',
    '5 GiB',
  ]);
});

test('dates are those of the zone', () => {
  const ms = Date.parse('2026-11-22T23:30:00Z');
  assert.equal(format.isoDate(ms, 'UTC'), '2026-11-22');
  assert.equal(format.isoDate(ms, 'Europe/Berlin'), '2026-11-23');
  assert.match(format.day(ms, 'Europe/Berlin'), /23/);
  assert.match(format.moment(ms, 'UTC'), /22.*11:30|22.*23:30/);
});
