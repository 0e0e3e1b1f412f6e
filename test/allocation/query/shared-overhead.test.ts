import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overheadUsd } from '../../../src/allocation/query/shared-overhead.ts';
import { createCalendar } from '../../../src/query/index.ts';

const at = (text: string): number => Date.parse(text);
const LATER = at('2030-01-01T00:00:00Z');

const CASES: readonly (readonly [
  what: string, zone: string, start: string, end: string, now: number, usd: number,
])[] = [
  ['a day', 'UTC', '2026-01-14T00:00Z', '2026-01-15T00:00Z', LATER, 1],
  ['half a day', 'UTC', '2026-01-14T12:00Z', '2026-01-15T00:00Z', LATER, 0.5],
  ['a day of 23 hours', 'Europe/Berlin', '2026-03-28T23:00Z', '2026-03-29T22:00Z', LATER, 1],
  ['a day of 25 hours', 'Europe/Berlin', '2026-10-24T22:00Z', '2026-10-25T23:00Z', LATER, 1],
  ['24 hours over two days', 'UTC', '2026-01-14T06:00Z', '2026-01-15T06:00Z', LATER, 1],
  ['a week', 'UTC', '2026-01-11T00:00Z', '2026-01-18T00:00Z', LATER, 7],
  ['today', 'UTC', '2026-01-14T00:00Z', '2026-01-15T00:00Z', at('2026-01-14T06:00Z'), 0.25],
  ['a day to come', 'UTC', '2026-01-14T00:00Z', '2026-01-15T00:00Z', at('2026-01-13T06:00Z'), 0],
]; // prettier-ignore

for (const [what, zone, start, end, nowMs, usd] of CASES)
  test(`30.42 a month is ${usd} for ${what}`, () => {
    const window = { startMs: at(start), endMs: at(end) };
    const got = overheadUsd(30.42, window, nowMs, createCalendar(zone));
    assert.ok(Math.abs(got - usd) < 1e-12, `${got}`);
  });
