/** Charges for times that no bill tells of yet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Billable, Billed, BilledSet } from '../../src/assets/billed.ts';
import { recentPrices, withRecent } from '../../src/assets/recent-prices.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
type Asset = Billable & Billed<Billable>;

const asset = (providerId: string, cost: number, more: Partial<Asset> = {}): Asset => ({
  type: 'Node',
  cluster: 'c',
  providerId,
  startMs: 0,
  endMs: DAY_MS,
  nodeType: 'm5.large',
  region: 'eu-west-1',
  storageClass: '',
  isSpot: false,
  priceSource: 'list',
  cost,
  billed: null,
  isEstimated: false,
  ...more,
});
const set = (assets: readonly Asset[], billedUntilMs: number): BilledSet<Billable> => ({
  assets,
  billedUntilMs,
});
const NONE = -Infinity;

interface Case {
  readonly name: string;
  /** Days before, newest first. */
  readonly before: readonly BilledSet<Billable>[];
  readonly now: BilledSet<Billable>;
  readonly billed: readonly (number | null)[];
}

const WHOLE = set([asset('aws:///a/i-1', 10, { billed: 4 })], DAY_MS);

const CASES: readonly Case[] = [
  {
    name: 'a node costs what it was charged last',
    before: [WHOLE],
    now: set([asset('aws:///a/i-1', 5)], NONE),
    billed: [2],
  },
  {
    name: 'the newest day with a charge counts, not a day without lines',
    before: [set([asset('aws:///a/i-1', 10)], NONE), WHOLE],
    now: set([asset('aws:///a/i-1', 10)], NONE),
    billed: [4],
  },
  {
    name: 'a day charged up to noon tells what half of a day costs',
    before: [set([asset('aws:///a/i-1', 10, { billed: 2 })], DAY_MS / 2)],
    now: set([asset('aws:///a/i-1', 10)], NONE),
    billed: [4],
  },
  {
    name: 'the rest of a day that is charged up to noon is added',
    before: [WHOLE],
    now: set([asset('aws:///a/i-1', 10, { billed: 3 })], DAY_MS / 2),
    billed: [3 + 2],
  },
  {
    name: 'a new node costs what nodes of its type and region did',
    before: [set([asset('i-1', 10, { billed: 4 }), asset('i-2', 30, { billed: 8 })], DAY_MS)],
    now: set([asset('i-9', 10), asset('i-8', 10, { isSpot: true }), asset('i-7', 10, { nodeType: 'c5.large' })], NONE),
    billed: [3, null, null],
  },
  {
    name: 'a node that the bill leaves out stays at list price where it was never charged',
    before: [set([asset('i-1', 10, { billed: 4 })], DAY_MS)],
    now: set([asset('i-1', 10, { billed: 4 }), asset('i-2', 10)], DAY_MS),
    billed: [4, null],
  },
  {
    name: 'a node that was charged before, and is not while others are, waits for its bill',
    before: [WHOLE],
    now: set([asset('aws:///a/i-1', 10), asset('gcp', 1, { billed: 1 })], DAY_MS),
    billed: [4, 1],
  },
  {
    name: 'what costs nothing has no price, and traffic is not foretold',
    before: [set([asset('i-1', 0, { billed: 4 }), asset('i-2', 1, { type: 'Network', billed: 9 })], DAY_MS)],
    now: set([asset('i-1', 0), asset('i-2', 1, { type: 'Network' })], NONE),
    billed: [null, null],
  },
]; // prettier-ignore

for (const { name, before, now, billed } of CASES) {
  test(name, () => {
    const found = withRecent(now, recentPrices(before));
    assert.deepEqual(
      found.map((one) => one.billed),
      billed,
    );
    found.forEach((one, i) => assert.equal(one.isEstimated, one.billed !== now.assets[i]?.billed));
  });
}

test('a fleet that stays as it was costs what the last whole day was charged, however late the bill', () => {
  const node = fc.record({
    id: fc.integer({ min: 0, max: 30 }),
    cost: fc.double({ min: 0.01, max: 100, noNaN: true }),
    multiple: fc.double({ min: 0.1, max: 2, noNaN: true }),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(node, { selector: ({ id }) => id, minLength: 1 }),
      fc.nat(6),
      fc.integer({ min: 1, max: 24 }),
      (nodes, late, hours) => {
        const charged = nodes.map(({ id, cost, multiple }) =>
          asset(`i-${id}`, cost, { billed: cost * multiple }),
        );
        const uncharged = set(
          nodes.map(({ id, cost }) => asset(`i-${id}`, cost)),
          NONE,
        );
        const before = [...Array.from({ length: late }, () => uncharged), set(charged, DAY_MS)];
        const part = hours / 24;
        const today = nodes.map(({ id, cost }) =>
          asset(`i-${id}`, cost * part, { endMs: hours * HOUR_MS }),
        );
        const found = withRecent(set(today, NONE), recentPrices(before));
        const usd = found.reduce((sum, { billed }) => sum + (billed ?? NaN), 0);
        const wanted = charged.reduce((sum, { billed }) => sum + (billed ?? NaN) * part, 0);
        assert.ok(Math.abs(usd - wanted) <= 1e-9 * wanted, `${usd}, ${wanted}`);
      },
    ),
  );
});
