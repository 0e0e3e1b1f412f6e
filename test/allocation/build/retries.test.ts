/** When what failed is tried again, as time passes by a clock in hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Retries } from '../../../src/allocation/build/retries.ts';
import { Fault, Unavailable } from '../../../src/query/index.ts';

const MINUTE_MS = 60_000;
const DOWN = new Unavailable('the store is down');
const TOO_LARGE = new Fault('too large');

test('while the store is down everything waits: 1 s, then twice as long, a minute at most', () => {
  const retries = new Retries(() => 0);
  const pauses = Array.from({ length: 9 }, (_, i) => {
    retries.failed(`day ${i}`, DOWN);
    return retries.pauseMs / 1000;
  });
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  retries.succeeded('day 0');
  retries.failed('day 1', DOWN);
  assert.equal(retries.pauseMs, 1000);
});

test('what fails a third time waits alone, so that the rest goes on', () => {
  let nowMs = 0;
  const retries = new Retries(() => nowMs);
  retries.failed('a', DOWN);
  retries.failed('a', DOWN);
  assert.equal(retries.isWaiting('a'), false);
  assert.equal(retries.failed('a', DOWN), 10 * MINUTE_MS);
  assert.deepEqual([retries.isWaiting('a'), retries.isWaiting('b')], [true, false]);
  nowMs = 10 * MINUTE_MS;
  assert.deepEqual([retries.isWaiting('a'), retries.pauseMs], [false, 0]);
});

test('what fails for itself makes nothing else wait, and waits ever longer, six hours at most', () => {
  const retries = new Retries(() => 0);
  const waits = Array.from({ length: 8 }, () => retries.failed('a', TOO_LARGE) / MINUTE_MS);
  assert.deepEqual(waits, [10, 20, 40, 80, 160, 320, 360, 360]);
  assert.equal(retries.pauseMs, 0);
  assert.equal(retries.failed('today', TOO_LARGE, 5 * MINUTE_MS), 5 * MINUTE_MS);
});

test('what failed is told with its reason, until it succeeds', () => {
  const retries = new Retries(() => 0);
  retries.failed('a', DOWN);
  retries.failed('b', TOO_LARGE);
  retries.succeeded('a');
  assert.deepEqual([...retries.failing], [['b', 'too large']]);
});
