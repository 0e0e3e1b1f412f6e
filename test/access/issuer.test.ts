/** How tokens of an issuer are verified while its keys change, and what an issuer may not tell. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Issuer, issuerUrl } from '../../src/access/issuer.ts';
import { verifierOf, type Verify } from '../../src/access/jwt.ts';
import { Unavailable } from '../../src/query/index.ts';
import { startIssuer, type TestIssuer } from '../support/servers/issuer.ts';

let issuer: TestIssuer;
before(async () => {
  issuer = await startIssuer();
});
after(() => issuer.stop());

function verifier(cooldownMs: number, failures: string[] = []): Verify {
  const own = new Issuer(issuer.url, (sentence) => void failures.push(sentence));
  return verifierOf({ issuer: own, audience: issuer.audience, nowMs: Date.now, cooldownMs });
}

test('a key that the issuer changes is found without a new start, and the old one is refused', async () => {
  const verify = verifier(0);
  const old = await issuer.sign();
  assert.ok('claims' in (await verify(old)));
  await issuer.rotate();
  assert.ok('claims' in (await verify(await issuer.sign())));
  assert.deepEqual(await verify(old), {
    why: 'the token is signed by none of the keys of the issuer',
  });
});

test('keys that strangers make up do not make the issuer be asked each time', async () => {
  const verify = verifier(60_000);
  assert.ok('claims' in (await verify(await issuer.sign())));
  const before = issuer.asked.length;
  for (let i = 0; i < 10; i++) {
    const token = await issuer.sign({}, { kid: `x${i}` });
    assert.ok('why' in (await verify(token)));
  }
  assert.equal(issuer.asked.length, before);
});

test('known keys go on verifying while the issuer is down', async () => {
  const failures: string[] = [];
  const verify = verifier(0, failures);
  const [token, unknown] = [await issuer.sign(), await issuer.sign({}, { kid: 'other' })];
  assert.ok('claims' in (await verify(token)));
  await issuer.stop();
  try {
    await assert.rejects(verify(unknown), Unavailable);
    await assert.rejects(verify(unknown), Unavailable);
    assert.ok('claims' in (await verify(token)));
    assert.equal(failures.length, 1, failures.join('\n'));
  } finally {
    await issuer.start();
  }
});

const ODD: readonly (readonly [name: string, document: object, why: RegExp])[] = [
  ['that is another', { issuer: 'https://other.example.com' }, /that of another issuer/],
  ['without keys', { jwks_uri: null }, /has no jwks_uri by https/],
  ['with keys by plain http', { jwks_uri: 'http://keys.example.com/' }, /has no jwks_uri by https/],
  ['with keys in a file', { jwks_uri: 'file:///etc/passwd' }, /has no jwks_uri by https/],
  ['with keys that are not there', { jwks_uri: 'http://127.0.0.1:PORT/gone' }, /answers 404/],
  [
    'with keys that are none',
    { jwks_uri: 'http://127.0.0.1:PORT/.well-known/openid-configuration' },
    /its keys cannot be used/,
  ],
];

for (const [name, document, why] of ODD)
  test(`S-12: an issuer ${name} verifies nothing`, async () => {
    const { port } = new URL(issuer.url);
    issuer.pretend(JSON.parse(JSON.stringify(document).replace('PORT', port)) as object);
    try {
      await assert.rejects(verifier(0)(await issuer.sign()), (error: unknown) => {
        assert.ok(error instanceof Unavailable, String(error));
        assert.match(error.message, why);
        return true;
      });
    } finally {
      issuer.pretend({});
    }
  });

const URLS: readonly (readonly [text: string, isAccepted: boolean])[] = [
  ['https://login.example.com/realms/main', true],
  ['http://127.0.0.1:8080', true],
  ['http://localhost/', true],
  ['http://[::1]:1', true],
  ['http://login.example.com', false],
  ['http://127.0.0.1.example.com', false],
  ['https://me:secret@login.example.com', false],
  ['https://login.example.com#a', false],
  ['ftp://login.example.com', false],
  ['login.example.com', false],
];

for (const [text, isAccepted] of URLS)
  test(`the issuer ${text} is ${isAccepted ? 'accepted' : 'refused'}`, () => {
    assert.equal(issuerUrl(text) !== undefined, isAccepted);
  });
