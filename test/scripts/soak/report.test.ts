import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  reportOf,
  type Reading,
  type Soaked,
  type SoakedQuestion,
} from '../../../scripts/soak/report.ts';

const MIB = 2 ** 20;
const MINUTES = 60;

/** A reading a minute, by its share of the time. */
function readings(of: (share: number) => Partial<Reading>): Reading[] {
  return Array.from({ length: MINUTES + 1 }, (_, minute) => ({
    atMs: minute * 60_000,
    residentBytes: 450 * MIB,
    cachedBytes: 50 * MIB,
    descriptors: 50,
    threads: 13,
    ...of(minute / MINUTES),
  }));
}

/** An answer ten times a second. */
function question(
  tookMs: (share: number) => number,
  statuses: readonly (readonly [number, number])[] = [[200, 36_000]],
): SoakedQuestion {
  const count = 10 * 60 * MINUTES;
  const answers = Array.from({ length: count }, (_, i) => ({
    atMs: i * 100,
    tookMs: tookMs(i / count),
  }));
  return { statuses: new Map(statuses), answers };
}

function soaked(changes: Partial<Soaked> = {}): Soaked {
  return {
    minutes: MINUTES,
    readings: readings(() => ({})),
    outcomes: new Map([['warm', question((share) => 10 + ((share * 1000) % 1))]]),
    faults: new Map([['the store hangs up', 51]]),
    errors: [],
    memoryLimitBytes: 512 * MIB,
    ...changes,
  };
}

test('a soak in which nothing grew has no breach, and a table of its first part and its last', () => {
  const { table, breaches } = reportOf(soaked());
  assert.deepEqual(breaches, []);
  assert.match(table, /^60 minutes, 61 readings; /);
  assert.match(table, /\nresident memory +450 MiB → 450 MiB\n/);
  assert.match(table, /\nwarm +p99 11 → 11 ms; 200 × 36000\n/);
  assert.match(table, /\nfault: the store hangs up +× 51$/);
});

test('memory may grow while caches are filled, and answers of 503 are none of ours', () => {
  const filling = readings((share) => ({
    residentBytes: (100 + 280 * share) * MIB,
    cachedBytes: 280 * share * MIB,
  }));
  const outcomes = new Map([
    [
      'computed',
      question(
        () => 5,
        [
          [200, 9],
          [503, 3],
        ],
      ),
    ],
  ]);
  assert.deepEqual(reportOf(soaked({ readings: filling, outcomes })).breaches, []);
});

const PAST_LIMIT = readings((share) => ({
  residentBytes: (400 + 200 * share) * MIB,
  cachedBytes: 200 * share * MIB,
}));

const BREACHES: readonly (readonly [string, Partial<Soaked>, RegExp])[] = [
  ['memory grows', { readings: readings((share) => ({ residentBytes: (400 + 100 * share) * MIB })) }, /^beside caches grew from 380 to 440/],
  ['memory passes its limit', { readings: PAST_LIMIT }, /^resident memory grew from 460 to 580/],
  ['descriptors grow', { readings: readings((share) => ({ descriptors: 50 + Math.round(60 * share) })) }, /^descriptors grew from /],
  ['a thread is left', { readings: readings((share) => ({ threads: share < 0.6 ? 13 : 14 })) }, /^threads grew from 13 to 14/],
  ['answers become slower', { outcomes: new Map([['warm', question((share) => (share < 0.5 ? 10 : 12))]]) }, /^warm: p99 rose from 10 to 12 ms/],
  ['a bug is answered', { outcomes: new Map([['warm', question(() => 5, [[200, 9], [500, 1]])]]) }, /^warm: 1 were answered 500/],
  ['a connection breaks', { outcomes: new Map([['warm', question(() => 5, [[200, 9], [0, 2]])]]) }, /^warm: 2 connections broke/],
  ['answers end', { outcomes: new Map([['warm', { statuses: new Map([[200, 5]]), answers: [] }]]) }, /^warm: a part of the time nothing/],
  ['an error is logged', { errors: ['BUG: a'] }, /^logged: BUG: a$/],
]; // prettier-ignore

for (const [what, changes, breach] of BREACHES)
  test(`a soak in which ${what} is breached`, () => {
    const { breaches } = reportOf(soaked(changes));
    assert.equal(breaches.length, 1, breaches.join('\n'));
    assert.match(breaches[0] ?? '', breach);
  });
