/** Deliveries in buckets: which files are read, and when again. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { openBuckets } from '../../../src/buckets/index.ts';
import { createUrlFeed, runFeeds, type BillFeed } from '../../../src/billing/deliveries/index.ts';
import { s3Clouds } from '../../support/servers/cloud-options.ts';
import { startCloud, type ScriptedCloud } from '../../support/servers/scripted-cloud.ts';
import { s3Answer, s3Script, type S3Script } from '../../support/stores/s3-script.ts';

let script: S3Script;
let cloud: ScriptedCloud;
/** Labels of what is stored. */
let stored: string[];
beforeEach(async () => {
  script = s3Script('exports');
  stored = [];
  cloud = await startCloud((request) => s3Answer(script, request));
});
afterEach(() => cloud.close());

const feedOf = (url: string): BillFeed =>
  createUrlFeed({
    as: 'cloud',
    source: 'bucket',
    urls: [url],
    redirectHosts: [],
    openBucket: openBuckets(s3Clouds(cloud.origin)),
  });

function put(key: string, content: string, changed = '2024-10-01T00:00:00.000Z'): void {
  script.files.set(key, { content, etag: `"${key} ${changed} ${content}"`, changed });
}

/** What one poll stored, each with its files, and what failed. */
async function looked(feed: BillFeed): Promise<{ kept: string[]; failed: string[] }> {
  const stop = new AbortController();
  const [kept, failed]: [string[], string[]] = [[], []];
  const last: BillFeed = {
    offers() {
      stop.abort();
      return Promise.resolve([]);
    },
  };
  const period = { startMs: 0, endMs: 1, rows: 1, storedMs: 0 };
  await runFeeds(
    {
      bills: {
        sources: () => [
          { as: 'cloud', source: 'bucket', periods: stored.map((from) => ({ ...period, from })) },
        ],
        deliver({ label = '', files }) {
          stored.push(label);
          const names = files.map(({ name }) => name.replace('s3://exports/', ''));
          kept.push(`${label.replace(/ of URLs \w+$/, '')}: ${names.join(' ')}`);
          return Promise.resolve({ rows: 1, bad: 0, periods: [], replacedRows: 0, warnings: [] });
        },
      },
      feeds: [feed, last],
      currencyOf: () => 'USD',
      everyMs: 1,
      onStored: () => undefined,
      onFailed: (_, error) => void failed.push(String(error)),
    },
    stop.signal,
  );
  return { kept, failed };
}

test('each period is a delivery, and only the one that changed is read again', async () => {
  put('e/data/BILLING_PERIOD=2024-07/a.csv', '1');
  put('e/data/BILLING_PERIOD=2024-08/a.csv', '1');
  const feed = feedOf('s3://exports/e/data/');
  assert.deepEqual((await looked(feed)).kept, [
    'cloud/bucket/BILLING_PERIOD=2024-07: e/data/BILLING_PERIOD=2024-07/a.csv',
    'cloud/bucket/BILLING_PERIOD=2024-08: e/data/BILLING_PERIOD=2024-08/a.csv',
  ]);
  assert.deepEqual((await looked(feedOf('s3://exports/e/data/'))).kept, [], 'after a restart');
  put('e/data/BILLING_PERIOD=2024-08/b.csv', '2', '2024-10-02T00:00:00.000Z');
  cloud.requests.length = 0;
  assert.deepEqual((await looked(feed)).kept, [
    'cloud/bucket/BILLING_PERIOD=2024-08: e/data/BILLING_PERIOD=2024-08/a.csv e/data/BILLING_PERIOD=2024-08/b.csv',
  ]);
  const read = cloud.requests.filter(({ url }) => url.searchParams.size === 0);
  assert.equal(read.length, 2);
});

test('the newest run of a period counts alone, with all its files', async () => {
  const [early, late] = ['202409020102', '202410010102'];
  const guid = '0d0e0f00-0000-4000-8000-00000000000';
  put(`r/20240901-20240930/${early}/${guid}1/part_0.csv`, '1', '2024-09-02T01:00:00.000Z');
  put(`r/20240901-20240930/${late}/${guid}2/part_0.csv`, '2', '2024-10-01T01:00:00.000Z');
  put(`r/20240901-20240930/${late}/${guid}2/part_1.csv`, '3', '2024-10-01T01:00:01.000Z');
  put('r/20240801-20240831/part_0.csv', '4', '2024-09-01T01:00:00.000Z');
  put('r/20240801-20240831/day=02/part_0.csv', '5', '2024-09-01T01:00:00.000Z');
  assert.deepEqual((await looked(feedOf('s3://exports/r'))).kept, [
    'cloud/bucket/20240801-20240831: r/20240801-20240831/day=02/part_0.csv r/20240801-20240831/part_0.csv',
    `cloud/bucket/20240901-20240930: r/20240901-20240930/${late}/${guid}2/part_0.csv r/20240901-20240930/${late}/${guid}2/part_1.csv`,
  ]);
});

test('files are read once none beside them has changed for a minute, by the clock of the store', async () => {
  const nowMs = Date.now();
  put('w/a.csv', '1', '2024-10-01T00:00:00.000Z');
  put('w/b.csv', '1', new Date(nowMs - 30_000).toISOString());
  const feed = feedOf('s3://exports/w');
  assert.deepEqual(await looked(feed), { kept: [], failed: [] });
  put('w/b.csv', '1', new Date(nowMs - 90_000).toISOString());
  assert.deepEqual((await looked(feed)).kept, ['cloud/bucket: w/a.csv w/b.csv']);
});

test('a file of which less comes than was listed is refused, and read again later', async () => {
  put('l/a.csv', 'abc');
  const feed = feedOf('s3://exports/l');
  let isShort = true;
  const other = await startCloud((request) => {
    const isFile = request.url.searchParams.size === 0;
    return isFile && isShort ? { body: 'x' } : s3Answer(script, request);
  });
  cloud.close();
  cloud = other;
  assert.match(
    (await looked(feed)).failed.join(),
    /cannot read s3:\/\/exports\/l\//,
    'nobody is there',
  );
  const another = feedOf('s3://exports/l');
  const { failed, kept } = await looked(another);
  assert.deepEqual(kept, []);
  assert.match(failed.join(), /s3:\/\/exports\/l\/a\.csv: 1 of 3 bytes came/);
  isShort = false;
  assert.deepEqual((await looked(another)).kept, ['cloud/bucket: l/a.csv']);
});
