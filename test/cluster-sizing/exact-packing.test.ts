/** Bounds and optima, against trying all nodes and all placements. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { gapOf } from '../../src/cluster-sizing/choice.ts';
import type { Demand } from '../../src/cluster-sizing/demand.ts';
import type { Machine } from '../../src/cluster-sizing/machine.ts';
import { recommendNodes } from '../../src/cluster-sizing/recommend.ts';
import { requirements, shortage, type Preferences } from '../../src/cluster-sizing/requirements.ts';
import { bareMachine, demandOf, nodeType, type Pod } from '../support/arbitraries/sizing-demand.ts';
import { ofRuns } from '../support/property-runs.ts';

/** The lowest cost, up to `limit`, of nodes that meet the preferences and have a place for each pod. */
function leastCost(
  machines: readonly Machine[],
  pods: readonly Pod[],
  demand: Demand,
  preferences: Preferences,
  limit: number,
): number {
  const rows = requirements(demand, preferences);
  let best = limit;
  const visit = (first: number, nodes: readonly Machine[], usd: number): void => {
    if (usd >= best) return;
    const counts = machines.map((one) => nodes.filter((node) => node === one).length);
    const isMet = rows.every((row) => shortage(row, machines, counts) <= 0);
    if (isMet && hasPlaces(nodes, pods, demand)) best = usd;
    for (let i = first; i < machines.length; i++) {
      const machine = machines[i];
      if (machine) visit(i, [...nodes, machine], usd + machine.type.usdPerHour);
    }
  };
  visit(0, [], 0);
  return best;
}

/** Tries every node for every pod. */
function hasPlaces(nodes: readonly Machine[], pods: readonly Pod[], demand: Demand): boolean {
  const free = nodes.map(({ allocatable, podsMax }) => ({
    cpuCores: allocatable.cpuCores - demand.perNode.cpuCores + 1e-7,
    ramGiB: allocatable.ramGiB - demand.perNode.ramGiB + 1e-7,
    pods: podsMax - demand.daemonSetCount,
  }));
  const place = (i: number): boolean => {
    const pod = pods[i];
    if (pod === undefined) return true;
    const [cpuCores, ramGiB] = pod;
    return free.some((node) => {
      if (node.cpuCores < cpuCores || node.ramGiB < ramGiB || node.pods < 1) return false;
      const take = (by: number): void => {
        node.cpuCores -= by * cpuCores;
        node.ramGiB -= by * ramGiB;
        node.pods -= by;
      };
      take(1);
      const isPlaced = place(i + 1);
      take(-1);
      return isPlaced;
    });
  };
  return place(0);
}

const amount = fc.integer({ min: 1, max: 12 }).map((n) => n / 4);
const podsOfAnyShape = fc.array(fc.tuple(amount, amount), { minLength: 1, maxLength: 6 });
const daemons = fc.array(fc.tuple(fc.constant(0.25), fc.constantFrom(0.25, 0.5)), { maxLength: 1 });
const types = fc.array(
  fc.record({
    cpuCores: fc.constantFrom(2, 4, 8),
    ramGiB: fc.constantFrom(2, 4, 8),
    cents: fc.integer({ min: 10, max: 60 }),
    podsMax: fc.constantFrom(2, 4, 110),
  }),
  { minLength: 1, maxLength: 3 },
);
const LIMIT_USD = 2.5;

test('no nodes that hold the pods cost less than the bound, and a proven optimum is one', async () => {
  let proven = 0;
  const given = fc.asyncProperty(
    types,
    podsOfAnyShape,
    daemons,
    fc.constantFrom(0.65, 1),
    async (kinds, pods, perNode, targetUtilization) => {
      const machines = kinds.map(({ cpuCores, ramGiB, cents, podsMax }, i) =>
        bareMachine(nodeType(`t${i}`, cpuCores, ramGiB, cents / 100), podsMax),
      );
      const demand = demandOf(pods, perNode);
      const preferences = { targetUtilization, minNodeCount: 1 };
      const { multi } = await recommendNodes(machines, demand, preferences);
      const fitting = machines.filter(({ podsMax }) => podsMax >= perNode.length);
      const least = leastCost(fitting, pods, demand, preferences, LIMIT_USD);
      if (multi === undefined) return assert.ok(least >= LIMIT_USD, `${least} was not found`);
      assert.ok(multi.usdPerHour >= least - 1e-6, `${multi.usdPerHour} is below ${least}`);
      if (least >= LIMIT_USD) return;
      assert.ok(multi.usdPerHourBound <= least + 1e-6, `${multi.usdPerHourBound}, yet ${least}`);
      if (gapOf(multi) > 0) return;
      assert.ok(multi.usdPerHour <= least + 1e-6, `${multi.usdPerHour}, not ${least}`);
      proven++;
    },
  );
  await fc.assert(given, { numRuns: 150 });
  assert.ok(proven > ofRuns(50), `only ${proven} were proven`);
});
