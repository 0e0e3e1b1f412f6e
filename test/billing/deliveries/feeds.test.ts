/** Deliveries that come by themselves, from a folder and over real sockets. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  createFolderFeed,
  createUrlFeed,
  runFeeds,
  type BillFeed,
} from '../../../src/billing/deliveries/index.ts';
import { s3Clouds } from '../../support/servers/cloud-options.ts';
import { startCloud } from '../../support/servers/scripted-cloud.ts';
import { startBillStore, sumOf, type BillStore } from '../../support/stores/bill-store.ts';
import { focusCsv } from '../../support/stores/focus-rows.ts';
import { s3Answer, s3Script } from '../../support/stores/s3-script.ts';
import { openBuckets } from '../../../src/buckets/index.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-feeds-'));
let store: BillStore;
before(async () => (store = await startBillStore('UTC', 1)));
after(async () => {
  await store.stop();
  rmSync(home, { recursive: true, force: true });
});

/** The deliveries that one poll of the feeds stored, and those that failed. */
async function looked(...feeds: BillFeed[]): Promise<{ kept: string[]; failed: string[] }> {
  const stop = new AbortController();
  const [kept, failed]: [string[], string[]] = [[], []];
  const last: BillFeed = {
    offers() {
      stop.abort();
      return Promise.resolve([]);
    },
  };
  await runFeeds(
    {
      bills: store.bills,
      feeds: [...feeds, last],
      currencyOf: ({ as, source }) => (`${as}/${source}` === 'external/eu' ? 'EUR' : 'USD'),
      everyMs: 1,
      onStored: ({ label }, { rows }) => void kept.push(`${label.replace(/ \w+$/, '')}: ${rows}`),
      onFailed: (_, error) => void failed.push(String(error)),
    },
    stop.signal,
  );
  return { kept, failed };
}

describe('a folder', () => {
  const folder = join(home, 'bills');
  let nowMs = Date.UTC(2024, 9, 2);
  const strays: string[] = [];
  const feed = createFolderFeed({
    folder,
    nowMs: () => nowMs,
    settleMs: 5000,
    onUnmatched: (sentence) => void strays.push(sentence),
  });
  const put = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    utimesSync(join(folder, path), nowMs / 1000, nowMs / 1000);
  };
  const NOTHING = { kept: [], failed: [] };

  test('without files has no bills', async () => assert.deepEqual(await looked(feed), NOTHING));

  test('is read once its files have not changed for a while, all of one folder together', async () => {
    put('cloud/aws/2024-09/a.csv', focusCsv({}));
    put('cloud/aws/2024-09/b.csv.gz', gzipSync(focusCsv({}, {})));
    put('cloud/aws/2024-09/manifest.json', '{}');
    put('cloud/aws/2024-09/_SUCCESS', '');
    put('external/datadog/bill.csv', focusCsv({ BilledCost: '7' }));
    assert.deepEqual(await looked(feed), NOTHING);
    nowMs += 6000;
    assert.deepEqual((await looked(feed)).kept, ['cloud/aws/2024-09: 3', 'external/datadog: 1']);
    assert.equal(sumOf(await store.rows(), 'billedCost'), 4.5);
    assert.equal(sumOf(await store.rows('external'), 'billedCost'), 7);
  });

  test('is read in the currency of its source, and refused in another', async () => {
    const before = sumOf(await store.rows('external'), 'billedCost');
    put('external/eu/bill.csv', focusCsv({ BillingCurrency: 'EUR', BilledCost: '5' }));
    put('external/us/bill.csv', focusCsv({ BillingCurrency: 'EUR' }));
    nowMs += 6000;
    const { kept, failed } = await looked(feed);
    assert.deepEqual(kept, ['external/eu: 1']);
    assert.equal(failed.length, 1);
    assert.match(failed[0] ?? '', /BillingCurrency.*'EUR' is not USD/);
    assert.equal(sumOf(await store.rows('external'), 'billedCost'), before + 5);
    rmSync(join(folder, 'external/us'), { recursive: true });
  });

  test('is not read again before something changes', async () => {
    assert.deepEqual(await looked(feed), NOTHING);
    put('cloud/aws/2024-09/b.csv.gz', gzipSync(focusCsv({})));
    nowMs += 6000;
    assert.deepEqual((await looked(feed)).kept, ['cloud/aws/2024-09: 2']);
    assert.equal(sumOf(await store.rows(), 'billedCost'), 3);
  });

  test('with a refused bill leaves the bills before, and reports it', async () => {
    put('cloud/aws/2024-09/a.csv', focusCsv({ BilledCost: 'x' }));
    put('cloud/No Source/a.csv', focusCsv({}));
    nowMs += 6000;
    const { kept, failed } = await looked(feed);
    assert.deepEqual(kept, []);
    assert.match(failed.join(), /^Fault: .*a\.csv, row 2, column BilledCost: 'x' is not a number$/);
    assert.ok(strays.at(-1)?.endsWith('cloud/No Source is no name of a source'), strays.join());
    assert.equal(sumOf(await store.rows(), 'billedCost'), 3);
  });
});

interface File {
  readonly content: string | Uint8Array;
  readonly etag: string;
}

describe('URLs', () => {
  let server: Server;
  let origin = '';
  const files = new Map<string, File>();
  /** Locations by path. */
  const redirects = new Map<string, string>();
  const asked: IncomingMessage[] = [];
  beforeEach(async () => {
    files.clear();
    redirects.clear();
    asked.length = 0;
    server = createServer((request, response) => {
      asked.push(request);
      const url = new URL(request.url ?? '', 'http://x');
      const location = redirects.get(url.pathname);
      if (location !== undefined) {
        response.writeHead(302, { location }).end();
        return;
      }
      const file = files.get(url.pathname);
      response.statusCode = file === undefined ? 404 : 200;
      if (file !== undefined) response.setHeader('etag', file.etag);
      response.end(request.method === 'HEAD' ? undefined : file?.content);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => server.close());

  const feedOf = (...urls: string[]): BillFeed =>
    createUrlFeed({
      as: 'cloud',
      source: 'net',
      urls,
      openBucket: () => assert.fail('no URL is of a bucket'),
      redirectHosts: ['localhost'],
    });
  const gets = (): number => asked.filter(({ method }) => method === 'GET').length;

  test('are read only when their entity tags change', async () => {
    files.set('/a.csv', { content: focusCsv({}), etag: '"1"' });
    const feed = feedOf(`${origin}/a.csv?signature=secret`);
    assert.deepEqual((await looked(feed)).kept, ['cloud/net of URLs: 1']);
    assert.deepEqual((await looked(feed)).kept, []);
    assert.equal(gets(), 1);
    files.set('/a.csv', { content: gzipSync(focusCsv({}, {})), etag: '"2"' });
    assert.deepEqual((await looked(feed)).kept, ['cloud/net of URLs: 2']);
  });

  test('are followed to their own host and to hosts that are allowed', async () => {
    files.set('/b.csv', { content: focusCsv({}), etag: '"1"' });
    redirects.set('/a.csv', '/b.csv');
    assert.deepEqual((await looked(feedOf(`${origin}/a.csv`))).kept, ['cloud/net of URLs: 1']);
    redirects.set('/c.csv', `${origin.replace('127.0.0.1', 'localhost')}/b.csv`);
    assert.deepEqual((await looked(feedOf(`${origin}/c.csv`))).failed, []);
  });

  const REFUSED: readonly (readonly [location: string, why: RegExp])[] = [
    ['http://127.0.0.1:1/b.csv', /redirects to 127\.0\.0\.1, which is not followed/],
    ['http://169.254.169.254/latest/meta-data', /redirects to 169\.254\.169\.254, which is not followed: --bill-redirect-hosts 169/],
    ['http://10.0.0.1/', /redirects to 10\.0\.0\.1/],
    ['http://[::1]:1/', /redirects to \[::1\]/],
    ['http://metadata.internal/', /redirects to metadata\.internal/],
    ['https://127.0.0.1.evil.com/', /redirects to 127\.0\.0\.1\.evil\.com/],
    ['file:///etc/passwd', /redirects to file:\/\/, which is not followed/],
    ['/loop.csv', /redirects more than 5 times/],
  ]; // prettier-ignore
  for (const [location, why] of REFUSED)
    test(`S-11: are not followed where they redirect to ${location}`, async () => {
      redirects.set('/loop.csv', location);
      const { kept, failed } = await looked(feedOf(`${origin}/loop.csv?signature=secret`));
      assert.deepEqual(kept, []);
      assert.equal(failed.length, 1);
      assert.match(failed[0] ?? '', why);
      assert.doesNotMatch(failed[0] ?? '', /secret/);
    });

  test('are named without their query when they fail, and the bills before stay', async () => {
    const { kept, failed } = await looked(feedOf(`${origin}/gone.csv?signature=secret`));
    assert.deepEqual(kept, []);
    assert.deepEqual(failed, [`Unavailable: cannot read ${origin}/gone.csv?***: it answered 404`]);
  });
});

test('a bucket without folders of periods is one delivery of all files below the prefix', async () => {
  const script = s3Script('exports');
  const cloud = await startCloud((request) => s3Answer(script, request));
  const put = (key: string, content: string | Uint8Array): void =>
    void script.files.set(key, { content, etag: `"${key}"` });
  put('focus/1.csv', focusCsv({}));
  put('focus/sub/2.csv.gz', gzipSync(focusCsv({}, {})));
  put('other/3.csv', focusCsv({}));
  put('focus/manifest.json', '{}');
  put('focus/_tmp.csv', 'x');
  const openBucket = openBuckets(s3Clouds(cloud.origin));
  const feedOf = (url: string): BillFeed =>
    createUrlFeed({ as: 'cloud', source: 'bucket', urls: [url], redirectHosts: [], openBucket });
  const feed = feedOf('s3://exports/focus');
  assert.deepEqual(await looked(feed), { kept: ['cloud/bucket of URLs: 3'], failed: [] });
  assert.deepEqual(await looked(feed), { kept: [], failed: [] });
  const one = await looked(feedOf('s3://exports/other/3.csv'));
  assert.deepEqual(one, { kept: ['cloud/bucket of URLs: 1'], failed: [] });
  cloud.close();
});
