/** Details of warnings: the money that each is about is that of the rows concerned, by cluster and node. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  DAY_WINDOW,
  nodeSeries,
  podLabels,
  podSeries,
  shown,
  WORLD_NOW,
  type Value,
} from '../../support/fleets/worlds.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';
import { startScriptedStore, type ScriptedStore } from '../../support/stores/scripted-store.ts';
import { remoteReads } from '../../support/stores/series-store.ts';

type Labels = Readonly<Record<string, string>>;

let held: readonly TestSeries[] = [];
let store: ScriptedStore;
let server: BundleServer;

before(async () => {
  store = await startScriptedStore(remoteReads(() => held));
  server = await startBundleServer([
    `--metrics-url=${store.url}`,
    `--now=${WORLD_NOW}`,
    '--workers=2',
  ]);
});
after(async () => {
  await server.stop();
  await store.stop();
});

interface Detail {
  readonly message: string;
  readonly cost: number | null;
  readonly clusters: readonly string[];
  readonly nodes: readonly string[];
}

interface Told {
  readonly rows: Readonly<Record<string, { readonly totalCost: number }>>;
  readonly details: readonly Detail[];
  readonly uncertainCost: number;
  readonly warnings: readonly string[];
}

async function ask(query: string): Promise<Told> {
  const answer = await server.compute(
    `window=${DAY_WINDOW}&resolution=exact&aggregate=node,pod&splitIdle=true&idleByNode=true&${query}`,
  );
  assert.equal(answer.status, 200, answer.text);
  const body = JSON.parse(answer.text) as {
    readonly data: readonly Told['rows'][];
    readonly warnings?: readonly string[];
    readonly warningDetails?: readonly Detail[];
    readonly uncertainCost?: number;
  };
  const { data, warnings = [], warningDetails = [], uncertainCost = 0 } = body;
  return { rows: data[0] ?? {}, details: warningDetails, uncertainCost, warnings };
}

/** A node without a price of its own. */
function unpriced(node: string, labels: Labels = {}, info: Labels = {}): TestSeries[] {
  const own = nodeSeries(node).filter(({ labels: of }) =>
    of.every(([, value]) => value !== 'kube_node_info' && !value.endsWith('_hourly_cost')),
  );
  return [
    ...own,
    shown('kube_node_info', { node, kubelet_version: 'v1.31.2', ...info }),
    shown('kube_node_labels', { node, ...labels }),
  ];
}

const onNode = (node: string, name = `on-${node}`): TestSeries[] =>
  podSeries({ name, node, containers: [{ cores: 2, gib: 4 }] });

const aws = (type: string, more: Labels = {}): [Labels, Labels] => [
  {
    label_node_kubernetes_io_instance_type: type,
    label_topology_kubernetes_io_region: 'us-east-1',
    label_topology_kubernetes_io_zone: 'us-east-1a',
    ...more,
  },
  { provider_id: 'aws:///us-east-1a/i-0a' },
];

/** A price of its own that is a fault in the morning. */
const priceOf = (value: Value): TestSeries[] =>
  ['node_cpu_hourly_cost', 'node_ram_hourly_cost'].map((metric) =>
    shown(metric, { node: 'n2', instance: 'n2' }, value),
  );

interface Case {
  readonly what: string;
  readonly series: readonly TestSeries[];
  readonly message: RegExp;
  /** Rows of the answer with idle whose costs the warning is about, by the start of their names. */
  readonly about: readonly string[];
  readonly nodes?: readonly string[];
  /** No other node is shown. */
  readonly isAlone?: true;
}

const N2 = ['default-cluster/n2'];
const UNUSED = onNode('n2').filter(({ labels }) =>
  labels.every(([, value]) => !value.startsWith('container_')),
);
const ODD = podSeries({
  name: 'odd',
  node: 'n2',
  containers: [{ cores: (hour) => (hour < 6 ? -1 : 1), gib: 1 }],
});
const DOWN = { gaps: [[8, 28]] } as const;

const CASES: readonly Case[] = [
  { what: 'a node of a type without a list price', series: [...unpriced('n2', ...aws('x9.huge')), ...onNode('n2')],
    message: /nodes of 1 type with no list price \(AWS us-east-1 x9\.huge/, about: ['n2/'], nodes: N2 },
  { what: 'a node of no known cloud', series: [...unpriced('n2', { label_type: 'worker' }), ...onNode('n2')],
    message: /nodes of no known cloud/, about: ['n2/'], nodes: N2 },
  { what: 'a node with Windows', series: [...unpriced('n2', ...aws('m5.2xlarge', { label_kubernetes_io_os: 'windows' })), ...onNode('n2')],
    message: /nodes with Windows/, about: ['n2/'], nodes: N2 },
  { what: 'a node on Fargate', series: [...unpriced('fargate-ip-10-0-0-1', { label_eks_amazonaws_com_compute_type: 'fargate', label_topology_kubernetes_io_region: 'us-east-1' }, { provider_id: 'aws:///us-east-1a/6f/fargate-ip-10-0-0-1' }), ...onNode('fargate-ip-10-0-0-1')],
    message: /nodes of EKS Fargate/, about: ['fargate-ip-10-0-0-1/'], nodes: ['default-cluster/fargate-ip-10-0-0-1'] },
  { what: 'a virtual node costs nothing', series: [...unpriced('virtual-node-aci-linux', { label_type: 'virtual-kubelet' }), ...onNode('virtual-node-aci-linux')],
    message: /virtual nodes without a price/, about: ['virtual-node-aci-linux/'], nodes: ['default-cluster/virtual-node-aci-linux'] },
  { what: 'a node whose price is a fault at times', series: [...unpriced('n2'), ...priceOf((hour) => (hour < 6 ? -1 : 0.05)), ...onNode('n2')],
    message: /nodes whose price is 0, below 0 or above/, about: ['n2/'], nodes: N2 },
  { what: 'a node that is gone before its pod, while kube-state-metrics is down', isAlone: true,
    series: [...nodeSeries('n2', { state: DOWN }), ...podSeries({ name: 'on-n2', node: 'n2', containers: [{ cores: 2, gib: 4 }] }, { state: DOWN })],
    message: /nodes gone before their pods/, about: ['n2/on-n2'], nodes: N2 },
  { what: 'a node without usage of containers', series: [...nodeSeries('n2'), ...UNUSED],
    message: /nodes without usage of containers/, about: ['n2/on-n2'], nodes: N2 },
  { what: 'a pod whose labels changed', series: [...nodeSeries('n2'), ...onNode('n2'),
      shown('kube_pod_labels', { ...podLabels('on-n2'), label_team: 'old' }, 1, { hours: [-4, 12] }),
      shown('kube_pod_labels', { ...podLabels('on-n2'), label_team: 'new' }, 1, { hours: [12.1, 28] })],
    message: /pods whose labels changed/, about: ['n2/on-n2'] },
  { what: 'a container that requests less than nothing', series: [...nodeSeries('n2'), ...ODD],
    message: /containers that request less than nothing/, about: ['n2/odd'] },
  { what: 'a container that only usage names', series: [...nodeSeries('n2'), ...onNode('n2'),
      shown('container_cpu_usage_seconds_total', { namespace: 'shop', pod: 'lone', container: 'app', node: 'n2' }, (hour) => (hour + 4) * 3600)],
    message: /containers named by usage alone/, about: ['n2/lone'] },
]; // prettier-ignore

function near(actual: number | null | undefined, expected: number, what: string): void {
  const off = Math.abs((actual ?? NaN) - expected);
  assert.ok(off <= 1e-9 * Math.max(1, expected), `${what}: ${actual}, not ${expected}`);
}

for (const { what, series, message, about, nodes = [], isAlone = false } of CASES)
  for (const idle of [true, false])
    test(`${what}: the money of its rows${idle ? ' and idle' : ''}`, async () => {
      held = isAlone ? series : [...nodeSeries('n1'), ...onNode('n1'), ...series];
      const { rows, details, uncertainCost, warnings } = await ask(`idle=${idle}`);
      const detail = details.find((one) => message.test(one.message));
      assert.ok(detail, warnings.join('\n'));
      const own = Object.entries(rows).filter(([name]) =>
        about.some((start) => name.startsWith(start) || name.includes(`/${start}`)),
      );
      assert.ok(own.length > 0, Object.keys(rows).join('\n'));
      near(
        detail.cost,
        own.reduce((sum, [, { totalCost }]) => sum + totalCost, 0),
        'cost',
      );
      assert.deepEqual(detail.clusters, ['default-cluster']);
      assert.deepEqual(detail.nodes, nodes);
      const known = details.map(({ cost }) => cost ?? 0);
      near(
        uncertainCost,
        known.reduce((sum, usd) => sum + usd, 0),
        'the sum',
      );
      const ranked = known.filter((usd) => usd > 0);
      assert.deepEqual(
        ranked,
        ranked.toSorted((a, b) => b - a),
      );
      assert.deepEqual(
        warnings,
        details.map((one) => one.message),
      );
    });

test('allocations beyond a node name it', async () => {
  held = [
    ...nodeSeries('n1'),
    ...nodeSeries('n2', {}, 2, 4),
    ...podSeries({ name: 'burst', node: 'n2', containers: [{ cores: 1, gib: 1, usedCores: 3 }] }),
  ];
  const { details } = await ask('idle=true');
  const over = details.find(({ message }) => message.startsWith('allocations exceed their nodes'));
  assert.deepEqual(over?.nodes, N2);
  near(over?.cost, 24 * 0.05, 'cost');
});
