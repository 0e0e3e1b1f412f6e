import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  chargeVolumes,
  type ClaimLife,
  type MountLife,
  type VolumeCharge,
  type VolumeLife,
} from '../../../src/allocation/ledger/volumes.ts';
import type { Stretch } from '../../../src/allocation/inventory/presence.ts';
import { exactSum } from '../../support/references/exact-sum.ts';
import { assertNear } from '../../support/references/near.ts';
import {
  ANYWHEN,
  chargesByPiece,
  costOf,
  ON_MINUTES,
  type Scene,
} from '../../support/arbitraries/volume-scenes.ts';

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000] as const;
const ORPHAN = 99;
const CLAIM = 50;

/** Pairs of minutes. */
function minutes(...pairs: readonly (readonly [number, number])[]): Stretch[] {
  return pairs.map(([from, to]) => ({ startMs: from * MINUTE_MS, endMs: to * MINUTE_MS }));
}

function steps(...pairs: readonly (readonly [number, number])[]): number[] {
  return pairs.flatMap(([minute, value]) => [minute * MINUTE_MS, value]);
}

/** One byte at $1 an hour, so that a cost is a count of hours. */
function volume(life: Partial<VolumeLife> = {}): VolumeLife {
  return {
    stretches: minutes([0, 60]),
    bytes: [0, 1],
    prices: [0, 1],
    orphanPayer: ORPHAN,
    ...life,
  };
}

function pod(payers: readonly number[], ...pairs: readonly (readonly [number, number])[]) {
  return { volume: 0, payers, stretches: minutes(...pairs) };
}

function claim(...pairs: readonly (readonly [number, number])[]): ClaimLife {
  return { volume: 0, payer: CLAIM, stretches: minutes(...pairs) };
}

const ONE_SET = [0, HOUR_MS];
const HELD = [claim([0, 60])];

/** Costs by payer, of one set. */
function costs(charges: readonly VolumeCharge[]): Record<number, number> {
  return Object.fromEntries(charges.map(({ payer, cost }) => [payer, cost]));
}

const COEFFICIENTS: readonly {
  readonly name: string;
  readonly mounts: readonly MountLife[];
  readonly expected: Readonly<Record<number, number>>;
}[] = [
  {
    name: 'two pods that mount it in the second half pay a quarter each, its claim the first half',
    mounts: [pod([1], [30, 60]), pod([2], [30, 60])],
    expected: { 1: 0.25, 2: 0.25, [CLAIM]: 0.5 },
  },
  { name: 'one pod all the while pays all', mounts: [pod([1], [0, 60])], expected: { 1: 1 } },
  {
    name: 'two pods at both ends pay a quarter each, its claim the middle',
    mounts: [pod([1], [0, 15]), pod([2], [45, 60])],
    expected: { 1: 0.25, 2: 0.25, [CLAIM]: 0.5 },
  },
  {
    name: 'a pod in the middle pays half, its claim both ends',
    mounts: [pod([1], [15, 45])],
    expected: { 1: 0.5, [CLAIM]: 0.5 },
  },
  {
    name: 'pods back to back pay half each',
    mounts: [pod([1], [0, 30]), pod([2], [30, 60])],
    expected: { 1: 0.5, 2: 0.5 },
  },
  { name: 'its claim pays all when no pod mounts it', mounts: [], expected: { [CLAIM]: 1 } },
  {
    name: 'a mount outside its life counts nothing and does not extend it',
    mounts: [pod([1], [-60, 0]), pod([2], [45, 90]), pod([3], [60, 70])],
    expected: { 2: 0.25, [CLAIM]: 0.75 },
  },
  {
    name: 'overlapping stretches of a pod count once beside another pod',
    mounts: [pod([1], [0, 40], [20, 60]), pod([2], [0, 60])],
    expected: { 1: 0.5, 2: 0.5 },
  },
  {
    name: 'a pod that mounts it by two claims counts once, whatever the order of its payers',
    mounts: [pod([1, 3], [0, 40]), pod([3, 1], [20, 60]), pod([2], [0, 60])],
    expected: { 1: 0.25, 2: 0.5, 3: 0.25 },
  },
  {
    name: 'a pod divides its share evenly among its payers, each once',
    mounts: [pod([1, 2, 3, 3], [0, 45])],
    expected: { 1: 0.25, 2: 0.25, 3: 0.25, [CLAIM]: 0.25 },
  },
  {
    name: 'a pod without payers counts as none',
    mounts: [pod([], [0, 60]), pod([1], [0, 30])],
    expected: { 1: 0.5, [CLAIM]: 0.5 },
  },
  {
    name: 'a payer in two pods pays for both',
    mounts: [pod([1, 2], [0, 60]), pod([1], [0, 60])],
    expected: { 1: 0.75, 2: 0.25 },
  },
  {
    name: 'stretches of no length, reversed or of unknown ends count nothing',
    mounts: [pod([1], [30, 30]), pod([2], [40, 20]), pod([3], [NaN, 60]), pod([4], [0, NaN])],
    expected: { [CLAIM]: 1 },
  },
];

for (const { name, mounts, expected } of COEFFICIENTS) {
  test(`shares of a volume: ${name}`, () => {
    const charges = chargeVolumes([volume()], mounts, HELD, ONE_SET);
    assert.deepEqual(costs(charges), expected);
    assert.equal(exactSum(charges.map(({ cost }) => cost)), 1);
  });
}

const LIVES: readonly {
  readonly name: string;
  readonly life: Partial<VolumeLife>;
  readonly claims: readonly ClaimLife[];
  readonly expected: Readonly<Record<number, number>>;
}[] = [
  {
    name: 'that no claim holds is paid by its orphan payer',
    life: {},
    claims: [claim([15, 30])],
    expected: { [CLAIM]: 0.25, [ORPHAN]: 0.75 },
  },
  {
    name: 'held by two claims is paid by both evenly, by a payer of two claims once',
    life: {},
    claims: [claim([0, 60]), { ...claim([0, 60]), payer: 51 }, claim([30, 60])],
    expected: { [CLAIM]: 0.5, 51: 0.5 },
  },
  {
    name: 'of no length costs nothing',
    life: { stretches: minutes([9, 9]) },
    claims: HELD,
    expected: {},
  },
  { name: 'that never was costs nothing', life: { stretches: [] }, claims: HELD, expected: {} },
  {
    name: 'outside the sets costs nothing',
    life: { stretches: minutes([-90, 0], [60, 90]) },
    claims: HELD,
    expected: {},
  },
  {
    name: 'across the sets costs what is inside',
    life: { stretches: [{ startMs: -Infinity, endMs: Infinity }] },
    claims: HELD,
    expected: { [CLAIM]: 1 },
  },
  {
    name: 'with a gap costs nothing in it, with an overlap once',
    life: { stretches: minutes([30, 45], [0, 15], [40, 60]) },
    claims: HELD,
    expected: { [CLAIM]: 0.75 },
  },
  { name: 'without bytes costs nothing', life: { bytes: [] }, claims: HELD, expected: {} },
  {
    name: 'that grows costs by its size, the first of which held before it was told',
    life: { bytes: steps([30, 1], [45, 3]) },
    claims: HELD,
    expected: { [CLAIM]: 1.5 },
  },
  {
    name: 'that grew before it is looked at costs by its size then',
    life: { bytes: steps([-20, 1], [-10, 2], [0, 4], [70, 8]) },
    claims: HELD,
    expected: { [CLAIM]: 4 },
  },
  {
    name: 'costs by the price of each moment',
    life: { prices: steps([0, 1], [15, 2], [30, 4], [30, 0]), bytes: steps([0, 1], [15, 2]) },
    claims: HELD,
    expected: { [CLAIM]: 1.25 },
  },
];

for (const { name, life, claims, expected } of LIVES) {
  test(`a volume ${name}`, () => {
    assert.deepEqual(costs(chargeVolumes([volume(life)], [], claims, ONE_SET)), expected);
  });
}

test('charges come by volume, set and payer, with byte-hours and times even where the price is zero', () => {
  const mounts = [pod([2, 1], [30, 90]), { volume: 1, payers: [1], stretches: minutes([0, 9]) }];
  const lives = [volume({ stretches: minutes([0, 120]), bytes: [0, 8] }), volume({ prices: [] })];
  const setsMs = [0, HOUR_MS, HOUR_MS, 2 * HOUR_MS];
  const charges = chargeVolumes(lives, mounts, [], setsMs).map(({ startMs, endMs, ...rest }) => {
    return { ...rest, minutes: [startMs / MINUTE_MS, endMs / MINUTE_MS] };
  });
  assert.deepEqual(charges, [
    { payer: 1, volume: 0, set: 0, byteHours: 2, cost: 2, minutes: [30, 60] },
    { payer: 2, volume: 0, set: 0, byteHours: 2, cost: 2, minutes: [30, 60] },
    { payer: ORPHAN, volume: 0, set: 0, byteHours: 4, cost: 4, minutes: [0, 30] },
    { payer: 1, volume: 0, set: 2, byteHours: 2, cost: 2, minutes: [60, 90] },
    { payer: 2, volume: 0, set: 2, byteHours: 2, cost: 2, minutes: [60, 90] },
    { payer: ORPHAN, volume: 0, set: 2, byteHours: 4, cost: 4, minutes: [90, 120] },
    { payer: 1, volume: 1, set: 0, byteHours: 0.15, cost: 0, minutes: [0, 9] },
    { payer: ORPHAN, volume: 1, set: 0, byteHours: 0.85, cost: 0, minutes: [9, 60] },
  ]);
});

test('nothing comes of no volumes and of no sets', () => {
  assert.deepEqual(chargeVolumes([], [], [], ONE_SET), []);
  for (const setsMs of [[], [0], [5, 5]]) {
    assert.deepEqual(chargeVolumes([volume()], [pod([1], [0, 60])], HELD, setsMs), []);
  }
});

test('a mount of a volume that is not there is a fault of ours', () => {
  assert.throws(() => chargeVolumes([], [pod([1], [0, 60])], [], ONE_SET), /^Error: BUG: volume 0/);
});

test('a pod of one second keeps every digit of its share beside a year of others', () => {
  const year = 365 * 24 * 60;
  const life = volume({ stretches: minutes([0, year]), bytes: [0, 1e9], prices: [0, 1 / 3] });
  const last = { startMs: (year - 2) * MINUTE_MS, endMs: (year - 2) * MINUTE_MS + 1000 };
  const mounts = [pod([1], [0, year]), { volume: 0, payers: [2], stretches: [last] }];
  const paid = costs(chargeVolumes([life], mounts, [], [0, year * MINUTE_MS]))[2] ?? 0;
  const expected = ((1e9 / 3) * (1 / 3600)) / 2;
  assert.ok(Math.abs(paid - expected) <= 1e-15 * expected, `${paid}, not ${expected}`);
});

function charge({ volumes, mounts, claims, setsMs }: Scene): VolumeCharge[] {
  return chargeVolumes(volumes, mounts, claims, setsMs);
}

for (const [name, scene] of [
  ['on few moments', ON_MINUTES],
  ['at any moments', ANYWHEN],
] as const) {
  test(`every charge of lives ${name} is what its pieces add up to`, () => {
    const check = (lives: Scene): void => {
      const expected = chargesByPiece(lives);
      for (const { payer, volume: place, set, byteHours, cost } of charge(lives)) {
        const sums = expected.get(`${place} ${set} ${payer}`);
        assertNear(byteHours, exactSum(sums?.byteHours ?? []));
        assertNear(cost, exactSum(sums?.cost ?? []));
        expected.delete(`${place} ${set} ${payer}`);
      }
      // What is left is too small for halves of it to be told from nothing.
      for (const { byteHours } of expected.values()) assertNear(0, exactSum(byteHours));
    };
    fc.assert(fc.property(scene, check), { numRuns: 1500 });
  });

  test(`charges of lives ${name} come in order and again the same`, () => {
    const check = (lives: Scene): void => {
      const charges = charge(lives);
      charges.slice(1).forEach((later, i) => {
        const one = charges[i] ?? later;
        const ahead = later.volume - one.volume || later.set - one.set || later.payer - one.payer;
        assert.ok(ahead > 0, `${JSON.stringify(one)} comes before ${JSON.stringify(later)}`);
      });
      assert.deepEqual(charge(lives), charges);
    };
    fc.assert(fc.property(scene, check), { numRuns: 300 });
  });
}

test('the costs of all charges are the costs of all volumes, to 1e-12', () => {
  const check = (lives: Scene): void =>
    assertNear(exactSum(charge(lives).map(({ cost }) => cost)), costOf(lives));
  fc.assert(fc.property(ANYWHEN, check), { numRuns: 1000 });
});

test('a volume that 500 pods mount in turns of odd length conserves its cost to 1e-12', () => {
  const mounts = Array.from({ length: 500 }, (_, i) => ({
    volume: 0,
    payers: [3 * i, 3 * i + 1, 3 * i + 2],
    stretches: [0, 1, 2].map((turn) => {
      const startMs = (turn * 997 + i * 7.3) * 1000;
      return { startMs, endMs: startMs + (i % 89) * 10_007 };
    }),
  }));
  const prices = Array.from({ length: 200 }, (_, i) => [i * 33_333, 1 / (i + 3)]).flat();
  const setsMs = Array.from({ length: 25 }, (_, i) => i * 250_007);
  const lives = { volumes: [volume({ prices, bytes: [0, 7e11] })], mounts, claims: HELD, setsMs };
  assertNear(exactSum(charge(lives).map(({ cost }) => cost)), costOf(lives));
});
