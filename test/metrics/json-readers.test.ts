/** Failures of a store, through the two readers of JSON. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readBatches, numberOf } from '../support/references/read-batches.ts';
import {
  JSON_READERS,
  matrix,
  rangeVector,
  QUERY_RANGE,
  readWith,
  VICTORIA_EXPORT,
  type JsonReader,
} from '../support/stores/reader-replies.ts';
import { RANGE, SELECTION, withStore } from '../support/stores/remote-reading.ts';
import {
  answering,
  babbling,
  cutting,
  dripping,
  hanging,
  startScriptedStore,
  type Reply,
} from '../support/stores/scripted-store.ts';
// Loaded before any time is measured.
import '../../src/metrics/client/http-agent.ts';

type Failing = readonly [
  what: string,
  reply: (body: string) => Reply,
  says: RegExp,
  status: number,
  tries: number,
  options?: { idleTimeoutMs?: number; totalTimeoutMs?: number },
];

const GZIP = { 'Content-Encoding': 'gzip' };
const SHORT_IDLE = { idleTimeoutMs: 700 };
const SHORT_TOTAL = { totalTimeoutMs: 900 };
const ERROR = '{"status":"error","errorType":"bad_data","error":"no\\n such"}';

const FAILING: readonly Failing[] = [
  ['that answers 400', () => answering(400, ERROR), /answered 400: no such$/, 502, 1],
  ['that answers 404', () => answering(404, 'nothing here'), /answered 404: nothing here$/, 502, 1],
  ['that answers 500', () => answering(500, 'oh'), /answered 500: oh$/, 503, 3],
  ['that answers 503', () => answering(503, 'busy'), /answered 503: busy$/, 503, 3],
  [
    'that asks to wait longer than the deadline',
    () => answering(429, 'slow', { 'Retry-After': '60' }),
    /answered 429: slow$/,
    503,
    1,
  ],
  ['that redirects', () => answering(302, ''), /answered 302; redirects are not followed$/, 502, 1],
  ['that answers gzip', () => answering(200, 'x', GZIP), /Content-Encoding gzip/, 502, 1],
  ['that does not speak HTTP', () => babbling('220 smtp\r\n'), /does not answer in HTTP/, 503, 3],
  [
    'that breaks off',
    (body) => cutting(Buffer.from(body.slice(0, 40))),
    /cut off mid-stream: the connection was closed/,
    503,
    3,
  ],
  [
    'that ends in the middle',
    (body) => answering(200, body.slice(0, 40)),
    /cut off mid-stream \(it ends inside of \d+ brackets\)/,
    502,
    3,
  ],
  [
    'that answers a web page',
    () => answering(200, '<html></html>'),
    /its answer is damaged/,
    502,
    3,
  ],
  [
    'that writes a value that is no number',
    (body) => answering(200, body.replace('0.5', '0,5')),
    /its answer is damaged/,
    502,
    3,
  ],
  [
    'that sends a text without end',
    () => answering(200, `{"${'x'.repeat(6e6)}`),
    /damaged \(a text is longer than/,
    502,
    3,
  ],
  [
    'that never answers',
    () => () => undefined,
    /begin to answer within 700 ms/,
    504,
    1,
    SHORT_IDLE,
  ],
  [
    'that falls silent',
    (body) => hanging(Buffer.from(body.slice(0, 40))),
    /fell silent for 700 ms/,
    504,
    1,
    SHORT_IDLE,
  ],
  [
    'that drips',
    () => dripping(Buffer.from(' '), 10),
    /not complete after 900 ms/,
    504,
    1,
    SHORT_TOTAL,
  ],
];

async function fails(reader: JsonReader, [, reply, says, status, tries, options]: Failing) {
  await withStore([reply(reader.body('a'))], async (store) => {
    const url = store.url.replace('//', '//me:secret@');
    await assert.rejects(readWith(reader, url, options), (error: Error & { status: number }) => {
      assert.equal(error.name, 'Unavailable');
      assert.equal(error.message.includes('secret'), false);
      const host = store.url.replace('http://', '');
      const expected = `cannot read ${reader.product} at http://***@${host}: `;
      assert.ok(error.message.startsWith(expected), error.message);
      assert.match(error.message, says);
      assert.equal(error.status, status);
      return true;
    });
    assert.equal(store.requests.length, tries);
    await store.allClosed();
  });
}

describe('a store read as JSON', { concurrency: 16, timeout: 30_000 }, () => {
  for (const reader of JSON_READERS) {
    for (const failing of FAILING)
      test(`P-F1: ${failing[0]} fails by name after ${failing[4]} tries: ${reader.name}`, () =>
        fails(reader, failing));

    test(`recovers and is read without repeats: ${reader.name}`, () =>
      withStore(
        [
          answering(500, ''),
          answering(200, reader.body('a').slice(0, 50)),
          answering(200, reader.body('a')),
        ],
        async (store) => {
          const read = await readBatches(await readWith(reader, store.url));
          const [series] = read.values();
          assert.deepEqual(series?.labels, { __name__: 'up', pod: 'a' });
          assert.deepEqual(series?.timestampsMs, [RANGE.endMs - 1, RANGE.endMs]);
          assert.deepEqual(series?.valueBits.map(numberOf), [0, 0.5]);
        },
      ));

    test(`is disconnected when the caller aborts, with the caller's reason: ${reader.name}`, () =>
      withStore([hanging(Buffer.from(reader.body('a').slice(0, 50)))], async (store) => {
        const stop = new AbortController();
        const source = reader.create(store.url);
        const read = source.read(SELECTION, RANGE, stop.signal)[Symbol.asyncIterator]().next();
        await store.asked(1);
        stop.abort(new Error('enough'));
        await assert.rejects(Promise.resolve(read), { message: 'enough' });
        await store.allClosed();
        await source.close();
      }));

    test(`is down, and the read fails by name: ${reader.name}`, async () => {
      const store = await startScriptedStore();
      await store.stop();
      await assert.rejects(readWith(reader, store.url), {
        name: 'Unavailable',
        status: 503,
        message: `cannot read ${reader.product} at ${store.url}: the connection was refused (ECONNREFUSED)`,
      });
    });

    test(`may write a long series: it comes in batches of about 1 MiB: ${reader.name}`, () =>
      withStore([answering(200, reader.body('a', 300_000))], async (store) => {
        const batches = await readWith(reader, store.url);
        const largest = Math.max(...batches.map(({ bytes }) => bytes.length));
        assert.ok(largest <= 1024 * 1024, `${largest} bytes`);
        assert.ok(batches.length > 4, `${batches.length} batches`);
        const [series] = (await readBatches(batches)).values();
        assert.equal(series?.timestampsMs.length, 300_002);
      }));
  }
});

test('an export that breaks off after a batch was yielded is not tried again', () =>
  withStore([cutting(Buffer.from(VICTORIA_EXPORT.body('a', 200_000)))], async (store) => {
    await assert.rejects(readWith(VICTORIA_EXPORT, store.url), /cut off mid-stream/);
    assert.equal(store.requests.length, 1);
  }));

test('a slice that breaks off after a batch was yielded is requested again, and yielded without repeats', () => {
  const body = matrix(['a', 'b', 'c'].map((pod) => rangeVector(pod, 100_000)));
  const cut = Buffer.from(body).subarray(0, -9);
  return withStore([cutting(cut), answering(200, body)], async (store) => {
    const read = await readBatches(await readWith(QUERY_RANGE, store.url));
    assert.equal(read.size, 3);
    for (const { timestampsMs } of read.values()) {
      assert.equal(timestampsMs.length, 100_002);
      assert.equal(new Set(timestampsMs).size, 100_002);
    }
    assert.equal(store.requests.length, 2);
  });
});
