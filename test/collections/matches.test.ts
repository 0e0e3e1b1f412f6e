/** Dollars that are in both domains count once, whatever is selected. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addUp,
  costObject,
  costOf,
  costOfRows,
  overlapOf,
  totalOf,
  type Cost,
} from '../../src/collections/cost.ts';
import { sumOf, type Entry } from '../../src/collections/entries.ts';
import { Matches, type Domains } from '../../src/collections/matches.ts';

const entry = (resource: string, usd: number, isIdle: boolean = false): Entry => ({
  name: resource,
  resource,
  usd,
  isIdle,
});
const domains = (kubernetes: Entry[], cloud: Entry[]): Domains => ({
  kubernetes: { entries: kubernetes },
  cloud: { entries: cloud },
});

const RESOURCES = ['', 'a', 'b', 'c'];
const usd = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9 }), fc.double({ min: 1e-3, max: 1e6, noNaN: true })); // prettier-ignore
const anyEntry = fc.record({
  name: fc.constantFrom('x', 'y'),
  resource: fc.constantFrom(...RESOURCES),
  usd,
  isIdle: fc.boolean(),
});
/** Entries, each with the collections of three that select it. */
const chosen = fc.array(
  fc.record({ entry: anyEntry, isCloud: fc.boolean(), of: fc.integer({ min: 0, max: 7 }) }),
  { maxLength: 20 },
);
type Chosen = readonly {
  readonly entry: Entry;
  readonly isCloud: boolean;
  readonly of: number;
}[];

function among(all: Chosen, isWanted: (of: number) => boolean): Domains {
  const of = (wanted: boolean): Entry[] =>
    all.filter((each) => each.isCloud === wanted && isWanted(each.of)).map((each) => each.entry);
  return domains(of(false), of(true));
}

function costOutside(matches: Matches, selected: Domains, outside: Domains): Cost {
  const rows = costOfRows(matches.rowsOutside(outside.kubernetes, selected));
  return { ...rows, cloudUsd: sumOf(matches.cloudAlone(outside.cloud)) };
}

function assertNear(actual: number, expected: number, scale: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= 1e-9 * (1 + scale), `${what}: ${actual}, ${expected}`);
}

/** Each resource by itself, straight from the definition. */
function estateUsd(all: Chosen): number {
  return RESOURCES.reduce((sum, resource) => {
    const of = (wanted: boolean): number =>
      sumOf(
        all
          .filter((each) => each.isCloud === wanted)
          .map((each) => each.entry)
          .filter((each) => each.resource === resource),
      );
    return sum + (resource === '' ? of(false) + of(true) : Math.max(of(false), of(true)));
  }, 0);
}

test('a selection and its complement add up to all costs, in which each dollar counts once', () => {
  fc.assert(
    fc.property(chosen, (all) => {
      const matches = new Matches(among(all, () => true));
      const estate = costOf(
        matches,
        among(all, () => true),
      );
      const scale = totalOf(estate);
      assertNear(scale, estateUsd(all), scale, 'the estate');
      const selected = among(all, (of) => (of & 1) > 0);
      const inside = costOf(matches, selected);
      const outside = costOutside(
        matches,
        selected,
        among(all, (of) => (of & 1) === 0),
      );
      assertNear(totalOf(inside) + totalOf(outside), scale, scale, 'inside and outside');
      for (const part of [inside, outside]) {
        for (const cost of [part.kubernetesUsd, part.idleUsd, part.cloudUsd]) {
          assert.ok(cost >= -1e-9 * (1 + scale), `${cost} is not below 0`);
        }
      }
    }),
  );
});

test('all costs are outside of an empty selection, domain by domain', () => {
  fc.assert(
    fc.property(chosen, (all) => {
      const estate = among(all, () => true);
      const matches = new Matches(estate);
      assert.deepEqual(costOutside(matches, domains([], []), estate), costOf(matches, estate));
      const rest = costOutside(matches, estate, domains([], []));
      assert.deepEqual(costObject(rest), { totalCost: 0, domainCosts: {} });
    }),
  );
});

test('collections of a category and their overlap, which is at most 0, add up to its total', () => {
  fc.assert(
    fc.property(chosen, (all) => {
      const matches = new Matches(among(all, () => true));
      const whole = costOf(
        matches,
        among(all, (of) => of > 0),
      );
      const parts = [1, 2, 4].map((bit) =>
        costOf(
          matches,
          among(all, (of) => (of & bit) > 0),
        ),
      );
      const overlap = overlapOf(whole, parts);
      const sum = totalOf(addUp(parts));
      assertNear(sum + overlap, totalOf(whole), sum, 'the category');
      assert.ok(overlap <= 1e-9 * (1 + sum), `${overlap} is not above 0`);
    }),
  );
});

const NODE = domains(
  [entry('n', 30), entry('n', 20, true), entry('', 7)],
  [entry('n', 80), entry('s3', 5)],
);

/** Selections of the costs above, where 50 of the node's bill of 80 are also rows. */
const CASES: readonly (readonly [string, Domains, object])[] = [
  ['everything', NODE, { totalCost: 92, idleCost: 20, domainCosts: { kubernetesCost: { totalCost: 57, idleCost: 20 }, cloudCost: { totalCost: 35 } } }],
  ['rows alone', domains([entry('n', 30)], []), { totalCost: 30, idleCost: 0, domainCosts: { kubernetesCost: { totalCost: 30, idleCost: 0 } } }],
  ['the bill alone', domains([], [entry('n', 80)]), { totalCost: 80, domainCosts: { cloudCost: { totalCost: 80 } } }],
  ['some rows and their bill', domains([entry('n', 30)], [entry('n', 80)]), { totalCost: 80, idleCost: 0, domainCosts: { kubernetesCost: { totalCost: 30, idleCost: 0 }, cloudCost: { totalCost: 50 } } }],
  ['some rows and half the bill', domains([entry('n', 10)], [entry('n', 40)]), { totalCost: 40, idleCost: 0, domainCosts: { kubernetesCost: { totalCost: 10, idleCost: 0 }, cloudCost: { totalCost: 30 } } }],
  ['nothing', domains([], []), { totalCost: 0, domainCosts: {} }],
]; // prettier-ignore

for (const [what, selected, expected] of CASES) {
  test(`a node and its bill: ${what}`, () => {
    assert.deepEqual(costObject(costOf(new Matches(NODE), selected)), expected);
  });
}

test('credits beyond the charges do not match', () => {
  const estate = domains([entry('n', 5)], [entry('n', -3)]);
  assert.equal(totalOf(costOf(new Matches(estate), estate)), 2);
});
