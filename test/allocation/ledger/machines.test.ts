/** Machines that had the name of one node, one after another. Times are minutes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inventoryOf, MINUTE_MS, type Series } from '../../support/fleets/decided.ts';
import {
  decideNodes,
  decide,
  LISTED,
  pricerOf,
  requests,
  seconds,
} from '../../support/fleets/decided.ts';

const GIB = 2 ** 30;
const node = 'ip-10-0-0-1.ec2.internal';

interface Machine {
  readonly seen: readonly [number, number];
  readonly created?: number;
  readonly id?: string;
  readonly uuid?: string;
  readonly type?: string;
  readonly spot?: boolean;
  readonly pool?: string;
  readonly cores: number;
}

/** A machine as kube-state-metrics shows it, with a pod on it. */
function machine({ seen, created, id, uuid, type, spot, pool, cores }: Machine): Series[] {
  const values = [[seen[0], 1]] as const;
  const info = { node, ...(id ? { provider_id: id } : {}), ...(uuid ? { system_uuid: uuid } : {}) };
  const labels = {
    node,
    ...(type ? { label_node_kubernetes_io_instance_type: type } : {}),
    label_topology_kubernetes_io_region: 'us-east-1',
    label_topology_kubernetes_io_zone: 'us-east-1a',
    ...(pool ? { label_eks_amazonaws_com_nodegroup: pool } : {}),
    ...(spot === undefined
      ? {}
      : { label_eks_amazonaws_com_capacityType: spot ? 'SPOT' : 'ON_DEMAND' }),
  };
  return [
    { fact: 'nodeInfo', labels: info, seen, values },
    { fact: 'nodeLabels', labels, seen, values },
    ...(created === undefined
      ? []
      : [{ fact: 'nodeCreated', labels: { node }, seen, values: seconds(seen[0], created) } as const]),
    { fact: 'nodeCapacity', labels: { node, resource: 'cpu' }, seen, values: [[seen[0], cores]] },
    { fact: 'nodeCapacity', labels: { node, resource: 'memory' }, seen, values: [[seen[0], cores * 4 * GIB]] },
    requests({ node, pod: `web-${seen[0]}`, uid: `u${seen[0]}` }, seen),
  ]; // prettier-ignore
}

const AWS = (id: string): string => `aws:///us-east-1a/i-${id}`;
/** A provider id as that of GKE, `gce://project/zone/node`. */
const AWS_NAME = `aws:///us-east-1a/${node}`;
const LARGE = { type: 'm5.2xlarge', cores: 8, seen: [0, 100] } as const;
const SMALL = { type: 'm5.xlarge', cores: 4, seen: [120, 300] } as const;

/** Each machine as `type from-to at USD an hour`, and the price of a core of the pods, in order of time. */
function shown(series: readonly Series[]): string[] {
  return decideNodes(series, LISTED).list.map(({ pod, requests, stretches }) => {
    const [cpu = 0, ram = 0] = [requests.cpu.at(-1), requests.ram.at(-1)];
    const usd = cpu * (pod.prices.cpu[1] ?? NaN) + ram * (pod.prices.ram[1] ?? NaN);
    const spans = stretches.map((s) => `${s.startMs / MINUTE_MS}-${s.endMs / MINUTE_MS}`);
    return `${pod.machine.instanceType} ${spans.join(' ')} ${usd.toFixed(4)} ${pod.providerId}`;
  });
}

const SPLIT: readonly (readonly [what: string, series: readonly Series[], machines: string[]])[] = [
  ['by provider id and creation',
    [...machine({ ...LARGE, id: AWS('a'), created: 0 }), ...machine({ ...SMALL, id: AWS('b'), created: 120 })],
    ['m5.2xlarge 0-100.5 0.3840 aws:///us-east-1a/i-a', 'm5.xlarge 120-300.5 0.1920 aws:///us-east-1a/i-b']],
  ['in the other order of the store',
    [...machine({ ...SMALL, id: AWS('a'), created: 120 }), ...machine({ ...LARGE, id: AWS('b'), created: 0 })],
    ['m5.2xlarge 0-100.5 0.3840 aws:///us-east-1a/i-b', 'm5.xlarge 120-300.5 0.1920 aws:///us-east-1a/i-a']],
  ['of the same type by provider id',
    [...machine({ ...LARGE, id: AWS('a'), created: 0 }), ...machine({ ...LARGE, seen: [103, 300], id: AWS('b'), created: 102 })],
    ['m5.2xlarge 0-100.5 0.3840 aws:///us-east-1a/i-a', 'm5.2xlarge 102-300.5 0.3840 aws:///us-east-1a/i-b']],
  ['spot and then on demand',
    [...machine({ ...LARGE, spot: true, id: AWS('a'), created: 0 }), ...machine({ ...LARGE, spot: false, seen: [120, 300], id: AWS('b'), created: 120 })],
    ['m5.2xlarge 0-100.5 0.1883 aws:///us-east-1a/i-a', 'm5.2xlarge 120-300.5 0.3840 aws:///us-east-1a/i-b']],
  ['spot and then on demand by labels alone',
    [...machine({ ...LARGE, spot: true }), ...machine({ ...LARGE, spot: false, seen: [120, 300] })],
    ['m5.2xlarge 0-101 0.1883 ', 'm5.2xlarge 120-301 0.3840 ']],
  ['by creation alone', [...machine({ ...LARGE, created: 0 }), ...machine({ ...SMALL, created: 120 })],
    ['m5.2xlarge 0-100.5 0.3840 ', 'm5.xlarge 120-300.5 0.1920 ']],
  ['by type alone', [...machine(LARGE), ...machine(SMALL)], ['m5.2xlarge 0-101 0.3840 ', 'm5.xlarge 120-301 0.1920 ']],
  ['three of them',
    [...machine({ ...LARGE, id: AWS('a') }), ...machine({ ...SMALL, seen: [120, 200], id: AWS('b') }), ...machine({ ...LARGE, seen: [201, 300], id: AWS('c') })],
    ['m5.2xlarge 0-101 0.3840 aws:///us-east-1a/i-a', 'm5.xlarge 120-201 0.1920 aws:///us-east-1a/i-b', 'm5.2xlarge 201-301 0.3840 aws:///us-east-1a/i-c']],
  ['by the id of its firmware, where the provider id is a name',
    [...machine({ ...LARGE, id: AWS_NAME, uuid: 'a', spot: true }), ...machine({ ...LARGE, seen: [120, 300], id: AWS_NAME, uuid: 'b', spot: false })],
    [`m5.2xlarge 0-101 0.1883 ${AWS_NAME}`, `m5.2xlarge 120-301 0.3840 ${AWS_NAME}`]],
  ['by creation, where the provider id is a name',
    [...machine({ ...LARGE, id: AWS_NAME, created: 0, spot: true }), ...machine({ ...LARGE, seen: [120, 300], id: AWS_NAME, created: 120, spot: false })],
    [`m5.2xlarge 0-100.5 0.1883 ${AWS_NAME}`, `m5.2xlarge 120-300.5 0.3840 ${AWS_NAME}`]],
  ['by the id of its firmware', [...machine({ ...LARGE, uuid: 'a' }), ...machine({ ...LARGE, seen: [120, 300], uuid: 'b' })],
    ['m5.2xlarge 0-101 0.3840 ', 'm5.2xlarge 120-301 0.3840 ']],
]; // prettier-ignore

describe('machines of one name are told apart', () => {
  for (const [what, series, machines] of SPLIT)
    test(what, () => assert.deepEqual(shown(series), machines));
});

const WHOLE: readonly (readonly [what: string, series: readonly Series[]])[] = [
  ['is registered again', [...machine({ ...LARGE, id: AWS('a'), created: 0 }), ...machine({ ...LARGE, seen: [102, 300], id: AWS('a'), created: 101 })]],
  ['is away for a while', [...machine({ ...LARGE, created: 0 }), ...machine({ ...LARGE, seen: [120, 300], created: 0 })]],
  ['gets another pool', [...machine({ ...LARGE, id: AWS('a'), pool: 'x' }), ...machine({ ...LARGE, seen: [101, 300], id: AWS('a'), pool: 'y' })]],
  ['is told of in two ways at once', [...machine({ ...LARGE, seen: [0, 300], id: AWS('a') }), ...machine({ ...SMALL, seen: [100, 300], id: AWS('b') })]],
]; // prettier-ignore

describe('a machine is one that', () => {
  for (const [what, series] of WHOLE)
    test(what, () => assert.equal(inventoryOf(series).allMachines.length, 1));
});

test('a pod has the price, type and id of the machine that it ran on', () => {
  const series = [
    ...machine({ ...LARGE, id: AWS('a'), created: 0 }),
    ...machine({ ...SMALL, id: AWS('b'), created: 120 }),
  ];
  const pods = decide(series, {}, undefined, LISTED).map(({ pod }) => pod);
  assert.deepEqual(
    pods.map(({ name, providerId, machine: { instanceType } }) => [name, providerId, instanceType]),
    [
      ['web-0', AWS('a'), 'm5.2xlarge'],
      ['web-120', AWS('b'), 'm5.xlarge'],
    ],
  );
});

test('a pod that nothing tells apart has the prices of both machines in turn', () => {
  const series = [
    ...machine({ ...LARGE, id: AWS('a'), created: 0, spot: true }),
    ...machine({ ...LARGE, seen: [120, 300], id: AWS('b'), created: 120, spot: false }),
  ];
  const pricer = pricerOf(series, LISTED);
  const whole = pricer.pricesOf('c', node, { startMs: 0, endMs: 300 * MINUTE_MS });
  const [spot, demand] = [100, 130].map(
    (at) =>
      pricer.pricesOf('c', node, { startMs: at * MINUTE_MS, endMs: (at + 5) * MINUTE_MS }).cpu[1],
  );
  assert.deepEqual(whole.cpu, [0, spot, 120 * MINUTE_MS, demand]);
  assert.ok((spot ?? NaN) < (demand ?? NaN) / 2);
});
