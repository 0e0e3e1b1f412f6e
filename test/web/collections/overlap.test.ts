/** Parts of collections, beside sets whose members are counted one by one; and circles for two of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countedAgain, partsOf, partWords, type CategoryCost } from '../../../src/web/collections/overlap.ts'; // prettier-ignore
import { sharedArea, vennOf } from '../../../src/web/collections/venn.ts';

/** Things that cost 1, 2, 4 … USD: a sum tells which of them it has. */
const usdOf = (things: Iterable<number>): number =>
  [...new Set(things)].reduce((sum, thing) => sum + 2 ** thing, 0);
const cost = (totalCost: number): { totalCost: number; domainCosts: object } => ({
  totalCost,
  domainCosts: {},
});

/** As the API answers it. */
function categoryOf(members: readonly (readonly number[])[]): CategoryCost {
  const id = (at: number): string => `c${at}`;
  const others = (at: number): number[] => members.flatMap((own, each) => (each === at ? [] : own));
  return {
    cost: cost(usdOf(members.flat())),
    collections: members.map((own, at) => ({
      id: id(at),
      name: id(at),
      cost: cost(usdOf(own)),
      aloneCost: usdOf(own.filter((thing) => !others(at).includes(thing))),
    })),
    overlaps: members.flatMap((own, at) =>
      members.slice(at + 1).map((other, place) => ({
        ids: [id(at), id(at + 1 + place)],
        totalCost: usdOf(own.filter((thing) => other.includes(thing))),
      })),
    ),
  };
}

const things = fc.uniqueArray(fc.nat({ max: 9 }));

test('each thing of up to three collections is in the part of those that have it, and in no other', () => {
  fc.assert(
    fc.property(fc.array(things, { minLength: 1, maxLength: 3 }), (members) => {
      const expected = new Map<string, number>();
      for (const thing of new Set(members.flat())) {
        const ids = members.flatMap((own, at) => (own.includes(thing) ? [`c${at}`] : [])).join();
        expected.set(ids, (expected.get(ids) ?? 0) + 2 ** thing);
      }
      const found = partsOf(categoryOf(members));
      assert.equal(found?.isWhole, true);
      assert.deepEqual(new Map(found.parts.map(({ ids, usd }) => [ids.join(), usd])), expected);
      const order = found.parts.map(({ usd }) => usd);
      assert.deepEqual(
        order,
        order.toSorted((a, b) => b - a),
      );
    }),
  );
});

test('parts of more collections are told of one alone and of each two', () => {
  const found = partsOf(categoryOf([[0, 1], [1, 2], [1, 3], [4]]));
  assert.equal(found?.isWhole, false);
  assert.deepEqual(found.parts.map(({ ids, usd }) => `${ids.join('+')} ${usd}`).toSorted(), [
    'c0 1',
    'c0+c1 2',
    'c0+c2 2',
    'c1 4',
    'c1+c2 2',
    'c2 8',
    'c3 16',
  ]);
});

test('where overlaps are not told there are no parts', () => {
  const { collections, cost: whole } = categoryOf([[1], [2]]);
  assert.equal(
    partsOf({ collections, ...(whole === undefined ? {} : { cost: whole }) }),
    undefined,
  );
  assert.equal(partsOf({ collections }), undefined);
  assert.equal(countedAgain({ collections }), 0);
});

test('what adding up counts again is the sum beyond the whole', () => {
  for (const [members, usd] of [
    [[[0], [1]], 0],
    [[[0, 1], [1]], 2],
    [[[3], [3], [3]], 16],
    [[], 0],
  ] as const) {
    assert.equal(countedAgain(categoryOf(members)), usd);
  }
});

test('parts are named as people say it', () => {
  for (const [names, says] of [
    [['Shop'], 'only Shop'],
    [['Shop', 'Data'], 'Shop and Data'],
    [['Shop', 'Data', 'Web'], 'Shop, Data and Web'],
  ] as const) {
    assert.equal(partWords(names), says);
  }
});

const HEIGHT = 200;
const circle = fc.double({ min: 0.01, max: 1000, noNaN: true });
const part = fc.double({ min: 0, max: 1, noNaN: true });

test('circles and what they share have areas as large as their costs', () => {
  fc.assert(
    fc.property(circle, circle, part, (a, b, share) => {
      const both = share * Math.min(a, b);
      const { left, right, width, height } = vennOf([a, b], both, HEIGHT);
      const perArea = (Math.PI * Math.max(left.r, right.r) ** 2) / Math.max(a, b);
      const near = (area: number, usd: number): boolean =>
        Math.abs(area / perArea - usd) <= 1e-6 * Math.max(a, b);
      assert.ok(near(Math.PI * left.r ** 2, a) && near(Math.PI * right.r ** 2, b));
      assert.ok(near(sharedArea(left.r, right.r, right.x - left.x), both));
      for (const { x, y, r } of [left, right]) {
        assert.ok(x - r >= 0 && x + r <= width && y - r >= 0 && y + r <= height);
      }
    }),
  );
});

test('the area that circles share is that of the points in both', () => {
  for (const [ra, rb, distance] of [
    [50, 50, 30],
    [60, 20, 50],
    [60, 20, 30],
    [40, 40, 90],
    [30, 55, 40],
  ] as const) {
    let points = 0;
    const step = 0.25;
    for (let x = -ra; x <= ra; x += step)
      for (let y = -ra; y <= ra; y += step) {
        if (Math.hypot(x, y) <= ra && Math.hypot(x - distance, y) <= rb) points += step * step;
      }
    const found = sharedArea(ra, rb, distance);
    assert.ok(Math.abs(found - points) <= 0.01 * Math.PI * rb * rb, `${found}, not ${points}`);
  }
});

test('what both have has an outline where there is some', () => {
  assert.equal(vennOf([5, 5], 0, HEIGHT).both, '');
  assert.match(vennOf([5, 5], 2, HEIGHT).both, /^M [\d.]+ [\d.]+ A .* A .* Z$/);
  const within = vennOf([9, 4], 4, HEIGHT);
  assert.ok(within.right.x + within.right.r <= within.left.x + within.left.r + 0.01);
  assert.notEqual(within.both, '');
});
