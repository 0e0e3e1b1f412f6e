import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTime } from '../../../src/billing/focus/times.ts';

const AT = Date.UTC(2024, 8, 18, 22);

const SAME: readonly string[] = [
  '2024-09-18T22:00:00Z',
  '2024-09-18T22:00:00',
  '2024-09-18 22:00:00',
  '2024-09-18 22:00',
  '2024-09-18T22:00Z',
  '2024-09-18 22:00:00 UTC',
  '2024-09-18 22:00:00.000000',
  '2024-09-18T22:00:00.000Z',
  '2024-09-19T00:00:00+02:00',
  '2024-09-18 22:00:00+00',
];
for (const text of SAME)
  test(`'${text}' is ten in the evening, UTC`, () => assert.equal(readTime(text), AT));

test('a date is its midnight in UTC', () =>
  assert.equal(readTime('2024-09-18'), Date.UTC(2024, 8, 18)));

const NONE: readonly string[] = [
  '',
  '2024-09-31T00:00:00Z',
  '18/09/2024',
  '1726696800',
  '1999-12-31T23:59:59Z',
  '2101-01-01T00:00:00Z',
  '2024-09-18T25:00:00Z',
  'tomorrow',
];
for (const text of NONE)
  test(`'${text}' is no time of a bill`, () => assert.equal(readTime(text), undefined));
