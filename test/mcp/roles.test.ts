/** Each tool, called by callers of each role and by one that sees some rows, over HTTP. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connectOverHttp, type McpClient, type Told } from '../support/clients/mcp-client.ts';
import { startTokenWorld, type TokenWorld } from '../support/servers/token-world.ts';

const DAYS = '2024-05-01,2024-05-03';
const POD =
  'kind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: b, resources: {requests: {cpu: 1}}}]}\n';
const PREDICTED = { clusterID: 'production', manifests: POD, window: DAYS };

let world: TokenWorld;
const clients = new Map<string, McpClient>();
before(async () => {
  world = await startTokenWorld(['--cluster-controller=true']);
  for (const name of ['viewer', 'editor', 'operator', 'admin', 'scoped'])
    clients.set(name, await connectOverHttp(world.server.url, name));
});
after(async () => {
  for (const client of clients.values()) await client.close();
  assert.deepEqual(world.server.errors, []);
  await world.stop();
});

const as = (name: string): McpClient => {
  const client = clients.get(name);
  assert.ok(client);
  return client;
};
const called = async (who: string, name: string, args: Record<string, unknown>): Promise<Told> => {
  const told = await as(who).call(name, args);
  assert.equal(told.isError, false, `${name}: ${told.text}`);
  return told;
};

/** Numbers of a value, in order, whatever they are called. */
function numbersOf(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(numbersOf);
}

/** Without a limit a route lists rows in another order. */
const sorted = (numbers: readonly number[]): string => numbers.toSorted((a, b) => a - b).join(' ');

const QUERY = `window=${DAYS}`;

const SUMMED = `${QUERY}&aggregate=namespace`;
type Rows = (answer: Answer) => unknown;
const sets: Rows = ({ data }) => data.sets.map(({ allocations }) => allocations);

/** A tool, its arguments, and where the same numbers stand in which answer. */
const SAME: readonly (readonly [
  tool: string,
  args: Record<string, unknown>,
  path: string,
  rows: Rows,
])[] = [
  ['allocations', { window: DAYS, limit: 3 }, `/allocation/summary?${SUMMED}&accumulate=true&limit=3`, sets],
  ['allocations', { window: DAYS, accumulate: 'day', filter: 'namespace:web' }, `/allocation/summary?${SUMMED}&accumulate=day&filter=namespace:web`, sets],
  ['assets', { window: DAYS }, `/assets?${QUERY}&aggregate=type&accumulate=all`, ({ data }) => data],
  ['cloud_costs', { window: DAYS, limit: 2 }, `/cloudCost/view/table?${QUERY}&aggregate=service&limit=2`, ({ data }) => data],
  ['external_costs', { window: DAYS }, `/customCost/total?${QUERY}&aggregate=domain`, ({ data }) => data.customCosts],
  ['request_sizing', { window: DAYS, limit: 5 }, `/savings/requestSizingV2?${QUERY}&limit=5`, ({ Recommendations }) => Recommendations],
]; // prettier-ignore

interface Answer {
  readonly data: {
    readonly sets: readonly { readonly allocations: unknown }[];
    readonly customCosts: unknown;
  };
  readonly Recommendations: unknown;
}

describe('tools by roles', () => {
  for (const [tool, args, path, rows] of SAME)
    test(`rows of ${tool} have the numbers of GET ${path}, to the digit`, async () => {
      const { data } = await called('viewer', tool, args);
      const expected = numbersOf(rows((await world.data(path)) as Answer));
      assert.ok(expected.length > 0);
      assert.equal(sorted(numbersOf(data['rows'])), sorted(expected));
    });

  const REST: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ['allocation_trends', { window: '2024-05-02,2024-05-03' }, /totalCostRelativeChangeRatio=/],
    ['field_values', { window: DAYS, search: 'we' }, /^1 rows of 1, 0 left out\nweb/],
    ['savings', { window: DAYS }, /^totalSavingsUsdPerMonth: -?\d/],
    ['predict_cost', PREDICTED, /default\/a: after\.totalUsdPerMonth=\d/],
    ['collections', {}, /^0 rows of 0/],
    ['data_quality', { window: DAYS }, /^isPartial: false[^]*readiness: \{"ready":true[^]*priceSources: [^]*cloudBills: \[\{"key":"aws"/],
  ]; // prettier-ignore
  for (const [tool, args, told] of REST)
    test(`${tool} answers a viewer`, async () => {
      assert.match((await called('viewer', tool, args)).text, told);
    });

  test('pages tell what is left out, and follow one another', async () => {
    const all = await called('viewer', 'allocations', {
      window: DAYS,
      aggregate: 'pod',
      limit: 1000,
    });
    const total = (all.data['page'] as { totalRows: number }).totalRows;
    assert.ok(total > 100);
    let [offset, seen] = [0, 0];
    for (const limit of [40, 60]) {
      const { data } = await called('viewer', 'allocations', {
        window: DAYS,
        aggregate: 'pod',
        limit,
        offset,
      });
      const rows = (data['rows'] as { name: string }[]).filter(({ name }) => name !== '__idle__');
      seen += rows.length;
      assert.deepEqual(data['page'], {
        shownRows: (data['rows'] as unknown[]).length,
        totalRows: total,
        leftOutRows: total - seen,
        nextOffset: seen,
      });
      offset = seen;
    }
    assert.equal(seen, 100);
    assert.ok(JSON.stringify(all.data).length < 100_000, 'results are bounded');
  });

  test('each role is offered the tools that its routes permit', async () => {
    const offered = async (who: string): Promise<string[]> =>
      (await as(who).tools()).tools.map(({ name }) => name);
    const reading = await offered('viewer');
    const ofEditors = ['create_collection', 'replace_collection', 'delete_collection'];
    const ofOperators = ['plan', 'apply', 'undo'].map((name) => `request_sizing_${name}`);
    assert.equal(reading.length, 12);
    assert.deepEqual((await offered('editor')).toSorted(), [...reading, ...ofEditors].toSorted());
    const all = [...reading, ...ofEditors, ...ofOperators].toSorted();
    assert.deepEqual((await offered('operator')).toSorted(), all);
    assert.deepEqual((await offered('admin')).toSorted(), all);
    const { tools } = await as('admin').tools();
    const changing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
    assert.deepEqual(
      changing.map(({ name }) => name).toSorted(),
      [...ofEditors, ...ofOperators.slice(1)].toSorted(),
    );
  });

  test('a tool beyond the role is refused by its route, and role= takes rights away', async () => {
    const collection = { name: 'a', category: 'b', groups: [] };
    const refused = await as('viewer').call('create_collection', { collection });
    assert.equal(refused.isError, true);
    assert.match(refused.text, /needs the role editor: viewer has the role viewer/);
    const capped = await connectOverHttp(world.server.url, 'admin', '?role=viewer');
    assert.equal((await capped.tools()).tools.length, 12);
    assert.match(
      (await capped.call('create_collection', { collection })).text,
      /needs the role editor/,
    );
    await capped.close();
    await assert.rejects(
      connectOverHttp(world.server.url, 'viewer', '?role=editor'),
      /role=editor needs the role editor/,
    );
    await assert.rejects(connectOverHttp(world.server.url, 'guess'), /401|Unauthorized|invalid/i);
  });

  test('a collection is created, replaced and removed, and each change is recorded', async () => {
    const collection = { name: 'Web', category: 'Team', groups: [] };
    const { data } = await called('editor', 'create_collection', { collection });
    const { id } = data;
    await called('editor', 'replace_collection', {
      id,
      collection: { ...collection, name: 'Web 2' },
    });
    const { text } = await called('viewer', 'collections', {});
    assert.match(text, /^1 rows of 1, 0 left out\nWeb 2/);
    await called('editor', 'delete_collection', { id });
    const records = readFileSync(join(world.home, 'data/audit.ndjson'), 'utf8').trim().split('\n');
    const actions = records.map((line) => JSON.parse(line) as { action?: string; who?: string });
    assert.deepEqual(
      actions
        .filter(({ action }) => action?.startsWith('collection.'))
        .map(({ action, who }) => [action, who]),
      ['create', 'replace', 'remove'].map((what) => [`collection.${what}`, 'editor']),
    );
  });

  test('a plan is made of recommended rows, and changes nothing', async () => {
    const { data } = await called('viewer', 'request_sizing', { window: DAYS, limit: 4 });
    const { data: told } = await called('operator', 'request_sizing_plan', {
      recommendations: data['rows'],
    });
    const path = '/cluster/requestsizer/plan';
    const reply = await fetch(`${world.server.url}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer operator', 'content-type': 'application/json' },
      body: JSON.stringify(await world.data(`/savings/requestSizingV2?${QUERY}&limit=4`)),
    });
    assert.deepEqual(told['plan'], await reply.json());
  });

  test('a caller that sees some rows gets those alone, and no tool that cannot tell them apart', async () => {
    const { tools } = await as('scoped').tools();
    const names = tools.map(({ name }) => name);
    for (const hidden of ['savings', 'collections', 'create_collection', 'request_sizing_apply'])
      assert.ok(!names.includes(hidden), hidden);
    const { data } = await called('scoped', 'allocations', { window: DAYS });
    const rows = (data['rows'] as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(
      rows.filter((name) => name !== '__idle__'),
      ['web'],
    );
    const { text } = await called('scoped', 'data_quality', { window: DAYS });
    assert.match(
      text,
      /priceSources: \{"error":"GET \/pricingSourceStatus is not for callers with a filter/,
    );
    assert.match((await as('scoped').call('savings')).text, /is not for callers with a filter/);
  });
});
