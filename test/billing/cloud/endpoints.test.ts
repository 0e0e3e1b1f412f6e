/** GET /cloudCost and its views over real sockets. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { cloudRoutes } from '../../../src/billing/cloud/index.ts';
import {
  startChargeServers,
  type ChargeServer,
  type ChargeServers,
} from '../../support/servers/charge-server.ts';
import { charge, chargeSet, type Charge } from '../../support/stores/charges.ts';
import { dayKey, encoded } from '../../support/stores/stored-sets.ts';

const AWS: Charge = {
  invoiceEntityID: 'payer',
  invoiceEntityName: 'Acme',
  accountID: '111',
  accountName: 'shop',
  provider: 'AWS',
  regionID: 'us-east-1',
  category: 'Compute',
};
const EC2: Charge = { ...AWS, service: 'AmazonEC2' };
const CHARGES: readonly Charge[] = [
  charge(0, { ...EC2, providerID: 'arn:aws:ec2:us-east-1:111:instance/i-0a', listCost: 75, billedCost: 60, effectiveCost: 40, tags: '{"team":"x"}' }), // prettier-ignore
  charge(0, { ...EC2, providerID: 'i-0b', listCost: 25, billedCost: 40, effectiveCost: 10, tags: '{"team":"y"}' }), // prettier-ignore
  charge(1, { ...AWS, service: 'AmazonEKS', listCost: 5, billedCost: 5, effectiveCost: 5 }),
  charge(1, { ...AWS, service: 'AmazonS3', category: 'Storage', providerID: 'bucket', listCost: 20, billedCost: 20, effectiveCost: 20 }), // prettier-ignore
  charge(2, { provider: 'Azure', service: 'Load Balancer', category: 'Networking', providerID: '/subscriptions/1/lb', listCost: 8, billedCost: 8, effectiveCost: 8, tags: '{"kubernetes.io/cluster/eu":"owned"}' }), // prettier-ignore
  charge(2, { ...AWS, service: 'AmazonS3', category: 'Storage', listCost: -2, billedCost: -2, effectiveCost: -2 }), // prettier-ignore
];
const WINDOW = 'window=2024-05-01T00:00:00Z,2024-05-05T00:00:00Z';

interface Amount {
  readonly cost: number;
  readonly kubernetesPercent: number;
}
type Cost = Readonly<Record<'listCost' | 'netCost' | 'amortizedNetCost' | 'invoicedCost' | 'amortizedCost', Amount>> & {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly window: Readonly<Record<'start' | 'end', string>>;
}; // prettier-ignore
interface Sets {
  readonly sets: readonly {
    readonly cloudCosts: Readonly<Record<string, Cost>>;
    readonly window: Readonly<Record<'start' | 'end', string>>;
    readonly aggregationProperties: readonly string[];
  }[];
  readonly window: Readonly<Record<'start' | 'end', string>>;
}

let servers: ChargeServers;
let server: ChargeServer;
before(async () => {
  servers = await startChargeServers();
  const assets = await encoded(dayKey(0, 'assets'), {
    providerID: ['aws:///us-east-1a/i-0A', 'azure:///subscriptions/1/vm'],
  });
  const sets = [assets, await chargeSet(CHARGES, 0, 'cloud')];
  server = await servers.start(sets, 'UTC', (parts) =>
    cloudRoutes({
      ...parts,
      sets: parts.cloudSets,
    }),
  );
});
after(async () => {
  await server.stop();
  await servers.stop();
  assert.deepEqual(servers.failures, []);
});

async function ask<Data>(path: string, status: number = 200): Promise<Data> {
  const answer = await fetch(`${server.url}/model/cloudCost${path}`);
  const text = await answer.text();
  assert.equal(answer.status, status, text);
  const body = JSON.parse(text) as { code: number; data: Data };
  assert.equal(body.code, status);
  return (status === 200 ? body.data : body) as Data;
}

const whole = async (query: string): Promise<Readonly<Record<string, Cost>>> =>
  (await ask<Sets>(`?${WINDOW}&accumulate=true&${query}`)).sets[0]?.cloudCosts ?? {};

describe('cloud costs', () => {
  test('have their properties, window and all five costs', async () => {
    const { sets, window } = await ask<Sets>(`?${WINDOW}&aggregate=service`);
    assert.deepEqual(window, { start: '2024-05-01T00:00:00Z', end: '2024-05-05T00:00:00Z' });
    assert.deepEqual(
      sets.map(({ window: { start }, cloudCosts }) => [
        start.slice(8, 10),
        Object.keys(cloudCosts),
      ]),
      [
        ['01', ['AmazonEC2']],
        ['02', ['AmazonS3', 'AmazonEKS']],
        ['03', ['Load Balancer', 'AmazonS3']],
        ['04', []],
      ],
    );
    const day = { start: '2024-05-01T00:00:00Z', end: '2024-05-02T00:00:00Z' };
    assert.deepEqual(sets[0], {
      cloudCosts: {
        AmazonEC2: {
          properties: {
            provider: 'AWS',
            accountID: '111',
            accountName: 'shop',
            invoiceEntityID: 'payer',
            invoiceEntityName: 'Acme',
            regionID: 'us-east-1',
            service: 'AmazonEC2',
            category: 'Compute',
            labels: {},
          },
          window: day,
          listCost: { cost: 100, kubernetesPercent: 0.75 },
          netCost: { cost: 100, kubernetesPercent: 0.6 },
          amortizedNetCost: { cost: 50, kubernetesPercent: 0.8 },
          invoicedCost: { cost: 100, kubernetesPercent: 0.6 },
          amortizedCost: { cost: 50, kubernetesPercent: 0.8 },
        },
      },
      window: day,
      aggregationProperties: ['service'],
    });
  });

  test('are grouped by six properties by default', async () => {
    const { sets } = await ask<Sets>(`?${WINDOW}&accumulate=true`);
    assert.deepEqual(sets[0]?.aggregationProperties, [
      'invoiceEntityID',
      'accountID',
      'provider',
      'providerID',
      'category',
      'service',
    ]);
    assert.deepEqual(Object.keys(sets[0]?.cloudCosts ?? {}).slice(0, 3), [
      'payer/111/AWS/arn:aws:ec2:us-east-1:111:instance/i-0a/Compute/AmazonEC2',
      'payer/111/AWS/bucket/Storage/AmazonS3',
      'payer/111/AWS/i-0b/Compute/AmazonEC2',
    ]);
  });

  const PERCENTS: readonly (readonly [name: string, percent: number])[] = [
    ['AmazonEC2', 0.8],
    ['AmazonEKS', 1],
    ['AmazonS3', 0],
    ['Load Balancer', 1],
  ];
  for (const [name, percent] of PERCENTS) {
    test(`have a part of ${percent} for Kubernetes: ${name}`, async () => {
      const costs = await whole('aggregate=service');
      assert.equal(costs[name]?.amortizedNetCost.kubernetesPercent, percent);
    });
  }

  const KEYS: readonly (readonly [query: string, costs: Readonly<Record<string, number>>])[] = [
    ['aggregate=provider', { AWS: 73, Azure: 8 }],
    ['aggregate=PROVIDER,category', { 'AWS/Compute': 55, 'AWS/Storage': 18, 'Azure/Networking': 8 }],
    ['aggregate=label:team', { 'team=x': 40, __unallocated__: 31, 'team=y': 10 }],
    ['aggregate=provider&filter=service:"AmazonS3"', { AWS: 18 }],
    ['aggregate=provider&filter=label[team]:x,y', { AWS: 50 }],
    ['aggregate=provider&filterServices=AmazonS*&filterProviders=AWS', { AWS: 18 }],
    ['aggregate=provider&filterAccountIDs=111&filterLabels=team:x', { AWS: 40 }],
    ['aggregate=provider&filterInvoiceEntityIDs=nobody', {}],
    ['aggregate=service&limit=1&offset=1', { AmazonS3: 18 }],
  ]; // prettier-ignore
  for (const [query, expected] of KEYS) {
    test(`are selected and grouped by ${query}`, async () => {
      const costs = Object.entries(await whole(query)).map(([name, { amortizedNetCost }]) => [
        name,
        amortizedNetCost.cost,
      ]);
      assert.deepEqual(costs, Object.entries(expected));
    });
  }

  test('are there for clients of the first version', async () => {
    assert.deepEqual(await ask(`/aggregate?${WINDOW}`), await ask(`?${WINDOW}`));
  });
});

describe('a view', () => {
  test('is a table of the whole window', async () => {
    assert.deepEqual(await ask(`/view/table?${WINDOW}&aggregate=service&costMetric=listCost&limit=2`), [
      { name: 'AmazonEC2', labels: {}, kubernetesPercent: 0.75, cost: 100 },
      { name: 'AmazonS3', labels: {}, kubernetesPercent: 0, cost: 18 },
    ]); // prettier-ignore
    const byName = await ask<readonly { name: string }[]>(
      `/view/table?${WINDOW}&aggregate=service&sortBy=name`,
    );
    assert.deepEqual(
      byName.map(({ name }) => name),
      ['AmazonEC2', 'AmazonEKS', 'AmazonS3', 'Load Balancer'],
    );
    assert.deepEqual(await ask(`/view/table?${WINDOW}&offset=99`), []);
  });

  test('is a CSV that spreadsheets may open', async () => {
    const answer = await fetch(
      `${server.url}/model/cloudCost/view/table?${WINDOW}&aggregate=service&format=csv&limit=1`,
    );
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(
      await answer.text(),
      'Name,K8s Utilization,Total,Window\n' +
        'AmazonEC2,0.8,50,2024-05-01T00:00:00Z/2024-05-05T00:00:00Z\n',
    );
  });

  test('is a total of all items, whatever page is requested', async () => {
    assert.deepEqual(await ask(`/view/totals?${WINDOW}&aggregate=service&costMetric=netCost&limit=1`), {
      numResults: 4,
      combined: { name: 'Totals', labels: null, kubernetesPercent: 73 / 131, cost: 131 },
    }); // prettier-ignore
  });

  test('is a graph of days', async () => {
    const graph = await ask<readonly { start: string; items: unknown }[]>(
      `/view/graph?${WINDOW}&aggregate=service`,
    );
    assert.deepEqual(
      graph.map(({ start, items }) => [start.slice(8, 10), items]),
      [
        ['01', [{ name: 'AmazonEC2', value: 50 }]],
        ['02', [{ name: 'AmazonS3', value: 20 }, { name: 'AmazonEKS', value: 5 }]],
        ['03', [{ name: 'Load Balancer', value: 8 }, { name: 'AmazonS3', value: -2 }]],
        ['04', []],
      ], // prettier-ignore
    );
  });
});

describe('values of a field', () => {
  const VALUES: readonly (readonly [query: string, values: readonly string[]])[] = [
    ['field=service', ['AmazonEC2', 'AmazonEKS', 'AmazonS3', 'Load Balancer']],
    ['field=SERVICE&search=e', ['AmazonEC2', 'AmazonEKS', 'Load Balancer']],
    ['field=service&limit=2', ['AmazonEC2', 'AmazonEKS']],
    ['field=service&filter=provider:Azure', ['Load Balancer']],
    ['field=label', ['kubernetes_io_cluster_eu', 'team']],
    ['field=label:team', ['x', 'y']],
    ['field=label[team]&search=X', ['x']],
    ['field=availabilityZone', []],
  ];
  for (const [query, expected] of VALUES) {
    test(`are listed: ${query}`, async () => {
      assert.deepEqual(await ask(`/autocomplete?${WINDOW}&${query}`), { data: expected });
    });
  }
  for (const [query, parameter] of [
    [WINDOW, 'field'],
    [`${WINDOW}&field=cluster`, 'field'],
    [`${WINDOW}&field=service:x`, 'field'],
    ['field=service', 'window'],
    [`${WINDOW}&field=service&limit=x`, 'limit'],
  ] as const) {
    test(`are refused: ${query}`, async () => {
      const error = await ask<Readonly<Record<string, string>>>(`/autocomplete?${query}`, 400);
      assert.equal(error['parameter'], parameter);
    });
  }
});

describe('a mistake', () => {
  const MISTAKES: readonly (readonly [query: string, parameter: string, shows: string])[] = [
    ['', 'window', 'is missing'],
    ['window=soon', 'window', "'soon'"],
    [`${WINDOW}&aggregate=namespace`, 'aggregate', "'namespace'"],
    [`${WINDOW}&aggregate=label`, 'aggregate', "'label'"],
    [`${WINDOW}&accumulate=maybe`, 'accumulate', "'maybe'"],
    [`${WINDOW}&filter=cluster:x`, 'filter', "'cluster'"],
    [`${WINDOW}&filterLabels=x`, 'filterLabels', "'x'"],
    [`${WINDOW}&costMetric=cumulative`, 'costMetric', "'cumulative'"],
    [`${WINDOW}&sortBy=value`, 'sortBy', "'value'"],
    [`${WINDOW}&sortByOrder=up`, 'sortByOrder', "'up'"],
    [`${WINDOW}&limit=x`, 'limit', "'x'"],
    [`${WINDOW}&offset=-1`, 'offset', "'-1'"],
  ];
  for (const path of ['', '/view/table', '/view/totals', '/view/graph', '/view/trends']) {
    for (const [query, parameter, shows] of MISTAKES) {
      test(`is named: ${path}?${query}`, async () => {
        const error = await ask<Readonly<Record<string, string>>>(`${path}?${query}`, 400);
        assert.equal(error['parameter'], parameter);
        assert.ok(error['message']?.includes(shows), error['message']);
        assert.ok(error['hint'] !== undefined, 'it has a hint');
      });
    }
  }
  test('is named: the format of a table', async () => {
    const error = await ask<Readonly<Record<string, string>>>(
      `/view/table?${WINDOW}&format=pdf`,
      400,
    );
    assert.equal(error['parameter'], 'format');
  });
});
