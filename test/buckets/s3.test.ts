/** Buckets of S3 over real sockets, from a store that checks each signature. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { openBuckets, readBucketUrl, type Bucket } from '../../src/buckets/index.ts';
import { cloudsOf } from '../support/servers/cloud-options.ts';
import { startCloud, type ScriptedCloud } from '../support/servers/scripted-cloud.ts';
import { listed as keysBelow, refusalOf } from '../support/stores/bucket-reads.ts';
import { failed, s3Answer, s3Script, type S3Script } from '../support/stores/s3-script.ts';

const KEYS = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'sEcReT/key+1',
  AWS_REGION: 'eu-central-1',
};
const SECRETS = /AKIDEXAMPLE|sEcReT|QUOTED-SECRET|Signature=/;

let script: S3Script;
let cloud: ScriptedCloud;
beforeEach(async () => {
  script = s3Script('exports');
  cloud = await startCloud((request) => s3Answer(script, request));
});
afterEach(() => cloud.close());

function bucketOf(url: string, more: Readonly<Record<string, string>> = {}): Bucket {
  const place = readBucketUrl(url);
  assert.ok(place !== undefined, url);
  return openBuckets(cloudsOf({ ...KEYS, AWS_ENDPOINT_URL: cloud.origin, ...more }))(place);
}

const signal = AbortSignal.timeout(30_000);
const anyKey = (): boolean => true;
const listed = (bucket: Bucket, prefix = ''): Promise<string[]> => keysBelow(bucket, prefix);
const refusedAs = (work: Promise<unknown>): Promise<string> => refusalOf(work, SECRETS);

describe('a bucket of S3', () => {
  test('is listed page by page, with keys of any characters, each signed', async () => {
    const keys = [
      'a b/ü+1.csv',
      "a b/!'()*.csv",
      'a b/c&d=e?f#g%20.csv',
      'a b/<x>&amp;.csv',
      'z.csv',
    ];
    for (const key of keys) script.files.set(key, { content: key, etag: `"${key.length}"` });
    const bucket = bucketOf('s3://exports/');
    const { objects } = await bucket.list('a b/', anyKey, signal);
    assert.deepEqual(
      objects.map(({ key }) => key),
      keys.slice(0, 4).toSorted(),
    );
    assert.equal(cloud.requests.length, 2);
    for (const object of objects)
      assert.equal(await text((await bucket.read(object, signal)).body), object.key);
  });

  test('never leads out of itself by dots in a key', async () => {
    script.files.set(['..', 'other', 'a.csv'].join('/'), { content: '', etag: '"1"' });
    script.files.set('b/./a.csv', { content: '', etag: '"1"' });
    script.files.set('b/..a.csv', { content: '', etag: '"1"' });
    assert.deepEqual(await listed(bucketOf('s3://exports/')), ['b/..a.csv']);
    assert.equal(readBucketUrl(`s3://exports/${'..'}/other/a.csv`), undefined);
    assert.equal(readBucketUrl('s3://exports/%2e%2e/a.csv'), undefined);
  });

  test('in another region is asked there, as S3 tells it', async () => {
    script.region = 'ap-southeast-2';
    script.files.set('a.csv', { content: 'x', etag: '"1"' });
    const bucket = bucketOf('s3://exports/');
    assert.deepEqual(await listed(bucket), ['a.csv']);
    assert.equal(cloud.requests.length, 2);
    assert.deepEqual(await listed(bucket), ['a.csv']);
    assert.equal(cloud.requests.length, 3, 'it is remembered');
    script.region = 'eu-north-1';
    assert.equal((await bucket.find('a.csv', signal)).objects[0]?.version, '"1"');
  });

  test('is asked again where it throttles, fails or hangs up', async () => {
    script.files.set('a.csv', { content: 'x', etag: '"1"' });
    cloud.next.push(
      failed(503, 'SlowDown'),
      failed(500, 'InternalError'),
      { isCut: true },
      { status: 429, headers: { 'retry-after': '0' } },
    );
    assert.deepEqual(await listed(bucketOf('s3://exports/')), ['a.csv']);
    assert.equal(cloud.requests.length, 5);
    for (let i = 0; i < 5; i++) cloud.next.push(failed(503, 'SlowDown'));
    const message = await refusedAs(listed(bucketOf('s3://exports/')));
    assert.equal(message, 'cannot read s3://exports/: 503 SlowDown');
  });

  test('S-11: that redirects elsewhere is not followed there', async () => {
    const other = await startCloud(() => ({ body: 'taken' }));
    for (const location of [`${other.origin}/exports/`, 'http://169.254.169.254/latest/']) {
      cloud.next.push({ status: 307, headers: { location } });
      const message = await refusedAs(listed(bucketOf('s3://exports/')));
      assert.equal(message, 'cannot read s3://exports/: 307: redirects are not followed');
    }
    // A region is no host, and Location is not read beside it.
    const headers = { location: other.origin, 'x-amz-bucket-region': '127.0.0.1:1/x' };
    cloud.next.push({ status: 301, headers });
    await refusedAs(listed(bucketOf('s3://exports/')));
    assert.equal(other.requests.length, 0);
    other.close();
  });

  const REFUSED: readonly (readonly [status: number, code: string, message: string])[] = [
    [
      403,
      'AccessDenied',
      'cannot read s3://exports/focus/: 403 AccessDenied: the access key of AWS_ACCESS_KEY_ID needs s3:ListBucket on arn:aws:s3:::exports',
    ],
    [
      403,
      'InvalidAccessKeyId',
      'cannot read s3://exports/focus/: 403 InvalidAccessKeyId: the store does not know the access key of AWS_ACCESS_KEY_ID',
    ],
    [
      404,
      'NoSuchBucket',
      'cannot read s3://exports/focus/: 404 NoSuchBucket: there is no such bucket',
    ],
    [400, '<b>no code</b>', 'cannot read s3://exports/focus/: 400'],
  ];
  for (const [status, code, message] of REFUSED)
    test(`S-13: tells ${status} ${code} with what is missing, and nothing that was quoted`, async () => {
      cloud.next.push(failed(status, code));
      assert.equal(await refusedAs(listed(bucketOf('s3://exports/focus/'), 'focus/')), message);
    });

  test('tells which right a file needs, and a secret that is wrong', async () => {
    script.files.set('a.csv', { content: 'x', etag: '"1"' });
    const bucket = bucketOf('s3://exports/');
    const [object] = (await bucket.find('a.csv', signal)).objects;
    assert.ok(object !== undefined);
    cloud.next.push(failed(403, 'AccessDenied'));
    assert.match(
      await refusedAs(bucket.read(object, signal)),
      /needs s3:GetObject on arn:aws:s3:::exports\/a\.csv$/,
    );
    script.files.set('a.csv', { content: 'y', etag: '"2"' });
    assert.match(
      await refusedAs(bucket.read(object, signal)),
      /412 PreconditionFailed: it was written while it was read/,
    );
    assert.match(
      await refusedAs(bucket.find('b.csv', signal)),
      /b\.csv: 404: there is no such file/,
    );
    script.secrets.set('AKIDEXAMPLE', 'other');
    assert.match(
      await refusedAs(listed(bucket)),
      /403 SignatureDoesNotMatch: the secret does not belong to/,
    );
  });

  test('tells a clock that is wrong', async () => {
    script.nowMs = () => Date.now() + 3_600_000;
    const message = await refusedAs(listed(bucketOf('s3://exports/')));
    assert.equal(
      message,
      'cannot read s3://exports/: 403 RequestTimeTooSkewed; the clock of this machine is 60 min behind theirs: set it right',
    );
  });

  test('without credentials is asked unsigned, and says so', async () => {
    const bucket = bucketOf('s3://exports/', { AWS_ACCESS_KEY_ID: '' });
    assert.match(
      await refusedAs(listed(bucket)),
      /403 AccessDenied: nobody \(there are no credentials\) needs s3:ListBucket/,
    );
    assert.equal(cloud.requests[0]?.headers.authorization, undefined);
  });

  test('with more files than a delivery may have is refused', async () => {
    const page = Array.from({ length: 1001 }, (_, i) => `<Contents><Key>${i}.csv</Key></Contents>`);
    const body = `<R>${page.join('')}<NextContinuationToken>t</NextContinuationToken></R>`;
    for (let i = 0; i < 10; i++) cloud.next.push({ body });
    assert.match(
      await refusedAs(listed(bucketOf('s3://exports/'))),
      /more than 10000 files below it; name a longer prefix/,
    );
  });
});

const URLS: readonly (readonly [url: string, place: readonly string[] | undefined])[] = [
  ['s3://exports', ['s3', '', 'exports', '']],
  ['s3://exports/focus', ['s3', '', 'exports', 'focus/']],
  ['s3://exports/focus/', ['s3', '', 'exports', 'focus/']],
  ['s3://exports/focus/a%20b.csv.gz', ['s3', '', 'exports', 'focus/a b.csv.gz']],
  ['gs://my_bucket.example/x', ['gs', '', 'my_bucket.example', 'x/']],
  ['azblob://account1/container/x/y', ['azblob', 'account1', 'container', 'x/y/']],
  ['azblob://account1', undefined],
  ['azblob://evil.com/container/', undefined],
  ['s3://user:secret@exports/', undefined],
  ['s3://exports:80/', undefined],
  ['s3://exports/?x', undefined],
  ['s3://a..b/', undefined],
  ['s3://exports/%', undefined],
  ['https://exports/', undefined],
];
for (const [url, place] of URLS)
  test(`${url} ${place === undefined ? 'is no bucket' : 'is a bucket'}`, () => {
    const found = readBucketUrl(url);
    assert.deepEqual(found && [found.cloud, found.account, found.bucket, found.key], place);
  });
