/** The estimate of what a question of stored sets costs, which decides its lane. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readStoredPlan } from '../../../src/allocation/params/stored-params.ts';
import { estimatedMs } from '../../../src/allocation/params/stored-cost.ts';
import { parseQuery } from '../../../src/http/params.ts';
import { createCalendar } from '../../../src/query/index.ts';

const NOW_MS = Date.UTC(2026, 0, 31);

/** @param sets rows of the stored sets that each set of the answer is the sum of */
function costOf(query: string, sets: readonly (readonly number[])[]): number {
  const plan = readStoredPlan(parseQuery(`window=30d&${query}`), createCalendar('UTC'), NOW_MS);
  return estimatedMs(
    plan,
    sets.map((members) => members.map((rows) => ({ rows }))),
  );
}

const days = (count: number, rows: number): number[][] =>
  Array.from({ length: count }, () => [rows]);

/** Milliseconds that it took the workers, a little more than on a quiet machine (bench/README.md). */
const TOOK: readonly (readonly [query: string, sets: number[][], tookMs: number])[] = [
  ['aggregate=namespace&limit=20', days(30, 50_000), 108],
  ['aggregate=controller&limit=20', days(30, 50_000), 330],
  ['aggregate=label:app&limit=20', days(30, 50_000), 365],
  ['aggregate=pod&shareCost=1000&format=ndjson&limit=20', days(16, 50_000), 560],
  ['limit=20', days(30, 50_000), 210],
  ['limit=20&shareCost=100', days(30, 50_000), 370],
  ['aggregate=cluster', days(1, 50_000), 6],
]; // prettier-ignore

for (const [query, sets, tookMs] of TOOK)
  test(`P-O1: ${query} of ${sets.length} days is estimated at half to four times what it took`, () => {
    const ratio = costOf(query, sets) / tookMs;
    assert.ok(ratio >= 0.5 && ratio <= 4, `${ratio.toFixed(2)} times ${tookMs} ms`);
  });

const question = fc
  .tuple(
    fc.constantFrom('', 'namespace', 'controller', 'pod', 'label:app', 'namespace,pod'),
    fc.constantFrom('', 'shareIdle=true', 'shareCost=100', 'shareNamespaces=a'),
    fc.constantFrom('', 'format=csv', 'format=ndjson'),
  )
  .map(([keys, ...more]) => [`aggregate=${keys}`, ...more].filter((part) => part !== '').join('&'));

test('P-O1: more days, more rows and more of them shown never cost less', () => {
  fc.assert(
    fc.property(
      question,
      fc.array(fc.nat(50_000), { minLength: 1, maxLength: 9 }),
      fc.nat(50_000),
      fc.nat(500),
      (query, rows, more, limit) => {
        const sets = rows.map((count) => [count]);
        const cost = costOf(query, sets);
        assert.ok(cost > 0);
        assert.ok(costOf(query, [...sets, [more]]) >= cost, 'another day');
        assert.ok(
          costOf(
            query,
            rows.map((count) => [count + more]),
          ) >= cost,
          'more rows',
        );
        const page = costOf(`${query}&limit=${limit}`, sets);
        assert.ok(page <= cost, 'a page');
        assert.ok(costOf(`${query}&limit=${limit + 1}`, sets) >= page, 'a longer page');
      },
    ),
  );
});
