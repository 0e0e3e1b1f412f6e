/** Recommended nodes: for Kubecost's sample, and small catalogues by brute force. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Choice } from '../../src/cluster-sizing/choice.ts';
import type { Demand } from '../../src/cluster-sizing/demand.ts';
import type { Machine } from '../../src/cluster-sizing/machine.ts';
import { recommendNodes } from '../../src/cluster-sizing/recommend.ts';
import type { Preferences } from '../../src/cluster-sizing/requirements.ts';
import { assertHeld } from '../support/references/held-pods.ts';
import { assertNear } from '../support/references/near.ts';
import { bareMachine, demandOf, nodeType, type Pod } from '../support/arbitraries/sizing-demand.ts';

const MONTH = 730;

/** Kubecost's sample: its demand and the machines to choose from. */
const SAMPLE: Demand = {
  total: { cpuCores: 1.4105254827890852, ramGiB: 1.0523239374160767, gpus: 0 },
  podCount: 20,
  perNode: { cpuCores: 0.13000864795721567, ramGiB: 0.41380882263183594, gpus: 0 },
  daemonSetCount: 5,
  largestPod: { cpuCores: 0.26021418473138547, ramGiB: 0.13831710815429688, gpus: 0 },
  largestPods: { cpuCores: undefined, ramGiB: undefined, gpus: undefined },
  moments: [],
};
const SAMPLE_TYPES = [
  nodeType('f1-micro', 0.2, 0.6, 0.0076),
  nodeType('n1-highcpu-2', 2, 1.8, 0.049594019999999996),
  nodeType('n1-standard-1', 1, 3.75, 0.033249825),
  nodeType('e2-medium', 1, 4, 0.03350301),
].map((type) => bareMachine(type));

test("the sample's optimum is proven, and cheaper than Kubecost's answer", async () => {
  const preferences = { targetUtilization: 0.8, minNodeCount: 3 };
  const { single, multi } = await recommendNodes(SAMPLE_TYPES, SAMPLE, preferences);
  assert.deepEqual(countsOf(multi), { 'f1-micro': 2, 'n1-highcpu-2': 1 });
  assertNear((multi?.usdPerHour ?? NaN) * MONTH, 47.2996346);
  assertNear((multi?.usdPerHourBound ?? NaN) * MONTH, 47.2996346);
  assert.deepEqual(countsOf(single), { 'n1-standard-1': 3 });
  assertNear((single?.usdPerHour ?? NaN) * MONTH, 72.81711675);
});

function countsOf(choice: Choice | undefined): Record<string, number> {
  return Object.fromEntries(
    choice?.pools.map(({ machine, count }) => [machine.type.name, count]) ?? [],
  );
}

/** Counts nodes of one machine up until they suffice. */
function bruteForceSingle(machine: Machine, demand: Demand, preferences: Preferences): number {
  const counts = Array.from({ length: 1000 }, (_, i) => i + 1);
  const count = counts.find((one) => isEnough([machine], [one], demand, preferences)) ?? Infinity;
  return count * machine.type.usdPerHour;
}

/**
 * Tries all counts of all machines without packing: the demand has sums only.
 * @returns Infinity where no counts below `best` suffice
 */
function bruteForce(
  machines: readonly Machine[],
  demand: Demand,
  preferences: Preferences,
  limit: number,
): number {
  let best = limit;
  const counts = machines.map(() => 0);
  const visit = (place: number, usd: number): void => {
    if (usd >= best) return;
    if (isEnough(machines, counts, demand, preferences)) best = usd;
    for (let i = place; i < machines.length; i++) {
      counts[i] = (counts[i] ?? 0) + 1;
      visit(i, usd + (machines[i]?.type.usdPerHour ?? NaN));
      counts[i] = (counts[i] ?? 0) - 1;
    }
  };
  visit(0, 0);
  return best < limit ? best : Infinity;
}

function isEnough(
  machines: readonly Machine[],
  counts: readonly number[],
  { total, perNode, largestPod, podCount, daemonSetCount }: Demand,
  { targetUtilization, minNodeCount }: Preferences,
): boolean {
  const sum = (of: (machine: Machine) => number): number =>
    machines.reduce((all, machine, i) => all + (counts[i] ?? 0) * of(machine), 0);
  const nodes = sum(() => 1);
  const utilization = (required: number, all: number): number => required / all;
  const cpu = utilization(
    total.cpuCores + nodes * perNode.cpuCores,
    sum(({ type }) => type.cpuCores),
  );
  const ram = utilization(
    total.ramGiB + nodes * perNode.ramGiB,
    sum(({ type }) => type.ramGiB),
  );
  const holdsLargest = sum(({ type }) =>
    type.cpuCores >= largestPod.cpuCores + perNode.cpuCores &&
    type.ramGiB >= largestPod.ramGiB + perNode.ramGiB
      ? 1
      : 0,
  );
  const target = targetUtilization * (1 + 1e-9);
  return (
    nodes >= minNodeCount &&
    cpu <= target &&
    ram <= target &&
    holdsLargest > 0 &&
    podCount <= sum(({ podsMax }) => podsMax - daemonSetCount)
  );
}

/** Numbers of few digits, so that ties and exact fits occur. */
const tenths = (max: number): fc.Arbitrary<number> =>
  fc.integer({ min: 1, max: max * 10 }).map((n) => n / 10);

const smallCatalogue = fc.array(
  fc.record({
    cpuCores: fc.constantFrom(2, 4, 8),
    ramGiB: fc.constantFrom(2, 4, 8, 16),
    usd: fc.integer({ min: 6, max: 40 }),
    podsMax: fc.constantFrom(6, 12, 110),
  }),
  { minLength: 1, maxLength: 4 },
);
const smallPods = fc.array(fc.tuple(tenths(2), tenths(3)), { minLength: 1, maxLength: 8 });
const smallDaemons = fc.array(fc.tuple(tenths(0.3), tenths(0.3)), { maxLength: 2 });
const preferences = fc.record({
  targetUtilization: fc.constantFrom(0.5, 0.65, 0.8, 1),
  minNodeCount: fc.integer({ min: 1, max: 4 }),
});

test('the mix of a small catalogue costs as little as brute force finds', async () => {
  const given = fc.asyncProperty(
    smallCatalogue,
    smallPods,
    smallDaemons,
    preferences,
    async (types, pods, daemons, preferences) => {
      const machines = types.map(({ cpuCores, ramGiB, usd, podsMax }, i) =>
        bareMachine(nodeType(`t${i}`, cpuCores, ramGiB, usd / 100), podsMax),
      );
      const demand = { ...demandOf(pods, daemons), moments: [] };
      const fitting = machines.filter(
        ({ type, podsMax }) =>
          type.cpuCores >= demand.perNode.cpuCores &&
          type.ramGiB >= demand.perNode.ramGiB &&
          podsMax >= daemons.length,
      );
      const { multi, single } = await recommendNodes(machines, demand, preferences);
      const alone = Math.min(...fitting.map((one) => bruteForceSingle(one, demand, preferences)));
      assert.ok(isSame(single?.usdPerHour ?? Infinity, alone), `single: not ${alone}`);
      const limit = Math.min(alone, 3) + 1e-6;
      const expected = bruteForce(fitting, demand, preferences, limit);
      const found = multi?.usdPerHour ?? Infinity;
      if (expected === Infinity) return assert.ok(found >= limit, `${found} was not found`);
      assert.ok(isSame(found, expected), `multi: ${found}, not ${expected}`);
      const bound = multi?.usdPerHourBound ?? Infinity;
      assert.ok(isSame(bound, expected), `bound: ${bound}, not ${expected}`);
    },
  );
  await fc.assert(given, { numRuns: 60 });
});

/** Prices have few digits; a solver's sums are not exact. */
function isSame(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) < 1e-6;
}

describe('recommended nodes hold all pods, with the daemon sets on each node:', () => {
  test('any small catalogue and any pods', async () => {
    const given = fc.asyncProperty(
      smallCatalogue,
      smallPods,
      smallDaemons,
      preferences,
      async (types, pods, daemons, preferences) => {
        const machines = types.map(({ cpuCores, ramGiB, usd, podsMax }, i) =>
          bareMachine(nodeType(`t${i}`, cpuCores, ramGiB, usd / 100), podsMax),
        );
        const demand = demandOf(pods, daemons);
        const { multi, single } = await recommendNodes(machines, demand, preferences);
        for (const choice of [multi, single]) if (choice) assertHeld(choice, pods, daemons);
        const [mixed, alone] = [multi?.usdPerHour ?? Infinity, single?.usdPerHour ?? Infinity];
        assert.ok(mixed <= alone, `a mix of ${mixed} is dearer than ${alone}`);
        assert.ok((multi?.usdPerHourBound ?? 0) <= mixed, 'the bound is no bound');
      },
    );
    await fc.assert(given, { numRuns: 100 });
  });

  test('a few large pods that fit only if nodes are filled one after the other', async () => {
    const pods: Pod[] = [[0.9, 0.1], [1.2, 0.1], [0.9, 0.1], [0.1, 1.9], [1.2, 0.1], [1.2, 0.1], [0.1, 0.1]]; // prettier-ignore
    const machines = [bareMachine(nodeType('small', 2, 2, 0.06), 6)];
    const preferences = { targetUtilization: 1, minNodeCount: 1 };
    const { single, multi } = await recommendNodes(machines, demandOf(pods), preferences);
    for (const choice of [single, multi]) {
      assert.deepEqual(countsOf(choice), { small: 4 });
      if (choice) assertHeld(choice, pods, []);
    }
  });

  test('sums that nodes would meet which are too small for two pods each', async () => {
    const machines = [nodeType('small', 2, 8, 0.1), nodeType('large', 16, 64, 0.9)];
    const pods = Array.from({ length: 7 }, (): Pod => [1.2, 1]);
    const preferences = { targetUtilization: 1, minNodeCount: 1 };
    const bare = machines.map((type) => bareMachine(type));
    const { single, multi } = await recommendNodes(bare, demandOf(pods), preferences);
    assert.deepEqual(countsOf(single), { small: 7 });
    assert.deepEqual(countsOf(multi), { small: 7 });
    assertNear(multi?.usdPerHourBound ?? NaN, 0.7);
  });
});

test('pods with GPUs get nodes with GPUs, other pods need none', async () => {
  const machines = [
    bareMachine(nodeType('plain', 8, 32, 0.3)),
    bareMachine({ ...nodeType('gpu', 8, 32, 1), gpus: 1 }),
  ];
  const [gpu, plain] = [
    [1, 4, 1],
    [1.5, 4, 0],
  ] as const;
  const pods = [gpu, gpu, ...Array.from({ length: 14 }, () => plain)];
  const demand: Demand = {
    ...demandOf(pods.map(([cpuCores, ramGiB]): Pod => [cpuCores, ramGiB])),
    total: { cpuCores: 23, ramGiB: 64, gpus: 2 },
    moments: [pods.flat()],
  };
  const preferences = { targetUtilization: 1, minNodeCount: 1 };
  const { single, multi } = await recommendNodes(machines, demand, preferences);
  assert.deepEqual(countsOf(multi), { plain: 2, gpu: 2 });
  assert.deepEqual(countsOf(single), { gpu: 4 });
});
