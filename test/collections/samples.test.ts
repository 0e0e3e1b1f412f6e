/** The published samples of the four cost endpoints, a day each. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  bodyOf,
  collect,
  dayWindow,
  itemsOf,
  rowsOf,
  shareIdle,
  startEstate,
  type EstateDay,
  type EstateItem,
} from '../support/servers/estate.ts';
import type { BundleServer } from '../support/servers/bundle-server.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-samples-'));
after(() => rmSync(home, { recursive: true, force: true }));

/** Idle is on the nodes of the rows that are charged for it. */
const TEAM: EstateDay = {
  rows: [
    { name: 'c/n1/infra/p/k', usd: 20 },
    { name: 'c/n1/__idle__', usd: 10 },
    { name: 'c/n2/core/p/k', usd: 15 },
    { name: 'c/n2/__idle__', usd: 5 },
    { name: 'c/n3/front/p/k', usd: 15 },
    { name: 'c/n3/__idle__', usd: 5 },
    { name: 'c/n4/shared/p/k', usd: 10 },
  ],
  items: [
    { service: 'AmazonS3', usd: 15 },
    { service: 'AmazonRDS', usd: 5 },
  ],
};
const ESTATE: EstateDay = {
  rows: [...TEAM.rows, { name: 'c/n5/other/p/k', usd: 150 }, { name: 'c/n5/__idle__', usd: 10 }],
  items: [...TEAM.items, { service: 'AWSLambda', usd: 1700 }, { service: 'AmazonEC2', usd: 100 }],
};
const SERVICES: readonly EstateItem[] = [
  { service: 'AmazonEC2', resource: 'i-a', usd: 12 },
  { service: 'AmazonEC2', resource: 'i-b', usd: 8 },
  { service: 'AWS ELB', usd: 10 },
  { service: 'BigQuery', usd: 40 },
  { service: 'AmazonDynamoDB', usd: 25 },
  { service: 'Microsoft.Compute', usd: 5 },
];
const NAMESPACES: EstateDay = {
  rows: [
    { name: 'c/n1/kubecost/p1/k', usd: 6, controller: 'deployment:cost-analyzer' },
    { name: 'c/n1/kubecost/p2/k', usd: 4, controller: 'deployment:aggregator' },
    { name: 'c/n1/__idle__', usd: 10 },
    { name: 'c/n2/web/p/k', usd: 40 },
    { name: 'c/n2/__idle__', usd: 10 },
    { name: 'c/n3/data/p/k', usd: 15 },
    { name: 'c/n3/default/p/k', usd: 10 },
    { name: 'c/n3/kube-system/p/k', usd: 5 },
    { name: 'c/n3/front/p/k', usd: 33 },
  ],
  items: [],
};
const DAYS = [TEAM, ESTATE, { rows: TEAM.rows, items: [...TEAM.items, ...SERVICES] }, NAMESPACES];

let server: BundleServer;
const ids: Record<string, string> = {};
const GROUPS: Readonly<Record<string, readonly object[]>> = {
  Infrastructure: [rowsOf('namespace:"infra","shared"'), itemsOf('service:"AmazonS3","AmazonRDS"')],
  Core: [rowsOf('namespace:core'), rowsOf('namespace:shared'), itemsOf('service:"AmazonRDS"')],
  'Front End': [rowsOf('namespace:"shared"|namespace:"front"')],
};

interface Total {
  readonly data: { readonly cost: { readonly totalCost: number } };
}

interface OverlappingTotal {
  readonly collections: readonly (Total['data'] & { readonly id: string; readonly aloneCost: number })[];
  readonly overlaps: readonly { readonly ids: readonly string[]; readonly totalCost: number }[];
} // prettier-ignore

before(async () => {
  server = await startEstate(home, DAYS);
  await shareIdle(server, 'shareByNode');
  for (const [name, groups] of Object.entries(GROUPS)) {
    ids[name] = await collect(server, { name, category: 'Team', groups });
  }
});
after(() => server.stop());

function cost(totalCost: number, kubernetes: readonly [number, number] | null, cloud: number): object {
  const [kubernetesUsd, idleCost] = kubernetes ?? [];
  return {
    totalCost,
    ...(kubernetes ? { idleCost } : {}),
    domainCosts: {
      ...(kubernetes ? { kubernetesCost: { totalCost: kubernetesUsd, idleCost } } : {}),
      ...(cloud > 0 ? { cloudCost: { totalCost: cloud } } : {}),
    },
  };
} // prettier-ignore

const WINDOW = { start: '2026-01-14T00:00:00Z', end: '2026-01-15T00:00:00Z' };

describe('a category', () => {
  const path = `/query/total?category=Team&window=${dayWindow(0)}`;

  test('costs 100: 60, 35 and 30, less their overlap', async () => {
    const body = await bodyOf(server, `/model/collections${path}&collections=true`);
    assert.deepEqual(body, {
      category: 'Team',
      collections: Object.entries(ids).map(([name, id]) => ({ id, name })),
      window: WINDOW,
      data: {
        cost: cost(100, [80, 20], 20),
        overlap: -25,
        collections: [
          { id: ids['Infrastructure'], name: 'Infrastructure', cost: cost(60, [40, 10], 20) },
          { id: ids['Core'], name: 'Core', cost: cost(35, [30, 5], 5) },
          { id: ids['Front End'], name: 'Front End', cost: cost(30, [30, 5], 0) },
        ],
      },
    });
  });

  test('tells what two collections share, and what each has alone', async () => {
    const overlapping = `/model/collections${path}&overlaps=true`;
    const { data } = await bodyOf<{ data: OverlappingTotal }>(server, overlapping);
    const pair = async (left: string): Promise<number> => {
      const category = `Without-${left.replace(' ', '-')}`;
      for (const [name, groups] of Object.entries(GROUPS)) {
        if (name !== left) await collect(server, { name, category, groups });
      }
      const query = `/query/total?category=${category}&window=${dayWindow(0)}`;
      const total = await bodyOf<Total>(server, `/model/collections${query}`);
      return total.data.cost.totalCost;
    };
    const totals = new Map(data.collections.map(({ id, cost: { totalCost } }) => [id, totalCost]));
    for (const left of Object.keys(GROUPS)) {
      const others = Object.keys(ids).filter((name) => name !== left);
      const both = await pair(left);
      const ofPair = others.map((name) => ids[name] ?? '');
      const found = data.overlaps.find((each) => ofPair.every((id) => each.ids.includes(id)));
      const sum = ofPair.reduce((all, id) => all + (totals.get(id) ?? NaN), 0);
      assert.equal(found?.totalCost ?? 0, sum - both, others.join(' and '));
      assert.equal(data.collections.find(({ id }) => id === ids[left])?.aloneCost, 100 - both);
    }
    assert.equal(data.overlaps.length, 3);
  });

  test('costs as a draft what it costs once it is made', async () => {
    for (const [name, groups] of Object.entries(GROUPS)) {
      const query = `window=${dayWindow(0)}&groups=true`;
      const total = '/model/collections/query/total';
      const body = JSON.stringify({ name, category: 'Team', groups });
      const headers = { 'content-type': 'application/json' };
      const url = `${server.url}${total}?${query}`;
      const draft = await fetch(url, { method: 'POST', headers, body });
      const { id, ...made } = await bodyOf(server, `${total}?id=${ids[name]}&${query}`);
      assert.equal(id, ids[name]);
      assert.deepEqual(await draft.json(), made);
    }
  });

  test('is answered without its collections unless they are requested, under both spellings', async () => {
    for (const spelling of ['/model/collections', '/collections', '/model/collection']) {
      const { data } = await bodyOf(server, spelling + path);
      assert.deepEqual(data, { cost: cost(100, [80, 20], 20) });
    }
  });

  test('adds up to its total by day', async () => {
    const query = `category=Team&window=${dayWindow(0, 2)}&collections=true`;
    const { data } = await bodyOf<{ data: { timeseries: Record<string, unknown>[] } }>(
      server,
      `/model/collections/query/timeseries?${query}`,
    );
    const [first, second, ...others] = data.timeseries;
    assert.deepEqual(others, []);
    assert.deepEqual(first?.['window'], WINDOW);
    assert.deepEqual(first['cost'], cost(100, [80, 20], 20));
    assert.deepEqual([first['overlap'], second?.['overlap']], [-25, -25]);
    const total = await bodyOf<{ data: { cost: object } }>(
      server,
      `/collections/query/total?category=Team&window=${dayWindow(0, 2)}`,
    );
    assert.deepEqual(total.data.cost, cost(200, [160, 40], 40));
  });
});

test('a collection is answered with its groups, with and without overlap', async () => {
  const query = `id=${ids['Infrastructure']}&window=${dayWindow(0)}&groups=true`;
  const body = await bodyOf(server, `/model/collection/query/total?${query}`);
  assert.deepEqual(body, {
    id: ids['Infrastructure'],
    name: 'Infrastructure',
    category: 'Team',
    window: WINDOW,
    data: {
      cost: cost(60, [40, 10], 20),
      overlap: 0,
      groups: [
        { ...rowsOf('namespace:"infra","shared"'), cost: cost(40, [40, 10], 0) },
        { ...itemsOf('service:"AmazonS3","AmazonRDS"'), cost: cost(20, null, 20) },
      ],
    },
  });
});

describe('the complement of a collection', () => {
  const window = dayWindow(1);

  test('costs 2000: 1800 in the cloud, 200 in Kubernetes with its idle', async () => {
    const query = `id=${ids['Infrastructure']}&window=${window}`;
    const body = await bodyOf(server, `/model/collections/query/complement?${query}`);
    assert.deepEqual(body, {
      window: { start: '2026-01-15T00:00:00Z', end: '2026-01-16T00:00:00Z' },
      data: { cost: cost(2000, [200, 20], 1800) },
    });
  });

  test('exists for a whole category too', async () => {
    const query = `category=Team&window=${window}`;
    const { data } = await bodyOf(server, `/model/collection/query/complement?${query}`);
    assert.deepEqual(data, { cost: cost(1960, [160, 10], 1800) });
  });
});

describe('the cloud complement of a collection', () => {
  const ask = (more: string): Promise<Record<string, unknown>> =>
    bodyOf(server, `/model/collection/query/complement/cloud?id=${ids['Infrastructure']}&window=${dayWindow(2)}${more}`); // prettier-ignore
  const items = [
    { cost: 40, name: 'BigQuery' },
    { cost: 25, name: 'AmazonDynamoDB' },
    { cost: 20, name: 'AmazonEC2' },
    { cost: 10, name: 'AWS ELB' },
    { cost: 5, name: 'Microsoft.Compute' },
  ];

  test('by service, highest cost first', async () => {
    const { data } = await ask('&aggregate=service');
    assert.deepEqual(data, { cost: cost(100, null, 100), items, itemCount: 5 });
  });

  test('by service, one page', async () => {
    const { data } = await ask('&aggregate=service&limit=2&offset=1');
    assert.deepEqual(data, { cost: cost(100, null, 100), items: items.slice(1, 3), itemCount: 5 });
  });

  test('by resource, filtered to one service', async () => {
    const { data } = await ask('&aggregate=providerID&filter=service:"AmazonEC2"');
    assert.deepEqual(data, {
      cost: cost(20, null, 20),
      items: [
        { cost: 12, name: 'i-a' },
        { cost: 8, name: 'i-b' },
      ],
      itemCount: 2,
    });
  });

  test('without an aggregate has no items', async () => {
    assert.deepEqual((await ask(''))['data'], { cost: cost(100, null, 100) });
    assert.deepEqual((await ask('&filter=service:none'))['data'], { cost: cost(0, null, 0) });
  });
});

describe('the Kubernetes complement of a collection', () => {
  const ask = (more: string): Promise<Record<string, unknown>> =>
    bodyOf(server, `/model/collection/query/complement/kubernetes?id=${ids['Front End']}&window=${dayWindow(3)}${more}`); // prettier-ignore

  test('by namespace, with the idle charged to each', async () => {
    const { data } = await ask('&aggregate=namespace');
    assert.deepEqual(data, {
      cost: cost(100, [100, 20], 0),
      items: [
        { cost: 50, name: 'web' },
        { cost: 20, name: 'kubecost' },
        { cost: 15, name: 'data' },
        { cost: 10, name: 'default' },
        { cost: 5, name: 'kube-system' },
      ],
      itemCount: 5,
    });
  });

  test('by the bare names of controllers, filtered to one namespace', async () => {
    const { data } = await ask('&aggregate=controller&filter=namespace:"kubecost"');
    assert.deepEqual(data, {
      cost: cost(20, [20, 10], 0),
      items: [
        { cost: 12, name: 'cost-analyzer' },
        { cost: 8, name: 'aggregator' },
      ],
      itemCount: 2,
    });
  });
});
