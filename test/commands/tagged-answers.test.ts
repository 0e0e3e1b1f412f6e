/** Entity tags: a client that has an answer is not sent it again until its data change. */
import assert from 'node:assert/strict';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { importFocus } from '../../src/commands/import-focus.ts';
import { assetDay, node } from '../support/stores/asset-days.ts';
import { folderOf, rowSet } from '../support/stores/columns-folder.ts';
import { collect, itemsOf } from '../support/servers/estate.ts';
import { focusCsv } from '../support/stores/focus-rows.ts';
import { startBundleServer, type BundleServer } from '../support/servers/bundle-server.ts';
import { PUSH_TOKEN, pushCosts } from '../support/stores/pushes.ts';
import { dayKey } from '../support/stores/stored-sets.ts';

const [START, END] = ['2024-05-01T00:00:00Z', '2024-05-02T00:00:00Z'];
const DAY = `window=${START},${END}`;
const ID = 'gce://project/zone/n';

let folder = '';
let server: BundleServer;
let collection = '';

before(async () => {
  const texts = { cluster: 'c', node: 'n', namespace: 'web', pod: 'p', container: 'm', providerID: ID }; // prettier-ignore
  const numbers = { cpuCost: 2, cpuCoreHours: 48, cpuCoreRequestHours: 48 };
  folder = await folderOf([
    await rowSet(dayKey(0), [{ texts, numbers }]),
    await assetDay(0, [
      node('c', 'n', { providerID: ID, cpuCoreHours: 96, ramByteHours: 2 ** 38, cpuCost: 4 }),
    ]),
  ]);
  writeFileSync(join(folder, 'token'), PUSH_TOKEN);
  await bill('10');
  server = await start();
  await push(1);
  collection = await collect(server, {
    name: 'all',
    category: 'Team',
    groups: [itemsOf('service:"Compute"')],
  });
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
  assert.deepEqual(server.errors, []);
});

function start(): Promise<BundleServer> {
  const token = `--custom-cost-token-file=${join(folder, 'token')}`;
  return startBundleServer([
    `--data-dir=${folder}`,
    token,
    '--now=2024-06-01T00:00:00Z',
    '--workers=1',
  ]);
}

async function bill(cost: string): Promise<void> {
  const costs = { BilledCost: cost, ContractedCost: cost, EffectiveCost: cost, ListCost: cost };
  const period = { BillingPeriodStart: START, BillingPeriodEnd: '2024-06-01T00:00:00Z' };
  const charged = { ChargePeriodStart: START, ChargePeriodEnd: END, ResourceId: ID };
  const path = join(folder, 'bill.csv');
  writeFileSync(path, focusCsv({ ...costs, ...period, ...charged, ServiceName: 'Compute' }));
  await importFocus([
    path,
    '--as=cloud',
    '--source=s',
    `--data-dir=${folder}`,
    '--workers=1',
    '--quiet',
  ]);
}

function push(billedCost: number): Promise<void> {
  const cost = { start: START, end: END, domain: 'outside', billedCost, labels: {} };
  return pushCosts(server, 's', `${START},${END}`, [cost]);
}

interface Got {
  readonly status: number;
  readonly etag: string;
  readonly text: string;
}

async function get(path: string, etag: string = ''): Promise<Got> {
  const headers = etag === '' ? {} : { 'if-none-match': etag };
  const answer = await fetch(`${server.url}${path}`, { headers });
  const text = await answer.text();
  return { status: answer.status, etag: answer.headers.get('etag') ?? '', text };
}

const BILLED = [
  '/model/assets?', '/assets?format=csv&', '/model/assets/topline?', '/assets?aggregate=type&accumulate=true&',
  '/model/cloudCost?', '/cloudCost/aggregate?', '/cloudCost/view/table?', '/cloudCost/view/table?format=csv&',
  '/cloudCost/view/totals?', '/cloudCost/view/graph?', '/cloudCost/view/trends?',
  '/model/collections/query/total?category=Team&', '/model/collection/query/timeseries?id=ID&',
]; // prettier-ignore
const PUSHED = ['/model/customCost/total?', '/customCost/timeseries?'];
const OTHERS = [
  '/model/savings/clusterSizingETL?', '/model/collection/query/complement?id=ID&',
  '/model/collection/query/complement/cloud?id=ID&aggregate=service&',
]; // prettier-ignore
const pathOf = (path: string): string => `${path.replace('ID', collection)}${DAY}`;

describe('an answer', () => {
  for (const path of [...BILLED, ...PUSHED, ...OTHERS])
    test(`is not sent to a client that has it: ${path}`, async () => {
      const first = await get(pathOf(path));
      assert.equal(first.status, 200, first.text);
      assert.match(first.etag, /^"[\w-]{27}(-gzip)?"$/);
      const again = await get(pathOf(path), `"other", W/${first.etag}`);
      assert.deepEqual(again, { status: 304, etag: first.etag, text: '' });
      assert.deepEqual(await get(pathOf(path), '"other"'), first);
    });

  test('with another path, format or window has another tag', async () => {
    const paths = [
      '/assets?', '/assets?format=csv&', '/assets/topline?', '/assets?limit=1&', '/assets?disableAdjustments=true&',
      '/cloudCost?', '/cloudCost/view/table?', '/cloudCost?costMetric=netCost&', '/cloudCost?aggregate=service&',
      '/customCost/total?', '/customCost/total?aggregate=domain&', '/customCost/timeseries?',
    ]; // prettier-ignore
    const tags = await Promise.all(paths.map(async (path) => (await get(path + DAY)).etag));
    assert.equal(new Set(tags).size, tags.length, tags.join());
    const later = `window=${END},2024-05-03T00:00:00Z`;
    for (const path of ['/assets?', '/cloudCost?', '/customCost/total?'])
      assert.notEqual((await get(path + later)).etag, (await get(path + DAY)).etag);
  });

  test('with an error has no tag', async () => {
    for (const path of ['/assets?window=x', '/cloudCost?window=x', '/customCost/total?window=x'])
      assert.deepEqual([(await get(path, '*')).status, (await get(path)).etag], [400, '']);
  });

  test('has the same tag from a copy of the folder at another path', async () => {
    const stored = [
      '/model/allocation?',
      '/model/allocation?aggregate=pod&',
      '/model/allocation/summary?',
    ];
    const paths = [...BILLED, ...PUSHED, ...OTHERS, ...stored].map(pathOf);
    const tags = async (): Promise<string[]> =>
      await Promise.all(paths.map(async (path) => (await get(path)).etag));
    const expected = await tags();
    assert.ok(!expected.includes(''), expected.join());
    await server.stop();
    const original = folder;
    folder = `${original}-copied`;
    cpSync(original, folder, { recursive: true });
    server = await start();
    const copied = await tags();
    await server.stop();
    rmSync(folder, { recursive: true });
    folder = original;
    server = await start();
    assert.deepEqual(copied, expected);
  });

  test('is sent again after a push replaced its data, others are not', async () => {
    const before = await Promise.all([...PUSHED, ...BILLED].map((path) => get(pathOf(path))));
    await push(2);
    const now = await Promise.all(
      [...PUSHED, ...BILLED].map((path, i) => get(pathOf(path), before[i]?.etag)),
    );
    assert.deepEqual(
      now.map(({ status }) => status),
      [...PUSHED.map(() => 200), ...BILLED.map(() => 304)],
    );
  });

  test('is sent again after a bill was replaced', async () => {
    const before = await Promise.all(BILLED.map((path) => get(pathOf(path))));
    await server.stop();
    await bill('20');
    server = await start();
    for (const [i, path] of BILLED.entries()) {
      const now = await get(pathOf(path), before[i]?.etag);
      assert.equal(now.status, 200, path);
      assert.notEqual(now.etag, before[i]?.etag, path);
      if (!path.includes('trends')) assert.notEqual(now.text, before[i]?.text, path);
    }
  });
});
