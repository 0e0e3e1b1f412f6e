/** Which nodes are billed, from when to when, for what. Times are minutes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NodeAssets } from '../../../src/allocation/ledger/node-assets.ts';
import {
  decideNodes,
  MINUTE_MS,
  requests,
  seconds,
  type Series,
} from '../../support/fleets/decided.ts';

const GIB = 2 ** 30;

type Seen = readonly [number, number];
type Values = readonly (readonly [number, number])[];

function capacity(resource: string, values: Values, seen: Seen = [0, 100], name = 'n1'): Series {
  return { fact: 'nodeCapacity', labels: { node: name, resource }, seen, values };
}

/** Four cores and sixteen GiB. */
function whole(seen: Seen = [0, 100], name = 'n1'): Series[] {
  return [
    capacity('cpu', [[seen[0], 4]], seen, name),
    capacity('memory', [[seen[0], 16 * GIB]], seen, name),
  ];
}

function created(minutes: number, seen: Seen = [0, 100]): Series {
  return { fact: 'nodeCreated', labels: { node: 'n1' }, seen, values: seconds(seen[0], minutes) };
}

/** `cluster/node from-to …` of each node. */
function shown({ list }: NodeAssets): string[] {
  return list.map(({ pod, stretches }) => {
    const spans = stretches.map((s) => `${s.startMs / MINUTE_MS}-${s.endMs / MINUTE_MS}`);
    return [`${pod.cluster}/${pod.node}`, ...spans].join(' ');
  });
}

const LIVES: readonly (readonly [what: string, series: readonly Series[], lives: string[]])[] = [
  ['that shows its capacity is there while it does', whole(), ['c/n1 0-101']],
  ['is there from its creation', [...whole([20, 50]), created(19.5, [20, 50])], ['c/n1 19.5-50.5']],
  ['that is older than the window is there from before', [...whole(), created(-500)], ['c/n1 -500-100.5']],
  ['without samples for long is not there meanwhile', [...whole([0, 30]), ...whole([60, 90])], ['c/n1 0-31 60-91']],
  ['without samples for long is there while a pod on it is told of',
    [...whole([0, 30]), ...whole([60, 90]), requests({ node: 'n1', uid: 'a' }, [10, 70])], ['c/n1 0-91']],
  ['without samples for long is not there before and after the pods that are told of meanwhile',
    [...whole([0, 10]), ...whole([60, 90]), requests({ node: 'n1', uid: 'a' }, [22, 35])], ['c/n1 0-11 22-36 60-91']],
  ['is there as long as anything of kube-state-metrics shows it',
    [...whole([0, 30]), { fact: 'nodeInfo', labels: { node: 'n1' }, seen: [0, 60] }], ['c/n1 0-61']],
  ['is not there for its price alone',
    [...whole([0, 30]), { fact: 'nodeCpuPrice', labels: { node: 'n1' }, seen: [0, 60] }], ['c/n1 0-31']],
  ['of two exporters is one', [...whole([0, 60]), ...whole([40, 100])], ['c/n1 0-101']],
  ['has a cluster, and comes in its order',
    [...whole([0, 9], 'b'), ...whole([0, 9], 'a'), ...whole([0, 9], 'a').map((one) => ({ ...one, labels: { ...one.labels, cluster: 'z' } }))],
    ['c/a 0-10', 'c/b 0-10', 'z/a 0-10']],
]; // prettier-ignore

describe('a node', () => {
  for (const [what, series, lives] of LIVES)
    test(what, () => assert.deepEqual(shown(decideNodes(series)), lives));
});

test('a node costs its capacity, which may change, at its price', () => {
  const [asset] = decideNodes([
    capacity('cpu', [[0, 4], [50, 8]]),
    capacity('memory', [[0, 16 * GIB]]),
    capacity('nvidia_com_gpu', [[0, 2]]),
    capacity('pods', [[0, 110]]),
    { fact: 'nodeCpuPrice', labels: { node: 'n1', provider_id: 'id' }, values: [[0, 0.02]] },
  ]).list; // prettier-ignore
  assert.deepEqual(asset?.requests.cpu, [0, 4, 50 * MINUTE_MS, 8]);
  assert.deepEqual(asset?.requests.ram, [0, 16 * GIB]);
  assert.deepEqual(asset?.requests.gpu, [0, 2]);
  assert.deepEqual(asset?.pod.prices.cpu, [0, 0.02]);
  assert.deepEqual(asset?.pod.prices.ram, [0, 0.004237 / GIB]);
  assert.equal(asset?.pod.providerId, 'id');
});

test('capacity below zero is not believed', () => {
  const [asset] = decideNodes([
    capacity('cpu', [[0, -4]]),
    capacity('memory', [[0, GIB]]),
    capacity('nvidia_com_gpu', [[0, -1]]),
  ]).list;
  assert.deepEqual([asset?.requests.cpu, asset?.requests.gpu], [[], []]);
});

test('nodes without capacity are told, also those that only pods name', () => {
  const { list, unknown } = decideNodes([
    ...whole(),
    requests({ node: 'n1' }),
    requests({ node: 'by-a-pod', pod: 'other' }),
    { fact: 'nodeInfo', labels: { node: 'by-info' } },
    capacity('cpu', [[0, 4]], [0, 100], 'by-cpu'),
    { fact: 'nodeCpuPrice', labels: { node: 'by-price' } },
    requests({ pod: 'nowhere' }),
  ]);
  assert.equal(list.length, 1);
  assert.deepEqual(unknown, ['c/by-a-pod', 'c/by-cpu', 'c/by-info']);
});

test('nodes of other times are not of the window', () => {
  const { list, unknown } = decideNodes([...whole([1001, 1010]), ...whole([-50, -20], 'before')]);
  assert.deepEqual([list, unknown], [[], []]);
});

test('a capacity that no machine has is not believed: the one before holds', () => {
  const cpu = [[0, 4], [20, -1], [40, 1e300], [60, 0]] as const;
  const ram = [[0, GIB], [30, 0], [50, 2 * GIB]] as const;
  const { list } = decideNodes([capacity('cpu', cpu), capacity('memory', ram)]);
  assert.deepEqual(list[0]?.requests.cpu, [0, 4]);
  assert.deepEqual(list[0]?.requests.ram, [0, GIB, 50 * MINUTE_MS, 2 * GIB]);
}); // prettier-ignore
