/** What is suggested instead of a query that does not fit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tooLarge } from '../../../src/allocation/compute/refusals.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2024, 4, 7);
const ASKED = { window: { startMs: NOW_MS - 24 * HOUR_MS, endMs: NOW_MS }, nowMs: NOW_MS };
const PASSING = { stepMs: 2 * HOUR_MS, windowMs: 6 * HOUR_MS };

test('P-M3: a step or a window that would pass is suggested', () => {
  const { hint } = tooLarge({ ...ASKED, isByCalendar: false }, 2 ** 30, 2 ** 20, PASSING);
  assert.match(hint ?? '', /^step=2h or window=6h would pass at any resolution/);
});

test('no step is suggested for sets of the calendar, which take none', () => {
  const { hint } = tooLarge({ ...ASKED, isByCalendar: true }, 2 ** 30, 2 ** 20, PASSING);
  assert.match(hint ?? '', /^window=6h would pass at any resolution/);
});
