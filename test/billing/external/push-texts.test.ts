/** Texts of pushed costs: kept as they came, and found by them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';

const TOKEN = 'a-token-of-the-tests';
const folder = mkdtempSync(join(tmpdir(), 'prorata-push-texts-'));
const tokenFile = join(folder, 'token');
const DAY = 'window=2024-05-01T00:00:00Z,2024-05-02T00:00:00Z';

let server: BundleServer;
before(async () => {
  writeFileSync(tokenFile, TOKEN);
  server = await startBundleServer([
    `--data-dir=${join(folder, 'data')}`,
    `--custom-cost-token-file=${tokenFile}`,
    '--workers=1',
    '--now=2024-05-20T00:00:00Z',
  ]);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
  assert.deepEqual(server.errors, []);
});

/** Pushes one cost, from a source of its domain. */
async function push(cost: {
  readonly domain: string;
  readonly [field: string]: unknown;
}): Promise<void> {
  const days = { start: '2024-05-01T00:00:00Z', end: '2024-05-02T00:00:00Z' };
  const source = cost.domain.replace(/[^a-z]/gi, '').toLowerCase();
  const answer = await fetch(`${server.url}/model/customCost?source=${source}&${DAY}`, {
    method: 'POST',
    body: JSON.stringify({ ...days, billedCost: 12.5, ...cost }),
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  assert.equal(answer.status, 200, await answer.text());
}

test('a push has no more texts than it came with', async () => {
  await push({ domain: 'Bare', provider_id: 'i-1', labels: { only: 'bare' } });
  const answer = await server.ask(`/model/customCost/total?${DAY}&filter=label[only]:bare`);
  const { data } = JSON.parse(answer.text) as { data: { customCosts: object[] } };
  const [{ id: _id, ...item }] = data.customCosts as [{ id: string }];
  const texts = Object.entries(item).filter(
    ([, value]) => typeof value === 'string' && value !== '',
  );
  assert.deepEqual(Object.fromEntries(texts), {
    charge_category: 'Usage',
    provider_id: 'i-1',
    domain: 'Bare',
    aggregate: `${'__unallocated__/'.repeat(2)}Usage/${'__unallocated__/'.repeat(3)}i-1/__unallocated__/Bare/__unallocated__`,
    cost_type: 'blended',
  });
});

test('a push is found by each of its texts as it came, and by no other', async () => {
  const texts = {
    usage_unit: ' Tokens (1K) ',
    domain: ' Open_AI, Inc. ',
    cost_source: 'A.I. ',
    zone: 'EU West',
    account_name: 'Acme\tLtd',
    description: 'ÄÖ ß',
    resource_name: 'R/1',
    resource_type: 'Type 1',
    provider_id: 'ID:1',
    labels: { exact: ' V 1 ' },
  };
  await push({ ...texts, billedCost: 7 });
  const found = async (comparison: string): Promise<number> => {
    const filter = encodeURIComponent(comparison);
    const answer = await server.ask(`/model/customCost/total?${DAY}&filter=${filter}`);
    return (JSON.parse(answer.text) as { data: { totalBilledCost: number } }).data.totalBilledCost;
  };
  const { labels, ...plain } = texts;
  const comparisons = [
    ...Object.entries(plain).map(([name, value]) => {
      const field = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      return [field, value] as const;
    }),
    ['label[exact]', labels.exact] as const,
  ];
  for (const [field, value] of comparisons) {
    assert.equal(await found(`${field}:"${value}"`), 7, `${field}:"${value}"`);
    assert.equal(await found(`${field}:"${value}x"`), 0, `${field}:"${value}x"`);
  }
  assert.equal(await found('domain:"open-ai-inc."'), 0);
  const answer = await server.ask(`/model/customCost/total?${DAY}&aggregate=domain`);
  assert.ok(answer.text.includes('"aggregate":" Open_AI, Inc. "'), answer.text);
});
