/** What clusters cost beside their nodes: nodes' own disks and management. Times are minutes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AssetLife } from '../../../src/allocation/ledger/asset-rows.ts';
import { decideAssets, type Series } from '../../support/fleets/decided.ts';

const GIB = 2 ** 30;
/** Two sets of an hour. */
const HOURS = [0, 60, 120];
const PRICES = { storageGiBHour: 0.001 };

type Labels = Readonly<Record<string, string>>;
type Seen = readonly [number, number];

function node(name: string, seen: Seen = [0, 119], labels: Labels = {}): Series[] {
  const capacity = (resource: string, value: number): Series => ({
    fact: 'nodeCapacity',
    labels: { node: name, resource, ...labels },
    seen,
    values: [[seen[0], value]],
  });
  return [capacity('cpu', 4), capacity('memory', 16 * GIB)];
}

function disk(labels: Labels, gib: number, seen: Seen = [0, 119]): Series {
  return {
    fact: 'nodeDisk',
    labels: { device: '/dev/sda1', ...labels },
    seen,
    values: [[seen[0], gib * GIB]],
  };
}

function management(usd: number, labels: Labels = {}, seen: Seen = [0, 119]): Series {
  return { fact: 'managementPrice', labels, seen, values: [[seen[0], usd]] };
}

/** `cluster/name node GiB·h+USD …` by set, of one type of asset. */
function shown(lives: readonly AssetLife[], type: string): string[] {
  return lives
    .filter(({ told }) => told.type === type)
    .map(({ told, amounts }) => {
      const bySet = [0, 1].map((set) => {
        const { byteHours = 0, cost = 0 } = amounts.get(set) ?? {};
        return `${Number((byteHours / GIB).toFixed(9))}+${Number(cost.toFixed(12))}`;
      });
      return [`${told.cluster}/${told.name}`, ...bySet].join(' ');
    });
}

function typed(name: string, type: string): Series {
  return {
    fact: 'nodeLabels',
    labels: { node: name, label_node_kubernetes_io_instance_type: type },
    seen: [0, 119],
  };
}

const INFO: Series = { fact: 'nodeInfo', labels: { node: 'n1', internal_ip: '10.0.0.7' } };

const DISKS: readonly (readonly [what: string, series: readonly Series[], disks: string[]])[] = [
  ['costs its bytes at the price of storage while it is there',
    [...node('n1'), disk({ node: 'n1' }, 100)], ['c/n1 100+0.1 100+0.1']],
  ['counts only while samples show it',
    [...node('n1'), disk({ node: 'n1' }, 100, [30, 89])], ['c/n1 50+0.05 50+0.05']],
  ['of several partitions is one, of all their bytes',
    [...node('n1'), disk({ node: 'n1' }, 100), disk({ node: 'n1', device: '/dev/sda15' }, 20)],
    ['c/n1 120+0.12 120+0.12']],
  ['is on a partition: a whole device beside it is an instance store or a volume',
    [...node('n1'), disk({ node: 'n1', device: '/dev/nvme0n1p1' }, 20), disk({ node: 'n1', device: '/dev/nvme1n1' }, 872)],
    ['c/n1 20+0.02 20+0.02']],
  ['of whole devices is the first',
    [...node('n1'), disk({ node: 'n1', device: '/dev/nvme10n1' }, 872), disk({ node: 'n1', device: '/dev/nvme2n1' }, 20)],
    ['c/n1 20+0.02 20+0.02']],
  ['is on several disks, as Bottlerocket has them',
    [...node('n1'), disk({ node: 'n1', device: '/dev/nvme0n1p1' }, 4), disk({ node: 'n1', device: '/dev/nvme1n1p1' }, 20)],
    ['c/n1 24+0.024 24+0.024']],
  ['is the first disk of a type with instance stores',
    [...node('n1'), typed('n1', 'i4i.xlarge'), disk({ node: 'n1', device: '/dev/nvme0n1p1' }, 20), disk({ node: 'n1', device: '/dev/nvme1n1p1' }, 872)],
    ['c/n1 20+0.02 20+0.02']],
  ['is in the size of pods on Fargate',
    [...node('fargate-ip-10-0-0-1'), disk({ node: 'fargate-ip-10-0-0-1', device: '/dev/nvme0n1p1' }, 30)], []],
  ['that two exporters tell of counts once',
    [...node('n1'), disk({ node: 'n1' }, 100), disk({ node: 'n1', instance: 'x' }, 100)],
    ['c/n1 100+0.1 100+0.1']],
  ['is found by the node\'s address and port', [...node('n1'), INFO, disk({ instance: '10.0.0.7:10250' }, 100)],
    ['c/n1 100+0.1 100+0.1']],
  ['is found by the name of the host', [...node('n1'), disk({ kubernetes_io_hostname: 'n1', instance: '10.0.0.7:10250' }, 100)],
    ['c/n1 100+0.1 100+0.1']],
  ['of a node that nothing else tells has the name of its host', [disk({ instance: 'lost:10250' }, 100)],
    ['c/lost 100+0.1 100+0.1']],
  ['of a name in another cluster is another',
    [...node('n1'), disk({ node: 'n1' }, 100), disk({ node: 'n1', cluster: 'z' }, 50)],
    ['c/n1 100+0.1 100+0.1', 'z/n1 50+0.05 50+0.05']],
]; // prettier-ignore

describe("a node's own disk", () => {
  for (const [what, series, disks] of DISKS)
    test(what, () => assert.deepEqual(shown(decideAssets(series, HOURS, PRICES), 'Disk'), disks));

  test('is attached to its node and has its cloud', () => {
    const provider = { fact: 'nodeInfo', labels: { node: 'n1', provider_id: 'aws:///a/i-1' } } as const;
    const lives = decideAssets([...node('n1'), provider, disk({ node: 'n1' }, 1)], HOURS);
    const [found] = lives.filter(({ told }) => told.type === 'Disk');
    assert.deepEqual(found?.numbers, { isAttached: 1 });
    assert.deepEqual([found?.told.node, found?.told.provider], ['n1', 'AWS']);
  });
}); // prettier-ignore

const BY_BOOK = { ...PRICES, clusterManagementHour: 0.5 };

const MANAGEMENTS: readonly (readonly [what: string, series: readonly Series[], book: object, managements: string[]])[] = [
  ['costs nothing unless it is told', node('n1'), PRICES, []],
  ['costs what its series tell, while they do', [...node('n1'), management(0.1, {}, [30, 119])], PRICES,
    ['c/ 0+0.05 0+0.1']],
  ['is named after what provisions it', [management(0.1, { provisioner_name: 'GKE' })], PRICES, ['c/GKE 0+0.1 0+0.1']],
  ['costs what the book says where no series does, while there are nodes',
    [...node('n1', [0, 59]), ...node('n2', [30, 89])], BY_BOOK, ['c/ 0+0.5 0+0.25']],
  ['costs what its series tell, whatever the book says', [...node('n1'), management(0.1)], BY_BOOK, ['c/ 0+0.1 0+0.1']],
  ['of another cluster is by the book', [...node('n1'), ...node('n1', [0, 119], { cluster: 'z' }), management(0.1)], BY_BOOK,
    ['c/ 0+0.1 0+0.1', 'z/ 0+0.5 0+0.5']],
]; // prettier-ignore

describe("a cluster's management", () => {
  for (const [what, series, book, managements] of MANAGEMENTS)
    test(what, () =>
      assert.deepEqual(shown(decideAssets(series, HOURS, book), 'ClusterManagement'), managements));
}); // prettier-ignore

const EKS: Series = {
  fact: 'nodeLabels',
  labels: { node: 'n1', label_eks_amazonaws_com_nodegroup: 'workers' },
};
const SELF_MANAGED: Series = {
  fact: 'nodeInfo',
  labels: { node: 'n1', provider_id: 'aws:///us-east-1a/i-0' },
};
const VERSION: Series = {
  fact: 'nodeInfo',
  labels: { node: 'n1', kubelet_version: 'v1.29.1-eks-508b6b3' },
};
const BY_LIST = { file: undefined, isListOn: true };

test("a managed cluster's control plane costs its list price, unless series or the operator say so", () => {
  const rows: readonly (readonly [string, readonly Series[], object, object, string[]])[] = [
    ['by list', [...node('n1'), EKS], PRICES, BY_LIST, ['c/EKS 0+0.1 0+0.1']],
    ['without list prices', [...node('n1'), EKS], PRICES, { ...BY_LIST, isListOn: false }, []],
    ['by series', [...node('n1'), EKS, management(0.6)], PRICES, BY_LIST, ['c/ 0+0.6 0+0.6']],
    ['by the operator', [...node('n1'), EKS], BY_BOOK, BY_LIST, ['c/ 0+0.5 0+0.5']],
    ['not managed', [...node('n1'), SELF_MANAGED], PRICES, BY_LIST, []],
    [
      'of EKS by the version of its nodes',
      [...node('n1'), VERSION],
      PRICES,
      BY_LIST,
      ['c/EKS 0+0.1 0+0.1'],
    ],
    [
      'of the tier that the operator names',
      [...node('n1'), EKS],
      PRICES,
      { ...BY_LIST, controlPlanes: [{ cluster: 'c', tier: 'eks-extended-support' }] },
      ['c/EKS 0+0.6 0+0.6'],
    ],
    [
      'that is none',
      [...node('n1'), EKS],
      PRICES,
      { ...BY_LIST, controlPlanes: [{ cluster: 'c', tier: 'none' }] },
      [],
    ],
  ];
  for (const [what, series, book, sources, managements] of rows) {
    const lives = decideAssets(series, HOURS, book, sources as typeof BY_LIST);
    assert.deepEqual(shown(lives, 'ClusterManagement'), managements, what);
  }
});

test('a node is told with its type, its labels and what was taken off its price', () => {
  const labels = {
    node: 'n1',
    label_node_kubernetes_io_instance_type: 'm6i.large',
    label_topology_kubernetes_io_region: 'eu-west-1',
    label_team: 'data',
  };
  const series: Series[] = [...node('n1'), { fact: 'nodeLabels', labels }];
  const [life] = decideAssets(series, HOURS, { discount: 0.2, negotiatedDiscount: 0.5 });
  assert.deepEqual([life?.told.nodeType, life?.told.region], ['m6i.large', 'eu-west-1']);
  assert.equal((JSON.parse(life?.told.labels ?? '') as Labels)['team'], 'data');
  assert.equal(life?.numbers?.discount, 0.6);
  assert.equal(life.numbers.preemptible, 0);
});

test('a spot node says so, and has no discount', () => {
  const spot: Series = { fact: 'nodeIsSpot', labels: { node: 'n1' }, values: [[0, 1]] };
  const [life] = decideAssets([...node('n1'), spot], HOURS, { discount: 0.2 });
  assert.deepEqual([life?.numbers?.preemptible, life?.numbers?.discount], [1, 0]);
});
