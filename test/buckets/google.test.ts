/** Buckets of Google, by each identity that Google gives to who asks. */
import assert from 'node:assert/strict';
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, afterEach, beforeEach, test } from 'node:test';
import { openBuckets, readBucketUrl, type Bucket } from '../../src/buckets/index.ts';
import { cloudsOf } from '../support/servers/cloud-options.ts';
import { startCloud, type CloudAnswer, type CloudRequest, type ScriptedCloud } from '../support/servers/scripted-cloud.ts'; // prettier-ignore
import { listed, refusalOf } from '../support/stores/bucket-reads.ts';
import { gcsAnswer, googleError, type GcsScript } from '../support/stores/gcs-script.ts';

const folder = mkdtempSync(join(tmpdir(), 'prorata-google-'));
const credentials = join(folder, 'credentials.json');
const tokenFile = join(folder, 'token');
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
after(() => rmSync(folder, { recursive: true }));

let script: GcsScript;
let store: ScriptedCloud;
let platform: ScriptedCloud;
let give: (request: CloudRequest) => CloudAnswer;
let nowMs: number;

beforeEach(async () => {
  nowMs = Date.now();
  script = { bucket: 'exports', token: 'none', files: new Map() };
  for (const name of ['f/1.csv', 'f/ü ?#+&.csv', 'f/3.csv', 'g.csv'])
    script.files.set(name, { content: name, generation: `${name.length}` });
  store = await startCloud((request) => gcsAnswer(script, request));
  platform = await startCloud((request) => give(request));
});
afterEach(() => {
  store.close();
  platform.close();
});

const signal = AbortSignal.timeout(30_000);
const refusedAs = async (work: Promise<unknown>): Promise<string> =>
  (await refusalOf(work, /SECRET|token-of-the-pod|PRIVATE/)).replaceAll(
    new URL(platform.origin).host,
    'HOST',
  );

function bucketOf(variables: Readonly<Record<string, string>> = {}): Bucket {
  const place = readBucketUrl('gs://exports/f/') ?? assert.fail();
  const metadata = { GCE_METADATA_HOST: new URL(platform.origin).host };
  const all = { GCS_ENDPOINT_URL: store.origin, ...metadata, ...variables };
  return openBuckets(cloudsOf(all, () => nowMs))(place);
}

/** A token that the store takes from now on. */
function newToken(): string {
  return (script.token = `SECRET-${platform.requests.length}`);
}

function metadata({ url, headers }: CloudRequest): CloudAnswer {
  assert.equal(url.pathname, '/computeMetadata/v1/instance/service-accounts/default/token');
  assert.equal(headers['metadata-flavor'], 'Google');
  const body = JSON.stringify({ access_token: newToken(), expires_in: 3600, token_type: 'Bearer' });
  return { body, headers: { 'metadata-flavor': 'Google' } };
}

test('a bucket is listed page by page and read, by the token of the metadata server', async () => {
  give = metadata;
  const bucket = bucketOf();
  assert.deepEqual((await listed(bucket, 'f/')).toSorted(), ['f/1.csv', 'f/3.csv', 'f/ü ?#+&.csv']);
  const { objects } = await bucket.list('f/', () => true, signal);
  for (const object of objects)
    assert.equal(await text((await bucket.read(object, signal)).body), object.key);
  assert.equal((await bucket.find('g.csv', signal)).objects[0]?.version, '5');
  assert.equal(platform.requests.length, 1, 'the token is kept');
  nowMs += 56 * 60_000;
  await listed(bucket, 'f/');
  assert.equal(platform.requests.length, 2);
});

test('a token that is refused is fetched anew, once', async () => {
  give = metadata;
  const bucket = bucketOf();
  await listed(bucket, 'f/');
  script.token = 'changed';
  assert.equal((await listed(bucket, 'f/')).length, 3);
  give = () => ({
    body: JSON.stringify({ access_token: 'SECRET', expires_in: 60 }),
    headers: { 'metadata-flavor': 'Google' },
  });
  script.token = 'changed';
  assert.match(
    await refusedAs(listed(bucket, 'f/')),
    /401 authError: the service account of the metadata server needs/,
  );
});

test('refusals tell the permission, the file and the version', async () => {
  give = metadata;
  const bucket = bucketOf();
  const [object] = (await bucket.list('f/1', () => true, signal)).objects;
  store.next.push(googleError(403, 'forbidden'));
  assert.equal(
    await refusedAs(listed(bucket, 'f/')),
    'cannot read gs://exports/f/: 403 forbidden: the service account of the metadata server needs storage.objects.list on gs://exports, as the role Storage Object Viewer (roles/storage.objectViewer) has it',
  );
  store.next.push(googleError(403, 'forbidden'));
  assert.match(
    await refusedAs(bucket.find('g.csv', signal)),
    /^cannot read gs:\/\/exports\/g\.csv: 403 forbidden: .* needs storage\.objects\.get on/,
  );
  store.next.push(googleError(404, 'notFound'));
  assert.match(await refusedAs(listed(bucket, 'f/')), /404 notFound: there is no such bucket$/);
  assert.match(
    await refusedAs(bucket.find('h.csv', signal)),
    /404 notFound: there is no such file$/,
  );
  script.files.set('f/1.csv', { content: 'new', generation: '8' });
  assert.ok(object !== undefined);
  assert.match(await refusedAs(bucket.read(object, signal)), /412 conditionNotMet: it was written/);
});

test('S-11: what is no metadata server of Google gives no token', async () => {
  give = () => ({ body: JSON.stringify({ access_token: 'a', expires_in: 60 }) });
  assert.match(
    await refusedAs(listed(bucketOf(), 'f/')),
    /what answers is no metadata server of Google$/,
  );
  assert.match(
    await refusedAs(listed(bucketOf({ GCE_METADATA_HOST: '127.0.0.1:1' }), 'f/')),
    /no token from the metadata server 127\.0\.0\.1:1: ./,
  );
  assert.equal(store.requests.length, 0);
});

function serviceAccount(): void {
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const account = {
    type: 'service_account',
    client_email: 'bills@p.iam.gserviceaccount.com',
    private_key_id: 'k1',
    private_key: key,
    token_uri: `${platform.origin}/token`,
  };
  writeFileSync(credentials, JSON.stringify(account));
}

test('the key of a service account signs a claim that is changed for a token', async () => {
  serviceAccount();
  give = ({ body, method, url }) => {
    const form = new URLSearchParams(body);
    assert.deepEqual([method, url.search], ['POST', '']);
    assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [head = '', claims = '', signature = ''] = form.get('assertion')?.split('.') ?? [];
    const verify = createVerify('RSA-SHA256').update(`${head}.${claims}`);
    assert.ok(verify.verify(publicKey, signature, 'base64url'), 'the signature holds');
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    assert.deepEqual(read(head), { alg: 'RS256', typ: 'JWT', kid: 'k1' });
    const iat = Math.floor(nowMs / 1000);
    assert.deepEqual(read(claims), {
      iss: 'bills@p.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/devstorage.read_only',
      aud: `${platform.origin}/token`,
      iat,
      exp: iat + 3600,
    });
    return { body: JSON.stringify({ access_token: newToken(), expires_in: 3599 }) };
  };
  assert.equal(
    (await listed(bucketOf({ GOOGLE_APPLICATION_CREDENTIALS: credentials }), 'f/')).length,
    3,
  );
  give = () => ({
    status: 400,
    headers: { date: new Date(nowMs - 3_600_000).toUTCString() },
    body: '{"error":"invalid_grant","error_description":"QUOTED-SECRET"}',
  });
  assert.equal(
    await refusedAs(listed(bucketOf({ GOOGLE_APPLICATION_CREDENTIALS: credentials }), 'f/')),
    'cannot read gs://exports/f/: no token for the service account bills@p.iam.gserviceaccount.com from HOST: 400 invalid_grant; the clock of this machine is 60 min ahead of theirs: set it right',
  );
});

const FEDERATION = {
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
  credential_source: {
    file: tokenFile,
    format: { type: 'json', subject_token_field_name: 'id_token' },
  },
};

test('the token of another issuer is changed for one of Google, and that for a service account', async () => {
  const acting =
    '/v1/projects/-/serviceAccounts/bills@p.iam.gserviceaccount.com:generateAccessToken';
  const token_url = `${platform.origin}/v1/token`;
  const service_account_impersonation_url = `${platform.origin}${acting}`;
  const file = { ...FEDERATION, token_url, service_account_impersonation_url };
  writeFileSync(credentials, JSON.stringify(file));
  writeFileSync(tokenFile, JSON.stringify({ id_token: 'token-of-the-pod' }));
  give = ({ body, url, headers }) => {
    if (url.pathname === acting) {
      assert.equal(headers.authorization, 'Bearer FEDERATED');
      const expireTime = new Date(nowMs + 3_600_000).toISOString();
      return { body: JSON.stringify({ accessToken: newToken(), expireTime }) };
    }
    const form = new URLSearchParams(body);
    assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:token-exchange');
    assert.equal(form.get('subject_token'), 'token-of-the-pod');
    assert.match(form.get('audience') ?? '', /workloadIdentityPools\/p\/providers\/k$/);
    return { body: JSON.stringify({ access_token: 'FEDERATED', expires_in: 3600 }) };
  };
  const variables = { GOOGLE_APPLICATION_CREDENTIALS: credentials };
  assert.equal((await listed(bucketOf(variables), 'f/')).length, 3);
  give = ({ url }) =>
    url.pathname === acting
      ? { status: 403, body: '{"error":{"status":"PERMISSION_DENIED","message":"QUOTED-SECRET"}}' }
      : { body: JSON.stringify({ access_token: 'FEDERATED', expires_in: 3600 }) };
  assert.match(
    await refusedAs(listed(bucketOf(variables), 'f/')),
    /cannot act as bills@p\.iam\.gserviceaccount\.com: 403 PERMISSION_DENIED: it needs the role Workload Identity User/,
  );
});

const WRONG_FILES: readonly (readonly [name: string, content: object | string, message: RegExp])[] = [
  ['is no JSON', '{PRIVATE', /credentials\.json is no file of service_account or external_account$/],
  ['has another type', { type: 'authorized_user' }, /is no file of service_account/],
  ['sends tokens over plain HTTP', { ...FEDERATION, token_url: 'http://sts.example.com/' }, /token_url is no https URL$/],
  ['has no file of a token', { ...FEDERATION, credential_source: { url: 'http://169.254.169.254/' } }, /credential_source has no file; only tokens in files are read$/],
  ['has a key that is none', { type: 'service_account', token_uri: 'https://127.0.0.1:1', private_key: 'PRIVATE' }, /has no private key that can be read$/],
]; // prettier-ignore
for (const [name, content, message] of WRONG_FILES)
  test(`S-13: a file of credentials that ${name} is named, with nothing of it`, async () => {
    writeFileSync(credentials, typeof content === 'string' ? content : JSON.stringify(content));
    const variables = { GOOGLE_APPLICATION_CREDENTIALS: credentials };
    assert.match(await refusedAs(listed(bucketOf(variables), 'f/')), message);
    assert.equal(platform.requests.length, 0);
  });

test('S-13: a file without the token that another one promises is named, with nothing of it', async () => {
  writeFileSync(credentials, JSON.stringify(FEDERATION));
  writeFileSync(tokenFile, '{"other":"PRIVATE"}');
  const message = await refusedAs(
    listed(bucketOf({ GOOGLE_APPLICATION_CREDENTIALS: credentials }), 'f/'),
  );
  assert.match(message, /token has no token where .*credentials\.json says$/);
});
