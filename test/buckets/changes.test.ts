/** Parts of objects and writes on conditions: what every cloud promises, over real sockets. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { openBuckets, readBucketUrl, type Bucket } from '../../src/buckets/index.ts';
import { cloudsOf } from '../support/servers/cloud-options.ts';
import { startCloud, type CloudAnswer, type CloudRequest, type ScriptedCloud } from '../support/servers/scripted-cloud.ts'; // prettier-ignore
import { azureAnswer, blobError } from '../support/stores/azure-script.ts';
import { refusalOf } from '../support/stores/bucket-reads.ts';
import { gcsAnswer, googleError } from '../support/stores/gcs-script.ts';
import { failed, s3Answer, s3Script, s3Variables } from '../support/stores/s3-script.ts';

const folder = mkdtempSync(join(tmpdir(), 'prorata-changes-'));
after(() => rmSync(folder, { recursive: true }));
const credentials = join(folder, 'credentials.json');
const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }); // prettier-ignore

interface Cloud {
  readonly url: string;
  /** A fresh store. */
  readonly script: () => (request: CloudRequest) => CloudAnswer;
  readonly variables: (origin: string) => Readonly<Record<string, string>>;
  readonly denied: CloudAnswer;
  /** What a writer is told to need. */
  readonly needs: RegExp;
}

const TOKEN: CloudAnswer = { body: JSON.stringify({ access_token: 't', expires_in: 3600 }) };

/** Gives the token `t`, else answers as the store does. */
function withTokens(store: (request: CloudRequest) => CloudAnswer) {
  return (request: CloudRequest): CloudAnswer =>
    request.url.pathname.endsWith('/token') ? TOKEN : store(request);
}

const CLOUDS: Readonly<Record<string, Cloud>> = {
  S3: {
    url: 's3://exports/',
    script() {
      const script = s3Script('exports');
      return (request) => s3Answer(script, request);
    },
    variables: s3Variables,
    denied: failed(403, 'AccessDenied'),
    needs:
      /^cannot write s3:\/\/exports\/a\/b: 403 AccessDenied: the access key of AWS_ACCESS_KEY_ID needs s3:PutObject on arn:aws:s3:::exports\/a\/b$/,
  },
  'Google Cloud Storage': {
    url: 'gs://exports/',
    script() {
      const script = { bucket: 'exports', token: 't', files: new Map() };
      return withTokens((request) => gcsAnswer(script, request));
    },
    variables(origin) {
      const account = {
        type: 'service_account',
        client_email: 'a@p.iam.gserviceaccount.com',
        private_key: pem,
        token_uri: `${origin}/token`,
      };
      writeFileSync(credentials, JSON.stringify(account));
      return { GOOGLE_APPLICATION_CREDENTIALS: credentials, GCS_ENDPOINT_URL: origin };
    },
    denied: googleError(403, 'forbidden'),
    needs:
      /^cannot write gs:\/\/exports\/a\/b: 403 forbidden: .* needs storage\.objects\.create on gs:\/\/exports, as the role Storage Object User/,
  },
  'Azure Blob Storage': {
    url: 'azblob://bills1/exports/',
    script() {
      const script = { token: 't', files: new Map<string, string>() };
      return withTokens((request) => azureAnswer(script, request));
    },
    variables: (origin) => ({
      AZURE_POD_IDENTITY_AUTHORITY_HOST: origin,
      AZBLOB_ENDPOINT_URL: `${origin}/{account}`,
    }),
    denied: blobError(403, 'AuthorizationPermissionMismatch'),
    needs:
      /^cannot write azblob:\/\/bills1\/exports\/a\/b: 403 AuthorizationPermissionMismatch: .* needs the role Storage Blob Data Contributor on the container exports/,
  },
};

const signal = AbortSignal.timeout(60_000);
const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text));
const text = (found: Uint8Array | undefined): string | undefined =>
  found === undefined ? undefined : Buffer.from(found).toString();

for (const [name, { url, script, variables, denied, needs }] of Object.entries(CLOUDS)) {
  describe(`an object in a bucket of ${name}`, () => {
    let cloud: ScriptedCloud;
    let bucket: Bucket;
    beforeEach(async () => {
      cloud = await startCloud(script());
      const place = readBucketUrl(url) ?? assert.fail();
      const options = cloudsOf(variables(cloud.origin));
      bucket = openBuckets({ ...options, firstPauseMs: 1 }, 'write')(place);
    });
    afterEach(() => cloud.close());

    test('is written where there is none, and where its version is the one that is known', async () => {
      const first = await bucket.write('a/b', bytes('one'), 'absent', signal);
      assert.ok(first !== undefined && first !== '');
      assert.equal(await bucket.write('a/b', bytes('other'), 'absent', signal), undefined);
      const second = await bucket.write('a/b', bytes('second'), { version: first }, signal);
      assert.ok(second !== undefined && second !== first);
      assert.equal(await bucket.write('a/b', bytes('late'), { version: first }, signal), undefined);
      const found = await bucket.fetch('a/b', signal);
      assert.deepEqual([text(found?.bytes), found?.version], ['second', second]);
      assert.ok((found?.changedMs ?? 0) > 0);
      assert.ok((await bucket.write('a/b', bytes('any'), 'none', signal)) !== undefined);
      assert.equal(text((await bucket.fetch('a/b', signal))?.bytes), 'any');
      assert.equal(await bucket.write('c', bytes('x'), { version: second }, signal), undefined);
      assert.equal(await bucket.fetch('c', signal), undefined);
    });

    test('is removed, and removed again', async () => {
      await bucket.write('a/b', bytes('one'), 'absent', signal);
      await bucket.remove('a/b', signal);
      await bucket.remove('a/b', signal);
      assert.equal(await bucket.fetch('a/b', signal), undefined);
      assert.ok((await bucket.write('a/b', bytes('two'), 'absent', signal)) !== undefined);
    });

    test('is read in parts, up to its end', async () => {
      const version = (await bucket.write('a/b', bytes('0123456789'), 'none', signal)) ?? '';
      const part = async (at: number, length: number, of = version): Promise<string | undefined> =>
        text(await bucket.readRange({ key: 'a/b', version: of }, { at, bytes: length }, signal));
      assert.equal(await part(0, 4), '0123');
      assert.equal(await part(4, 3), '456');
      assert.equal(await part(9, 1), '9');
      assert.equal(await part(7, 100), '789');
      assert.equal(await part(10, 1), '');
      const before = cloud.requests.length;
      assert.equal(await part(3, 0), '');
      assert.equal(cloud.requests.length, before, 'nothing is asked for nothing');
      assert.equal(await part(2, 2, ''), '23');
      const none = { key: 'none', version: '' };
      assert.equal(await bucket.readRange(none, { at: 0, bytes: 1 }, signal), undefined);
      await bucket.write('a/b', bytes('another length'), 'none', signal);
      assert.match(await refusalOf(part(0, 4), /SECRET/), /it was written while it was read/);
    });

    test('is read again where its body is cut off', async () => {
      await bucket.write('a/b', bytes('0123456789'), 'none', signal);
      cloud.next.push({ cutAfter: 3 }, { cutAfter: 9 });
      assert.equal(text((await bucket.fetch('a/b', signal))?.bytes), '0123456789');
      for (let i = 0; i < 3; i++) cloud.next.push({ cutAfter: 3 });
      assert.match(await refusalOf(bucket.fetch('a/b', signal), /SECRET/), /^cannot read .*a\/b: /);
      for (let i = 0; i < 2; i++) cloud.next.push({ cutAfter: 1 });
      const object = { key: 'a/b', version: '' };
      assert.equal(text(await bucket.readRange(object, { at: 2, bytes: 5 }, signal)), '23456');
    });

    test('is not taken from a store that answers more or other than a part', async () => {
      const object = { key: 'a/b', version: '' };
      await bucket.fetch('a/b', signal);
      cloud.next.push({ body: '0123456789' });
      await assert.rejects(bucket.readRange(object, { at: 2, bytes: 5 }, signal), {
        message: /the store has no ranges$/,
      });
      const headers = { 'content-range': 'bytes 1-5/10' };
      cloud.next.push({ status: 206, headers, body: '12345' });
      await assert.rejects(bucket.readRange(object, { at: 2, bytes: 5 }, signal), {
        message: /another range than is asked for$/,
      });
      cloud.next.push({ status: 206, headers, body: '123456' });
      await assert.rejects(bucket.readRange(object, { at: 1, bytes: 5 }, signal), {
        message: /its answer has more than 5 bytes$/,
      });
    });

    test('is not taken for that of another where the answer to its write is lost', async () => {
      cloud.next.push({ isLost: true });
      if (name !== 'S3') cloud.next.unshift(TOKEN);
      const first = await bucket.write('a/b', bytes('one'), 'absent', signal);
      assert.equal(first, (await bucket.fetch('a/b', signal))?.version);
      cloud.next.push({ isLost: true }, { isLost: true });
      const second = await bucket.write('a/b', bytes('second'), { version: first ?? '' }, signal);
      assert.equal(second, (await bucket.fetch('a/b', signal))?.version);
      // The answer is lost, and it was another who wrote.
      cloud.next.push({ isLost: true });
      assert.equal(await bucket.write('a/b', bytes('late'), 'absent', signal), undefined);
      assert.equal(text((await bucket.fetch('a/b', signal))?.bytes), 'second');
    });

    test('is written where the answer to its write is cut off', async () => {
      await bucket.fetch('a/b', signal);
      cloud.next.push({ cutAfter: 1 });
      const first = await bucket.write('a/b', bytes('one'), 'absent', signal);
      assert.ok(first !== undefined && first !== '');
      assert.equal(first, (await bucket.fetch('a/b', signal))?.version);
      // The store does not tell the version, and another wrote since.
      cloud.next.push({});
      assert.equal(await bucket.write('a/b', bytes('late'), { version: first }, signal), undefined);
    });

    test('is told in words where a list is cut off', async () => {
      await bucket.write('a/b', bytes('one'), 'absent', signal);
      cloud.next.push({ cutAfter: 1 });
      const refusal = await refusalOf(
        bucket.list('a/', () => true, signal),
        /SECRET/,
      );
      assert.match(refusal, /^cannot read .*:\/\/.*\/a\/: /);
    });

    test('says what is missing where it may not be written', async () => {
      await bucket.fetch('a/b', signal);
      cloud.next.push(denied);
      const refusal = await refusalOf(bucket.write('a/b', bytes('x'), 'absent', signal), /SECRET/);
      assert.match(refusal, needs);
      for (const [write, guide] of [
        [() => bucket.write('a/b', bytes('x'), 'none', signal), 'store-in-a-bucket'],
        [() => bucket.fetch('a/b', signal), 'bills-from-buckets'],
      ] as const) {
        cloud.next.push(denied);
        await assert.rejects(write, { hint: `see docs/install/${guide}.md` });
      }
      cloud.next.push(denied);
      assert.match(
        await refusalOf(bucket.remove('a/b', signal), /SECRET/),
        /^cannot remove .* needs/,
      );
    });
  });
}

test('two writes of an object of S3 at one time are done one after the other', async () => {
  const { script, variables } = CLOUDS['S3'] ?? assert.fail();
  const cloud = await startCloud(script());
  const place = readBucketUrl('s3://exports/') ?? assert.fail();
  const options = { ...cloudsOf(variables(cloud.origin)), firstPauseMs: 1 };
  const bucket = openBuckets(options, 'write')(place);
  cloud.next.push(failed(409, 'ConditionalRequestConflict'), failed(409, 'ConditionalRequestConflict')); // prettier-ignore
  assert.ok((await bucket.write('a', bytes('x'), 'absent', signal)) !== undefined);
  for (let i = 0; i < 5; i++) cloud.next.push(failed(409, 'ConditionalRequestConflict'));
  const refusal = await refusalOf(bucket.write('b', bytes('x'), 'absent', signal), /SECRET/);
  assert.equal(refusal, 'cannot write s3://exports/b: 409 ConditionalRequestConflict');
  cloud.close();
});

test('Google is asked for a token that may write, where something is written', async () => {
  const { script, variables } = CLOUDS['Google Cloud Storage'] ?? assert.fail();
  const cloud = await startCloud(script());
  const place = readBucketUrl('gs://exports/') ?? assert.fail();
  for (const use of ['read', 'write'] as const) {
    await openBuckets(cloudsOf(variables(cloud.origin)), use)(place).fetch('a', signal);
    const asked = cloud.requests.findLast(({ url }) => url.pathname === '/token');
    const claim = new URLSearchParams(asked?.body).get('assertion')?.split('.')[1] ?? '';
    const { scope } = JSON.parse(Buffer.from(claim, 'base64url').toString()) as { scope: string };
    assert.match(scope, use === 'read' ? /devstorage\.read_only$/ : /devstorage\.read_write$/);
  }
  cloud.close();
});
