/** What clients ask of the installation, over assets whose prices are known, and before any is stored. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { assetDay, node } from '../support/stores/asset-days.ts';
import { folderOf } from '../support/stores/columns-folder.ts';

/** A day of a node with 2 cores at 0.05 and 8 GiB at 0.01 USD an hour. */
const NODE = { cpuCoreHours: 48, ramByteHours: 24 * 2 ** 33, cpuCost: 2.4, ramCost: 1.92 };
const OLD = [node('old', 'gone', NODE)];
const NEW = [
  node('c', 'spot', { ...NODE, providerID: 'aws:///z/i-1', provider: 'AWS', nodeType: 'm5.large', region: 'r', preemptible: 1, priceSource: 'series' }),
  node('c', 'other', { ...NODE, provider: 'AWS', nodeType: 'm5.large', region: 's', gpuHours: 24, gpuCost: 24, priceSource: 'book' }),
  node('d', 'one', { ...NODE, provider: 'GCP', nodeType: 'e2', region: 'r', priceSource: 'book' }),
  { type: 'Disk', cluster: 'c', name: 'pv', byteHours: 240, cost: 3 },
]; // prettier-ignore

type Json = Readonly<Record<string, unknown>>;

let folder = '';
let server: OwnServer;
before(async () => {
  folder = await folderOf([await assetDay(0, OLD), await assetDay(1, NEW)]);
  const flags = ['--workers=1', '--timezone=UTC', '--now=2024-05-09T12:00:00Z', '--cluster-id=c'];
  server = await startOwnServer([`--data-dir=${folder}`, '--discount=0.3', ...flags]);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function dataOf(path: string): Promise<Json> {
  const { status, text } = await server.ask(path);
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { readonly data: Json }).data;
}

function close(actual: unknown, expected: number): void {
  assert.ok(Math.abs(Number(actual) - expected) < 1e-12, `${String(actual)}, not ${expected}`);
}

test('its own cluster has the id of the configuration', async () => {
  assert.equal((await dataOf('/model/clusterInfo'))['id'], 'c');
});

test('clusters are those of the newest assets, each with what its nodes have in common', async () => {
  const clusters = await dataOf('/clusterInfoMap');
  assert.deepEqual(Object.keys(clusters), ['c', 'd']);
  const common = { profile: '', account: '', project: '', provisioner: '' };
  assert.deepEqual(clusters['c'], {
    id: 'c',
    name: 'c',
    ...common,
    provider: 'AWS',
    region: '',
    nodes: 2,
  });
  assert.deepEqual(clusters['d'], {
    id: 'd',
    name: 'd',
    ...common,
    provider: 'GCP',
    region: 'r',
    nodes: 1,
  });
});

test('each node has its prices an hour, as texts', async () => {
  const nodes = await dataOf('/allNodePricing');
  assert.deepEqual(Object.keys(nodes), ['c/other', 'c/spot', 'd/one']);
  const other = nodes['c/other'] as Json;
  assert.ok(
    Object.entries(other).every(
      ([name, value]) => typeof value === (name === 'usesDefaultPrice' ? 'boolean' : 'string'),
    ),
  );
  close(other['hourlyCost'], 0.1 + 0.08 + 1);
  close(other['CPU'], 2);
  close(other['CPUHourlyCost'], 0.05);
  close(other['RAM'], 8);
  close(other['RAMGBHourlyCost'], 0.01);
  close(other['gpu'], 1);
  close(other['gpuCost'], 1);
  const { usageType, usesDefaultPrice, providerID } = nodes['c/spot'] as Json;
  assert.deepEqual(
    [usageType, usesDefaultPrice, providerID],
    ['preemptible', false, 'aws:///z/i-1'],
  );
});

test('sources of prices are counted, and told by the settings and the nodes', async () => {
  const counts = await dataOf('/pricingSourceCounts');
  assert.deepEqual(counts, { TotalNodes: 3, PricingTypeCounts: { book: 2, series: 1 } });
  const status = await dataOf('/pricingSourceStatus');
  assert.deepEqual(status['book'], { name: 'book', enabled: true, available: true, nodes: 2 });
  assert.deepEqual(status['file'], { name: 'file', enabled: false, available: false, nodes: 0 });
  assert.deepEqual(Object.keys(await dataOf('/pricingSourceSummary')), [
    'r,e2,ondemand,book',
    'r,m5.large,preemptible,series',
    's,m5.large,ondemand,book',
  ]);
});

test('prices of the configuration are texts, and its currency is known', async () => {
  const configs = await dataOf('/model/getConfigs');
  assert.deepEqual(
    [configs['currencyCode'], configs['CPU'], configs['discount']],
    ['USD', '0.031611', '30%'],
  );
  assert.equal((await dataOf('/productConfigs'))['currencyCode'], 'USD');
  const { text } = await server.ask('/installInfo');
  const { version, clusterInfo } = JSON.parse(text) as Json;
  assert.match(String(version), /^\d+\.\d+/);
  assert.equal((clusterInfo as Json)['id'], 'c');
});

test('diagnostics have the findings of the doctor by section', async () => {
  const { passed, sections } = await dataOf('/diagnostics');
  assert.equal(typeof passed, 'boolean');
  assert.ok(Object.keys(sections as Json).includes('data folder'));
});

test('parameters that nothing reads are told', async () => {
  const { text } = await server.ask('/clusterInfo?windows=7d');
  assert.match(text, /"warnings":\["parameter 'windows' is not known/);
});

describe('before anything is stored', () => {
  let empty: OwnServer;
  before(async () => void (empty = await startOwnServer(['--workers=1'])));
  after(() => empty.stop());

  test('its own cluster is there, and no node has a price', async () => {
    const read = async (path: string): Promise<Json> =>
      (JSON.parse((await empty.ask(path)).text) as { readonly data: Json }).data;
    const { id } = await read('/clusterInfo');
    assert.deepEqual(Object.keys(await read('/clusterInfoMap')), [id]);
    assert.deepEqual(await read('/allNodePricing'), {});
    assert.deepEqual(await read('/pricingSourceCounts'), { TotalNodes: 0, PricingTypeCounts: {} });
  });
});
