/** Cluster sizing over a real socket: Kubecost's sample, places that differ, and mistakes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { clusterSizingRoutes } from '../../src/cluster-sizing/index.ts';
import type { Route } from '../../src/http/index.ts';
import type { NodeType } from '../../src/pricing/index.ts';
import { nodeType } from '../support/arbitraries/sizing-demand.ts';
import {
  allocationColumns,
  nodeColumns,
  startSetsServer,
  type SizedNode,
  type SizedPod,
  type SetsParts,
  type SetsServer,
} from '../support/servers/sets-server.ts';

const CPU = { total: 1.4105254827890852, daemons: 0.13000864795721567, most: 0.26021418473138547 };
const RAM = { total: 1.0523239374160767, daemons: 0.41380882263183594, most: 0.13831710815429688 };

/** Twenty pods, of which one is the largest in CPU and RAM; a day has a row for each. */
const PODS: readonly SizedPod[] = [
  { pod: 'large', cpuCores: CPU.most, ramGiB: RAM.most },
  ...Array.from({ length: 19 }, (_, i) => ({
    pod: `small-${i}`,
    cpuCores: (CPU.total - CPU.most) / 19,
    ramGiB: (RAM.total - RAM.most) / 19,
  })),
];
/** Five daemon sets on three nodes. */
const DAEMONS = Array.from({ length: 15 }, (_, i): SizedPod => ({
  pod: `daemon-${i}`,
  controller: `set-${i % 5}`,
  controllerKind: 'daemonset',
  cpuCores: CPU.daemons / 5,
  ramGiB: RAM.daemons / 5,
}));
const US_WEST = { provider: 'GCP', region: 'us-west1' };
const NODES = ['a', 'b', 'c'].map((node): SizedNode => ({
  node,
  type: 'e2-medium',
  ...US_WEST,
  cpuCores: 1,
  ramGiB: 4,
  usdPerHour: 73.37157 / 3 / 730,
}));
/** A node of another cluster, without provider and region. */
const ELSEWHERE = { cluster: 'somewhere', type: '', provider: '', region: '' };
const STRANGER: SizedNode = { node: 'x', ...ELSEWHERE, cpuCores: 4, ramGiB: 8, usdPerHour: 0.2 };

const TYPES: readonly NodeType[] = [
  { ...nodeType('f1-micro', 0.2, 0.6, 0.0076), isSharedCore: true, spotUsdPerHour: 0.0035 },
  nodeType('n1-highcpu-2', 2, 1.8, 0.049594019999999996),
  nodeType('n1-standard-1', 1, 3.75, 0.033249825),
  nodeType('e2-medium', 1, 4, 0.03350301),
  { ...nodeType('t2a-standard-1', 1, 4, 0.01), architecture: 'ARM' as const },
].map((type) => ({ ...type, ...US_WEST }));

interface Recommendation {
  readonly pools: readonly { readonly type: { readonly name: string }; readonly count: number }[];
  readonly [field: string]: unknown;
}

interface Body {
  readonly code: number;
  readonly message?: string;
  readonly parameter?: string;
  readonly hint?: string;
  readonly data: Readonly<
    Record<
      string,
      {
        readonly recommendations: {
          readonly multi: Recommendation | null;
          readonly single: Recommendation | null;
        };
        readonly parameters: Readonly<Record<string, unknown>>;
        readonly preferences: unknown;
        readonly currentClusterInfo: unknown;
        readonly warnings?: readonly string[];
      }
    >
  >;
  readonly warnings?: readonly string[];
}

const PATH = '/model/savings/clusterSizingETL';

const routes = (parts: SetsParts): Route[] =>
  clusterSizingRoutes({ ...parts, nodeTypes: () => TYPES, armProvider: 'AWS' });

let server: SetsServer;
before(async () => {
  const days = [0, 1].map((day) => ({
    allocations: allocationColumns(day, [
      ...PODS,
      ...DAEMONS,
      { pod: 'lonely', cluster: 'somewhere', cpuCores: 1, ramGiB: 1 },
    ]),
    assets: nodeColumns(day, [...NODES, STRANGER]),
  }));
  server = await startSetsServer(days, routes);
});
after(async () => {
  assert.deepEqual(server.failures, []);
  await server.stop();
});

async function ask(query: string, path: string = PATH): Promise<Body> {
  const { body } = await server.ask(path, query);
  return body as Body;
}

const SAMPLE = 'window=2d&targetUtilization=.8&minNodeCount=3&allowSharedCore=true&includeOverhead=false'; // prettier-ignore

/** Compares numbers to 1e-9 and other values exactly; further fields are ignored. */
function assertLike(actual: unknown, expected: unknown, path: string = ''): void {
  if (typeof expected === 'number') {
    const error = Math.abs(Number(actual) - expected);
    assert.ok(error <= 1e-9 * Math.abs(expected), `${path}: ${String(actual)}, not ${expected}`);
  } else if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), `${path} is no list`);
    assert.equal(actual.length, expected.length, path);
    expected.forEach((each, i) => assertLike(actual[i], each, `${path}[${i}]`));
  } else if (typeof expected === 'object' && expected !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, `${path} is no object`);
    const fields = new Map<string, unknown>(Object.entries(actual));
    for (const [name, each] of Object.entries(expected))
      assertLike(fields.get(name), each, `${path}.${name}`);
  } else assert.deepEqual(actual, expected, path);
}

test("the sample's cluster gets the true optimum, with every field of the interface", async () => {
  const { code, data } = await ask(SAMPLE);
  assert.equal(code, 200);
  const one = data['cluster-one'];
  assertLike(one?.recommendations.multi, {
    nodeCount: 3,
    monthlySavings: 73.37157 - 47.2996346,
    totalMonthlyCost: 47.2996346,
    requiredRAMGB: RAM.total + 3 * RAM.daemons,
    totalRAMGB: 3,
    utilizationRAMGB: (RAM.total + 3 * RAM.daemons) / 3,
    requiredVCPUs: CPU.total + 3 * CPU.daemons,
    totalVCPUs: 2.4,
    utilizationVCPUs: (CPU.total + 3 * CPU.daemons) / 2.4,
    isOptimal: true,
    optimalityGap: 0,
  });
  const pools = new Map(one?.recommendations.multi?.pools.map((pool) => [pool.type.name, pool]));
  assert.deepEqual([...pools.keys()].sort(), ['f1-micro', 'n1-highcpu-2']);
  assertLike(pools.get('f1-micro'), {
    type: {
      ...US_WEST,
      name: 'f1-micro',
      vCPUs: 0.2,
      RAMGB: 0.6,
      hourlyPrice: 0.0076,
      spotHourlyPrice: 0.0035,
      sharedCore: true,
      architecture: 'x86',
    },
    count: 2,
    totalMonthlyCost: 11.096,
    totalRAMGB: 1.2,
    totalVCPUs: 0.4,
  });
  assertLike(one?.recommendations.single, {
    pools: [{ type: { name: 'n1-standard-1' }, count: 3, totalMonthlyCost: 72.81711675 }],
    nodeCount: 3,
    monthlySavings: 73.37157 - 72.81711675,
    totalMonthlyCost: 72.81711675,
    utilizationRAMGB: 0.20388892491658528,
    utilizationVCPUs: 0.6001838088869107,
  });
  assertLike(one?.parameters, {
    clusterId: 'cluster-one',
    clusterName: '',
    staticVCPUs: CPU.total,
    staticRAMGB: RAM.total,
    nonDaemonSetPodCount: 20,
    daemonSetVCPUs: CPU.daemons,
    daemonSetRAMGB: RAM.daemons,
    daemonSetCount: 5,
    maxPodVCPUs: CPU.most,
    maxPodRAMGB: RAM.most,
  });
  assert.deepEqual(one?.preferences, {
    minNodeCount: 3,
    strategies: null,
    targetUtilization: 0.8,
    allowSharedCore: true,
    architecture: '',
    includeOverhead: false,
  });
  assertLike(one?.currentClusterInfo, {
    monthlyRate: 73.37157,
    nodes: [{ name: 'e2-medium', provider: 'GCP', architecture: 'x86', count: 3, RAMGB: 4, vCPUs: 1 }],
    totalCounts: { totalNodeCount: 3, totalRAMGB: 12, totalVCPUs: 3 },
  }); // prettier-ignore
});

test('a question that is asked again, alone or beside others, has the same answer', async () => {
  const query = 'window=2d&targetUtilization=.7&minNodeCount=3';
  const first = await ask(query);
  const again = await Promise.all(Array.from({ length: 4 }, () => ask(query)));
  for (const each of again) assert.deepEqual(each, first);
});

test('a cluster without provider and region has a warning, and the others are answered', async () => {
  const { data } = await ask(SAMPLE);
  assert.deepEqual(data['somewhere']?.recommendations, { multi: null, single: null });
  assert.match(data['somewhere']?.warnings?.[0] ?? '', /neither the provider nor the region/);
  assert.equal(data['cluster-one']?.warnings, undefined);
});

test('parameters have defaults, and reservations for system and kubelet are subtracted', async () => {
  const { data } = await ask('');
  assertLike(data['cluster-one']?.preferences, { minNodeCount: 2, targetUtilization: 0.65, allowSharedCore: false, architecture: '', includeOverhead: true }); // prettier-ignore
  const single = data['cluster-one']?.recommendations.single;
  assert.ok(Number(single?.['overheadRAMGB']) > 1, 'no RAM is reserved for the system');
  const names = single?.pools.map(({ type }) => type.name) ?? [];
  assert.ok(!names.includes('t2a-standard-1'), 'the cluster has no ARM nodes, and gets some');
});

test('the route is also served without /model, and `range` is another name of `window`', async () => {
  const [by, without] = await Promise.all([
    ask(SAMPLE),
    ask(SAMPLE.replace('window', 'range'), '/savings/clusterSizingETL'),
  ]);
  assert.deepEqual(without, by);
});

test('a day that is not stored has a warning', async () => {
  const { warnings } = await ask('window=4d');
  assert.match(warnings?.[0] ?? '', /allocations of 2024-04-30.* are not stored/);
});

test('a pod that ended when another began does not count twice', async () => {
  const halves = [
    { pod: 'first', cpuCores: 2, ramGiB: 2, toHour: 12 },
    { pod: 'second', cpuCores: 1, ramGiB: 3, fromHour: 12 },
    { pod: 'job', cpuCores: 0.5, ramGiB: 0.5, fromHour: 20, toHour: 21 },
  ];
  const day = { allocations: allocationColumns(0, halves), assets: nodeColumns(0, NODES) };
  const other = await startSetsServer([day], routes);
  const { body } = await other.ask(PATH, 'window=1d');
  await other.stop();
  assertLike((body as Body).data['cluster-one']?.parameters, {
    staticVCPUs: 2,
    staticRAMGB: 3.5,
    nonDaemonSetPodCount: 2,
    maxPodVCPUs: 2,
    maxPodRAMGB: 3,
  });
});

test('a pod with more GPUs than any node type has is named, with what it asks', async () => {
  const pods = [{ pod: 'train', cpuCores: 1, ramGiB: 1, more: { gpuHours: 8 * 24 } }];
  const day = { allocations: allocationColumns(0, pods), assets: nodeColumns(0, NODES) };
  const other = await startSetsServer([day], routes);
  const { body } = await other.ask(PATH, 'window=1d');
  await other.stop();
  const one = (body as Body).data['cluster-one'];
  assert.deepEqual(one?.recommendations, { multi: null, single: null });
  assert.deepEqual(one?.warnings, [
    'pod default/train asks for 8 GPUs: no node type that may be chosen has GPUs',
  ]);
});

const MISTAKES: readonly (readonly [parameter: string, values: readonly string[]])[] = [
  ['targetUtilization', ['0', '1.01', 'abc', '-0.5', 'NaN', '0x1', '1e-400']],
  ['architecture', ['arm', 'X86', 'arm64', 'ARM']],
  ['minNodeCount', ['0', '-1', '2.5', 'two', '5001']],
  ['allowSharedCore', ['maybe', '2']],
  ['includeOverhead', ['maybe']],
  ['window', ['soon', '-1d']],
  ['range', ['soon']],
];

describe('a wrong value is refused with its parameter, the value and what is accepted:', () => {
  for (const [parameter, values] of MISTAKES)
    for (const value of values)
      test(`${parameter}=${value}`, async () => {
        const { status, body } = await server.ask(PATH, `${parameter}=${value}`);
        const { code, data, message, parameter: named, hint } = body as Body;
        assert.deepEqual([status, code, data], [400, 400, null]);
        assert.equal(named, parameter);
        if (value !== 'ARM') assert.ok(message?.includes(`'${value}'`), `${message}`);
        assert.ok(hint !== undefined, 'no hint');
      });
});
