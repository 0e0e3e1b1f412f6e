/** Pushes of external costs: POST /customCost, over real sockets into a real folder. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { pushCsv } from '../../../src/billing/external/push-csv.ts';
import { readRows } from '../../../src/query/index.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';

const TOKEN = 'a-token-of-the-tests';
const folder = mkdtempSync(join(tmpdir(), 'prorata-push-'));
const tokenFile = join(folder, 'token');

const line = (more: object = {}): object => ({
  start: '2024-05-01T00:00:00Z',
  end: '2024-05-02T00:00:00Z',
  domain: 'datadog',
  billedCost: 12.5,
  ...more,
});
const ndjson = (lines: readonly object[]): string =>
  lines.map((each) => `${JSON.stringify(each)}\n`).join('');
const DAY = 'window=2024-05-01T00:00:00Z,2024-05-02T00:00:00Z';
const MAY = 'window=2024-05-01T00:00:00Z,2024-06-01T00:00:00Z';

let server: BundleServer;
before(async () => {
  server = await startBundleServer([
    `--data-dir=${join(folder, 'data')}`,
    `--custom-cost-token-file=${tokenFile}`,
    '--workers=1',
    '--now=2024-05-20T00:00:00Z',
  ]);
});
beforeEach(() => writeFileSync(tokenFile, `${TOKEN}\n`));
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
  assert.deepEqual(server.errors, []);
});

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function push(
  query: string,
  body: string,
  authorization: string = `Bearer ${TOKEN}`,
): Promise<Reply> {
  const answer = await fetch(`${server.url}/model/customCost?${query}`, {
    method: 'POST',
    body,
    headers: authorization === '' ? {} : { authorization },
  });
  const data = (await answer.json()) as Reply['body'];
  assert.equal(data['code'], answer.status, JSON.stringify(data));
  return { status: answer.status, body: data };
}

async function costsOf(domain: string): Promise<readonly (readonly [number, number])[]> {
  const answer = await server.ask(`/model/customCost/timeseries?${MAY}&filter=domain:${domain}`);
  const { data } = JSON.parse(answer.text) as {
    data: { timeseries: readonly { totalBilledCost: number }[] };
  };
  return data.timeseries.flatMap(({ totalBilledCost }, i): (readonly [number, number])[] =>
    totalBilledCost === 0 ? [] : [[i + 1, totalBilledCost]],
  );
}

describe('a push', () => {
  test('is in the answers with all its fields', async () => {
    const cost = {
      listCost: 15,
      list_unit_price: 2.5,
      usage_quantity: 6,
      usage_unit: 'hosts',
      domain: 'MongoDB Atlas',
      cost_source: 'database',
      zone: 'eu',
      account_name: 'acme, "inc"',
      charge_category: 'purchase',
      description: 'two\nlines',
      resource_name: 'cluster0',
      resource_type: 'cluster',
      provider_id: 'atlas/cluster0',
      labels: { team: 'x' },
    };
    const { status, body } = await push(`source=atlas&${DAY}`, ndjson([line(cost)]));
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body['data'], {
      source: 'atlas',
      window: { start: '2024-05-01T00:00:00Z', end: '2024-05-02T00:00:00Z' },
      rows: 1,
      replacedRows: 0,
    });
    const answer = await server.ask(`/model/customCost/total?${DAY}&filter=label[team]:x`);
    const { data } = JSON.parse(answer.text) as { data: { customCosts: object[] } };
    const [{ id, ...item }] = data.customCosts as [{ id: string }];
    assert.ok(id.length > 0, 'it has an id');
    const { labels: _labels, ...told } = cost;
    assert.deepEqual(item, {
      ...told,
      billedCost: 12.5,
      charge_category: 'Purchase',
      aggregate: 'eu/acme, "inc"/Purchase/two\nlines/cluster0/cluster/atlas/cluster0/hosts/MongoDB Atlas/database',
      cost: 12.5,
      cost_type: 'blended',
    }); // prettier-ignore
  });

  test('replaces the earlier one of the same source and window, whole', async () => {
    await push(
      `source=again&${DAY}`,
      ndjson([line({ domain: 'again' }), line({ domain: 'again', billedCost: 1 })]),
    );
    assert.deepEqual(await costsOf('again'), [[1, 13.5]]);
    const { body } = await push(
      `source=again&${DAY}`,
      ndjson([line({ domain: 'again', billedCost: 2 })]),
    );
    assert.deepEqual((body['data'] as { replacedRows: number }).replacedRows, 2);
    assert.deepEqual(await costsOf('again'), [[1, 2]]);
  });

  test('is listed among the sources', async () => {
    await push(`source=told&${DAY}`, ndjson([line()]));
    const answer = await server.ask('/model/customCost/status');
    const { data } = JSON.parse(answer.text) as { data: { key: string }[] };
    assert.deepEqual(
      data.find(({ key }) => key === 'told'),
      {
        key: 'told',
        source: 'FOCUS',
        active: true,
        valid: true,
        connectionStatus: 'Connection Successful',
        lastRun: '2024-05-20T00:00:00Z',
        runs: 1,
        rows: 1,
        coverage: { start: '2024-05-01T00:00:00Z', end: '2024-05-02T00:00:00Z' },
      },
    );
    assert.equal((await server.ask('/model/cloudCost/status')).text, '{"code":200,"data":[]}');
  });

  test('does not replace one of another source or day', async () => {
    const second = { domain: 'beside', start: '2024-05-02T00:00:00Z', end: '2024-05-03T00:00:00Z', billedCost: 4 }; // prettier-ignore
    await push(`source=one&${DAY}`, ndjson([line({ domain: 'beside', billedCost: 1 })]));
    await push(`source=two&${DAY}`, ndjson([line({ domain: 'beside', billedCost: 2 })]));
    await push(
      'source=one&window=2024-05-02T00:00:00Z,2024-05-03T00:00:00Z',
      ndjson([line(second)]),
    );
    assert.deepEqual(await costsOf('beside'), [
      [1, 3],
      [2, 4],
    ]);
  });

  test('across the window of another is refused, as days would count twice', async () => {
    await push(`source=across&${DAY}`, ndjson([line({ domain: 'across' })]));
    const other = 'source=across&window=2024-04-30T00:00:00Z,2024-05-03T00:00:00Z';
    const { status, body } = await push(other, ndjson([line({ domain: 'across' })]));
    assert.equal(status, 409);
    assert.match(String(body['message']), /'across' has costs of 2024-05-01T00:00:00Z to/);
    assert.deepEqual(await costsOf('across'), [[1, 12.5]]);
  });

  test('waits for those before it', async () => {
    const pushes = Array.from({ length: 6 }, (_, i) =>
      push(`source=many&${DAY}`, ndjson([line({ domain: 'many', billedCost: i + 1 })])),
    );
    for (const { status } of await Promise.all(pushes)) assert.equal(status, 200);
    const [[day, cost] = [0, 0], ...more] = await costsOf('many');
    assert.ok(day === 1 && more.length === 0 && cost >= 1 && cost <= 6, `${cost}`);
  });
});

describe('a wrong line', () => {
  const WRONG: readonly (readonly [name: string, bad: string, shows: RegExp])[] = [
    ['no JSON', '{"start"', /^line 2 is not JSON/],
    ['no object', '[]', /^line 2 is \[\]/],
    ['no cost', '{"start":"2024-05-01T00:00:00Z","end":"2024-05-02T00:00:00Z","domain":"x"}', /^line 2 lacks 'billedCost'/], // prettier-ignore
    ['a text for a cost', JSON.stringify(line({ billedCost: '1' })), /^'billedCost' of line 2 is "1"; it takes number/], // prettier-ignore
    ['a field that is not known', JSON.stringify(line({ cost: 1 })), /^line 2 has '"cost"'/],
    ['no domain', JSON.stringify(line({ domain: '' })), /^'domain' of line 2/],
    ['no time', JSON.stringify(line({ start: 'yesterday' })), /^'start' of line 2 is "yesterday"/],
    ['an end before its start', JSON.stringify(line({ end: '2024-04-01T00:00:00Z' })), /^'end' of line 2 is not after/], // prettier-ignore
    ['a time outside of the window', JSON.stringify(line({ end: '2024-05-02T00:00:01Z' })), /^'start' of line 2 is of a time outside/], // prettier-ignore
    ['a category of its own', JSON.stringify(line({ charge_category: 'gift' })), /^'charge_category' of line 2/], // prettier-ignore
    ['a label that is no text', JSON.stringify(line({ labels: { a: 1 } })), /^'labels.a' of line 2 is 1/], // prettier-ignore
  ];
  for (const [name, bad, shows] of WRONG) {
    test(`for ${name} refuses all`, async () => {
      const good = JSON.stringify(line({ domain: 'refused' }));
      const { status, body } = await push(`source=refused&${DAY}`, `${good}\n${bad}\n${good}\n`);
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(String(body['message']), shows);
      assert.ok(typeof body['hint'] === 'string', 'it has a hint');
      assert.deepEqual(await costsOf('refused'), []);
    });
  }
  const QUERIES: readonly (readonly [query: string, parameter: string])[] = [
    [DAY, 'source'],
    [`source=A B&${DAY}`, 'source'],
    ['source=a', 'window'],
    ['source=a&window=soon', 'window'],
    ['source=a&window=2020-01-01T00:00:00Z,2024-01-01T00:00:00Z', 'window'],
  ];
  for (const [query, parameter] of QUERIES) {
    test(`so is the query ${query}`, async () => {
      const { status, body } = await push(query, ndjson([line()]));
      assert.equal(status, 400);
      assert.equal(body['parameter'], parameter);
    });
  }
  test('so is a body without lines', async () => {
    assert.match(String((await push(`source=a&${DAY}`, ' \n')).body['message']), /no line/);
  });
});

describe('the token', () => {
  for (const shown of ['', 'Bearer', 'Bearer wrong', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`]) {
    test(`is not shown by '${shown}'`, async () => {
      assert.equal((await push(`source=a&${DAY}`, ndjson([line()]), shown)).status, 401);
    });
  }
  test('is renewed with its file', async () => {
    writeFileSync(tokenFile, 'another-token');
    assert.equal((await push(`source=a&${DAY}`, ndjson([line()]))).status, 401);
    assert.equal(
      (await push(`source=a&${DAY}`, ndjson([line()]), 'bearer another-token')).status,
      200,
    );
  });
  test('is named when it is not configured', async () => {
    writeFileSync(tokenFile, '');
    const { status, body } = await push(`source=a&${DAY}`, ndjson([line()]));
    assert.equal(status, 403);
    assert.match(String(body['hint']), /CUSTOM_COST_TOKEN/);
  });
  test("is the server's fault when its file is missing", async () => {
    rmSync(tokenFile);
    assert.equal((await push(`source=a&${DAY}`, ndjson([line()]))).status, 503);
  });
});

test('lines of FOCUS have all texts of costs', () => {
  const window = { startMs: Date.UTC(2024, 4, 1), endMs: Date.UTC(2024, 4, 2) };
  const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '{') });
  const billedCost = fc.double({ min: -1e15, max: 1e15, noNaN: true });
  const cost = fc.record({ description: text, resource_name: text, billedCost });
  fc.assert(
    fc.property(fc.array(cost, { minLength: 1, maxLength: 5 }), (costs) => {
      const csv = pushCsv(ndjson(costs.map((each) => line(each))), window);
      const [header = [], ...own] = readRows(csv, 'csv');
      const cells = (name: string): (string | undefined)[] =>
        own.map((row) => row[header.indexOf(name)]);
      assert.deepEqual(
        cells('ChargeDescription'),
        costs.map(({ description }) => description),
      );
      assert.deepEqual(
        cells('ResourceName'),
        costs.map((each) => each.resource_name),
      );
      assert.deepEqual(
        cells('BilledCost').map(Number),
        costs.map(({ billedCost }) => (Object.is(billedCost, -0) ? 0 : billedCost)),
      );
    }),
  );
});
