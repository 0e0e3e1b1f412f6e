/** Signing in by a browser, from `/login` to `/logout`, at a real issuer over real sockets. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sealerOf } from '../../src/access/sealed.ts';
import { CLIENT_SECRET, startIssuer, type TestIssuer } from '../support/servers/issuer.ts';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'prorata-login-'));
const KEY = 'ab'.repeat(32);
const PUBLIC = 'https://costs.example.com';
const SESSION = '__Host-prorata';
const PAGE = '/ /ui /ui/page.js /ui/page.css /ui/icon.svg';
const CLAIMS = { groups: ['editors', 'staff'], preferred_username: 'ana' };

let issuer: TestIssuer;
let server: OwnServer;
before(async () => {
  issuer = await startIssuer();
  writeFileSync(join(folder, 'secret'), `${CLIENT_SECRET}\n`);
  writeFileSync(join(folder, 'key'), `${KEY}\n`);
  server = await startOwnServer([
    '--demo=true',
    '--workers=1',
    '--auth=oidc',
    '--oidc-audience=prorata',
    `--oidc-issuer=${issuer.url}`,
    '--oidc-client-id=page',
    `--oidc-client-secret-file=${join(folder, 'secret')}`,
    `--session-key-file=${join(folder, 'key')}`,
    `--public-url=${PUBLIC}/`,
    '--group-roles=editors=editor',
  ]);
});
after(async () => {
  await server.stop();
  await issuer.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly location: string;
  /** The cookie that was set, `name=value`. */
  readonly cookie: string;
  readonly setCookie: string;
}

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(
  path: string,
  cookie: string,
  { method = 'GET', headers = {} }: Asking = {},
): Promise<Answered> {
  const reply = await fetch(`${server.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(cookie === '' ? {} : { cookie }) },
  });
  const setCookie = reply.headers.get('set-cookie') ?? '';
  const location = reply.headers.get('location') ?? '';
  const [first = ''] = setCookie.split(';');
  return { status: reply.status, text: await reply.text(), location, cookie: first, setCookie };
}

/** The path with which the issuer leads back, and the cookie that the browser has then. */
async function begun(
  claims: object = CLAIMS,
  query: string = '',
): Promise<[path: string, cookie: string]> {
  const { status, location, cookie } = await ask(`/login${query}`, '');
  assert.equal(status, 302);
  const back = issuer.signIn(location, { ...claims });
  assert.ok(back.startsWith(`${PUBLIC}/login/callback?code=`), back);
  return [back.slice(PUBLIC.length), cookie];
}

async function signedIn(): Promise<[cookie: string, csrf: string]> {
  const { cookie } = await ask(...(await begun()));
  const whoami = JSON.parse((await ask('/whoami', cookie)).text) as { data: { csrfToken: string } };
  return [cookie, whoami.data.csrfToken];
}

test('S-12: a browser signs in, asks, changes and signs out', async () => {
  const [path, login] = await begun(CLAIMS, '?return=/collections%3Fa=b');
  const back = await ask(path, login);
  assert.deepEqual([back.status, back.location], [302, `${PUBLIC}/collections?a=b`]);
  assert.match(
    back.setCookie,
    /^__Host-prorata=[\w-]+; Path=\/; Max-Age=28800; HttpOnly; Secure; SameSite=Lax$/,
  );
  const whoami = JSON.parse((await ask('/whoami', back.cookie)).text) as {
    data: Record<string, unknown>;
  };
  const { csrfToken, expires, ...data } = whoami.data;
  assert.deepEqual(data, { name: 'ana', roles: ['editor'], filter: null, isSignedIn: true });
  assert.ok(Date.parse(String(expires)) > Date.now() + 7 * 3_600_000);
  const headers = { 'x-csrf-token': String(csrfToken) };
  const made = await ask('/collections', back.cookie, { method: 'POST', headers });
  assert.equal(made.status, 400, 'an empty body is wrong, who asks is right');
  assert.equal((await ask('/admin/log-level', back.cookie)).status, 403);
  const out = await ask('/logout', back.cookie, { method: 'POST', headers });
  assert.deepEqual([out.status, out.cookie], [204, `${SESSION}=`]);
  const later = await ask('/whoami', back.cookie);
  assert.equal(later.status, 401, 'a copy of the cookie has ended, too');
  assert.match(later.text, /the session has ended.*\/login/);
});

test('the request that a browser is led to has PKCE, a state and a nonce that differ each time', async () => {
  const urls = await Promise.all([ask('/login', ''), ask('/login', '')]);
  const [one, two] = urls.map(({ location }) => new URL(location).searchParams);
  for (const name of ['state', 'nonce', 'code_challenge']) {
    assert.equal(one?.get(name)?.length, 43);
    assert.notEqual(one?.get(name), two?.get(name));
  }
  assert.equal(one?.get('code_challenge_method'), 'S256');
  assert.equal(one?.get('redirect_uri'), `${PUBLIC}/login/callback`);
  for (const { setCookie } of urls)
    assert.match(setCookie, /^__Host-prorata-login=.*Max-Age=600; HttpOnly; Secure; SameSite=Lax$/);
});

type Attack = () => Promise<readonly [path: string, cookie: string]>;

const ATTACKS: readonly (readonly [name: string, attack: Attack, why: RegExp])[] = [
  ['that was used before', replayed, /was used before/],
  [
    'with a nonce of another',
    () => begun({ ...CLAIMS, nonce: 'other' }),
    /that of another sign-in/,
  ],
  ['without a nonce', () => begun({ ...CLAIMS, nonce: undefined }), /that of another sign-in/],
  ['with a code that was stolen', stolen, /does not take the code/],
  ['in another browser', async () => [(await begun())[0], ''], /this browser began none/],
  [
    'with the state of another',
    async () => [(await begun())[0], (await begun())[1]],
    /state is that of another/,
  ],
  ['with a session in the place of what was begun', swapped, /this browser began none/],
  ['for another client', () => begun({ ...CLAIMS, aud: 'other' }), /for another audience/],
  [
    'with another client that is authorized',
    () => begun({ ...CLAIMS, azp: 'other' }),
    /for another client/,
  ],
  [
    'of another issuer',
    () => begun({ ...CLAIMS, iss: 'https://other.example.com' }),
    /of another issuer/,
  ],
  [
    'with iss of another issuer',
    () => more('&iss=https://other.example.com'),
    /iss is another issuer/,
  ],
  ['that was cancelled', () => more('&error=access_denied'), /the issuer tells access_denied/],
  ['with an error that is markup', () => more('&error=%3Cb%3E'), /the issuer tells an error/],
  ['with two codes', () => more('&code=x'), /parameter 'code' came 2 times/],
];

async function replayed(): Promise<readonly [string, string]> {
  const one = await begun();
  assert.equal((await ask(...one)).status, 302);
  return one;
}

/** The code of somebody else, with the own state: PKCE refuses it. */
async function stolen(): Promise<readonly [string, string]> {
  const [theirs] = await begun();
  const [path, cookie] = await begun();
  const code = new URLSearchParams(theirs.split('?')[1]).get('code') ?? '';
  return [path.replace(/code=[^&]+/, `code=${code}`), cookie];
}

async function swapped(): Promise<readonly [string, string]> {
  const [session] = await signedIn();
  return [(await begun())[0], session.replace(SESSION, `${SESSION}-login`)];
}

async function more(query: string): Promise<readonly [string, string]> {
  const [path, cookie] = await begun();
  return [path + query, cookie];
}

for (const [name, attack, why] of ATTACKS)
  test(`S-12: a sign-in ${name} is refused`, async () => {
    const { status, text, setCookie } = await ask(...(await attack()));
    assert.ok(status === 403 || status === 400, text);
    assert.match(text, why);
    assert.equal(setCookie, '');
  });

test('S-17: a change with the cookie alone is refused, and needs the token of its session', async () => {
  const [cookie, csrf] = await signedIn();
  const [, other] = await signedIn();
  const tries: readonly Readonly<Record<string, string>>[] = [
    {},
    { 'x-csrf-token': '' },
    { 'x-csrf-token': other },
  ];
  for (const headers of tries)
    for (const [method, path] of [
      ['POST', '/collections'],
      ['DELETE', '/none'],
      ['POST', '/logout'],
    ] as const) {
      const { status, text } = await ask(path, cookie, { method, headers });
      assert.equal(status, 403, `${method} ${path}`);
      assert.match(text, /"parameter":"x-csrf-token"/);
    }
  const right = { method: 'POST', headers: { 'x-csrf-token': csrf } };
  assert.equal((await ask('/collections', cookie, right)).status, 400);
});

test('S-12: a cookie that was changed, made up or sealed for something else is no session', async () => {
  const [cookie] = await signedIn();
  const at = cookie.length - 30;
  const changed = cookie.slice(0, at) + (cookie[at] === 'A' ? 'B' : 'A') + cookie.slice(at + 1);
  const login = (await begun())[1].replace(`${SESSION}-login`, SESSION);
  const value = {
    csrf: 'x',
    expiresMs: Date.now() + 60_000,
    claims: { sub: 'root', groups: ['editors'] },
  };
  const otherKey = sealerOf(Buffer.alloc(32, 1), 'session', Date.now).seal(value, 9e15);
  const ended = sealerOf(Buffer.from(KEY, 'hex'), 'session', Date.now).seal(value, Date.now() - 1);
  const good = sealerOf(Buffer.from(KEY, 'hex'), 'session', Date.now).seal(value, 9e15);
  for (const text of [
    changed,
    login,
    `${SESSION}=`,
    `${SESSION}=${'A'.repeat(60)}`,
    `${SESSION}=${otherKey}`,
    `${SESSION}=${ended}`,
  ])
    assert.equal((await ask('/whoami', text)).status, 401, text);
  const ofFile = await ask('/whoami', `${SESSION}=${good}`);
  assert.equal(ofFile.status, 200, 'the key is the one of the file');
  assert.equal((await ask('/healthz', `${SESSION}=${ended}`)).status, 200);
});

test('S-12: what is open to all is the page without data, health, readiness and the sign-in', () => {
  const open = server.routes.filter(({ needs }) => needs === 'nobody').map(({ path }) => path);
  assert.equal(open.join(' '), `${PAGE} /healthz /readyz /login /login/callback /logout`);
});

test('a token that comes beside a cookie counts', async () => {
  const [cookie] = await signedIn();
  const refused = await ask('/whoami', cookie, { headers: { authorization: 'Bearer guess' } });
  assert.equal(refused.status, 401);
  const token = await issuer.sign({ groups: ['editors'] });
  const headers = { authorization: `Bearer ${token}` };
  const made = await ask('/collections', cookie, { method: 'POST', headers });
  assert.equal(made.status, 400, 'who sends a token by itself needs no second one');
});

test('who has no role is signed in, and may do nothing', async () => {
  const { cookie } = await ask(...(await begun({ groups: ['staff'] })));
  const { status, text } = await ask('/version', cookie);
  assert.equal(status, 403);
  assert.match(text, /u-1 has no role/);
});

const ELSEWHERE = [
  '//evil.example.com',
  '/\\evil.example.com',
  '/.//evil.example.com',
  '/a/..//evil.example.com',
  '/\t/evil.example.com',
  'https://evil.example.com',
  'javascript:alert(1)',
  'a',
  '\\\\evil',
  ` /a`,
  `/${'x'.repeat(1000)}`,
];

for (const path of ELSEWHERE)
  test(`S-12: a sign-in does not lead to ${JSON.stringify(path.slice(0, 40))}`, async () => {
    const { status, text } = await ask(`/login?return=${encodeURIComponent(path)}`, '');
    assert.equal(status, 400);
    assert.match(text, /parameter 'return': .* is not a path of this server/);
  });

test('a server whose browsers could not be led back does not start', async () => {
  const flags = ['--demo=true', '--auth=oidc', '--oidc-audience=a', '--oidc-client-id=page'];
  await assert.rejects(
    startOwnServer([...flags, `--oidc-issuer=${issuer.url}`]),
    /needs --public-url/,
  );
});
