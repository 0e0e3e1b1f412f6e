/** Recommended nodes of a real price list. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { machineOf } from '../../src/cluster-sizing/overhead.ts';
import { recommendNodes } from '../../src/cluster-sizing/recommend.ts';
import { parseNodeTypes, type NodeType } from '../../src/pricing/index.ts';
import { demandOf, type Pod } from '../support/arbitraries/sizing-demand.ts';
import { assertHeld } from '../support/references/held-pods.ts';

const PRICES = fileURLToPath(new URL('../fixtures/node-types.csv', import.meta.url));

test('nodes of AWS us-east-1 hold 5,000 pods at a cost near the bound', async () => {
  const types = typesOf('us-east-1');
  assert.ok(types.length > 900, `only ${types.length} types`);
  const pods = manyPods(5000);
  const daemons: Pod[] = [
    [0.1, 0.2],
    [0.1, 0.25],
  ];
  const preferences = { targetUtilization: 0.65, minNodeCount: 2 };
  const machines = types.map((type) => machineOf(type, true));
  const { multi, single } = await recommendNodes(machines, demandOf(pods, daemons), preferences);
  assert.ok(multi !== undefined && single !== undefined, 'nothing is recommended');
  for (const choice of [multi, single]) assertHeld(choice, pods, daemons);
  const gap = 1 - multi.usdPerHourBound / multi.usdPerHour;
  assert.ok(gap < 0.01, `the gap is ${gap}`);
  assert.ok(multi.pools.length <= 4, `${multi.pools.length} pools`);
});

function typesOf(wanted: string): NodeType[] {
  return parseNodeTypes(readFileSync(PRICES, 'utf8'), PRICES).filter(
    ({ region, isSharedCore }) => region === wanted && !isSharedCore,
  );
}

/** Pods of all shapes, the same in each run. */
function manyPods(count: number): Pod[] {
  let state = 1;
  const next = (): number => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  return Array.from({ length: count }, (): Pod => {
    const cpuCores = Math.exp(3 * next() - 3);
    return [cpuCores, cpuCores * 6 * Math.exp(2 * next() - 1)];
  });
}

test('the same nodes are recommended however fast the clock runs', async (t) => {
  const machines = typesOf('us-east-1').map((type) => machineOf(type, true));
  const demand = demandOf(manyPods(30), []);
  const preferences = { targetUtilization: 0.65, minNodeCount: 2 };
  const expected = await recommendNodes(machines, demand, preferences);
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => 10 * now());
  assert.deepEqual(await recommendNodes(machines, demand, preferences), expected);
});
