/** A walk over all routes: who gets past the gate, by credential and role, with nothing left out. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ROLES } from '../../src/http/index.ts';
import { EXPECTED, OPEN, UNSCOPED } from '../support/route-roles.ts';
import { sampled } from '../support/sampled.ts';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { everything, walkTo, type Answered, type Headers } from '../support/servers/walked-routes.ts'; // prettier-ignore

const folder = mkdtempSync(join(tmpdir(), 'prorata-walk-'));
const file = join(folder, 'tokens.yaml');
after(() => rmSync(folder, { recursive: true, force: true }));

const digest = (token: string): string => createHash('sha256').update(token).digest('hex');
const tokenOf = (role: string): string => `secret-of-${role}`;
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
/** Tokens of single routes, each with the path that it opens and what a wrong body gets there. */
const ROUTE_TOKENS = [
  ['push-token-of-the-walk', '/customCost', '?source=walk&window=2026-11-20,2026-11-21', 400],
  ['write-token-of-the-walk', '/api/v1/write', '', 415],
] as const;

/** What is not let in at all. */
const STRANGERS: readonly (readonly [name: string, headers: Headers])[] = [
  ['without a credential', {}],
  ['with a token that is not known', bearer('guess')],
  ['with a token that has expired', bearer(tokenOf('expired'))],
  ['with an empty token', { authorization: 'Bearer ' }],
  ['with another scheme', { authorization: `Basic ${tokenOf('admin')}` }],
  ['with the digest of a token', bearer(digest(tokenOf('admin')))],
  ['with two tokens in one header', bearer(`${tokenOf('admin')} ${tokenOf('admin')}`)],
  ['with a key that is not known', { 'x-api-key': 'guess' }],
  [
    'with a broken Authorization beside a good key',
    { authorization: 'Bearer', 'x-api-key': tokenOf('admin') },
  ],
];

let server: OwnServer;
before(async () => {
  const lines = [...ROLES, 'expired', 'scoped'].map((name) => {
    const role = name === 'expired' || name === 'scoped' ? 'admin' : name;
    const end = name === 'expired' ? ', expires: 2020-01-01T00:00:00Z' : name === 'scoped' ? ', filter: namespace:web' : ''; // prettier-ignore
    return `- {name: ${name}, sha256: ${digest(tokenOf(name))}, roles: [${role}]${end}}\n`;
  });
  writeFileSync(file, lines.join(''));
  const tokenFiles = ROUTE_TOKENS.map(([token], at) => {
    const path = join(folder, `token-${at}`);
    writeFileSync(path, token);
    return path;
  });
  server = await startOwnServer([
    '--demo=true',
    '--auth=tokens',
    `--tokens=${file}`,
    '--failed-sign-ins=0',
    `--custom-cost-token-file=${tokenFiles[0]}`,
    `--receive-token-file=${tokenFiles[1]}`,
    '--cluster-controller=true',
    '--cost-events-audit=true',
    '--workers=1',
  ]);
});
after(() => server.stop());

const ask = (method: string, path: string, headers: Headers): Promise<Answered> =>
  walkTo(server.url, method, path, headers);

describe('with --auth tokens', () => {
  test('S-12: each route needs the role that is meant for it', () => {
    assert.ok(server.routes.length > 45, `only ${server.routes.length} routes`);
    const meant = new Map<string, string>([
      ...OPEN.map((route) => [route, 'nobody'] as const),
      ...Object.entries(EXPECTED).flatMap(([role, routes]) =>
        routes.map((route) => [route, role] as const),
      ),
    ]);
    const needed = server.routes.map(({ method, path, needs }) => [`${method} ${path}`, needs]);
    assert.deepEqual(
      needed,
      needed.map(([route = '']) => [route, meant.get(route) ?? 'viewer']),
    );
    for (const route of meant.keys())
      assert.ok(
        needed.some(([known]) => known === route),
        `${route} is served`,
      );
  });

  for (const [turn, [name, headers]] of STRANGERS.entries())
    test(`S-12: a request ${name} gets 401 wherever it goes, but at open paths`, async () => {
      for (const [method, path, needs] of sampled(everything(server.routes), { gate: 80, turn })) {
        const reply = await ask(method, path, headers);
        const where = `${method} ${path}`;
        if (needs === 'nobody') {
          assert.notEqual(reply.status, 401, where);
          continue;
        }
        assert.equal(reply.status, 401, where);
        assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer realm="prorata"/, where);
        if (method !== 'HEAD') {
          assert.deepEqual(Object.keys(reply.body).slice(0, 3), ['code', 'message', 'data'], where);
          assert.equal(reply.body.code, 401, where);
        }
      }
    });

  for (const role of ROLES)
    test(`P-A7: the role ${role} gets past where it suffices, and 403 elsewhere names what is needed`, async () => {
      const rank = ROLES.indexOf(role);
      for (const [method, path, needs] of everything(server.routes)) {
        const reply = await ask(method, path, bearer(tokenOf(role)));
        const where = `${method} ${path}`;
        const isEnough = needs === 'nobody' || ROLES.indexOf(needs) <= rank;
        assert.notEqual(reply.status, 401, where);
        assert.notEqual(reply.status, 500, where);
        if (isEnough) {
          const isRefused = reply.status === 403 && reply.body.parameter === 'role';
          assert.ok(!isRefused, `${where}: ${reply.text}`);
          continue;
        }
        assert.equal(reply.status, 403, where);
        if (method === 'HEAD') continue;
        assert.equal(reply.body.parameter, 'role', where);
        assert.match(reply.body.message ?? '', new RegExp(`needs the role ${needs}: ${role} has`));
      }
    });

  test('S-12: who sees some rows alone is refused by routes that cannot tell them apart, and by no other', async () => {
    const refused = server.routes.filter(({ scoping }) => typeof scoping !== 'string');
    assert.deepEqual(
      // Two routes of one path answer in two dialects.
      [...new Set(refused.map(({ method, path }) => `${method} ${path}`))].toSorted(),
      UNSCOPED.toSorted(),
    );
    for (const { method, path } of server.routes) {
      const where = `${method} ${path}`;
      for (const each of [path, `/model${path}`]) {
        const { status, body, text } = await ask(method, each, bearer(tokenOf('scoped')));
        const isRefused = status === 403 && body.parameter === 'filter';
        assert.equal(isRefused, UNSCOPED.includes(where), `${where}: ${text}`);
        if (isRefused) assert.match(body.message ?? '', /is not for callers with a filter: \w/);
      }
    }
  });

  test('readiness is told to all, its details to viewers alone', async () => {
    const bare = await ask('GET', '/readyz', {});
    assert.deepEqual([bare.status, bare.text], [200, '{"ready":true}']);
    const verbose = await ask('GET', '/readyz?verbose', {});
    assert.equal(verbose.status, 403);
    const seen = await ask('GET', '/readyz?verbose', bearer(tokenOf('viewer')));
    assert.match(seen.text, /"source":"the demo store".*"cluster":/);
    assert.equal((await ask('GET', '/healthz', {})).text, '{"status":"ok"}');
  });

  test('a token is taken as a key, too, and /whoami tells whose it is', async () => {
    const reply = await ask('GET', '/whoami', { 'x-api-key': tokenOf('editor') });
    const data = {
      name: 'editor',
      roles: ['editor'],
      filter: null,
      expires: null,
      isSignedIn: true,
    };
    assert.deepEqual(reply.body, { code: 200, data });
  });

  test('answers are for their caller alone', async () => {
    for (const headers of [bearer(tokenOf('viewer')), {}]) {
      const reply = await ask('GET', '/version', headers);
      assert.equal(reply.headers.get('cache-control'), 'private, no-cache');
    }
  });

  for (const [token, path, query, status] of ROUTE_TOKENS) {
    test(`the token of POST ${path} opens it, and nothing else`, async () => {
      for (const prefix of ['', '/model']) {
        const taken = await ask('POST', `${prefix}${path}${query}`, bearer(token));
        assert.equal(taken.status, status, 'the body is wrong, the token is not');
      }
      for (const [method, other, needs] of everything(server.routes)) {
        if (needs === 'nobody' || (method === 'POST' && other.endsWith(path))) continue;
        assert.equal((await ask(method, other, bearer(token))).status, 401, `${method} ${other}`);
      }
      const editor = await ask('POST', `${path}${query}`, bearer(tokenOf('editor')));
      assert.equal(editor.status, status, 'an editor needs no such token');
    });
  }
});

test('without --auth the token of writes guards them alone, and everybody may do all else', async () => {
  const env = { RECEIVE_TOKEN: 'a-token-of-16-characters' };
  const open = await startOwnServer(['--demo=true', '--workers=1', '--front-end=node'], 5000, env);
  const ask = (headers: Headers): Promise<Answered> =>
    walkTo(open.url, 'POST', '/api/v1/write', headers);
  try {
    assert.equal((await ask({})).status, 401);
    assert.equal((await ask(bearer('guess'))).status, 401);
    assert.equal((await walkTo(open.url, 'POST', '/model/api/v1/write', {})).status, 401);
    assert.equal((await ask(bearer(env.RECEIVE_TOKEN))).status, 415);
    assert.equal((await walkTo(open.url, 'GET', '/version', {})).status, 200);
    assert.equal((await walkTo(open.url, 'GET', '/version', bearer('guess'))).status, 200);
  } finally {
    await open.stop();
  }
});

test('without --auth everybody may do all, and a push still wants its token', async () => {
  const open = await startOwnServer(['--demo=true', '--workers=1', '--front-end=node']);
  try {
    const whoami = await fetch(`${open.url}/whoami`);
    assert.deepEqual(await whoami.json(), {
      code: 200,
      data: { name: 'everybody', roles: ['admin'], filter: null, expires: null, isSignedIn: false },
    });
    assert.equal(whoami.headers.get('cache-control'), null);
    const push = '/customCost?source=walk&window=2026-11-20,2026-11-21';
    const reply = await fetch(`${open.url}${push}`, { method: 'POST', body: '{}' });
    assert.equal(reply.status, 403);
  } finally {
    await open.stop();
  }
});
