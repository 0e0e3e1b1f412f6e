/** Choices made cheaper a node at a time, within a limit of work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { improve } from '../../src/cluster-sizing/improve.ts';
import { requirements } from '../../src/cluster-sizing/requirements.ts';
import { bareMachine, demandOf, nodeType, type Pod } from '../support/arbitraries/sizing-demand.ts';

const machine = bareMachine(nodeType('small', 2, 8, 0.1));
const demand = demandOf(Array.from({ length: 4 }, (): Pod => [1, 1]));
const rows = requirements(demand, { targetUtilization: 1, minNodeCount: 1 });
const task = { machines: [machine], demand, rows, kindsMax: 1 };
const FIVE = [{ machine, count: 5 }];

/** Four pods are compared with the four nodes that are tried, then with three, then with two. */
const ALL_COMPARISONS = 4 * (4 + 3 + 2);

for (const [comparisonsMax, count] of [
  [ALL_COMPARISONS, 2],
  [4 * 4 + 1, 3],
  [4 * 4, 4],
  [0, 5],
] as const)
  test(`with ${comparisonsMax} comparisons ${count} of five nodes are left`, () => {
    assert.deepEqual(improve(FIVE, task, comparisonsMax), [{ machine, count }]);
  });
