/** Containers of Azure, by workload identity and by the managed identity of a node. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, afterEach, beforeEach, test } from 'node:test';
import { openBuckets, readBucketUrl, type Bucket } from '../../src/buckets/index.ts';
import { cloudsOf } from '../support/servers/cloud-options.ts';
import { startCloud, type CloudAnswer, type CloudRequest, type ScriptedCloud } from '../support/servers/scripted-cloud.ts'; // prettier-ignore
import { azureAnswer, blobError } from '../support/stores/azure-script.ts';
import { listed, refusalOf } from '../support/stores/bucket-reads.ts';

const CLIENT = '11111111-2222-3333-4444-555555555555';
const TENANT = '66666666-7777-8888-9999-000000000000';
const folder = mkdtempSync(join(tmpdir(), 'prorata-azure-'));
const tokenFile = join(folder, 'token');
after(() => rmSync(folder, { recursive: true }));

let token: string;
let files: Map<string, string>;
let store: ScriptedCloud;
let platform: ScriptedCloud;
let give: (request: CloudRequest) => CloudAnswer;

beforeEach(async () => {
  token = 'none';
  files = new Map(['f/1.csv', 'f/ü &+.csv', 'f/3.csv', 'g.csv'].map((name) => [name, name]));
  store = await startCloud((request) => azureAnswer({ token, files }, request));
  platform = await startCloud((request) => give(request));
  writeFileSync(tokenFile, 'token-of-the-pod');
});
afterEach(() => {
  store.close();
  platform.close();
});

const signal = AbortSignal.timeout(30_000);
const refusedAs = async (work: Promise<unknown>): Promise<string> =>
  (await refusalOf(work, /SECRET|token-of-the-pod/)).replaceAll(
    new URL(platform.origin).host,
    'HOST',
  );

function bucketOf(variables: Readonly<Record<string, string>>): Bucket {
  const place = readBucketUrl('azblob://bills1/exports/f/') ?? assert.fail();
  const all = { AZBLOB_ENDPOINT_URL: `${store.origin}/{account}`, ...variables };
  return openBuckets(cloudsOf(all))(place);
}

const federated = (): Record<string, string> => ({
  AZURE_CLIENT_ID: CLIENT,
  AZURE_TENANT_ID: TENANT,
  AZURE_FEDERATED_TOKEN_FILE: tokenFile,
  AZURE_AUTHORITY_HOST: `${platform.origin}/`,
});

/** A token that the store takes from now on. */
function newToken(expiresIn: number | string): CloudAnswer {
  token = `SECRET-${platform.requests.length}`;
  return { body: JSON.stringify({ access_token: token, expires_in: expiresIn }) };
}

function entra({ body, method, url }: CloudRequest): CloudAnswer {
  assert.equal(`${method} ${url.pathname}${url.search}`, `POST /${TENANT}/oauth2/v2.0/token`);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
    grant_type: 'client_credentials',
    client_id: CLIENT,
    scope: 'https://storage.azure.com/.default',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: 'token-of-the-pod',
  });
  return newToken(3599);
}

test('a container is listed page by page and read, by the token of the service account', async () => {
  give = entra;
  const bucket = bucketOf(federated());
  const all = ['f/1.csv', 'f/3.csv', 'f/ü &+.csv', 'f/\u{fffe}.csv'];
  assert.deepEqual((await listed(bucket, 'f/')).toSorted(), all.toSorted());
  const { objects } = await bucket.list('f/', (key) => files.has(key), signal);
  for (const object of objects)
    assert.equal(await text((await bucket.read(object, signal)).body), object.key);
  const [found] = (await bucket.find('f/1.csv', signal)).objects;
  assert.deepEqual(found, objects[0], 'a file alone is as in the list');
  assert.equal(platform.requests.length, 1, 'the token is kept');
  token = 'changed';
  await listed(bucket, 'f/');
  assert.equal(platform.requests.length, 2, 'until it is refused');
});

test('the managed identity of a node is asked where no token is mounted', async () => {
  give = ({ url, headers }) => {
    assert.equal(headers['metadata'], 'true');
    const asked = `${url.pathname}?${[...url.searchParams].map((pair) => pair.join('=')).join('&')}`;
    assert.equal(
      asked,
      `/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https://storage.azure.com/&client_id=${CLIENT}`,
    );
    return newToken('3599');
  };
  const variables = {
    AZURE_POD_IDENTITY_AUTHORITY_HOST: platform.origin,
    AZURE_CLIENT_ID: CLIENT,
  };
  assert.equal((await listed(bucketOf(variables), 'f/')).length, 4);
  give = () => ({
    status: 400,
    body: '{"error":"invalid_request","error_description":"Identity not found QUOTED-SECRET"}',
  });
  assert.equal(
    await refusedAs(listed(bucketOf(variables), 'f/')),
    'cannot read azblob://bills1/exports/f/: no token of a managed identity: 400 invalid_request',
  );
});

test('refusals tell the role, the file and the version', async () => {
  give = entra;
  const bucket = bucketOf(federated());
  const [object] = (await bucket.find('f/1.csv', signal)).objects;
  store.next.push(blobError(403, 'AuthorizationPermissionMismatch'));
  assert.equal(
    await refusedAs(listed(bucket, 'f/')),
    `cannot read azblob://bills1/exports/f/: 403 AuthorizationPermissionMismatch: the workload identity ${CLIENT} needs the role Storage Blob Data Reader on the container exports or the account bills1`,
  );
  store.next.push(blobError(404, 'ContainerNotFound'));
  assert.match(
    await refusedAs(listed(bucket, 'f/')),
    /404 ContainerNotFound: there is no such container$/,
  );
  assert.match(
    await refusedAs(bucket.find('h.csv', signal)),
    /404 BlobNotFound: there is no such file$/,
  );
  files.set('f/1.csv', 'of another length');
  assert.ok(object !== undefined);
  assert.match(await refusedAs(bucket.read(object, signal)), /412 ConditionNotMet: it was written/);
  store.next.push({ status: 302, headers: { location: platform.origin } });
  assert.match(await refusedAs(listed(bucket, 'f/')), /302: redirects are not followed$/);
});

const ENTRA: readonly (readonly [description: string, message: RegExp])[] = [
  ['AADSTS70021: No matching federated identity record found for token-of-the-pod', /from HOST: 400 invalid_client AADSTS70021: no federated credential of the identity has this issuer and subject, system:serviceaccount:NAMESPACE:NAME$/],
  ['AADSTS700213: token-of-the-pod', /AADSTS700213: no federated credential of the identity has this subject/],
  ['AADSTS90002: QUOTED-SECRET', /400 invalid_client AADSTS90002$/],
]; // prettier-ignore
for (const [description, message] of ENTRA)
  test(`S-13: ${description.slice(0, 12)} of Entra is told without the token`, async () => {
    const body = JSON.stringify({ error: 'invalid_client', error_description: description });
    give = () => ({ status: 400, body });
    assert.match(await refusedAs(listed(bucketOf(federated()), 'f/')), message);
    assert.equal(store.requests.length, 0);
  });
