/** The parts of a memory limit never exceed the limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { divideMemory, leastLimitBytes, residentBytes } from '../../src/settings/memory-budget.ts';

const MIB = 2 ** 20;
const WORKERS = [1, 2, 3, 4, 8, 16, 64, 1024];
const MORE_MIB = [0, 1, 7, 16, 40, 100, 300, 840, 2000, 5000, 60_000];

test('P-M1: all parts together stay within any limit, for any number of workers', () => {
  for (const workers of WORKERS) {
    for (const more of MORE_MIB) {
      const limit = leastLimitBytes(1) + more * MIB;
      const budget = divideMemory(limit, workers);
      const sum = residentBytes(budget);
      assert.ok(sum <= limit, `${sum} of ${limit} for ${workers} workers`);
      const parts = Object.entries(budget).filter(([, amount]) => !(amount > 0));
      assert.deepEqual(parts, [], `parts of ${limit} for ${workers} workers`);
    }
  }
});

test('no part shrinks when the limit grows', () => {
  for (const workers of WORKERS) {
    const limits = MORE_MIB.map((more) => leastLimitBytes(workers) + more * MIB);
    const budgets = limits.map((limit) => divideMemory(limit, workers));
    for (const [i, budget] of budgets.slice(1).entries()) {
      const { arenaBytes = 0, streams = 0 } = budgets[i] ?? {};
      assert.ok(budget.arenaBytes >= arenaBytes && budget.streams >= streams, `${limits[i + 1]}`);
    }
  }
});

test('as many workers run as fit: one less than needs a MiB more', () => {
  for (const workers of [2, 3, 8, 64]) {
    const least = leastLimitBytes(workers);
    assert.equal(divideMemory(least, 1024).threads, workers);
    assert.equal(divideMemory(least - MIB, 1024).threads, workers - 1);
    assert.equal(divideMemory(least, workers - 1).threads, workers - 1);
  }
});

test('the smallest limits, columns and readers are those in the documents', () => {
  assert.equal(leastLimitBytes(1), 174 * MIB);
  assert.equal(leastLimitBytes(2) - leastLimitBytes(1), 34 * MIB);
  const documented = [256, 512, 1200].map((mib) => {
    const { arenaBytes, streams } = divideMemory(mib * MIB, 2);
    return [mib, arenaBytes / MIB, streams];
  });
  assert.deepEqual(documented, [
    [256, 45, 22],
    [512, 182, 89],
    [1200, 554, 256],
  ]);
});
