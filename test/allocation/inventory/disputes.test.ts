/** Series that contradict each other about a price or a size, and spikes. Times are minutes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutSpikes } from '../../../src/allocation/inventory/disputes.ts';
import { inventoryOf, MINUTE_MS, requests, type Series } from '../../support/fleets/decided.ts';

const GIB = 2 ** 30;
const DAY = [0, 1000] as const;

function price(usd: number, labels: Readonly<Record<string, string>> = {}, seen: Series['seen'] = DAY): Series {
  return { fact: 'nodeCpuPrice', labels: { node: 'n1', ...labels }, seen, values: [[seen[0], usd]] };
} // prettier-ignore

function size(fact: 'nodeCapacity' | 'volumeCapacity', value: number): Series {
  const labels =
    fact === 'nodeCapacity' ? { node: 'n1', resource: 'cpu' } : { persistentvolume: 'v1' };
  return { fact, labels, seen: DAY, values: [[0, value]] };
}

function volumePrice(usd: number, labels: Readonly<Record<string, string>> = {}): Series {
  return { fact: 'volumePrice', labels: { persistentvolume: 'v1', ...labels }, seen: DAY, values: [[0, usd]] };
} // prettier-ignore

const TYPE = {
  instance_type: 'm5.2xlarge',
  region: 'us-east-1',
  provider_id: 'aws:///us-east-1a/i-1',
};
const CLAIM: readonly Series[] = [
  { fact: 'claimInfo', labels: { persistentvolumeclaim: 'data', volumename: 'v1' }, seen: DAY, values: [[0, 1]] },
  { fact: 'claimRequest', labels: { persistentvolumeclaim: 'data' }, seen: DAY, values: [[0, 100 * GIB]] },
]; // prettier-ignore
const LABELS: Series = {
  fact: 'nodeLabels',
  labels: {
    node: 'n1',
    label_node_kubernetes_io_instance_type: 'm5.2xlarge',
    label_topology_kubernetes_io_region: 'us-east-1',
    label_eks_amazonaws_com_nodegroup: 'web',
  },
  seen: DAY,
};

type Of = 'cpu' | 'cores' | 'bytes' | 'volume price';

const CASES: readonly (readonly [what: string, of: Of, told: readonly [Series, Series], others: readonly Series[], counted: number])[] = [
  ['the price with an instance type', 'cpu', [price(0.03, TYPE), price(130)], [], 0.03],
  ['the price with an instance type, though it is the higher one', 'cpu', [price(0.05, TYPE), price(0.03)], [], 0.05],
  ['of two with as many labels the one near the list price', 'cpu', [price(0.04, { instance_type: 'm5.2xlarge' }), price(0.0001, { provider_id: 'x' })], [LABELS], 0.04],
  ['of two plausible ones the lower', 'cpu', [price(0.04), price(0.03)], [], 0.03],
  ['the one that is not 0', 'cpu', [price(0.04), price(0)], [], 0.04],
  ['the capacity of the type', 'cores', [size('nodeCapacity', 8), size('nodeCapacity', 80)], [LABELS], 8],
  ['the capacity that pods fit into', 'cores', [size('nodeCapacity', 0.25), size('nodeCapacity', 8)], [requests({ node: 'n1', uid: 'a' })], 8],
  ['of two such capacities the lower', 'cores', [size('nodeCapacity', 80), size('nodeCapacity', 8)], [requests({ node: 'n1', uid: 'a' })], 8],
  ['the volume with a provider id', 'volume price', [volumePrice(0.0001, { provider_id: 'vol-1' }), volumePrice(10)], [], 0.0001],
  ['the plausible price of a volume', 'volume price', [volumePrice(0.0001), volumePrice(10)], [], 0.0001],
  ['the size that was claimed', 'bytes', [size('volumeCapacity', 100 * GIB), size('volumeCapacity', 100_000 * GIB)], CLAIM, 100 * GIB],
  ['the size that was claimed, though it is the higher one', 'bytes', [size('volumeCapacity', GIB), size('volumeCapacity', 100 * GIB)], CLAIM, 100 * GIB],
]; // prettier-ignore

describe('contradictory series count as', () => {
  for (const [what, of, told, others, counted] of CASES)
    for (const [order, pair] of [
      ['', told],
      [', in the other order', told.toReversed()],
    ] as const)
      test(`${what}${order}`, () => {
        const inventory = inventoryOf([...pair, ...others]);
        const [node] = inventory.allMachines;
        const [volume] = inventory.volumes.values();
        const runs = { cpu: node?.cpu, cores: node?.capacity.cpu, bytes: volume?.bytes, 'volume price': volume?.price }[of]; // prettier-ignore
        assert.deepEqual(runs?.merged(), [0, counted]);
      });
});

test('the money that depends on it is the difference over the window', () => {
  const inventory = inventoryOf([price(0.03, TYPE), price(1.03), size('nodeCapacity', 8)]);
  const [{ usd, name, counted, dropped } = { usd: NaN, name: '', counted: 0, dropped: 0 }] =
    inventory.disputes;
  assert.deepEqual([name, counted, dropped], ['n1', 0.03, 1.03]);
  assert.ok(Math.abs(usd - (8 * 1000) / 60) < 0.01, String(usd));
});

test('series that follow one another, and copies of one, contradict nothing', () => {
  const inventory = inventoryOf([
    price(0.03, TYPE, [0, 500]),
    price(0.06, TYPE, [495, 1000]),
    size('nodeCapacity', 8),
    size('nodeCapacity', 8),
  ]);
  assert.deepEqual(inventory.disputes, []);
  assert.deepEqual(inventory.allMachines[0]?.cpu.merged(), [0, 0.03, 495 * MINUTE_MS, 0.06]);
});

const SPIKES: readonly (readonly [what: string, pairs: readonly number[], kept: readonly number[]])[] = [
  ['one sample', [0, 0.03, 50, 130, 51, 0.03], [0, 0.03]],
  ['one sample that is far too low', [0, 0.03, 50, 0.0003, 51, 0.03], [0, 0.03]],
  ['a few samples of several values', [0, 0.03, 50, 130, 51, 140, 53, 0.03], [0, 0.03]],
  ['several of them', [0, 0.03, 50, 130, 51, 0.03, 70, 9, 72, 0.03], [0, 0.03]],
  ['one at a change of the price', [0, 0.03, 50, 130, 51, 0.04], [0, 0.03, 51, 0.04]],
]; // prettier-ignore
const CHANGES: readonly (readonly [what: string, pairs: readonly number[]])[] = [
  ['that goes up and stays', [0, 0.03, 50, 0.3]],
  ['that goes up for an hour', [0, 0.03, 50, 0.3, 110, 0.03]],
  ['of spot, which changes often by little', [0, 0.03, 1, 0.04, 2, 0.05, 3, 0.03, 4, 0.06, 5, 0.03]],
  ['that steps up to three times', [0, 0.03, 50, 0.06, 52, 0.09]],
  ['that is 0 for a while', [0, 0.03, 50, 0, 51, 0.03]],
]; // prettier-ignore

describe('a spike counts as the value before it', () => {
  for (const [what, pairs, kept] of SPIKES)
    test(what, () => assert.deepEqual(withoutSpikes(pairs, 1).pairs, kept));
});

describe('a price counts', () => {
  for (const [what, pairs] of CHANGES)
    test(what, () => assert.deepEqual(withoutSpikes(pairs, 1), { pairs, disputes: [] }));
});
