/** Collections over HTTP: created, read, changed, removed, and stored. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Collection } from '../../src/collections/collection.ts';
import { errorOf, startBundleServer, type BundleServer } from '../support/servers/bundle-server.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-collections-'));
after(() => rmSync(home, { recursive: true, force: true }));

interface Reply {
  readonly status: number;
  readonly text: string;
}

const SHOP = {
  name: 'Shop',
  category: 'Team',
  groups: [
    { selectors: { kubernetes: { kind: 'container', filterString: 'namespace:"shop"' } } },
    { selectors: { cloud: { filterString: 'service:"AmazonS3"' } } },
  ],
};
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

let server: BundleServer;
before(async () => {
  server = await startBundleServer(['--workers=1', '--data-dir', join(home, 'data')]);
});
after(() => server.stop());

async function send(method: string, path: string, body?: unknown): Promise<Reply> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init =
    body === undefined
      ? { method }
      : { method, body: text, headers: { 'content-type': 'application/json' } };
  const response = await fetch(server.url + path, init);
  return { status: response.status, text: await response.text() };
}

function bodyOf<T = Collection>({ status, text }: Reply, expected: number = 200): T {
  assert.equal(status, expected, text);
  return JSON.parse(text) as T;
}

async function made(more: object): Promise<Collection> {
  return bodyOf(await send('POST', '/model/collections', { ...SHOP, ...more }));
}

describe('a collection', () => {
  test('is created with its own id, read by it, and listed, under both spellings', async () => {
    const own = await made({ name: 'Spelled', category: 'Spelling' });
    assert.match(own.id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(own, { ...SHOP, id: own.id, name: 'Spelled', category: 'Spelling' });
    for (const path of ['/model/collection', '/collection', '/model/collections', '/collections']) {
      assert.deepEqual(bodyOf(await send('GET', `${path}?id=${own.id.toUpperCase()}`)), own);
      const listed = bodyOf<object>(await send('GET', `${path}?category=Spelling`));
      assert.deepEqual(listed, { collections: [own] });
    }
  });

  test('is changed and removed only as it is, where a tag says so', async () => {
    const { id } = await made({ name: 'Tagged' });
    const url = `${server.url}/model/collection?id=${id}`;
    const first = (await fetch(url)).headers.get('etag') ?? '';
    const change = (method: string, tag: string, name: string): Promise<Response> =>
      fetch(url, {
        method,
        headers: { 'content-type': 'application/json', 'if-match': tag },
        ...(method === 'PUT' ? { body: JSON.stringify({ ...SHOP, name }) } : {}),
      });
    const second = await change('PUT', first, 'Tagged twice');
    assert.equal(second.status, 200);
    const tag = second.headers.get('etag') ?? '';
    assert.notEqual(tag, first);
    for (const [method, sent, status] of [
      ['PUT', first, 412],
      ['DELETE', first, 412],
      ['PUT', `"x", W/${tag}`, 200],
      ['PUT', '*', 200],
      ['DELETE', '*', 200],
    ] as const) {
      const reply = await change(method, sent, 'Tagged twice');
      assert.equal(reply.status, status, `${method} ${sent}`);
      if (status === 412) assert.match(await reply.text(), /was changed since you read it/);
    }
  });

  test('is replaced as a whole under the same id', async () => {
    const { id } = await made({ name: 'Old' });
    const next = bodyOf(await send('PUT', `/model/collection?id=${id}`, { id, name: 'New' }));
    assert.deepEqual(next, { id, name: 'New', category: '', groups: [] });
    assert.deepEqual(bodyOf(await send('GET', `/collection?id=${id}`)), next);
  });

  test('is removed once', async () => {
    const own = await made({ name: 'Gone' });
    assert.deepEqual(bodyOf(await send('DELETE', `/model/collection?id=${own.id}`)), own);
    bodyOf(await send('GET', `/collection?id=${own.id}`), 404);
    bodyOf(await send('DELETE', `/collection?id=${own.id}`), 404);
  });

  test('may have groups without a filter, groups of both domains, and fields sent as null', async () => {
    const groups = [
      { selectors: { kubernetes: { filterString: ' ' }, cloud: { filterString: '' } } },
      { selectors: { cloud: { filterString: 'label[team]:"shop"' }, kubernetes: null } },
    ];
    const own = await made({ name: 'Odd', category: null, groups });
    assert.deepEqual(own.groups, [
      {
        selectors: {
          kubernetes: { kind: 'container', filterString: ' ' },
          cloud: { filterString: '' },
        },
      },
      { selectors: { cloud: { filterString: 'label[team]:"shop"' } } },
    ]);
    assert.equal(own.category, '');
  });

  test('may have the name of a collection in another category', async () => {
    await made({ name: 'Twin', category: 'Team' });
    await made({ name: 'Twin', category: 'Product' });
    await made({ name: 'Twin', category: '' });
  });

  test('is refused if its category has the name already, also when many come at once', async () => {
    const sent = Array.from({ length: 8 }, () => send('POST', '/collections', { name: 'Once' }));
    const codes = (await Promise.all(sent)).map(({ status }) => status);
    assert.deepEqual(
      codes.toSorted((a, b) => a - b),
      [200, 409, 409, 409, 409, 409, 409, 409],
    );
    const other = await made({ name: 'Other', category: '' });
    const refused = await send('PUT', `/collection?id=${other.id}`, { name: ' Once ' });
    assert.match(bodyOf<{ message: string }>(refused, 409).message, /'Once' without a category/);
    bodyOf(await send('PUT', `/collection?id=${other.id}`, { name: 'Other', groups: [] }));
  });
});

const deep = (text: string, domain: string = 'kubernetes'): object => ({
  name: 'X',
  groups: [SHOP.groups[0], { selectors: { [domain]: { filterString: text } } }],
});

const TOO_MANY = Array.from({ length: 501 }, (_, i) => `label[l${i}]:"x"`).join('|');

const MISTAKES: readonly [string, string, string, unknown, number, string | undefined, RegExp][] = [
  ['an id that is none', 'GET', '?id=7', undefined, 400, 'id', /'7' is not the id of a coll.* UUID/],
  ['an id nobody has', 'GET', `?id=${UNKNOWN_ID}`, undefined, 404, 'id', /no collection 0000/],
  ['a change of nothing', 'PUT', '', SHOP, 400, 'id', /'id' is missing/],
  ['a change of an id nobody has', 'PUT', `?id=${UNKNOWN_ID}`, SHOP, 404, 'id', /no collection 0000/],
  ['the removal of nothing', 'DELETE', '', undefined, 400, 'id', /'id' is missing/],
  ['no body', 'POST', '', '', 400, undefined, /the body is not JSON/],
  ['no name', 'POST', '', {}, 400, undefined, /the body lacks 'name'/],
  ['a blank name', 'POST', '', { name: ' ' }, 400, 'name', /'name' of the body has 0 char/],
  ['a long name', 'POST', '', { name: 'x'.repeat(201) }, 400, 'name', /has 201 characters/],
  ['a name of two lines', 'POST', '', { name: 'a\nb' }, 400, 'name', /on one line/],
  ['an id of its own', 'POST', '', { name: 'X', id: UNKNOWN_ID }, 400, 'id', /is given its id/],
  ['another id', 'PUT', `?id=${UNKNOWN_ID}`, { name: 'X', id: 'x' }, 400, 'id', /not the one that/],
  ['a mistyped field', 'POST', '', { name: 'X', group: [] }, 400, undefined, /is it 'groups'/],
  ['a group of nothing', 'POST', '', { name: 'X', groups: [{ selectors: {} }] }, 400, 'groups[0].selectors', /takes kubernetes or cloud/],
  ['an unknown domain', 'POST', '', deep('', 'clouds'), 400, 'groups[1].selectors', /is it 'cloud'/],
  ['a filter that does not parse', 'POST', '', deep('namespace:"a"+pod:'), 400, 'groups[1].selectors.kubernetes.filterString', /the end at character 19 is not a value/],
  ['a field of the other domain', 'POST', '', deep('namespace:"a"', 'cloud'), 400, 'groups[1].selectors.cloud.filterString', /'namespace' at character 1 is not one of .*accountID/],
  ['too many comparisons', 'POST', '', deep(TOO_MANY), 400, 'groups[1].selectors.kubernetes.filterString', /more than 500 comparisons/],
]; // prettier-ignore

describe('a request is refused, naming the field, for', () => {
  for (const [what, method, query, body, status, parameter, message] of MISTAKES) {
    test(what, async () => {
      const before = await send('GET', '/collections');
      const reply = await send(method, `/model/collection${query}`, body);
      const error = bodyOf<ReturnType<typeof errorOf>>(reply, status);
      assert.match(error.message, message);
      assert.equal(error.parameter, parameter);
      assert.equal(error.code, status);
      assert.deepEqual(await send('GET', '/collections'), before);
    });
  }
});

test('S-9: deep, long and too many bodies are refused, and the server goes on', async () => {
  const deep = (levels: number): string => `{"name":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const shallow = bodyOf<ReturnType<typeof errorOf>>(
    await send('POST', '/collection', deep(60)),
    400,
  );
  assert.match(
    shallow.message,
    /^'name' of the body is \[{80}…; it takes string$|^'name' of the body is \[/,
  );
  const deeper = bodyOf<ReturnType<typeof errorOf>>(
    await send('POST', '/collection', deep(50_000)),
    400,
  );
  assert.equal(deeper.message, 'the body nests deeper than 64 levels');
  const long = bodyOf<ReturnType<typeof errorOf>>(
    await send('PUT', `/collection?id=${UNKNOWN_ID}`, ' '.repeat(200_000)),
    413,
  );
  assert.equal(long.message, 'the body has 200000 bytes; a collection takes 131072');
  const filterString = `namespace:${'a'.repeat(130_000)}`;
  const groups = [{ selectors: { kubernetes: { filterString } } }];
  const statuses: number[] = [];
  for (let i = 0; i < 40; i++) {
    statuses.push((await send('POST', '/collection', { name: `long ${i}`, groups })).status);
  }
  assert.equal(statuses[0], 200);
  assert.equal(statuses.at(-1), 409);
  const { collections } = bodyOf<{ readonly collections: readonly Collection[] }>(
    await send('GET', '/collections'),
  );
  for (const { id, name } of collections) {
    if (name.startsWith('long ')) bodyOf(await send('DELETE', `/collection?id=${id}`));
  }
  assert.deepEqual(server.errors, []);
});

test('collections are not charged for idle until that is set', async () => {
  assert.deepEqual(bodyOf<object>(await send('GET', '/model/collection/configs')), {
    idle: 'hide',
  });
  const next = { idle: 'shareByNode' };
  assert.deepEqual(bodyOf<object>(await send('PUT', '/collections/configs', next)), next);
  assert.deepEqual(bodyOf<object>(await send('GET', '/collection/configs')), next);
  const error = bodyOf<ReturnType<typeof errorOf>>(
    await send('POST', '/collection/configs', { idle: 'share' }),
    400,
  );
  assert.match(error.message, /"hide" or "shareByCluster" or "shareByNode"/);
});

test('everything is there after a restart, and a damaged file is set aside with a note', async () => {
  const folder = join(home, 'stored');
  const file = join(folder, 'collections.json');
  const flags = ['--workers=1', '--data-dir', folder];
  const restarted = async <T>(ask: (own: BundleServer) => Promise<T>): Promise<T> => {
    const own = await startBundleServer(flags);
    try {
      return await ask(own);
    } finally {
      await own.stop();
    }
  };
  const body = JSON.stringify(SHOP);
  const idle = JSON.stringify({ idle: 'shareByCluster' });
  const stored = await restarted(async ({ url }) => {
    const headers = { 'content-type': 'application/json' };
    await fetch(`${url}/collections`, { method: 'POST', body, headers });
    await fetch(`${url}/collection/configs`, { method: 'PUT', body: idle, headers });
    return (await fetch(`${url}/collections`)).text();
  });
  assert.match(stored, /"name":"Shop"/);
  const bytes = readFileSync(file, 'utf8');
  const seen = await restarted(async (own) => [
    (await own.ask('/collections')).text,
    (await own.ask('/collection/configs')).text,
  ]);
  assert.deepEqual(seen, [stored, idle]);
  writeFileSync(file, bytes.replace('Shop', 'Ship'));
  assert.equal((await restarted((own) => own.ask('/collections'))).text, '{"collections":[]}');
  const [aside = ''] = readdirSync(join(folder, 'quarantine'));
  assert.match(aside, /^collections-\d+\.json$/);
  const text = readFileSync(join(folder, 'quarantine', aside), 'utf8');
  assert.equal(text, bytes.replace('Shop', 'Ship'));
});
