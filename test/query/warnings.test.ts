import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addedWarnings,
  listedWarnings,
  storedWarnings,
  uncertainCost,
  warning,
  warningsOfSet,
} from '../../src/query/warnings.ts';

const unclaimed = (count: number, usd: string): string =>
  `volumes held by no claim: ${count}; $${usd} is charged to __unmounted__`;
const elsewhere = (usd: string): string =>
  `allocations on nodes that no asset is known of cost $${usd}: nothing is idle there`;
const overage = (usd: string): string =>
  `allocations exceed their nodes by $${usd}: nothing is idle there`;

test('money of the same warning of several sets is added up, also of equal ones', () => {
  const balancers =
    'load balancers without pods behind their service: 1; $0.25 is charged to __unmounted__';
  assert.deepEqual(
    addedWarnings([
      unclaimed(1, '1.16'),
      'x',
      unclaimed(2, '0.04'),
      balancers,
      unclaimed(1, '1.16'),
    ]),
    [unclaimed(2, '2.36'), 'x', balancers],
  );
  assert.deepEqual(addedWarnings([overage('0.1'), overage('1e-7'), overage('0.2')]), [
    overage('0.3000001'),
  ]);
  // Rounding of sums is not shown.
  assert.deepEqual(addedWarnings([elsewhere('0.1'), overage('1'), elsewhere('0.2')]), [
    elsewhere('0.3'),
    overage('1'),
  ]);
});

test('other warnings stay as they are, each once', () => {
  const gap = 'there are no samples from 2024-05-01T00:00:00Z on';
  assert.deepEqual(addedWarnings([gap, gap, 'y']), [gap, 'y']);
  assert.deepEqual(addedWarnings([unclaimed(1, '1.16')]), [unclaimed(1, '1.16')]);
  assert.deepEqual(addedWarnings([]), []);
});

test('warnings are listed by cost, then those of unknown cost, then those of none', () => {
  const listed = listedWarnings([
    warning('none', { cost: 0 }),
    'unknown',
    warning('little', { cost: 1, clusters: ['b'] }),
    warning('much', { cost: 5, nodes: ['a/n2', 'a/n1', 'a/n2'] }),
    'unknown',
    warning('little', { cost: 1, clusters: ['a'] }),
  ]);
  assert.deepEqual(listed, [
    { message: 'much', cost: 5, clusters: ['a'], nodes: ['a/n1', 'a/n2'] },
    { message: 'little', cost: 1, clusters: ['a', 'b'], nodes: [] },
    { message: 'unknown', cost: null, clusters: [], nodes: [] },
    { message: 'none', cost: 0, clusters: [], nodes: [] },
  ]);
  assert.equal(uncertainCost(listed), 6);
});

test('costs of the same warning of several sets are added up, and stored sets keep them', () => {
  const of = (cost: number | null, cluster: string) =>
    warning('gaps', { cost, clusters: [cluster] });
  const sets = [of(1.5, 'a'), of(2, 'b'), of(null, 'c'), 'gaps', 'other'].map((one) =>
    storedWarnings([one]),
  );
  assert.deepEqual(addedWarnings(sets.flatMap(warningsOfSet)), [
    { message: 'gaps', cost: 3.5, clusters: ['a', 'b', 'c'], nodes: [] },
    'other',
  ]);
  assert.deepEqual(storedWarnings(['other']), { warnings: ['other'] });
});
