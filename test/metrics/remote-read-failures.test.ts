import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import type { RemoteReadOptions } from '../../src/metrics/index.ts';
import { frame, MEBIBYTE, readAll, withStore } from '../support/stores/remote-reading.ts';
import { uvarint } from '../support/stores/samples-encoding.ts';
import {
  answering,
  babbling,
  cutting,
  dripping,
  hanging,
  startScriptedStore,
  streaming,
  type Reply,
} from '../support/stores/scripted-store.ts';
// Loaded before any time is measured.
import '../../src/metrics/client/http-agent.ts';

type Failing = readonly [
  what: string,
  script: readonly Reply[],
  says: RegExp,
  status: number,
  tries: number,
  options?: Partial<RemoteReadOptions>,
];

const SHORT_IDLE = { idleTimeoutMs: 700 };
const SHORT_TOTAL = { totalTimeoutMs: 900 };
const HUGE = uvarint(64 * 1024 * 1024 + 1);
const JSON_ERROR = '{"status":"error","errorType":"bad_data","error":"too\\n many \\"samples\\""}';
const GZIP = { 'Content-Encoding': 'gzip', 'Content-Type': 'application/x-streamed-protobuf' };

const FAILING: readonly Failing[] = [
  [
    'that answers 400',
    [answering(400, 'unknown function')],
    /answered 400: unknown function$/,
    502,
    1,
  ],
  ['that answers 404', [answering(404, '<h1>404</h1>\n')], /answered 404: <h1>404<\/h1>$/, 502, 1],
  ['that answers 401 without a word', [answering(401, '')], /answered 401$/, 502, 1],
  [
    'that answers 422 in JSON',
    [answering(422, JSON_ERROR)],
    /answered 422: too many "samples"$/,
    502,
    1,
  ],
  [
    'that answers 400 at length',
    [answering(400, 'x'.repeat(1e6))],
    /answered 400: x{299}…$/,
    502,
    1,
  ],
  [
    'that redirects',
    [answering(302, '', { Location: '/elsewhere' })],
    /answered 302; redirects are not followed$/,
    502,
    1,
  ],
  ['that answers 501', [answering(501, 'no')], /answered 501: no$/, 503, 1],
  ['that answers 500', [answering(500, 'oh')], /answered 500: oh$/, 503, 3],
  ['that answers 503', [answering(503, 'busy')], /answered 503: busy$/, 503, 3],
  [
    'that asks to wait longer than the deadline',
    [answering(429, 'slow down', { 'Retry-After': '60' })],
    /answered 429: slow down$/,
    503,
    1,
  ],
  [
    'that answers SAMPLES',
    [answering(200, 'abc', { 'Content-Type': 'application/x-protobuf' })],
    /does not stream remote reads: it answered with SAMPLES/,
    502,
    1,
  ],
  [
    'that answers a web page',
    [answering(200, '<html>', { 'Content-Type': 'text/html' })],
    /does not stream remote reads: it answered with 'text\/html'/,
    502,
    1,
  ],
  [
    'that answers gzip',
    [answering(200, '\x1f\x8bgarbage', GZIP)],
    /Content-Encoding gzip, not asked for/,
    502,
    1,
  ],
  ['that does not speak HTTP', [babbling('220 smtp ready\r\n')], /does not answer in HTTP/, 503, 3],
  [
    'that breaks off in a frame',
    [cutting(frame('a').subarray(0, 20))],
    /cut off mid-stream: the connection was closed/,
    503,
    3,
  ],
  [
    'that ends in a frame',
    [streaming(frame('a'), frame('b').subarray(0, 20))],
    /cut off mid-stream \(20 bytes of a frame came\)/,
    502,
    3,
  ],
  [
    'that breaks off after a batch was handed out',
    [cutting(MEBIBYTE)],
    /cut off mid-stream/,
    503,
    1,
  ],
  [
    'that announces a huge frame',
    [streaming(HUGE)],
    /damaged \(a frame claims 67108865 bytes\)/,
    502,
    3,
  ],
  [
    'that sends a length without end',
    [streaming(Buffer.alloc(99, 0xff))],
    /damaged \(a frame's length does not end\)/,
    502,
    3,
  ],
  [
    'that never answers',
    [() => undefined],
    /did not begin to answer within 700 ms/,
    504,
    1,
    SHORT_IDLE,
  ],
  ['that falls silent', [hanging(frame('a'))], /fell silent for 700 ms/, 504, 1, SHORT_IDLE],
  [
    'that drips',
    [dripping(frame('a').subarray(0, 1), 10)],
    /not complete after 900 ms/,
    504,
    1,
    SHORT_TOTAL,
  ],
  [
    'that drips an error',
    [dripping(Buffer.of(120), 20, 500)],
    /answered 500: x+$/,
    503,
    1,
    SHORT_TOTAL,
  ],
];

describe('a read of a store', { concurrency: 16, timeout: 20_000 }, () => {
  for (const [what, script, says, status, tries, options] of FAILING)
    test(`P-F1: ${what} fails by name after ${tries} tries, and no connection stays open`, () =>
      withStore(script, async (store) => {
        const url = store.url.replace('//', '//me:secret@');
        await assert.rejects(readAll(url, options), (error: Error & { status: number }) => {
          assert.equal(error.name, 'Unavailable');
          assert.equal(error.message.includes('secret'), false);
          const host = store.url.replace('http://', '');
          assert.match(
            error.message,
            new RegExp(`^cannot read Prometheus at http://\\*\\*\\*@${host}: `),
          );
          assert.match(error.message, says);
          assert.equal(error.status, status);
          return true;
        });
        assert.equal(store.requests.length, tries);
        await store.allClosed();
      }));

  test('fails by name when the store is down', async () => {
    const store = await startScriptedStore();
    await store.stop();
    await assert.rejects(readAll(store.url), {
      name: 'Unavailable',
      status: 503,
      message: `cannot read Prometheus at ${store.url}: the connection was refused (ECONNREFUSED)`,
    });
  });

  test('fails by name for an unknown host', async () => {
    const message =
      /^cannot read Prometheus at http:\/\/store\.invalid: the host name is not known/;
    await assert.rejects(readAll('http://store.invalid'), { name: 'Unavailable', message });
  });

  test('fails by name when the store accepts connections but never starts TLS', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const what = 'no connection in time (UND_ERR_CONNECT_TIMEOUT)';
    const message = `cannot read Prometheus at ${url}: ${what}`;
    await assert.rejects(readAll(url, { connectTimeoutMs: 100 }), { name: 'Unavailable', message });
    silent.close();
  });

  test('fails by name when the store does not use TLS', () =>
    withStore([streaming()], async ({ url }) => {
      const message = /the TLS handshake failed/;
      await assert.rejects(readAll(url.replace('http', 'https')), { name: 'Unavailable', message });
    }));
});
