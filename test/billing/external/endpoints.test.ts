/** Endpoints 5 and 6 over real sockets. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { importFocus } from '../../../src/commands/import-focus.ts';
import { externalRoutes } from '../../../src/billing/external/index.ts';
import {
  startChargeServers,
  type ChargeServer,
  type ChargeServers,
} from '../../support/servers/charge-server.ts';
import { exactTotal, GENERATED, writeGenerated } from '../../support/focus-sample.ts';
import { assertNear } from '../../support/references/near.ts';
import { startBundleServer } from '../../support/servers/bundle-server.ts';
import { charge, chargeSet, type Charge } from '../../support/stores/charges.ts';

const DATADOG: Charge = {
  availabilityZone: 'us',
  accountName: 'acme',
  chargeCategory: 'usage',
  description: 'Indexed logs, per 1M',
  resourceName: 'logs',
  resourceType: 'indexed_logs',
  providerID: 'acme/logs',
  usageUnit: '1M logs',
  domain: 'datadog',
  costSource: 'observability',
  listUnitPrice: 2.5,
};
const CHARGES: readonly Charge[] = [
  charge(0, { ...DATADOG, billedCost: 10, listCost: 12.5, usageQuantity: 5 }),
  charge(0, { ...DATADOG, billedCost: 0, listCost: 5, usageQuantity: 2 }),
  charge(1, { ...DATADOG, billedCost: 1, listCost: 2, usageQuantity: 0.8 }),
  charge(1, { ...DATADOG, usageUnit: 'hosts', listUnitPrice: 23, billedCost: 20, listCost: 23, usageQuantity: 1 }), // prettier-ignore
  charge(1, { domain: 'openai', costSource: 'AI', regionID: 'eu', tags: '{"team":"x"}', billedCost: 3, listCost: 4 }), // prettier-ignore
  charge(3, { domain: 'openai', costSource: 'AI', billedCost: -1, listCost: 0 }),
];
const WINDOW = 'window=2024-05-01T00:00:00Z,2024-05-05T00:00:00Z';

type Item = Readonly<Record<string, string | number>>;
interface Entry {
  readonly window: { readonly start: string; readonly end: string };
  readonly totalBilledCost: number;
  readonly totalListCost: number;
  readonly totalCost: number;
  readonly totalCostType: string;
  readonly customCosts: readonly Item[];
}

let servers: ChargeServers;
let server: ChargeServer;
before(async () => {
  servers = await startChargeServers();
  // As parts of a delivery lie: not in order of time.
  const [even, odd] = [0, 1].map((rest) => CHARGES.filter((_, i) => i % 2 === rest));
  const sets = [await chargeSet(even ?? []), await chargeSet(odd ?? [], 1)];
  server = await servers.start(sets, 'UTC', (parts) =>
    externalRoutes({
      ...parts,
      charges: { stored: parts.setsOf('bill-external-'), untold: () => [] },
    }),
  );
});
after(async () => {
  await server.stop();
  await servers.stop();
  assert.deepEqual(servers.failures, []);
});

async function ask<Data>(path: string, status: number = 200): Promise<Data> {
  const answer = await fetch(`${server.url}/model/customCost/${path}`);
  const text = await answer.text();
  assert.equal(answer.status, status, text);
  const body = JSON.parse(text) as { code: number; data: Data };
  assert.equal(body.code, status);
  return (status === 200 ? body.data : body) as Data;
}

const total = (query: string): Promise<Entry> => ask(`total?${WINDOW}&${query}`);
const costs = ({ customCosts }: Entry): (readonly [unknown, unknown])[] =>
  customCosts.map(({ aggregate, cost }) => [aggregate, cost]);

describe('the total', () => {
  test('sums the window, and has the fields of old and new clients', async () => {
    const { window, customCosts, ...totals } = await total('aggregate=domain');
    assert.deepEqual(window, { start: '2024-05-01T00:00:00Z', end: '2024-05-05T00:00:00Z' });
    assert.deepEqual(totals, {
      totalBilledCost: 33,
      totalListCost: 46.5,
      totalCost: 38,
      totalCostType: 'blended',
    });
    assert.deepEqual(
      customCosts.map(({ id, ...item }) => [typeof id, item]),
      [
        [
          'string',
          {
            zone: 'us',
            account_name: 'acme',
            charge_category: 'usage',
            description: 'Indexed logs, per 1M',
            resource_name: 'logs',
            resource_type: 'indexed_logs',
            provider_id: 'acme/logs',
            billedCost: 31,
            listCost: 42.5,
            list_unit_price: 0,
            usage_quantity: 0,
            usage_unit: '',
            domain: 'datadog',
            cost_source: 'observability',
            aggregate: 'datadog',
            cost: 36,
            cost_type: 'blended',
          },
        ],
        [
          'string',
          {
            zone: '',
            account_name: '',
            charge_category: '',
            description: '',
            resource_name: '',
            resource_type: '',
            provider_id: '',
            billedCost: 2,
            listCost: 4,
            list_unit_price: 0,
            usage_quantity: 0,
            usage_unit: '',
            domain: 'openai',
            cost_source: 'AI',
            aggregate: 'openai',
            cost: 2,
            cost_type: 'blended',
          },
        ],
      ],
    );
  });

  test('adds quantities of one unit and never unit prices', async () => {
    const { customCosts } = await total('aggregate=usageUnit');
    assert.deepEqual(
      customCosts.map((item) => [
        item['aggregate'],
        item['usage_quantity'],
        item['list_unit_price'],
      ]),
      [
        ['hosts', 1, 23],
        ['1M logs', 7.8, 2.5],
        ['__unallocated__', 0, 0],
      ],
    );
  });

  test('gives each charge its own item, its id and all ten dimensions', async () => {
    const { customCosts } = await total('');
    assert.equal(customCosts.length, CHARGES.length);
    assert.equal(new Set(customCosts.map(({ id }) => id)).size, CHARGES.length);
    assert.equal(
      customCosts.find(({ usage_unit }) => usage_unit === 'hosts')?.['aggregate'],
      'us/acme/usage/Indexed logs, per 1M/logs/indexed_logs/acme/logs/hosts/datadog/observability',
    );
    const bare = Array<string>(7).fill('__unallocated__').join('/');
    assert.equal(
      customCosts.find(({ zone }) => zone === 'eu')?.['aggregate'],
      `eu/${bare}/openai/AI`,
    );
    assert.deepEqual(await total(''), await total(''), 'ids stay');
  });

  const KEYS: readonly (readonly [query: string, costs: readonly (readonly [string, number])[]])[] = [
    ['aggregate=domain,costSource', [['datadog/observability', 36], ['openai/AI', 2]]],
    ['aggregate=COSTSOURCE,domain,costsource', [['observability/datadog', 36], ['AI/openai', 2]]],
    ['aggregate=zone', [['us', 36], ['eu', 3], ['__unallocated__', -1]]],
    ['aggregate=label:team', [['__unallocated__', 35], ['team=x', 3]]],
    ['aggregate=domain&costType=list', [['datadog', 42.5], ['openai', 4]]],
    ['aggregate=domain&costType=billed', [['datadog', 31], ['openai', 2]]],
    ['aggregate=domain&sortDirection=asc', [['openai', 2], ['datadog', 36]]],
    ['aggregate=domain&sortBy=aggregate&sortDirection=desc', [['openai', 2], ['datadog', 36]]],
    ['aggregate=domain&limit=1&offset=1', [['openai', 2]]],
    ['aggregate=domain&offset=7', []],
    ['aggregate=domain&filter=domain:"openai"', [['openai', 2]]],
    ['aggregate=domain&filter=domain:openai,datadog', [['datadog', 36], ['openai', 2]]],
    ['aggregate=domain&filter=costSource:AI,none', [['openai', 2]]],
    ['aggregate=domain&filter=chargeCategory:Usage,billing', [['datadog', 36]]],
    ['aggregate=domain&filter=zone:"eu"%7CusageUnit:hosts', [['datadog', 20], ['openai', 3]]],
    ['aggregate=domain&filter=usageUnit:__unallocated__', [['openai', 2]]],
    ['aggregate=domain&filter=label[team]:x', [['openai', 3]]],
    ['aggregate=domain&filter=&chartType=bar', [['datadog', 36], ['openai', 2]]],
  ]; // prettier-ignore
  for (const [query, expected] of KEYS) {
    test(`answers ${query}`, async () => assert.deepEqual(costs(await total(query)), expected));
  }
});

describe('the time series', () => {
  const series = async (query: string): Promise<readonly Entry[]> =>
    (await ask<{ timeseries: readonly Entry[] }>(`timeseries?${query}`)).timeseries;

  test('has an entry a day, also without costs, the oldest first', async () => {
    const entries = await series(`${WINDOW}&aggregate=domain`);
    assert.deepEqual(
      entries.map((entry) => [
        entry.window.start.slice(0, 10),
        entry.totalBilledCost,
        costs(entry),
      ]),
      [
        ['2024-05-01', 10, [['datadog', 15]]],
        ['2024-05-02', 24, [['datadog', 21], ['openai', 3]]],
        ['2024-05-03', 0, []],
        ['2024-05-04', -1, [['openai', -1]]],
      ], // prettier-ignore
    );
  });

  test('accumulated is the total', async () => {
    const [whole, ...more] = await series(`${WINDOW}&aggregate=domain&accumulate=true`);
    assert.deepEqual(more, []);
    assert.deepEqual(whole, await total('aggregate=domain'));
  });

  test('by hours has parts of daily charges', async () => {
    const entries = await series(
      'window=2024-05-02T00:00:00Z,2024-05-03T00:00:00Z&aggregate=domain&accumulate=hour',
    );
    assert.equal(entries.length, 24);
    for (const { totalBilledCost } of entries) {
      assert.ok(Math.abs(totalBilledCost - 1) < 1e-12, String(totalBilledCost));
    }
  });

  test('covers the whole days that its window overlaps', async () => {
    const days = (await series('window=2d')).map(({ window }) => window.start);
    assert.deepEqual(days, ['2024-05-03T00:00:00Z', '2024-05-04T00:00:00Z']);
  });
});

test('an imported bill is in the answer whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-external-'));
  const sample = writeGenerated(folder);
  await importFocus([sample, '--as=external', `--data-dir=${folder}`, '--workers=1', '--quiet']);
  const own = await startBundleServer([`--data-dir=${folder}`, '--workers=1']);
  try {
    const query = 'window=2024-09-01T00:00:00Z,2024-11-01T00:00:00Z&aggregate=costSource';
    const answer = await own.ask(`/model/customCost/total?${query}`);
    const { data } = JSON.parse(answer.text) as { data: Entry };
    assertNear(data.totalBilledCost, exactTotal(GENERATED, 'BilledCost'));
    assertNear(data.totalListCost, exactTotal(GENERATED, 'ListCost'));
  } finally {
    await own.stop();
    rmSync(folder, { recursive: true });
  }
});

describe('a mistake', () => {
  const MISTAKES: readonly (readonly [query: string, parameter: string, shows: string])[] = [
    ['', 'window', 'is missing'],
    ['window=', 'window', 'is missing'],
    ['window=soon', 'window', "'soon'"],
    [`${WINDOW}&aggregate=color`, 'aggregate', "'color'"],
    [`${WINDOW}&aggregate=zone:x`, 'aggregate', "'zone:x'"],
    [`${WINDOW}&aggregate=label`, 'aggregate', "'label'"],
    [`${WINDOW}&accumulate=year`, 'accumulate', "'year'"],
    [`${WINDOW}&filter=colour:x`, 'filter', "'colour'"],
    [`${WINDOW}&filter=zone:`, 'filter', 'the end'],
    [`${WINDOW}&costType=net`, 'costType', "'net'"],
    [`${WINDOW}&sortBy=zone`, 'sortBy', "'zone'"],
    [`${WINDOW}&sortDirection=up`, 'sortDirection', "'up'"],
    [`${WINDOW}&limit=-1`, 'limit', "'-1'"],
    [`${WINDOW}&offset=x`, 'offset', "'x'"],
    [`${WINDOW}&limit=1&limit=2`, 'limit', '2 times'],
  ];
  for (const path of ['total', 'timeseries']) {
    for (const [query, parameter, shows] of MISTAKES) {
      test(`is named: ${path}?${query}`, async () => {
        const error = await ask<Readonly<Record<string, string>>>(`${path}?${query}`, 400);
        assert.equal(error['parameter'], parameter);
        assert.ok(error['message']?.includes(shows), error['message']);
        assert.ok(error['hint'] !== undefined, 'it has a hint');
      });
    }
  }
  test('is named before anything is read: hours of a thousand years', async () => {
    const query = 'window=2000-01-01T00:00:00Z,2020-01-01T00:00:00Z&accumulate=hour';
    const error = await ask<Readonly<Record<string, string>>>(`timeseries?${query}`, 422);
    assert.equal(error['parameter'], 'accumulate');
  });
});
