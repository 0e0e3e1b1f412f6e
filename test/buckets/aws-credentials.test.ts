/** Keys of AWS as EKS and instances give them, used for a store that checks them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { openBuckets, readBucketUrl, type Bucket } from '../../src/buckets/index.ts';
import { cloudsOf } from '../support/servers/cloud-options.ts';
import { startCloud, type CloudAnswer, type CloudRequest, type ScriptedCloud } from '../support/servers/scripted-cloud.ts'; // prettier-ignore
import { listed as keysBelow, refusalOf } from '../support/stores/bucket-reads.ts';
import { failed, s3Answer, s3Script, type S3Script } from '../support/stores/s3-script.ts';

const ROLE = 'arn:aws:iam::123456789012:role/prorata-bills';
const folder = mkdtempSync(join(tmpdir(), 'prorata-aws-'));
const tokenFile = join(folder, 'token');
after(() => rmSync(folder, { recursive: true }));

let script: S3Script;
let store: ScriptedCloud;
let platform: ScriptedCloud;
let nowMs: number;
/** What gives keys: STS, the agent of a node, the metadata of an instance. */
let give: (request: CloudRequest) => CloudAnswer;
let given = 0;

beforeEach(async () => {
  nowMs = Date.now();
  given = 0;
  script = { ...s3Script('exports'), nowMs: () => nowMs };
  script.files.set('a.csv', { content: 'x', etag: '"1"' });
  store = await startCloud((request) => s3Answer(script, request));
  platform = await startCloud((request) => give(request));
  writeFileSync(tokenFile, 'token-of-the-pod-1\n');
});
afterEach(() => {
  store.close();
  platform.close();
});

/** Keys that the store knows from now on, for an hour; those before are not known any more. */
function newKeys(): Record<'id' | 'secret' | 'token' | 'end', string> {
  given++;
  const keys = { id: `ASIA${given}`, secret: `sEcReT-${given}`, token: `SESSION-SECRET-${given}` };
  script.secrets.clear();
  script.secrets.set(keys.id, keys.secret);
  script.sessionToken = keys.token;
  return { ...keys, end: new Date(nowMs + 3_600_000).toISOString() };
}

function jsonKeys(): CloudAnswer {
  const { id, secret, token, end } = newKeys();
  const body = { AccessKeyId: id, SecretAccessKey: secret, Token: token, Expiration: end };
  return { body: JSON.stringify(body) };
}

function sts({ body, method, url }: CloudRequest): CloudAnswer {
  const form = new URLSearchParams(body);
  const wanted = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: ROLE,
    RoleSessionName: 'prorata',
  };
  for (const [name, value] of Object.entries(wanted)) assert.equal(form.get(name), value);
  assert.equal(`${method} ${url.pathname}${url.search}`, 'POST /', 'no token is in a URL');
  const token = form.get('WebIdentityToken') ?? '';
  if (!/^token-of-the-pod-\d$/.test(token)) return failed(400, 'InvalidIdentityToken');
  const { id, secret, token: session, end } = newKeys();
  return {
    body: `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><SessionToken>${session}</SessionToken><SecretAccessKey>${secret}</SecretAccessKey><Expiration>${end}</Expiration><AccessKeyId>${id}</AccessKeyId></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
  };
}

function bucketOf(variables: Readonly<Record<string, string>>): Bucket {
  const place = readBucketUrl('s3://exports/') ?? assert.fail();
  const all = { AWS_ENDPOINT_URL: store.origin, AWS_REGION: 'eu-central-1', ...variables };
  return openBuckets(cloudsOf(all, () => nowMs))(place);
}

const byWebIdentity = (): Record<string, string> => ({
  AWS_ENDPOINT_URL_STS: platform.origin,
  AWS_ROLE_ARN: ROLE,
  AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
});
const listed = async (bucket: Bucket): Promise<number> => (await keysBelow(bucket, '')).length;
const refusedAs = async (bucket: Bucket): Promise<string> => {
  const said = await refusalOf(listed(bucket), /SECRET|sEcReT|token-of-the-pod/);
  const [, place, message = ''] = /^(cannot read s3:\/\/exports\/: )(.*)$/.exec(said) ?? [];
  assert.ok(place !== undefined, `${said} names the bucket`);
  return message.replaceAll(new URL(platform.origin).host, 'HOST');
};

test('a web identity token is changed for keys, and again before they end, read anew from its file', async () => {
  give = sts;
  const bucket = bucketOf(byWebIdentity());
  assert.equal(await listed(bucket), 1);
  assert.equal(await listed(bucket), 1);
  assert.equal(given, 1, 'keys are kept');
  writeFileSync(tokenFile, 'token-of-the-pod-2');
  nowMs += 56 * 60_000;
  assert.equal(await listed(bucket), 1);
  const last = new URLSearchParams(platform.requests.at(-1)?.body);
  assert.deepEqual([given, last.get('WebIdentityToken')], [2, 'token-of-the-pod-2']);
});

test('keys that the store calls ended are fetched anew, once', async () => {
  give = sts;
  const bucket = bucketOf(byWebIdentity());
  await listed(bucket);
  store.next.push(failed(400, 'ExpiredToken'));
  assert.equal(await listed(bucket), 1);
  assert.equal(given, 2);
  store.next.push(...[1, 2, 3].map(() => failed(400, 'ExpiredToken')));
  assert.equal(await refusedAs(bucket), '400 ExpiredToken');
});

const REFUSED: readonly (readonly [status: number, code: string, message: RegExp])[] = [
  [403, 'AccessDenied', /role\/prorata-bills from HOST: 403 AccessDenied: the trust policy of the role must permit sts:AssumeRoleWithWebIdentity/],
  [400, 'InvalidIdentityToken', /400 InvalidIdentityToken: the account of the role must know the OIDC provider/],
  [400, 'ExpiredTokenException', /400 ExpiredTokenException: the token file is not renewed$/],
  [503, 'ServiceUnavailable', /503 ServiceUnavailable$/],
]; // prettier-ignore
for (const [status, code, message] of REFUSED)
  test(`S-13: ${code} of STS is told without the token`, async () => {
    give = () => failed(status, code);
    assert.match(await refusedAs(bucketOf(byWebIdentity())), message);
  });

test('a token file that is missing or empty is named', async () => {
  writeFileSync(tokenFile, '\n');
  assert.equal(
    await refusedAs(bucketOf(byWebIdentity())),
    `the web identity token of AWS, ${tokenFile}, is empty`,
  );
  rmSync(tokenFile);
  assert.match(
    await refusedAs(bucketOf(byWebIdentity())),
    /cannot read the web identity token of AWS, .*: ENOENT/,
  );
});

test('the agent of EKS Pod Identity gives keys for the token of its file', async () => {
  give = ({ headers }) =>
    headers.authorization === 'token-of-the-pod-1' ? jsonKeys() : { status: 401 };
  const variables = {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${platform.origin}/v1/credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile,
  };
  assert.equal(await listed(bucketOf(variables)), 1);
  writeFileSync(tokenFile, 'other');
  assert.match(
    await refusedAs(bucketOf(variables)),
    /^no keys from the agent of EKS Pod Identity at HOST: 401: the cluster needs the add-on eks-pod-identity-agent/,
  );
});

test('S-11: an agent that is neither of this node nor https is not asked', async () => {
  for (const host of [
    '10.0.0.1',
    'agent.example.com',
    '169.254.169.254',
    '127.0.0.1.example.com',
  ]) {
    const uri = `http://${host}/v1/credentials`;
    const message = await refusedAs(bucketOf({ AWS_CONTAINER_CREDENTIALS_FULL_URI: uri }));
    assert.match(message, /only https, or an address of this node, is asked for keys$/);
  }
});

/** The second version of the metadata: no answer without a session. */
function metadata({ method, url, headers }: CloudRequest): CloudAnswer {
  const roles = '/latest/meta-data/iam/security-credentials/';
  if (method === 'PUT' && url.pathname === '/latest/api/token')
    return headers['x-aws-ec2-metadata-token-ttl-seconds'] === '21600'
      ? { body: 'SESSION' }
      : { status: 400 };
  if (headers['x-aws-ec2-metadata-token'] !== 'SESSION') return { status: 401 };
  if (url.pathname === roles) return { body: 'node-role\n' };
  return url.pathname === `${roles}node-role` ? jsonKeys() : { status: 404 };
}

test('an instance gives keys by the second version of its metadata', async () => {
  give = metadata;
  const variables = {
    AWS_EC2_METADATA_SERVICE_ENDPOINT: platform.origin,
    AWS_EC2_METADATA_DISABLED: 'false',
  };
  assert.equal(await listed(bucketOf(variables)), 1);
  assert.deepEqual(
    platform.requests.map(({ method }) => method),
    ['PUT', 'GET', 'GET'],
  );
  give = (request) => (request.method === 'GET' ? { status: 404 } : metadata(request));
  assert.match(
    await refusedAs(bucketOf(variables)),
    /^no keys from the metadata of the instance: 404: the instance has no role$/,
  );
  platform.requests.length = 0;
  await refusedAs(bucketOf({ ...variables, AWS_EC2_METADATA_DISABLED: 'true' }));
  assert.equal(platform.requests.length, 0, 'it is left alone');
});

test('without metadata requests are not signed, and who asks is told', async () => {
  const variables = {
    AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:1',
    AWS_EC2_METADATA_DISABLED: 'false',
  };
  assert.match(
    await refusedAs(bucketOf(variables)),
    /403 AccessDenied: nobody \(there are no credentials: no keys, no role of a service account, and no metadata of an instance\) needs s3:ListBucket/,
  );
});

test('keys of the environment come before a role, a role before the agent', async () => {
  give = sts;
  const agent = { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://10.0.0.1/' };
  assert.equal(await listed(bucketOf({ ...byWebIdentity(), ...agent })), 1);
  script.sessionToken = 'a';
  script.secrets.set('AKID', 'b');
  const own = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'b', AWS_SESSION_TOKEN: 'a' };
  assert.equal(await listed(bucketOf({ ...byWebIdentity(), ...own })), 1);
  assert.equal(given, 1);
});
