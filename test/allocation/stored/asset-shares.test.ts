/** Shares in assets over stored days, through whole servers of one, two and four workers. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { errorOf, startOwnServer, type OwnServer } from '../../support/servers/own-server.ts';
import { folderOf, rowSet, type StoredRow } from '../../support/stores/columns-folder.ts';
import { DAY_MS, FIRST_MS } from '../../support/stores/stored-sets.ts';

const pod = (
  namespace: string,
  node: string,
  numbers: StoredRow['numbers'],
  more: object = {},
): StoredRow => ({
  texts: { cluster: 'one', node, providerID: `aws:///us-east-1a/i-${node}`, namespace, pod: `${namespace}-1`, container: 'main', ...more },
  numbers: { ...numbers },
}); // prettier-ignore
const idle = (node: string, numbers: StoredRow['numbers']): StoredRow =>
  pod('', node, numbers, { pod: '', container: '__idle__' });
const volume = (cost: number): string =>
  JSON.stringify({
    'cluster=one:name=v': { byteHours: 1, cost, providerID: 'vol-1', adjustment: 0 },
  });
const balancer = JSON.stringify({ 'cluster=one:name=web/front': { service: 'web/front', cost: 2, private: false, ip: '' } }); // prettier-ignore

/** On the first two days web and db share a node; on the third db is there alone. */
const BOTH: readonly StoredRow[] = [
  idle('n', { cpuCost: 1, ramCost: 4 }),
  idle('m', { cpuCost: 8 }),
  pod('db', 'n', { cpuCost: 4, ramCost: 1, pvCost: 3 }, { pvs: volume(3) }),
  pod('web', 'n', { cpuCost: 2, cpuCostAdjustment: 1, ramCost: 3, pvCost: 1, loadBalancerCost: 2 }, { pvs: volume(1), lbAllocations: balancer }),
]; // prettier-ignore
const ALONE: readonly StoredRow[] = [
  idle('n', { cpuCost: 4, ramCost: 8 }),
  idle('m', { cpuCost: 8 }),
  pod('db', 'n', { cpuCost: 4, pvCost: 4 }, { pvs: volume(4) }),
];

const folders: string[] = [];
const servers: OwnServer[] = [];
before(async () => {
  const flags = ['--timezone=UTC', '--now=2024-05-04T12:00:00Z'];
  const sets = await Promise.all(
    [BOTH, BOTH, ALONE].map((rows, day) => {
      const startMs = FIRST_MS + day * DAY_MS;
      return rowSet({ startMs, endMs: startMs + DAY_MS }, rows);
    }),
  );
  for (const workers of [1, 2, 4]) {
    const folder = await folderOf(sets);
    folders.push(folder);
    const own = [`--data-dir=${folder}`, `--workers=${workers}`];
    servers.push(await startOwnServer([...own, ...flags]));
  }
});
after(async () => {
  for (const server of servers) await server.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const FLAG = 'includeProportionalAssetResourceCosts';
const DAYS = 'window=2024-05-01,2024-05-04&shareTenancyCosts=false&reconcile=false';
type Rows = Record<string, Record<string, unknown>>;

async function ask(query: string, path: string = '/model/allocation'): Promise<string> {
  const [first, ...others] = await Promise.all(
    servers.map((server) => server.ask(`${path}?${DAYS}&${query}`)),
  );
  assert.equal(first?.status, 200, first?.text);
  for (const { text } of others) assert.equal(text, first?.text);
  return first?.text ?? '';
}

const rowsOf = (text: string): Rows[] => (JSON.parse(text) as { data: Rows[] }).data;

const ZEROS = { cpuPercentage: 0, gpuPercentage: 0, ramPercentage: 0, loadBalancerPercentage: 0, pvPercentage: 0, nodeResourceCostPercentage: 0 }; // prettier-ignore
const NODE = { ...ZEROS, cluster: 'one', name: 'n', type: 'Node', providerID: 'i-n' };
const VOLUME = { ...ZEROS, cluster: 'one', name: 'v', type: 'PV', providerID: 'vol-1' };
const FRONT = { ...ZEROS, cluster: 'one', name: 'web/front', type: 'LoadBalancer' };
const WEB_ON_A_DAY = {
  'one,n': { ...NODE, cpuPercentage: 3 / 8, ramPercentage: 3 / 8, nodeResourceCostPercentage: 6 / 16 },
  'one,v': { ...VOLUME, pvPercentage: 1 / 4 },
  'one,web/front': { ...FRONT, loadBalancerPercentage: 1 },
}; // prettier-ignore
const WEB = {
  'one,n': { ...NODE, cpuPercentage: 6 / 24, ramPercentage: 6 / 24, nodeResourceCostPercentage: 12 / 48 },
  'one,v': { ...VOLUME, pvPercentage: 2 / 12 },
  'one,web/front': { ...FRONT, loadBalancerPercentage: 1 },
}; // prettier-ignore

/** A request, and the shares of a row of its newest set that has it. */
const SHARES: readonly (readonly [query: string, name: string, shares: unknown])[] = [
  ['aggregate=namespace&idleByNode=true', 'web', WEB_ON_A_DAY],
  ['aggregate=namespace&idleByNode=true&accumulate=true', 'web', WEB],
  ['aggregate=namespace&idleByNode=true&accumulate=true&filterNamespaces=web', 'web', WEB],
  ['aggregate=namespace&idleByNode=true&accumulate=true&limit=1&offset=1', 'web', WEB],
  ['aggregate=namespace&idleByNode=true&accumulate=true&shareIdle=true&costMetric=daily', 'web', WEB],
  ['aggregate=namespace&idleByNode=true&accumulate=true&shareNamespaces=db&sharelb=true', 'web', WEB],
  ['aggregate=pod&idleByNode=true&accumulate=week&includeSharedCostBreakdown=true&shareCost=10', 'web-1', WEB],
  ['idleByNode=true&accumulate=true', 'one/n/web/web-1/main', WEB],
  ['idleByNode=true', 'one/n/web/web-1/main', WEB_ON_A_DAY],
  ['idleByNode=true&limit=1&order=asc', 'one/n/web/web-1/main', WEB_ON_A_DAY],
  ['aggregate=namespace&accumulate=true', 'web', { one: { ...ZEROS, cluster: 'one', cpuPercentage: 6 / 48, ramPercentage: 6 / 24, loadBalancerPercentage: 1, pvPercentage: 2 / 12, nodeResourceCostPercentage: 12 / 72 } }],
  ['aggregate=namespace&accumulate=true', '__idle__', { one: { ...ZEROS, cluster: 'one', cpuPercentage: 30 / 48, ramPercentage: 16 / 24, nodeResourceCostPercentage: 46 / 72 } }],
  ['aggregate=namespace&idleByNode=true&splitIdle=true&accumulate=true', 'one/m/__idle__', { 'one,m': { ...NODE, name: 'm', providerID: 'i-m', cpuPercentage: 1, nodeResourceCostPercentage: 1 } }],
]; // prettier-ignore

describe('the shares of a row, whatever the number of workers,', () => {
  for (const [query, name, shares] of SHARES)
    test(`by ${query}: ${name}`, async () => {
      const sets = rowsOf(await ask(`${query}&${FLAG}=true`));
      const row = sets.find((set) => set[name] !== undefined)?.[name];
      assert.deepEqual(row?.['proportionalAssetResourceCosts'], shares);
    });

  test('are on lines of NDJSON too', async () => {
    const text = await ask(
      `aggregate=namespace&idleByNode=true&accumulate=true&format=ndjson&${FLAG}=true`,
    );
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Rows[string]);
    const web = rows.find(({ name }) => name === 'web');
    assert.deepEqual(web?.['proportionalAssetResourceCosts'], WEB);
  });
});

test('nothing else of an answer changes', async () => {
  const query = 'aggregate=namespace,node&idleByNode=true&accumulate=true';
  const plain = await ask(query);
  assert.doesNotMatch(plain, /proportionalAsset/);
  const told = JSON.parse(await ask(`${query}&${FLAG}=true`)) as { data: Rows[] };
  for (const row of told.data.flatMap((set) => Object.values(set))) {
    assert.ok(row['proportionalAssetResourceCosts'], String(row['name']));
    delete row['proportionalAssetResourceCosts'];
  }
  assert.deepEqual(told, JSON.parse(plain));
});

const REFUSED: readonly (readonly [query: string, says: RegExp])[] = [
  ['idle=false', /includeIdle=true/],
  ['includeIdle=false&shareIdle=true', /includeIdle=true/],
  ['format=csv', /format=csv, only beside json and ndjson/],
  ['format=arrow', /format=arrow, only beside json and ndjson/],
];

describe('is refused', () => {
  for (const [query, says] of REFUSED)
    test(`beside ${query}`, async () => {
      const answer = await servers[0]?.ask(`/model/allocation?${DAYS}&${query}&${FLAG}=true`);
      assert.equal(answer?.status, 400);
      const { parameter, message } = errorOf(answer);
      assert.equal(parameter, FLAG);
      assert.match(message, says);
    });
});

test('summaries say that they do not show it, whatever else is asked', async () => {
  for (const more of ['', '&idle=false', '&accumulate=true']) {
    const text = await ask(`aggregate=namespace${more}&${FLAG}=true`, '/model/allocation/summary');
    const { warnings } = JSON.parse(text) as { warnings: string[] };
    assert.deepEqual(warnings, [`parameter '${FLAG}': summaries do not show it`]);
    assert.doesNotMatch(text, /Percentage/);
  }
});
