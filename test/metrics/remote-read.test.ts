import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { uncompress } from 'snappyjs';
import { createRemoteRead, type Batch, type RemoteReadOptions } from '../../src/metrics/index.ts';
import { encodeReadRequest } from '../../src/metrics/remote-read-request.ts';
import { encodeChunked } from '../support/chunked-frames.ts';
import { readBatches } from '../support/read-batches.ts';
import { uvarint } from '../support/samples-encoding.ts';
import {
  answering,
  babbling,
  cutting,
  dripping,
  hanging,
  startScriptedStore,
  streaming,
  type Reply,
  type ScriptedStore,
} from '../support/scripted-store.ts';

const SELECTION = { metric: 'up', matchers: [] };
const RANGE = { startMs: 1_700_000_000_000, endMs: 1_700_000_600_000 };
const LIMITS = { idleTimeoutMs: 2000, totalTimeoutMs: 8000 };

function frame(pod: string): Buffer {
  const labels = [['__name__', 'up'], ['pod', pod]] as const; // prettier-ignore
  return encodeChunked([{ labels, timestampsMs: [RANGE.startMs, RANGE.endMs], values: [1, 2] }]);
}

/** More than a batch, so that something is handed out before the rest comes. */
const MEBIBYTE = Buffer.concat(
  Array.from({ length: 1100 }, () => Buffer.concat([uvarint(1000), Buffer.alloc(1004, 7)])),
);

async function readAll(
  url: string,
  options: Partial<RemoteReadOptions> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Batch[]> {
  const source = createRemoteRead({ url, ...LIMITS, ...options });
  const batches: Batch[] = [];
  try {
    for await (const batch of source.read(SELECTION, RANGE, signal)) batches.push(batch);
    return batches;
  } finally {
    await source.close();
  }
}

async function withStore(
  script: readonly Reply[],
  use: (store: ScriptedStore) => Promise<void>,
): Promise<void> {
  const store = await startScriptedStore(...script);
  try {
    await use(store);
  } finally {
    await store.stop();
  }
}

describe('a read of a store', { concurrency: 16, timeout: 20_000 }, () => {
  test('gives the frames as they came, of the encoding chunked-read', () =>
    withStore([streaming(frame('a'), frame('b'))], async ({ url }) => {
      const batches = await readAll(url);
      assert.deepEqual(batches.map(({ encoding }) => encoding), ['chunked-read']); // prettier-ignore
      const series = [...(await readBatches(batches)).values()];
      assert.deepEqual(series.map(({ labels }) => labels['pod']), ['a', 'b']); // prettier-ignore
    }));

  test('posts a compressed protobuf under the path prefix, with credentials and headers', () =>
    withStore([streaming(frame('a'))], async (store) => {
      const url = `${store.url.replace('//', '//me:secret@')}/prefix/`;
      await readAll(url, { headers: { 'X-Scope-OrgID': 'team' } });
      const [request] = store.requests;
      assert.equal(`${request?.method} ${request?.path}`, 'POST /prefix/api/v1/read');
      const expected = {
        'content-encoding': 'snappy',
        'content-type': 'application/x-protobuf',
        'x-prometheus-remote-read-version': '0.1.0',
        'x-scope-orgid': 'team',
        'accept-encoding': 'identity',
        authorization: `Basic ${Buffer.from('me:secret').toString('base64')}`,
      };
      for (const [name, value] of Object.entries(expected))
        assert.equal(request?.headers[name], value, name);
      const body = uncompress(new Uint8Array(request?.body ?? []));
      assert.deepEqual(Buffer.from(body), Buffer.from(encodeReadRequest(SELECTION, RANGE)));
    }));

  test('of no series is no batch', () =>
    withStore([streaming()], async ({ url }) => assert.deepEqual(await readAll(url), [])));
});

interface Failing {
  readonly what: string;
  readonly script: readonly Reply[];
  readonly says: RegExp;
  readonly status: number;
  readonly tries: number;
  readonly options?: Partial<RemoteReadOptions>;
}

const SHORT_IDLE = { idleTimeoutMs: 150 };
const SHORT_TOTAL = { totalTimeoutMs: 400 };
const HUGE = uvarint(64 * 1024 * 1024 + 1);
const JSON_ERROR = '{"status":"error","errorType":"bad_data","error":"too\\n many \\"samples\\""}';
const GZIP = { 'Content-Encoding': 'gzip', 'Content-Type': 'application/x-streamed-protobuf' };

// prettier-ignore
const FAILING: readonly Failing[] = [
  { what: 'that answers 400', script: [answering(400, 'unknown function')], says: /answered 400: unknown function$/, status: 502, tries: 1 },
  { what: 'that answers 404', script: [answering(404, '<h1>404</h1>\n')], says: /answered 404: <h1>404<\/h1>$/, status: 502, tries: 1 },
  { what: 'that answers 401 without a word', script: [answering(401, '')], says: /answered 401$/, status: 502, tries: 1 },
  { what: 'that answers 422 in JSON', script: [answering(422, JSON_ERROR)], says: /answered 422: too many "samples"$/, status: 502, tries: 1 },
  { what: 'that answers 400 at length', script: [answering(400, 'x'.repeat(1e6))], says: /answered 400: x{299}…$/, status: 502, tries: 1 },
  { what: 'that redirects', script: [answering(302, '', { Location: '/elsewhere' })], says: /answered 302; redirects are not followed$/, status: 502, tries: 1 },
  { what: 'that answers 501', script: [answering(501, 'no')], says: /answered 501: no$/, status: 503, tries: 1 },
  { what: 'that answers 500', script: [answering(500, 'oh')], says: /answered 500: oh$/, status: 503, tries: 3 },
  { what: 'that answers 503', script: [answering(503, 'busy')], says: /answered 503: busy$/, status: 503, tries: 3 },
  { what: 'that asks for more patience than there is', script: [answering(429, 'slow down', { 'Retry-After': '60' })], says: /answered 429: slow down$/, status: 503, tries: 1 },
  { what: 'that answers SAMPLES', script: [answering(200, 'abc', { 'Content-Type': 'application/x-protobuf' })], says: /does not stream remote reads: it answered with SAMPLES/, status: 502, tries: 1 },
  { what: 'that answers a web page', script: [answering(200, '<html>', { 'Content-Type': 'text/html' })], says: /does not stream remote reads: it answered with 'text\/html'/, status: 502, tries: 1 },
  { what: 'that answers gzip', script: [answering(200, '\x1f\x8bgarbage', GZIP)], says: /Content-Encoding gzip, not asked for/, status: 502, tries: 1 },
  { what: 'that does not speak HTTP', script: [babbling('220 smtp ready\r\n')], says: /does not answer in HTTP/, status: 503, tries: 3 },
  { what: 'that breaks off in a frame', script: [cutting(frame('a').subarray(0, 20))], says: /cut off mid-stream: the connection was closed/, status: 503, tries: 3 },
  { what: 'that ends in a frame', script: [streaming(frame('a'), frame('b').subarray(0, 20))], says: /cut off mid-stream \(20 bytes of a frame came\)/, status: 502, tries: 3 },
  { what: 'that breaks off after a batch was handed out', script: [cutting(MEBIBYTE)], says: /cut off mid-stream/, status: 503, tries: 1 },
  { what: 'that announces a huge frame', script: [streaming(HUGE)], says: /damaged \(a frame claims 67108865 bytes\)/, status: 502, tries: 3 },
  { what: 'that sends a length without end', script: [streaming(Buffer.alloc(99, 0xff))], says: /damaged \(a frame's length does not end\)/, status: 502, tries: 3 },
  { what: 'that never answers', script: [() => undefined], says: /did not begin to answer within 150 ms/, status: 504, tries: 1, options: SHORT_IDLE },
  { what: 'that falls silent', script: [hanging(frame('a'))], says: /fell silent for 150 ms/, status: 504, tries: 1, options: SHORT_IDLE },
  { what: 'that drips', script: [dripping(frame('a').subarray(0, 1), 10)], says: /not complete after 400 ms/, status: 504, tries: 1, options: { ...SHORT_TOTAL, ...SHORT_IDLE } },
  { what: 'that drips an error', script: [dripping(Buffer.of(120), 20, 500)], says: /answered 500: x+$/, status: 503, tries: 1, options: SHORT_TOTAL },
];

describe('a read of a store', { concurrency: 16, timeout: 20_000 }, () => {
  for (const { what, script, says, status, tries, options } of FAILING)
    test(`${what} fails by name after ${tries} tries, and no connection stays open`, () =>
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

  test('that is down fails by name', async () => {
    const store = await startScriptedStore();
    await store.stop();
    await assert.rejects(readAll(store.url), {
      name: 'Unavailable',
      status: 503,
      message: `cannot read Prometheus at ${store.url}: the connection was refused (ECONNREFUSED)`,
    });
  });

  test('whose host is unknown fails by name', async () => {
    const message =
      /^cannot read Prometheus at http:\/\/store\.invalid: the host name is not known/;
    await assert.rejects(readAll('http://store.invalid'), { name: 'Unavailable', message });
  });

  test('that does not speak TLS fails by name', () =>
    withStore([streaming()], async ({ url }) => {
      const message = /the TLS handshake failed/;
      await assert.rejects(readAll(url.replace('http', 'https')), { name: 'Unavailable', message });
    }));
});

describe('a read is tried again', { concurrency: 16, timeout: 20_000 }, () => {
  const RECOVERING: readonly (readonly [what: string, script: Reply[], tries: number])[] = [
    ['after a 500', [answering(500, ''), streaming(frame('a'))], 2],
    ['after two connections that broke', [cutting(), cutting(frame('a').subarray(0, 9)), streaming(frame('a'))], 3], // prettier-ignore
    ['after a damaged answer', [streaming(HUGE), streaming(frame('a'))], 2],
    ['after a 429', [answering(429, '', { 'Retry-After': '0' }), streaming(frame('a'))], 2],
  ];
  for (const [what, script, tries] of RECOVERING)
    test(what, () =>
      withStore(script, async (store) => {
        const series = await readBatches(await readAll(store.url));
        assert.equal(series.size, 1);
        assert.equal(store.requests.length, tries);
      }),
    );

  test('not before the time a store asked for', () =>
    withStore(
      [answering(503, '', { 'Retry-After': '1' }), streaming(frame('a'))],
      async (store) => {
        await readAll(store.url);
        const [first, second] = store.requests;
        assert.ok((second?.atMs ?? 0) - (first?.atMs ?? 0) >= 990);
      },
    ));

  test('and what a store asked for is passed on when it does not fit', () =>
    withStore([answering(503, '', { 'Retry-After': '30' })], async ({ url }) => {
      await assert.rejects(readAll(url), { name: 'Unavailable', retryAfterSeconds: 30 });
    }));
});

describe('a caller', { concurrency: 16, timeout: 20_000 }, () => {
  const REASON = new Error('gone');
  const ABORTED: readonly (readonly [when: string, script: Reply[]])[] = [
    ['before the answer begins', [() => undefined]],
    ['within a body that hangs', [hanging(frame('a').subarray(0, 9))]],
    ['while it waits to try again', [answering(503, '', { 'Retry-After': '5' })]],
  ];
  for (const [when, script] of ABORTED)
    test(`that aborts ${when} gets its own reason and the connection closes`, () =>
      withStore(script, async (store) => {
        const controller = new AbortController();
        const reading = readAll(store.url, {}, controller.signal);
        setTimeout(() => controller.abort(REASON), 100);
        await assert.rejects(reading, REASON);
        await store.allClosed();
        assert.equal(store.requests.length, 1);
      }));

  test('that aborts while it holds a batch gets its own reason and the connection closes', () =>
    withStore([dripping(MEBIBYTE, 1)], async (store) => {
      const source = createRemoteRead({ url: store.url, ...LIMITS });
      const controller = new AbortController();
      const reading = source.read(SELECTION, RANGE, controller.signal)[Symbol.asyncIterator]();
      assert.equal((await reading.next()).done, false);
      controller.abort(REASON);
      await store.allClosed();
      await assert.rejects(Promise.resolve(reading.next()), REASON);
    }));

  test('that aborted before it asked sends nothing', () =>
    withStore([streaming(frame('a'))], async (store) => {
      await assert.rejects(readAll(store.url, {}, AbortSignal.abort(REASON)), REASON);
      assert.equal(store.requests.length, 0);
    }));

  test('that leaves early closes the connection', () =>
    withStore([dripping(MEBIBYTE, 1)], async (store) => {
      const source = createRemoteRead({ url: store.url, ...LIMITS });
      for await (const batch of source.read(SELECTION, RANGE, new AbortController().signal)) {
        assert.ok(batch.bytes.length > 0);
        break;
      }
      await store.allClosed();
    }));

  test('that reads slowly holds the store back and is not taken for a silent store', () =>
    withStore([streaming(...Array.from({ length: 40 }, () => MEBIBYTE))], async ({ url }) => {
      const source = createRemoteRead({ url, ...LIMITS, idleTimeoutMs: 60 });
      let bytes = 0;
      for await (const batch of source.read(SELECTION, RANGE, new AbortController().signal)) {
        if (bytes < 3e6) await new Promise((resolve) => setTimeout(resolve, 150));
        bytes += batch.bytes.length;
      }
      assert.equal(bytes, 40 * MEBIBYTE.length);
    }));
});

describe('reads at once', { concurrency: 16, timeout: 20_000 }, () => {
  const pausing: Reply = (response) => setTimeout(() => streaming(frame('a'))(response), 30);

  test('are as many as allowed, and all are answered', () =>
    withStore([pausing], async (store) => {
      const source = createRemoteRead({ url: store.url, ...LIMITS, concurrentReads: 3 });
      const signal = new AbortController().signal;
      const reads = Array.from({ length: 10 }, () =>
        readBatches(source.read(SELECTION, RANGE, signal)),
      );
      for (const series of await Promise.all(reads)) assert.equal(series.size, 1);
      assert.equal(store.mostAtOnce, 3);
      await source.close();
    }));

  test('that get no turn in time fail by name, and give no slot away', () =>
    withStore([hanging()], async (store) => {
      const source = createRemoteRead({
        url: store.url, idleTimeoutMs: 300, totalTimeoutMs: 200, concurrentReads: 1,
      }); // prettier-ignore
      const signal = new AbortController().signal;
      const read = (): Promise<unknown> => readBatches(source.read(SELECTION, RANGE, signal));
      for (const { reason } of (await Promise.allSettled([read(), read(), read()])).map(rejected))
        assert.match(String(reason), /^Unavailable: cannot read .* 200 ms$/);
      assert.ok(store.requests.length > 0);
      await assert.rejects(read(), /not complete after 200 ms/);
    }));
});

function rejected(result: PromiseSettledResult<unknown>): { reason: unknown } {
  return { reason: result.status === 'rejected' ? result.reason : undefined };
}

describe('a probe', { concurrency: 16, timeout: 20_000 }, () => {
  const build = (data: object): Reply =>
    answering(200, JSON.stringify({ status: 'success', data }));
  const KNOWN: readonly (readonly [Reply, application: string, version: string])[] = [
    [build({ version: '2.42.0', goVersion: 'go1.19' }), 'Prometheus', '2.42.0'],
    [build({ application: 'Grafana Mimir', version: '2.9.0' }), 'Grafana Mimir', '2.9.0'],
    [answering(404, 'not found'), 'unknown', ''],
    [answering(200, '<html>'), 'unknown', ''],
  ];
  for (const [reply, application, version] of KNOWN)
    test(`tells ${application} ${version}`, () =>
      withStore([reply], async (store) => {
        const source = createRemoteRead({ url: store.url, ...LIMITS });
        const identity = await source.probe(new AbortController().signal);
        assert.deepEqual(identity, { application, version });
        assert.equal(store.requests[0]?.path, '/api/v1/status/buildinfo');
        await source.close();
      }));

  test('of a store that is down fails by name', async () => {
    const store = await startScriptedStore();
    await store.stop();
    const source = createRemoteRead({ url: store.url, ...LIMITS });
    const probing = source.probe(new AbortController().signal);
    await assert.rejects(probing, { name: 'Unavailable', message: /connection was refused/ });
  });
});
