/** GET /assets over real sockets: OpenCost's own cases, the members of each type, and every mistake. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { assetDay, columnsOf, MOCK_ASSETS, node } from '../support/stores/asset-days.ts';
import { folderOf } from '../support/stores/columns-folder.ts';
import { errorOf, startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { dayKey, encoded } from '../support/stores/stored-sets.ts';

interface Asset {
  readonly type: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly window: { readonly start: string; readonly end: string };
  readonly start: string;
  readonly end: string;
  readonly minutes: number;
  readonly totalCost: number;
  readonly [name: string]: unknown;
}
type Assets = Readonly<Record<string, Asset>>;

const DAY = (day: number): string => `2024-05-0${1 + day}T00:00:00Z`;
const span = (from: number, to: number): string => `window=${DAY(from)},${DAY(to)}`;

/** Days 0 to 2 are OpenCost's; day 3 was stored before there were types; day 4 has one of each. */
const SMALL = [
  node('c', 'n', {
    providerID: 'gce://project-1/europe-west1-b/n', nodeType: 'e2-standard-4', preemptible: 1,
    cpuCoreHours: 96, ramByteHours: 24 * 2 ** 34, gpuHours: 24, cpuCoreUsageHours: 24, cpuCoreSystemHours: 6,
    ramByteUsageHours: 6 * 2 ** 34, cpuCost: 1.5, ramCost: 0.5, gpuCost: 3,
    startMs: Date.UTC(2024, 4, 5, 6), endMs: Date.UTC(2024, 4, 6),
  }),
  { type: 'Disk', cluster: 'c', name: 'pv', volume: 'pv', claim: 'data', claimNamespace: 'db', storageClass: 'ssd', byteHours: 240, cost: 3 },
  { type: 'Disk', cluster: 'c', name: 'n', node: 'n', isAttached: 1, byteHours: 480, cost: 1 },
  { type: 'LoadBalancer', cluster: 'c', name: 'web/front', address: '1.2.3.4', providerID: '1.2.3.4', cost: 2 },
  { type: 'Network', cluster: 'c', name: 'network', cost: 0.5 },
]; // prettier-ignore

let server: OwnServer;
let folder = '';
before(async () => {
  const old = columnsOf(3, [{ cluster: 'c', node: 'n', cpuCost: 2, ramCost: 1, providerID: 'id' }]);
  const stored = ['cluster', 'node', 'providerID', 'cpuCost', 'ramCost', 'startMs', 'endMs'];
  folder = await folderOf([
    ...(await Promise.all([0, 1, 2].map((day) => assetDay(day, MOCK_ASSETS)))),
    await encoded(
      dayKey(3, 'assets'),
      Object.fromEntries(stored.map((name) => [name, old[name] ?? []])),
    ),
    await assetDay(4, SMALL),
  ]);
  const flags = ['--workers=1', '--timezone=UTC', '--now=2024-05-09T12:00:00Z'];
  server = await startOwnServer([`--data-dir=${folder}`, ...flags]);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly code: number;
  readonly data: readonly Assets[];
  readonly warnings?: readonly string[];
}

async function ask(query: string, path: string = '/model/assets'): Promise<Answer> {
  const answer = await server.ask(`${path}?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as Answer;
}

const costs = (assets: Assets | undefined): Record<string, number> =>
  Object.fromEntries(Object.entries(assets ?? {}).map(([key, asset]) => [key, asset.totalCost]));

const CASES: readonly (readonly [query: string, costs: Readonly<Record<string, number>>])[] = [
  ['aggregate=cluster', { cluster1: 26, cluster2: 15, cluster3: 19 }],
  ['aggregate=type', { ClusterManagement: 3, Disk: 8, Node: 49 }],
  ['aggregate=assetType', { ClusterManagement: 3, Disk: 8, Node: 49 }],
  ['aggregate=label:test', { __undefined__: 53, 'test=test': 7 }],
  ['aggregate=team', { __undefined__: 53, data: 7 }],
  ['aggregate=type&filter=team:"data"', { Node: 7 }],
  ['aggregate=cluster,type', {
    'cluster1/ClusterManagement': 3, 'cluster1/Disk': 4, 'cluster1/Node': 19,
    'cluster2/ClusterManagement': 0, 'cluster2/Disk': 4, 'cluster2/Node': 11, 'cluster3/Node': 19,
  }],
  ['aggregate=category', { Compute: 49, Management: 3, Storage: 8 }],
  ['aggregate=provider&filterTypes=Node', { AWS: 19, GCP: 30 }],
  ['aggregate=service', { Kubernetes: 60 }],
  ['aggregate=name&filter=assetType:"node"', { node1: 7, node2: 5.5, node3: 6.5, node4: 11, node5: 19 }],
  ['aggregate=name&filter=assetType:"node"%2Bcluster:"cluster1"', { node1: 7, node2: 5.5, node3: 6.5 }],
  ['aggregate=name&filter=cluster!:"cluster1"%2Btype:"disk"', { disk3: 2.5, disk4: 1.5 }],
  ['aggregate=type&filter=label[test]:"test"', { Node: 7 }],
  ['aggregate=type&filterLabels=test:t*', { Node: 7 }],
  ['aggregate=type&filterClusters=cluster2,cluster3', { ClusterManagement: 0, Disk: 4, Node: 30 }],
  ['aggregate=type&filterCategories=storage', { Disk: 8 }],
  ['aggregate=cluster&filterNames=node*&filterProviders=gcp', { cluster1: 19, cluster2: 11 }],
  ['aggregate=name&filterProviderIDs=gcp-disk3', { disk3: 2.5 }],
  ['aggregate=type&filterTypes=LoadBalancer', {}],
  ['aggregate=type&filterTypes=NODE,%20disk', { Disk: 8, Node: 49 }],
  ['aggregate=type&filterTypes=n*', { Node: 49 }],
  ['aggregate=cluster&limit=1', { cluster1: 26 }],
  ['aggregate=cluster&limit=1&offset=1', { cluster3: 19 }],
  ['aggregate=cluster&sortBy=totalCost&sortByOrder=asc&limit=1', { cluster2: 15 }],
]; // prettier-ignore

describe('assets of a day', () => {
  for (const [query, expected] of CASES)
    test(query, async () => {
      const { data } = await ask(`${span(0, 1)}&${query}`);
      assert.equal(data.length, 1);
      assert.deepEqual(costs(data[0]), expected);
    });

  test('assets that are not grouped are named by all keys', async () => {
    const { data } = await ask(span(0, 1));
    const names = Object.keys(data[0] ?? {});
    assert.equal(names.length, MOCK_ASSETS.length);
    const key = 'GCP/__undefined__/__undefined__/Compute/cluster1/Node/Kubernetes/gcp-node1/node1';
    assert.equal(data[0]?.[key]?.totalCost, 7);
    assert.deepEqual(names, names.toSorted());
  });
});

describe('assets of several days', () => {
  test('each day is a set, newest first', async () => {
    const { data } = await ask(`${span(0, 3)}&aggregate=type`);
    assert.deepEqual(
      data.map((set) => set['Node']?.window.start),
      [DAY(2), DAY(1), DAY(0)],
    );
    for (const set of data) assert.equal(set['Node']?.totalCost, 49);
  });

  test('three accumulated days are one set with three times the costs and the same averages', async () => {
    const { data } = await ask(`${span(0, 3)}&aggregate=type&accumulate=true`);
    assert.deepEqual(costs(data[0]), { ClusterManagement: 9, Disk: 24, Node: 147 });
    const { window, minutes } = data[0]?.['Node'] ?? {};
    assert.deepEqual([data.length, window, minutes], [1, { start: DAY(0), end: DAY(3) }, 3 * 1440]);
  });

  test('accumulate=week makes a set of each week', async () => {
    const { data } = await ask(`${span(0, 5)}&aggregate=type&accumulate=week`);
    // 5 May 2024 was a Sunday.
    assert.deepEqual(
      data.map((set) => set['Node']?.totalCost),
      [5, 150],
    );
  });

  test('days that are not stored are empty, and warnings name them', async () => {
    const { data, warnings } = await ask(`${span(4, 7)}&aggregate=type`);
    const counts = data.map((set) => Object.keys(set).length);
    assert.deepEqual(counts, [0, 0, 4]);
    assert.equal((warnings ?? []).filter((text) => text.includes('is not stored')).length, 2);
  });

  test('days in the future are empty, and a warning says so', async () => {
    const { data, warnings } = await ask('window=2024-05-10T00:00:00Z,2024-05-11T00:00:00Z');
    assert.deepEqual(data, [{}]);
    assert.match(`${warnings?.join()}`, /^the window lies in the future: nothing .+ yet$/);
  });
});

describe('an asset as clients read it', () => {
  const oneOf = async (query: string): Promise<Asset> => {
    const { data } = await ask(`${span(4, 5)}&${query}`);
    const [asset, ...others] = Object.values(data[0] ?? {});
    assert.ok(asset !== undefined && others.length === 0, query);
    return asset;
  };

  test('a node', async () => {
    assert.deepEqual(await oneOf('filterTypes=Node'), {
      type: 'Node',
      properties: {
        category: 'Compute', provider: 'GCP', project: 'project-1', service: 'Kubernetes',
        cluster: 'c', name: 'n', providerID: 'n', providerIDFull: 'gce://project-1/europe-west1-b/n',
      },
      labels: {},
      window: { start: DAY(4), end: DAY(5) },
      start: '2024-05-05T06:00:00Z',
      end: DAY(5),
      minutes: 18 * 60,
      nodeType: 'e2-standard-4',
      region: '',
      cpuCores: 96 / 18,
      ramBytes: (24 * 2 ** 34) / 18,
      cpuCoreHours: 96,
      ramByteHours: 24 * 2 ** 34,
      GPUHours: 24,
      gpuCount: 24 / 18,
      cpuBreakdown: { idle: 0.75, other: 0, system: 0.0625, user: 0.1875 },
      ramBreakdown: { idle: 0.75, other: 0, system: 0, user: 0.25 },
      preemptible: 1,
      discount: 0, priceSource: null,
      cpuCost: 1.5,
      gpuCost: 3,
      ramCost: 0.5,
      adjustment: 0,
      totalCost: 5,
    }); // prettier-ignore
  });

  test('a volume, with its claim', async () => {
    const { byteHours, bytes, local, storageClass, volumeName, claimName, claimNamespace } =
      await oneOf('filterNames=pv');
    assert.deepEqual(
      [byteHours, bytes, local, storageClass, volumeName, claimName, claimNamespace],
      [240, 10, 0, 'ssd', 'pv', 'data', 'db'],
    );
  });

  test('disks as one group: the members they share, and the part of their cost that is attached', async () => {
    const { byteHours, local, storageClass, properties } = await oneOf(
      'filterTypes=disk&aggregate=type',
    );
    assert.deepEqual([byteHours, local, storageClass], [720, 0.25, '']);
    assert.deepEqual(properties, { category: 'Storage', service: 'Kubernetes', cluster: 'c' });
  });

  test('a load balancer', async () => {
    assert.equal((await oneOf('filterTypes=LoadBalancer'))['ip'], '1.2.3.4');
  });

  test('a group of several types has the type Any', async () => {
    const { type, properties, totalCost } = await oneOf('aggregate=cluster');
    assert.deepEqual([type, properties, totalCost], ['Any', { service: 'Kubernetes', cluster: 'c' }, 11.5]); // prettier-ignore
  });

  test('discounted nodes have costs before the discount and the total after it', async () => {
    const { data } = await ask(`${span(0, 1)}&aggregate=type&filterTypes=Node`);
    const number = (name: string): number => Number(data[0]?.['Node']?.[name]);
    const listed = number('cpuCost') + number('ramCost');
    assert.ok(Math.abs(listed - (28 + 44 / 3 + 19)) < 1e-12, `${listed}`);
    const total = listed * (1 - number('discount')) + number('gpuCost');
    const error = Math.abs(total - number('totalCost'));
    assert.ok(error < 1e-12, `${error}`);
  });

  test('nodes that were stored without a type', async () => {
    const { data } = await ask(span(3, 4));
    const [[key, asset] = []] = Object.entries(data[0] ?? {});
    assert.equal(key, '__undefined__/__undefined__/__undefined__/Compute/c/Node/Kubernetes/id/n');
    assert.deepEqual([asset?.type, asset?.totalCost], ['Node', 3]);
  });
});

const MISTAKES: readonly (readonly [parameter: string, value: string])[] = [
  ['window', 'lately'],
  ['window', ''],
  ['aggregate', 'namespace'],
  ['aggregate', 'label:'],
  ['aggregate', 'type,__proto__'],
  ['accumulate', 'hour'],
  ['accumulate', 'hour'],
  ['filter', 'assetType:'],
  ['filter', 'namespace:"a"'],
  ['filterLabels', 'test'],
  ['filterTypes', 'Nodes'],
  ['filterTypes', 'Disk,cloud'],
  ['filterTypes', 'x*'],
  ['format', 'pdf'],
  ['limit', '-1'],
  ['offset', 'x'],
  ['sortBy', 'cluster'],
  ['sortByOrder', 'down'],
];

describe('a mistake is refused, and the parameter is named', () => {
  for (const [parameter, value] of MISTAKES)
    test(`${parameter}=${value}`, async () => {
      const window = parameter === 'window' ? '' : `${span(0, 1)}&`;
      const query = `${window}${parameter}=${encodeURIComponent(value)}`;
      for (const path of ['/model/assets', '/model/assets/topline']) {
        const answer = await server.ask(`${path}?${query}`);
        const error = errorOf(answer);
        assert.deepEqual([answer.status, error.code, error.parameter], [400, 400, parameter]);
        assert.ok((error.hint ?? '').length > 0, answer.text);
      }
    });

  test('the refusal of an unknown type lists the known ones', async () => {
    const { text } = await server.ask(`/model/assets?${span(0, 1)}&filterTypes=Disk,Nod`);
    assert.match(text, /'Nod' is not one of Node, Disk, LoadBalancer, Network, ClusterManagement/);
    assert.match(text, /did you mean filterTypes=Node/);
  });
});

test('no memory is held once answers were read', async () => {
  await ask(span(0, 5));
  const heldBytes = server.usedBytes();
  for (let i = 0; i < 3; i++) await ask(`${span(0, 5)}&accumulate=true`);
  assert.equal(server.usedBytes(), heldBytes);
  assert.deepEqual(server.errors, []);
});
