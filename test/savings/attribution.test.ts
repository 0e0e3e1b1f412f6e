/** Each dollar is given to one recommendation: against a slow search of each resource's largest claim. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { attributed, CATEGORIES, type Claim } from '../../src/savings/attribution.ts';
import {
  nodeClaims,
  requestClaims,
  type NodeSavings,
  type PodCost,
} from '../../src/savings/overview.ts';

const claim = fc.record<Claim>({
  category: fc.constantFrom(...CATEGORIES),
  resource: fc.constantFrom('a', 'b', 'c', 'd'),
  usd: fc.integer({ min: -20, max: 100 }),
});

/** The obvious way: resource by resource, category by category, claim by claim. */
function slowTotals(claims: readonly Claim[]): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const resource of new Set(claims.map((one) => one.resource))) {
    let best: readonly [category: string, usd: number] | undefined;
    for (const category of CATEGORIES) {
      const own = claims.filter((one) => one.resource === resource && one.category === category);
      if (own.length === 0) continue;
      let usd = 0;
      for (const one of own) usd += one.usd;
      if (best === undefined || usd > best[1]) best = [category, usd];
    }
    if (best) totals[best[0]] = (totals[best[0]] ?? 0) + best[1];
  }
  return totals;
}

describe('claims that overlap', () => {
  test('are given to the category that claims most of a resource', () => {
    fc.assert(
      fc.property(fc.array(claim, { maxLength: 40 }), (claims) => {
        const { given, total } = attributed(claims);
        const slow = slowTotals(claims);
        assert.deepEqual(Object.fromEntries(given), slow);
        assert.equal(
          total,
          Object.values(slow).reduce((sum, usd) => sum + usd, 0),
        );
      }),
    );
  });

  test('come to the same in any order', () => {
    const shuffled = fc
      .array(claim, { maxLength: 20 })
      .chain((claims) =>
        fc.tuple(fc.constant(claims), fc.shuffledSubarray(claims, { minLength: claims.length })),
      );
    fc.assert(
      fc.property(shuffled, ([claims, others]) => {
        const [one, other] = [attributed(claims), attributed(others)];
        assert.equal(one.total, other.total);
        for (const category of CATEGORIES) {
          assert.equal(one.given.get(category), other.given.get(category));
          assert.equal(one.claimed.get(category), other.claimed.get(category));
        }
      }),
    );
  });

  test('save no more than the resources cost, where none claims more than there is', () => {
    const bounded = fc.array(
      fc.record({
        resource: fc.nat({ max: 4 }),
        category: fc.constantFrom(...CATEGORIES),
        part: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(bounded, (parts) => {
        const seen = new Set<string>();
        const claims = parts
          .filter(({ resource, category }) => {
            const key = `${resource} ${category}`;
            return !seen.has(key) && seen.add(key);
          })
          .map(({ resource, category, part }) => ({
            category,
            resource: String(resource),
            usd: part * (1 + resource),
          }));
        const cost = [...new Set(claims.map(({ resource }) => 1 + Number(resource)))];
        const { total, given } = attributed(claims);
        assert.ok(total <= cost.reduce((sum, usd) => sum + usd, 0) + 1e-9);
        const sum = [...given.values()].reduce((all, usd) => all + usd, 0);
        assert.ok(Math.abs(sum - total) < 1e-9);
      }),
    );
  });
});

const pods = fc.array(
  fc.record({
    workload: fc.constantFrom('w1', 'w2'),
    usdPerMonth: fc.integer({ min: 1, max: 50 }),
  }),
  { minLength: 1, maxLength: 8 },
);

function podsIn(all: readonly { workload: string; usdPerMonth: number }[]): PodCost[] {
  return all.map((one, i) => ({ ...one, cluster: 'c', resource: `pod ${i}` }));
}

test('nodes, requests and abandoned pods together save no more than the nodes cost', () => {
  const parts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
    minLength: 12,
    maxLength: 12,
  });
  fc.assert(
    fc.property(pods, parts, fc.integer({ min: 0, max: 100 }), (all, draws, idle) => {
      const costs = podsIn(all);
      const allocated = costs.reduce((sum, { usdPerMonth }) => sum + usdPerMonth, 0);
      const rateUsdPerMonth = allocated + idle;
      const [ofNodes = 0, ...others] = draws;
      const usdPerMonth = ofNodes * rateUsdPerMonth;
      const nodes: NodeSavings[] = [{ cluster: 'c', usdPerMonth, rateUsdPerMonth }];
      const fromNodes = nodeClaims(nodes, costs);
      const saved = fromNodes.reduce((sum, { usd }) => sum + usd, 0);
      assert.ok(Math.abs(saved - usdPerMonth) < 1e-9, 'what nodes save is claimed once');
      const requests = ['w1', 'w2'].map((workload, i) => {
        const own = costs.filter((cost) => cost.workload === workload);
        const cost = own.reduce((sum, one) => sum + one.usdPerMonth, 0);
        return { workload, usdPerMonth: (others[i] ?? 0) * cost };
      });
      const abandoned = costs
        .filter((_, i) => (others[2 + i] ?? 0) > 0.5)
        .map((cost): Claim => ({
          category: 'abandonedWorkloads',
          resource: cost.resource,
          usd: cost.usdPerMonth,
        }));
      const { total } = attributed([...abandoned, ...requestClaims(requests, costs), ...fromNodes]);
      assert.ok(total <= rateUsdPerMonth + 1e-9, `${total} of ${rateUsdPerMonth}`);
      const alone = abandoned.reduce((sum, { usd }) => sum + usd, 0);
      assert.ok(total >= Math.max(alone, usdPerMonth) - 1e-9);
    }),
  );
});

test('an abandoned pod keeps its dollars, and the requests of its siblings save theirs', () => {
  const costs = podsIn([
    { workload: 'w', usdPerMonth: 10 },
    { workload: 'w', usdPerMonth: 10 },
  ]);
  const claims: Claim[] = [{ category: 'abandonedWorkloads', resource: 'pod 0', usd: 10 }];
  const requests = [{ workload: 'w', usdPerMonth: 8 }];
  const { given, claimed, total } = attributed([...claims, ...requestClaims(requests, costs)]);
  assert.equal(total, 14);
  assert.deepEqual(Object.fromEntries(given), { abandonedWorkloads: 10, requestSizing: 4 });
  assert.deepEqual(Object.fromEntries(claimed), { abandonedWorkloads: 10, requestSizing: 8 });
});

test('requests of what runs no more are dollars of their own', () => {
  const requests = [{ workload: 'job', usdPerMonth: 3 }];
  assert.deepEqual(requestClaims(requests, []), [
    { category: 'requestSizing', resource: 'job', usd: 3 },
  ]);
});
