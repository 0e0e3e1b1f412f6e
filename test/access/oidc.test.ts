/** Callers that an issuer of OpenID Connect names, by tokens of a real issuer over real sockets. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exportSPKI, SignJWT, UnsecuredJWT } from 'jose';
import { ROLES } from '../../src/http/index.ts';
import { startIssuer, type TestIssuer } from '../support/servers/issuer.ts';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';

const GROUPS = 'viewers=viewer,editors=editor,operators=operator,admins=admin';
const FLAGS = ['--demo=true', '--workers=1', '--auth=oidc', `--group-roles=${GROUPS}`];
const DATA = '/allocation/compute?window=12h&aggregate=namespace&accumulate=true';
const now = (): number => Math.floor(Date.now() / 1000);

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

let issuer: TestIssuer;
let server: OwnServer;
/** Every token that a test sends: none may be told. */
const sent: string[] = [];
const told: string[] = [];

async function ask(path: string, token: string, of: OwnServer = server): Promise<Answered> {
  if (token.length > 40) sent.push(token);
  const reply = await fetch(`${of.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const text = await reply.text();
  told.push(text, JSON.stringify([...reply.headers]));
  return { status: reply.status, text, headers: reply.headers };
}

const started = (of: TestIssuer, flags: readonly string[] = []): Promise<OwnServer> =>
  startOwnServer([...FLAGS, `--oidc-issuer=${of.url}`, `--oidc-audience=${of.audience}`, ...flags]);

before(async () => {
  issuer = await startIssuer();
  server = await started(issuer);
});
after(async () => {
  await server.stop();
  await issuer.stop();
});

type Make = () => Promise<string> | string;

const REFUSED: readonly (readonly [name: string, make: Make, why: RegExp])[] = [
  ['that has expired', () => issuer.sign({ exp: now() - 60 }), /has expired/],
  ['that is not valid yet', () => issuer.sign({ nbf: now() + 60 }), /not valid yet/],
  ['of another issuer', () => issuer.sign({ iss: 'https://other.example.com' }), /another issuer/],
  ['for another audience', () => issuer.sign({ aud: 'grafana' }), /another audience/],
  ['for no audience', () => issuer.sign({ aud: undefined }), /another audience|claim/],
  ['that never expires', () => issuer.sign({ exp: undefined }), /a claim of the token is missing/],
  ['of nobody', () => issuer.sign({ sub: undefined }), /a claim of the token is missing/],
  ['that is not signed', unsecured, /no JWT|algorithm/],
  ['that is signed with the public key as a secret', signedByPublicKey, /algorithm/],
  ['with a signature of another token', otherSignature, /signature of the token is wrong/],
  ['of an unknown key', () => issuer.sign({}, { kid: 'none' }), /none of the keys/],
  ['that is no JWT', () => 'guess', /no JWT/],
  ['of two parts', async () => (await issuer.sign()).split('.').slice(0, 2).join('.'), /no JWT/],
  ['that is huge', () => issuer.sign({ more: 'x'.repeat(9000) }), /longer than 8192|too large/i],
  ['with a critical header that is not known', critical, /no JWT/],
];

function unsecured(): string {
  return new UnsecuredJWT({ sub: 'u-1', groups: ['admins'], iss: issuer.url, aud: issuer.audience })
    .setExpirationTime(now() + 60)
    .encode();
}

async function signedByPublicKey(): Promise<string> {
  const secret = new TextEncoder().encode(await exportSPKI(issuer.publicKey()));
  return new SignJWT({ sub: 'u-1', groups: ['admins'], iss: issuer.url, aud: issuer.audience })
    .setProtectedHeader({ alg: 'HS256', kid: 'k0' })
    .setExpirationTime(now() + 60)
    .sign(secret);
}

async function otherSignature(): Promise<string> {
  const [one, two] = await Promise.all([
    issuer.sign({ groups: ['admins'] }),
    issuer.sign({ groups: [] }),
  ]);
  return [...one.split('.').slice(0, 2), two.split('.')[2]].join('.');
}

async function critical(): Promise<string> {
  const [, payload, signature] = (await issuer.sign()).split('.');
  const header = JSON.stringify({ alg: 'ES256', kid: 'k0', crit: ['b65'], b65: true });
  return [Buffer.from(header).toString('base64url'), payload, signature].join('.');
}

describe('with --auth oidc', () => {
  for (const [name, make, why] of REFUSED)
    test(`S-12: a token ${name} is refused`, async () => {
      const { status, text, headers } = await ask('/whoami', await make());
      assert.equal(status, 401, text);
      assert.match(text, why);
      assert.match(headers.get('www-authenticate') ?? '', /error="invalid_token"/);
      assert.equal((await ask('/healthz', await make())).status, 200);
    });

  test('a token that ends after all dates is told to end at the last of them', async () => {
    for (const exp of [1e15, Number.MAX_VALUE]) {
      const token = await issuer.sign({ exp, groups: 'viewers' });
      const { status, text } = await ask('/whoami', token);
      assert.equal(status, 200, text);
      assert.match(text, /"expires":"\+275760-09-13T00:00:00.000Z"/);
    }
  });

  test('S-12: a token within 30 seconds of its times is taken, as clocks differ', async () => {
    for (const claims of [{ exp: now() - 10 }, { nbf: now() + 10 }]) {
      const token = await issuer.sign({ ...claims, groups: 'viewers' });
      assert.equal((await ask('/none', token)).status, 404);
    }
  });

  for (const role of ROLES)
    test(`P-A7: a group is mapped to the role ${role}`, async () => {
      const exp = now() + 300;
      const groups = ['staff', `${role}s`, '__proto__'];
      const token = await issuer.sign({ groups, exp, preferred_username: `ana of ${role}` });
      const { text } = await ask('/whoami', token);
      const expires = new Date(exp * 1000).toISOString();
      const data = {
        name: `ana of ${role}`,
        roles: [role],
        filter: null,
        expires,
        isSignedIn: true,
      };
      assert.deepEqual(JSON.parse(text), { code: 200, data });
      assert.equal((await ask('/admin/log-level', token)).status, role === 'admin' ? 200 : 403);
    });

  for (const groups of [undefined, [], ['staff'], [['admins']], { admins: true }, 7])
    test(`S-12: who has the groups ${JSON.stringify(groups)} may do nothing`, async () => {
      const { status, text } = await ask(DATA, await issuer.sign({ groups }));
      assert.equal(status, 403);
      assert.match(text, /needs the role viewer: u-1 has no role/);
    });

  test('callers are named by what their token has of names', async () => {
    const names = [
      { preferred_username: 'ana', email: 'a@example.com' },
      { preferred_username: '', email: 'a@example.com' },
      { preferred_username: 'a\nb', email: 7 },
    ];
    const found: string[] = [];
    for (const claims of names) {
      const { text } = await ask('/whoami', await issuer.sign({ ...claims, groups: ['viewers'] }));
      found.push((JSON.parse(text) as { data: { name: string } }).data.name);
    }
    assert.deepEqual(found, ['ana', 'a@example.com', 'u-1']);
  });

  test('a token that was verified is not verified again, and the issuer is asked once', async () => {
    const token = await issuer.sign({ groups: ['viewers'] });
    for (let i = 0; i < 20; i++) assert.equal((await ask('/version', token)).status, 200);
    const configurations = issuer.asked.filter((path) => path.includes('well-known'));
    assert.equal(configurations.length, 1);
    assert.ok(issuer.asked.filter((path) => path === '/keys').length <= 2, issuer.asked.join(' '));
  });

  test('S-13: no part of a token is told or logged', () => {
    assert.ok(sent.length > 20);
    const all = told.join('\n') + JSON.stringify(server.errors);
    for (const token of sent)
      for (const part of token.split('.').filter(({ length }) => length > 20))
        assert.ok(!all.includes(part), `${part.slice(0, 10)} is told`);
  });
});

describe('with a claim that has the filter of rows', () => {
  let scoped: OwnServer;
  before(async () => {
    scoped = await started(issuer, ['--oidc-filter-claim=rows']);
  });
  after(() => scoped.stop());

  test('P-A7: it is joined to what its caller asks', async () => {
    const everything = await ask(
      DATA,
      await issuer.sign({ groups: ['viewers'], rows: '*' }),
      scoped,
    );
    assert.match(everything.text, /"name":"web"/);
    assert.match(everything.text, /"name":"ml"/);
    const token = await issuer.sign({ groups: ['viewers'], rows: 'namespace:"web"' });
    const some = await ask(DATA, token, scoped);
    assert.equal(some.status, 200);
    assert.match(some.text, /"name":"web"/);
    assert.doesNotMatch(some.text, /"name":"ml"/);
    assert.match((await ask('/whoami', token, scoped)).text, /"filter":"namespace:\\"web\\""/);
  });

  for (const rows of [undefined, '', ' ', 'namespace:', 'shop:"a"', 7, ['namespace:"web"'], null])
    test(`S-12: who has the filter ${JSON.stringify(rows)} sees nothing`, async () => {
      const token = await issuer.sign({ groups: ['admins'], rows });
      for (const path of [DATA, DATA, '/none', '/whoami']) {
        const { status, text } = await ask(path, token, scoped);
        assert.equal(status, 403, text);
        assert.match(text, /the claim rows of the token is not a filter of rows/);
      }
      assert.equal((await ask('/readyz', token, scoped)).status, 200);
    });
});

test('an issuer that is down is told as such, and not as a wrong token', async () => {
  const down = await startIssuer();
  await down.stop();
  const waiting = await started(down);
  try {
    const token = await down.sign({ groups: ['viewers'] });
    for (let i = 0; i < 3; i++) {
      const { status, text, headers } = await ask('/version', token, waiting);
      assert.equal(status, 503);
      assert.equal(headers.get('retry-after'), '5');
      assert.match(text, new RegExp(`the issuer ${down.url} cannot be asked who signs in`));
    }
    assert.equal(waiting.errors.length, 1, 'it is asked and logged once in five seconds');
    assert.equal((await ask('/version', 'guess', waiting)).status, 401);
    for (const path of ['/healthz', '/readyz'])
      assert.equal((await ask(path, token, waiting)).status, 200);
  } finally {
    await waiting.stop();
  }
});

for (const flag of ['--oidc-issuer=https://login.example.com', '--oidc-audience=prorata'])
  test(`a server with ${flag} alone does not start with --auth oidc`, async () => {
    await assert.rejects(startOwnServer([...FLAGS, flag]), /--auth oidc needs --oidc-/);
  });
