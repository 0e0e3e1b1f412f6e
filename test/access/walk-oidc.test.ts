/** The walk over all routes, where an issuer tells who asks: by its tokens, and by the cookie of a browser. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { generateKeyPair, SignJWT } from 'jose';
import { sealerOf } from '../../src/access/sealed.ts';
import { ROLES } from '../../src/http/index.ts';
import { EXPECTED, OPEN, UNSCOPED } from '../support/route-roles.ts';
import { LOGIN_COOKIE, SESSION_COOKIE, SESSION_KEY, startLoginWorld, type LoginWorld } from '../support/servers/login-world.ts'; // prettier-ignore
import { sampled } from '../support/sampled.ts';
import { everything, walkTo, type Answered, type Headers } from '../support/servers/walked-routes.ts'; // prettier-ignore

const LOGIN_ROUTES = ['GET /login', 'GET /login/callback', 'POST /logout'];
const ALL_ROWS = '*';

let world: LoginWorld;
before(async () => {
  world = await startLoginWorld([
    '--cluster-controller=true',
    '--cost-events-audit=true',
    '--oidc-filter-claim=rows',
    `--group-roles=${ROLES.map((role) => `${role}s=${role}`).join()}`,
  ]);
});
after(() => world?.stop());

const ask = (method: string, path: string, headers: Headers): Promise<Answered> =>
  walkTo(world.server.url, method, path, headers);
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const session = (text: string): Headers => ({ cookie: `${SESSION_COOKIE}=${text}` });
const claimsOf = (role: string, rows: string = ALL_ROWS): Record<string, unknown> => ({
  groups: [`${role}s`],
  preferred_username: role,
  rows,
});

/**
 * What is asked by everybody; by the first of a kind all else that is served, too.
 * `/logout` ends the session of the walk: it comes last.
 */
function walked(isFirst: boolean): ReturnType<typeof everything> {
  const { routes } = world.server;
  const all = isFirst
    ? everything(routes)
    : routes.map(({ method, path, needs }) => [method, `/model${path}`, needs] as const);
  const isLast = (path: string): boolean => path.endsWith('/logout');
  return [...all.filter(([, path]) => !isLast(path)), ...all.filter(([, path]) => isLast(path))];
}

const sealed = (key: Uint8Array, purpose: string, expiresMs: number): string => {
  const value = { csrf: 'x', expiresMs, claims: { sub: 'root', ...claimsOf('admin') } };
  return sealerOf(key, purpose, Date.now).seal(value, expiresMs);
};
const KEY = Buffer.from(SESSION_KEY, 'hex');
const LATER_MS = Date.now() + 3_600_000;

type Made = () => Headers | Promise<Headers>;

const STRANGERS: readonly (readonly [name: string, made: Made])[] = [
  ['without a credential', () => ({})],
  ['with a token that is none', () => bearer('guess')],
  ['with a token that has expired', async () => bearer(await world.issuer.sign({ ...claimsOf('admin'), exp: 1 }))],
  ['with a token for others', async () => bearer(await world.issuer.sign({ ...claimsOf('admin'), aud: 'other' }))],
  ['with a token that another key signed', forged],
  ['with a token of a browser’s client', async () => bearer(await world.issuer.sign({ ...claimsOf('admin'), aud: 'page' }))],
  ['with a cookie that is none', () => session('A'.repeat(80))],
  ['with a cookie of 16 KB', () => session('A'.repeat(16_000))],
  ['with a cookie of another key', () => session(sealed(Buffer.alloc(32, 1), 'session', LATER_MS))],
  ['with a cookie that was sealed for a sign-in', () => session(sealed(KEY, 'login', LATER_MS))],
  ['with a cookie that has expired', () => session(sealed(KEY, 'session', Date.now() - 1))],
  ['with a session under the name of a sign-in', () => ({ cookie: `${LOGIN_COOKIE}=${sealed(KEY, 'session', LATER_MS)}` })],
  ['with a broken token beside a good cookie', () => ({ ...session(sealed(KEY, 'session', LATER_MS)), ...bearer('guess') })],
]; // prettier-ignore

async function forged(): Promise<Headers> {
  const { privateKey } = await generateKeyPair('ES256');
  const { url, audience } = world.issuer;
  const told = { iss: url, aud: audience, sub: 'u-1', exp: Math.floor(LATER_MS / 1000) };
  const token = new SignJWT({ ...told, ...claimsOf('admin') });
  return bearer(await token.setProtectedHeader({ alg: 'ES256', kid: 'k0' }).sign(privateKey));
}

test('S-12: routes of signing in are open to all, and every other needs what it needs by tokens', () => {
  const needed = world.server.routes.map(({ method, path, needs }) => [`${method} ${path}`, needs]);
  const meant = (route: string): string => {
    if ([...OPEN, ...LOGIN_ROUTES].includes(route)) return 'nobody';
    return ROLES.find((role) => EXPECTED[role]?.includes(route)) ?? 'viewer';
  };
  assert.deepEqual(
    needed,
    needed.map(([route = '']) => [route, meant(route)]),
  );
  const known = new Set(needed.map(([route]) => route));
  for (const route of LOGIN_ROUTES) assert.ok(known.has(route), route);
});

for (const [place, [name, made]] of STRANGERS.entries())
  test(`S-12: a request ${name} gets 401 wherever it goes, but at open paths`, async () => {
    const headers = await made();
    for (const [method, path, needs] of sampled(walked(place === 0), { gate: 40, turn: place })) {
      const { status, headers: told } = await ask(method, path, headers);
      const where = `${method} ${path}`;
      if (needs === 'nobody') {
        assert.ok(status !== 401 && status < 500, `${where}: ${status}`);
        continue;
      }
      assert.equal(status, 401, where);
      assert.match(told.get('www-authenticate') ?? '', /^Bearer realm="prorata"/, where);
    }
  });

const CREDENTIALS: readonly (readonly [name: string, of: (role: string) => Promise<Headers>])[] = [
  ['a token', async (role) => bearer(await world.issuer.sign(claimsOf(role)))],
  [
    'a cookie',
    async (role) => {
      const { cookie, csrf } = await world.signIn(claimsOf(role));
      return { cookie, 'x-csrf-token': csrf };
    },
  ],
];

for (const [kind, credentialOf] of CREDENTIALS)
  for (const [rank, role] of ROLES.entries())
    test(`P-A7: ${kind} of the role ${role} gets past where it suffices, and 403 elsewhere`, async () => {
      const headers = await credentialOf(role);
      for (const [method, path, needs] of walked(role === 'editor')) {
        const { status, body, text } = await ask(method, path, headers);
        const where = `${method} ${path}`;
        assert.ok(status !== 401 && status !== 500, `${where}: ${status} ${text}`);
        const isEnough = needs === 'nobody' || ROLES.indexOf(needs) <= rank;
        // HEAD tells the status alone; nobody began what `/login/callback` ends.
        const isOfRole =
          body.parameter === 'role' || (method === 'HEAD' && !path.endsWith('/callback'));
        const isMeant = !isEnough && !(method === 'HEAD' && path.endsWith('/callback'));
        assert.equal(status === 403 && isOfRole, isMeant, `${where}: ${text}`);
      }
      const after = await ask('GET', '/whoami', headers);
      assert.equal(after.status, kind === 'a cookie' ? 401 : 200, 'the cookie was signed out');
    });

for (const [kind, scopedOf] of [
  ['a token', async () => bearer(await world.issuer.sign(claimsOf('admin', 'namespace:web')))],
  ['a cookie', scopedCookie],
] as const)
  test(`S-12: ${kind} with a filter is refused by routes that cannot tell rows apart, and by no other`, async () => {
    const headers = await scopedOf();
    for (const { method, path } of world.server.routes) {
      if (path.endsWith('/logout')) continue;
      const { status, body, text } = await ask(method, path, headers);
      const where = `${method} ${path}`;
      const isRefused = status === 403 && body.parameter === 'filter';
      assert.equal(isRefused, UNSCOPED.includes(where), `${where}: ${text}`);
    }
  });

async function scopedCookie(): Promise<Headers> {
  const { cookie, csrf } = await world.signIn(claimsOf('admin', 'namespace:web'));
  return { cookie, 'x-csrf-token': csrf };
}

test('S-17: a cookie alone reads, and changes nothing wherever it goes', async () => {
  const { cookie } = await world.signIn(claimsOf('admin'));
  for (const { method, path, needs } of world.server.routes) {
    if (method === 'GET' || (needs === 'nobody' && !path.endsWith('/logout'))) continue;
    const { status, body } = await ask(method, path, { cookie });
    assert.deepEqual([status, body.parameter], [403, 'x-csrf-token'], `${method} ${path}`);
  }
  assert.equal((await ask('GET', '/whoami', { cookie })).status, 200);
  assert.deepEqual(world.server.errors, []);
});
