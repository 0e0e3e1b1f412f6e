/** Prices of cost events, while looking them up succeeds and fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentPrices } from '../../src/audit/index.ts';

const priced = (usd: number): { cpuCores: number; ramBytes: number; gpus: number } => ({
  cpuCores: usd,
  ramBytes: usd,
  gpus: usd,
});

test('prices are looked up once in five minutes; while that fails, the last ones count', async () => {
  const found = ['down', 2, 'down', 3];
  const notes: string[] = [];
  let nowMs = 0;
  const prices = currentPrices({
    lookUp() {
      const next = found.shift();
      return typeof next === 'number'
        ? Promise.resolve(priced(next))
        : Promise.reject(new Error(next));
    },
    byBook: priced(1),
    nowMs: () => nowMs,
    note: (sentence) => void notes.push(sentence),
  });
  const seen: number[] = [];
  for (const minutes of [0, 4, 5, 9, 10, 14, 15]) {
    nowMs = minutes * 60_000;
    seen.push((await prices()).cpuCores);
  }
  assert.deepEqual(seen, [1, 1, 2, 2, 2, 2, 3]);
  assert.deepEqual(
    notes,
    Array(2).fill('cost events go on with the prices of before: Error: down'),
  );
});
