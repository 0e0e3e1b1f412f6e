import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  chargeBalancers,
  sharedPrices,
  type BalancerCharge,
  type BalancerLife,
} from '../../../src/allocation/ledger/load-balancers.ts';
import type { Stretch } from '../../../src/allocation/inventory/presence.ts';
import { exactSum } from '../../support/references/exact-sum.ts';
import { assertNear } from '../../support/references/near.ts';

const HOUR_MS = 3_600_000;
const ORPHAN = 99;
const DAY = [0, 24 * HOUR_MS];

/** Pairs of hours. */
function hours(...pairs: readonly (readonly [number, number])[]): Stretch[] {
  return pairs.map(([from, to]) => ({ startMs: from * HOUR_MS, endMs: to * HOUR_MS }));
}

function ran(payer: number, ...pairs: readonly (readonly [number, number])[]) {
  return { payer, stretches: hours(...pairs) };
}

/** There for a day at $1 an hour. */
function balancer(life: Partial<BalancerLife> = {}): BalancerLife {
  return { stretches: hours([0, 24]), prices: [0, 1], payers: [], orphanPayer: ORPHAN, ...life };
}

function costs(charges: readonly BalancerCharge[]): Record<number, number> {
  return Object.fromEntries(charges.map(({ payer, cost }) => [payer, cost]));
}

const CASES: readonly {
  readonly name: string;
  readonly life: Partial<BalancerLife>;
  readonly expected: Readonly<Record<number, number>>;
}[] = [
  {
    name: 'is paid in proportion to the hours both ran, all of its cost',
    life: { payers: [ran(1, [0, 6]), ran(2, [6, 24])] },
    expected: { 1: 6, 2: 18 },
  },
  {
    name: 'counts hours, not moments: the hours nobody else ran are shared as well',
    life: { payers: [ran(1, [0, 3]), ran(2, [0, 9])] },
    expected: { 1: 6, 2: 18 },
  },
  {
    name: 'counts no hours of a payer outside its own life',
    life: {
      stretches: hours([0, 12]),
      payers: [ran(1, [9, 24]), ran(2, [0, 9]), ran(3, [12, 24])],
    },
    expected: { 1: 3, 2: 9 },
  },
  {
    name: 'that serves nobody is paid by its orphan payer once',
    life: {},
    expected: { [ORPHAN]: 24 },
  },
  {
    name: 'whose payers ran at other times is paid by its orphan payer once',
    life: { stretches: hours([0, 12]), payers: [ran(1, [12, 24]), ran(2, [5, 5]), ran(3)] },
    expected: { [ORPHAN]: 12 },
  },
  {
    name: 'counts a payer named twice, with stretches that overlap, once',
    life: { payers: [ran(1, [0, 6], [3, 9]), ran(2, [0, 12]), ran(1, [6, 12])] },
    expected: { 1: 12, 2: 12 },
  },
  {
    name: 'with a gap costs nothing in it, with an overlap once',
    life: { stretches: hours([12, 24], [0, 6], [18, 24]), payers: [ran(1, [0, 24])] },
    expected: { 1: 18 },
  },
  { name: 'of no length costs nothing', life: { stretches: hours([3, 3], [9, 4]) }, expected: {} },
  {
    name: 'of unknown ends costs nothing for them',
    life: { stretches: [{ startMs: NaN, endMs: 5 }, ...hours([4, 8]), { startMs: 0, endMs: NaN }] },
    expected: { [ORPHAN]: 4 },
  },
  { name: 'that never was costs nothing', life: { stretches: [] }, expected: {} },
  {
    name: 'outside the sets costs nothing',
    life: { stretches: hours([-9, 0], [24, 30]) },
    expected: {},
  },
  { name: 'without a price costs nothing', life: { prices: [] }, expected: {} },
  {
    name: 'across the sets costs what is inside',
    life: {
      stretches: [{ startMs: -Infinity, endMs: Infinity }],
      payers: [{ payer: 1, stretches: [{ startMs: -Infinity, endMs: Infinity }] }],
    },
    expected: { 1: 24 },
  },
  {
    name: 'costs by the price of each hour, the first of which held before it was told',
    life: { prices: [6, 1, 12, 2, 12, 4, 30, 9].map((v, i) => (i % 2 ? v : v * HOUR_MS)) },
    expected: { [ORPHAN]: 12 + 48 },
  },
];

for (const { name, life, expected } of CASES) {
  test(`a load balancer ${name}`, () => {
    assert.deepEqual(costs(chargeBalancers([balancer(life)], DAY)), expected);
  });
}

test('each set is divided by its own hours, by balancer, set and payer', () => {
  const life = balancer({ payers: [ran(7, [0, 12]), ran(3, [9, 15])], stretches: hours([0, 21]) });
  const setsMs = [0, 6, 12, 12, 18, 24].map((hour) => hour * HOUR_MS);
  assert.deepEqual(chargeBalancers([life, balancer({ stretches: hours([23, 24]) })], setsMs), [
    { payer: 7, balancer: 0, set: 0, cost: 6 },
    { payer: 3, balancer: 0, set: 1, cost: 2 },
    { payer: 7, balancer: 0, set: 1, cost: 4 },
    { payer: 3, balancer: 0, set: 3, cost: 6 },
    { payer: ORPHAN, balancer: 0, set: 4, cost: 3 },
    { payer: ORPHAN, balancer: 1, set: 4, cost: 1 },
  ]);
});

test('nothing comes of no balancers and of no sets', () => {
  assert.deepEqual(chargeBalancers([], DAY), []);
  for (const setsMs of [[], [0], [5, 5]]) {
    assert.deepEqual(chargeBalancers([balancer({ payers: [ran(1, [0, 24])] })], setsMs), []);
  }
});

interface Scene {
  readonly lives: readonly BalancerLife[];
  readonly setsMs: readonly number[];
}

const SPAN = 24;

function scenes(moment: fc.Arbitrary<number>, price: fc.Arbitrary<number>): fc.Arbitrary<Scene> {
  const stretch = fc.tuple(moment, moment).map(([startMs, endMs]) => ({ startMs, endMs }));
  const stretches = fc.array(stretch, { maxLength: 3 });
  const prices = fc
    .array(fc.tuple(moment, price), { maxLength: 4 })
    .map((pairs) => pairs.toSorted(([a], [b]) => a - b).flat());
  const payer = fc.record({ payer: fc.integer({ min: 0, max: 4 }), stretches });
  const payers = fc.array(payer, { maxLength: 6 });
  const life = fc.record({ stretches, prices, payers, orphanPayer: fc.constantFrom(ORPHAN, 1) });
  return fc.record({
    lives: fc.array(life, { maxLength: 3 }),
    setsMs: fc.array(moment, { maxLength: 5 }).map((bounds) => bounds.toSorted((a, b) => a - b)),
  });
}

const ON_HOURS = scenes(
  fc.integer({ min: 0, max: SPAN }).map((hour) => hour * HOUR_MS),
  fc.integer({ min: 0, max: 5 }),
);
const ANYWHEN = scenes(
  fc.double({ min: 0, max: SPAN * HOUR_MS, noNaN: true }),
  fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
);

const covers = (stretches: readonly Stretch[], atMs: number): boolean =>
  stretches.some(({ startMs, endMs }) => startMs <= atMs && atMs < endMs);

function valueAt(pairs: readonly number[], atMs: number): number {
  let value = pairs[1] ?? 0;
  for (let i = 0; i < pairs.length; i += 2) if ((pairs[i] ?? 0) <= atMs) value = pairs[i + 1] ?? 0;
  return value;
}

/** The reference: hours counted on the fingers. */
function chargesByHour({ lives, setsMs }: Scene): Map<string, number> {
  const charges = new Map<string, number>();
  lives.forEach((life, place) => {
    setsMs.slice(1).forEach((endMs, set) => {
      const all = Array.from({ length: SPAN }, (_, hour) => hour);
      const there = all.filter((hour) => {
        const isInSet = (setsMs[set] ?? 0) <= hour * HOUR_MS && hour * HOUR_MS < endMs;
        return isInSet && covers(life.stretches, hour * HOUR_MS);
      });
      const cost = there.reduce((sum, hour) => sum + valueAt(life.prices, hour * HOUR_MS), 0);
      const beside = [...new Set(life.payers.map(({ payer }) => payer))].map((payer) => {
        const stretches = life.payers.flatMap((one) => (one.payer === payer ? one.stretches : []));
        return { payer, count: there.filter((hour) => covers(stretches, hour * HOUR_MS)).length };
      });
      const total = beside.reduce((sum, { count }) => sum + count, 0);
      const shares = total > 0 ? beside : [{ payer: life.orphanPayer, count: 1 }];
      for (const { payer, count } of shares) {
        const share = (cost * count) / Math.max(1, total);
        if (share > 0) charges.set(`${place} ${set} ${payer}`, share);
      }
    });
  });
  return charges;
}

test('every charge is what counting hour by hour gives', () => {
  const check = (scene: Scene): void => {
    const expected = chargesByHour(scene);
    const charges = chargeBalancers(scene.lives, scene.setsMs);
    assert.equal(charges.length, expected.size);
    for (const { payer, balancer: place, set, cost } of charges) {
      assertNear(cost, expected.get(`${place} ${set} ${payer}`) ?? NaN);
    }
  };
  fc.assert(fc.property(ON_HOURS, check), { numRuns: 2000 });
});

/** USD of a balancer in a set: price × hours, from one moment anything changes to the next. */
function costsOf({ stretches, prices }: BalancerLife, fromMs: number, toMs: number): number[] {
  const ends = stretches.flatMap(({ startMs, endMs }) => [startMs, endMs]);
  const moments = [...ends, ...prices.filter((_, i) => i % 2 === 0), fromMs, toMs];
  const order = [...new Set(moments)].sort((a, b) => a - b);
  return order.slice(1).map((endMs, i) => {
    const atMs = order[i] ?? NaN;
    const isThere = fromMs <= atMs && atMs < toMs && covers(stretches, atMs);
    return isThere ? valueAt(prices, atMs) * ((endMs - atMs) / HOUR_MS) : 0;
  });
}

test('the charges of a balancer and set are its cost there, to 1e-12, whatever the moments', () => {
  const check = ({ lives, setsMs }: Scene): void => {
    const charges = chargeBalancers(lives, setsMs);
    lives.forEach((life, place) => {
      setsMs.slice(1).forEach((endMs, set) => {
        const its = charges.filter((charge) => charge.balancer === place && charge.set === set);
        const expected = exactSum(costsOf(life, setsMs[set] ?? NaN, endMs));
        assertNear(exactSum(its.map(({ cost }) => cost)), expected);
      });
    });
  };
  fc.assert(fc.property(ANYWHEN, check), { numRuns: 1500 });
});

test('charges come in order, and bit for bit the same whatever the order of the payers', () => {
  const check = ({ lives, setsMs }: Scene): void => {
    const charges = chargeBalancers(lives, setsMs);
    charges.slice(1).forEach((later, i) => {
      const one = charges[i] ?? later;
      const ahead = later.balancer - one.balancer || later.set - one.set || later.payer - one.payer;
      assert.ok(ahead > 0, `${JSON.stringify(one)} comes before ${JSON.stringify(later)}`);
    });
    const turned = lives.map((life) => ({ ...life, payers: [...life.payers].reverse() }));
    assert.deepEqual(chargeBalancers(turned, setsMs), charges);
  };
  fc.assert(fc.property(ANYWHEN, check), { numRuns: 500 });
});

test('services of one balancer share its price while they are there', () => {
  const lives = [hours([0, 12]), hours([6, 24]), hours([6, 8], [7, 9])];
  const pairs = sharedPrices(lives, (services, atMs) => (atMs < 10 * HOUR_MS ? 6 : 4) + services, [
    10 * HOUR_MS,
  ]);
  const byHour = pairs.map((value, i) => (i % 2 === 0 ? value / HOUR_MS : value));
  // Alone, three at once, two, two at the new price, alone, none.
  assert.deepEqual(byHour, [0, 7, 6, 3, 9, 4, 10, 3, 12, 5, 24, 0]);
});
