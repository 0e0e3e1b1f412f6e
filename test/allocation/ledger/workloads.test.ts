/** Who is behind a name, billed from when to when, at what price. Times are minutes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Inventory } from '../../../src/allocation/inventory/inventory.ts';
import { NodePricer } from '../../../src/allocation/inventory/node-prices.ts';
import type { Workload } from '../../../src/allocation/ledger/workloads.ts';
import { createCatalogue, type NodeType, type PriceBook } from '../../../src/pricing/index.ts';
import {
  BOOK,
  decide,
  MINUTE_MS,
  requests,
  seconds,
  type Series,
} from '../../support/fleets/decided.ts';
import { assertNear } from '../../support/references/near.ts';

/** Container and stretches, a line each. */
function shown(workloads: readonly Workload[]): string[] {
  return workloads.map(({ container, stretches }) => {
    const lives = stretches.map((s) => `${s.startMs / MINUTE_MS}-${s.endMs / MINUTE_MS}`);
    return `${container} ${lives.join(' ')}`;
  });
}

const A = { uid: 'a' };
const B = { uid: 'b' };

const BEHIND: readonly (readonly [what: string, series: readonly Series[], lives: string[]])[] = [
  ['one pod', [requests(A)], ['app 0-101']],
  [
    'two pods with uids, one after the other',
    [requests(A, [0, 40]), requests(B, [42, 100])],
    ['app 0-41', 'app 42-101'],
  ],
  [
    'two pods without uids, told apart by their starts',
    [
      requests({}, [0, 100]),
      { fact: 'podStart', values: [...seconds(0, -5), ...seconds(60, 59.5)] },
    ],
    ['app -5-59.25', 'app 59.5-100.5'],
  ],
  [
    'two pods without uids, the first completed',
    [
      requests({}, [0, 100]),
      { fact: 'podStart', values: [...seconds(0, -5), ...seconds(60, 58)] },
      { fact: 'podCompletion', seen: [40, 60], values: seconds(40, 39) },
    ],
    ['app -5-39', 'app 58-100.5'],
  ],
  [
    'one pod whose requests came without its uid',
    [requests({}, [0, 100]), { fact: 'podInfo', labels: A, seen: [0, 100] }],
    ['app 0-101'],
  ],
  [
    'one pod that only facts without its uid show for long',
    [requests({}, [0, 100]), { fact: 'podInfo', labels: A, seen: [50, 60] }],
    ['app 0-101'],
  ],
  [
    'two pods whose requests came without uids',
    [
      requests({}, [0, 100]),
      { fact: 'podInfo', labels: A, seen: [0, 40] },
      { fact: 'podInfo', labels: B, seen: [60, 100] },
    ],
    ['app 0-41', 'app 60-101'],
  ],
  [
    'a pod never scheduled, beside one that was',
    [requests({ pod: 'pending' }), requests({ node: 'n1' })],
    ['app 0-101'],
  ],
  ['a pod without a node, in a store that tells none', [requests({})], ['app 0-101']],
  [
    'a pod whose second container started later',
    [
      requests(A),
      requests({ ...A, container: 'late' }),
      { fact: 'podStart', labels: A, values: seconds(0, -1) },
      { fact: 'containerStart', labels: { ...A, container: 'late' }, values: seconds(30, 29.5) },
    ],
    ['app -1-100.5', 'late -1-29.5 29.5-100.5'],
  ],
  [
    'a pod whose container restarted',
    [
      requests(A),
      {
        fact: 'containerStart',
        labels: { ...A, container: 'app' },
        values: [...seconds(0, 0), ...seconds(50, 49)],
      },
    ],
    ['app 0-101'],
  ],
  [
    'a pod seen by two exporters, apart in time',
    [requests(A, [0, 60]), requests(A, [30, 100])],
    ['app 0-101'],
  ],
];

describe('behind a name is', () => {
  for (const [what, series, lives] of BEHIND)
    test(what, () => assert.deepEqual(shown(decide(series)), lives));
});

test('requests of pods that share facts without a uid are each of its own', () => {
  const [first, second] = decide([
    requests({}, [0, 100]),
    { fact: 'podInfo', labels: A, seen: [0, 40] },
    { fact: 'podInfo', labels: B, seen: [60, 100] },
  ]);
  assert.deepEqual(first?.requests.cpu, [0, 0.5]);
  assert.deepEqual(second?.requests.cpu, [0, 0.5]);
});

test('clusters, namespaces and names are told apart, and workloads come in their order', () => {
  const series = ['z', 'a'].flatMap((cluster) =>
    ['y', 'b'].flatMap((namespace) =>
      ['x', 'c'].map((pod) => requests({ cluster, namespace, pod })),
    ),
  );
  const names = decide(series).map(({ pod }) => [pod.cluster, pod.namespace, pod.name].join('/'));
  assert.deepEqual(names, names.toSorted());
  assert.equal(new Set(names).size, 8);
});

const PRICED: readonly (readonly [what: string, series: readonly Series[], cpu: number[]])[] = [
  ['no price series: the book', [], [0, 0.031611]],
  ['a spot node: the book for spot', [spot(1)], [0, 0.006655]],
  ['a node that is not spot: the book', [spot(0)], [0, 0.031611]],
  ['a price that changes', [price([0, 0.02], [50, 0.03])], [0, 0.02, 50 * MINUTE_MS, 0.03]],
  ['a price of 0, which is unknown: the book', [price([0, 0])], [0, 0.031611]],
  ['a negative price: the book', [price([0, -1])], [0, 0.031611]],
  ["another node's price: the book", [price([0, 0.02], [1, 0.02], 'n2')], [0, 0.031611]],
];

function spot(value: number): Series {
  return { fact: 'nodeIsSpot', labels: { node: 'n1' }, values: [[0, value]] };
}

function price(...given: readonly (readonly [number, number] | string)[]): Series {
  const values = given.filter((one) => typeof one !== 'string');
  const node = given.find((one) => typeof one === 'string') ?? 'n1';
  return { fact: 'nodeCpuPrice', labels: { node }, values };
}

describe('the price of CPU on a node with', () => {
  for (const [what, series, cpu] of PRICED)
    test(what, () => {
      const [workload] = decide([requests({ node: 'n1' }), ...series]);
      assert.deepEqual(workload?.pod.prices.cpu, cpu);
    });
});

const OFF = { discount: 0.25, negotiatedDiscount: 0.5 };

const DISCOUNTED: readonly (readonly [
  what: string,
  series: readonly Series[],
  book: Partial<PriceBook>,
  prices: readonly [cpu: number, ramGiB: number, gpu: number],
])[] = [
  ['both discounts, one after the other', [], OFF, [0.375 * 0.031611, 0.375 * 0.004237, 0.95]],
  ['a discount of all', [], { discount: 1 }, [0, 0, 0.95]],
  ['a price series: off it too', [price([0, 0.02])], OFF, [0.375 * 0.02, 0.375 * 0.004237, 0.95]],
  ['a spot node: nothing off', [spot(1)], OFF, [0.006655, 0.000892, 0.95]],
  [
    'a spot node with a price: nothing off',
    [spot(1), price([0, 0.01])],
    OFF,
    [0.01, 0.000892, 0.95],
  ],
];

describe('discounts: CPU, RAM and GPU cost with', () => {
  for (const [what, series, book, expected] of DISCOUNTED)
    test(what, () => {
      const [workload] = decide([requests({ node: 'n1' }), ...series], book);
      const { cpu, ram, gpu } = workload?.pod.prices ?? { cpu: [], ram: [], gpu: [] };
      assertNear(cpu[1] ?? NaN, expected[0]);
      assertNear((ram[1] ?? NaN) * 2 ** 30, expected[1]);
      assertNear(gpu[1] ?? NaN, expected[2]);
    });
});

const TYPES: readonly NodeType[] = [
  {
    provider: '',
    region: 'r1',
    name: 'big',
    cpuCores: 8,
    ramGiB: 32,
    gpus: 0,
    usdPerHour: 4 * (8 * 0.031611 + 32 * 0.004237),
    spotUsdPerHour: 2 * (8 * 0.031611 + 32 * 0.004237),
    isSharedCore: false,
    architecture: 'x86',
  },
];
/** With 4 of 8 cores, together they still cost as much. */
const HALVED = (4 * (8 * 0.031611 + 32 * 0.004237)) / (4 * 0.031611 + 32 * 0.004237);

function capacity(resource: string, value: number): Series {
  return { fact: 'nodeCapacity', labels: { node: 'n1', resource }, values: [[0, value]] };
}

/** Labels of a node as its series have them. */
function labels(more: Readonly<Record<string, string>>): Series {
  const kind = {
    label_node_kubernetes_io_instance_type: 'big',
    label_topology_kubernetes_io_region: 'r1',
  };
  return { fact: 'nodeLabels', labels: { node: 'n1', ...kind, ...more } };
}

const OLDER = {
  label_node_kubernetes_io_instance_type: '',
  label_topology_kubernetes_io_region: '',
  label_beta_kubernetes_io_instance_type: 'big',
  label_failure_domain_beta_kubernetes_io_region: 'r1',
};

const TYPED: readonly (readonly [
  what: string,
  series: readonly Series[],
  cpuAndRam: readonly [cpu: number, ramGiB: number],
])[] = [
  ['its type', [labels({})], [4 * 0.031611, 4 * 0.004237]],
  ['its type by older labels', [labels(OLDER)], [4 * 0.031611, 4 * 0.004237]],
  ['its type by the labels of a price that is 0', [
    { ...price([0, 0]), labels: { node: 'n1', instance_type: 'big', region: 'r1' } },
  ], [4 * 0.031611, 4 * 0.004237]],
  ['a price of its own for CPU: its type for RAM', [labels({}), price([0, 1])], [1, 4 * 0.004237]],
  ['another region: the book', [labels({ label_topology_kubernetes_io_region: 'r2' })], [0.031611, 0.004237]],
  ['another type: the book', [labels({ label_node_kubernetes_io_instance_type: 'small' })], [0.031611, 0.004237]],
  ['no labels: the book', [], [0.031611, 0.004237]],
  ['its type, divided by half its cores', [labels({}), capacity('cpu', 4)], [HALVED * 0.031611, HALVED * 0.004237]],
  ['a series that says spot', [labels({}), spot(1)], [2 * 0.031611, 2 * 0.004237]],
  ['EKS that says spot', [labels({ label_eks_amazonaws_com_capacity_type: 'SPOT' })], [2 * 0.031611, 2 * 0.004237]],
  ['EKS that says on demand', [labels({ label_eks_amazonaws_com_capacity_type: 'ON_DEMAND' })], [4 * 0.031611, 4 * 0.004237]],
  ['EKS that says spot, spelt as OpenCost does', [labels({ label_eks_amazonaws_com_capacityType: 'SPOT' })], [2 * 0.031611, 2 * 0.004237]],
  ['Karpenter that says spot', [labels({ label_karpenter_sh_capacity_type: 'spot' })], [2 * 0.031611, 2 * 0.004237]],
  ['GKE that says spot', [labels({ label_cloud_google_com_gke_spot: 'true' })], [2 * 0.031611, 2 * 0.004237]],
  ['GKE that says preemptible', [labels({ label_cloud_google_com_gke_preemptible: 'true' })], [2 * 0.031611, 2 * 0.004237]],
  ['AKS that says spot', [labels({ label_kubernetes_azure_com_scalesetpriority: 'spot' })], [2 * 0.031611, 2 * 0.004237]],
  ['a label that says spot, and a series that does not', [labels({ label_karpenter_sh_capacity_type: 'spot' }), spot(0)], [4 * 0.031611, 4 * 0.004237]],
]; // prettier-ignore

describe('with a catalogue, CPU and RAM of a node are priced by', () => {
  for (const [what, series, [cpu, ramGiB]] of TYPED)
    test(what, () => {
      const [workload] = decide([requests({ node: 'n1' }), ...series], {}, TYPES);
      const { prices } = workload?.pod ?? { prices: { cpu: [], ram: [] } };
      assertNear(prices.cpu[1] ?? NaN, cpu);
      assertNear((prices.ram[1] ?? NaN) * 2 ** 30, ramGiB);
    });
});

test('nodes that the book prices are counted where there is a catalogue, each once', () => {
  const nodes = new Inventory({ clusterLabels: [], clusterId: 'c', gapMs: 1 });
  for (const [catalogue, count] of [
    [createCatalogue(TYPES), 2],
    [undefined, 0],
  ] as const) {
    const pricer = new NodePricer(nodes, BOOK, { file: catalogue, isListOn: false });
    for (const node of ['n1', 'n2', 'n1', '']) pricer.pricesOf('c', node);
    assert.equal(pricer.unpriced.uncatalogued, count);
  }
});

describe('a node that some series name by the address that was scraped', () => {
  const known = (node: string, address = ''): Series[] => [
    { fact: 'nodeInfo', labels: { node, internal_ip: address } },
    { fact: 'nodeCapacity', labels: { node, resource: 'cpu' }, values: [[0, 4]] },
  ];
  const allocated = (node: string, cores: number): Series => ({
    fact: 'cpuAllocation',
    labels: { container: 'app', node },
    values: [[0, cores]],
  });
  const NAMED: readonly (readonly [string, readonly Series[], node: string, cores: number])[] = [
    ['after the others', [...known('n1'), allocated('n1', 0.5), allocated('10.0.0.7:10250', 0.2)], 'n1', 0.5],
    ['before the others', [...known('n1'), allocated('10.0.0.7:10250', 0.2), allocated('n1', 0.5)], 'n1', 0.5],
    ['without a port', [...known('n1'), allocated('10.0.0.7', 0.2), allocated('n1', 0.5)], 'n1', 0.5],
    ['all of them, by the address of the node', [...known('n1', '10.0.0.7'), allocated('10.0.0.7:10250', 0.2)], 'n1', 0.2],
    ['that is its name too', [...known('10.0.0.7'), allocated('10.0.0.7', 0.2)], '10.0.0.7', 0.2],
    ['with a port, where its name is the address', [...known('10.0.0.7'), allocated('10.0.0.7:10250', 0.2)], '10.0.0.7', 0.2],
    ['of no known node', [...known('n1'), allocated('10.0.0.7:10250', 0.2)], '10.0.0.7:10250', 0.2],
  ]; // prettier-ignore
  for (const [what, series, node, cores] of NAMED)
    test(what, () => {
      const [workload, ...others] = decide(series);
      assert.deepEqual(others, []);
      assert.equal(workload?.pod.node, node);
      assert.equal(workload.requests.cpu.at(-1), cores);
    });
});
