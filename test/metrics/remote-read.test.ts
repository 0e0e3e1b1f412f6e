import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { uncompress } from 'snappyjs';
import { createRemoteRead } from '../../src/metrics/index.ts';
import { encodeReadRequest } from '../../src/metrics/readers/remote-read-request.ts';
import { readBatches } from '../support/references/read-batches.ts';
import {
  frame,
  LIMITS,
  MEBIBYTE,
  RANGE,
  readAll,
  SELECTION,
  withStore,
} from '../support/stores/remote-reading.ts';
import {
  answering,
  cutting,
  dripping,
  hanging,
  startScriptedStore,
  streaming,
  type Reply,
} from '../support/stores/scripted-store.ts';

describe('a read of a store', { concurrency: 16, timeout: 20_000 }, () => {
  test('yields the frames unchanged, with the encoding chunked-read', () =>
    withStore([streaming(frame('a'), frame('b'))], async ({ url }) => {
      const batches = await readAll(url);
      assert.deepEqual(
        batches.map(({ encoding }) => encoding),
        ['chunked-read'],
      );
      const series = [...(await readBatches(batches)).values()];
      assert.deepEqual(
        series.map(({ labels }) => labels['pod']),
        ['a', 'b'],
      );
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

  test('without series has no batch', () =>
    withStore([streaming()], async ({ url }) => assert.deepEqual(await readAll(url), [])));
});

describe('a read is tried again', { concurrency: 16, timeout: 20_000 }, () => {
  const RECOVERING: readonly (readonly [what: string, script: Reply[], tries: number])[] = [
    ['after a 500', [answering(500, ''), streaming(frame('a'))], 2],
    [
      'after two connections that broke',
      [cutting(), cutting(frame('a').subarray(0, 9)), streaming(frame('a'))],
      3,
    ],
    ['after a damaged answer', [streaming(Buffer.alloc(9, 0xff)), streaming(frame('a'))], 2],
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

  test('not before the time that a store asked for', () =>
    withStore(
      [answering(503, '', { 'Retry-After': '1' }), streaming(frame('a'))],
      async (store) => {
        await readAll(store.url);
        const [first, second] = store.requests;
        assert.ok((second?.atMs ?? 0) - (first?.atMs ?? 0) >= 990, 'requested again too soon');
      },
    ));

  test('unless the time a store asked for exceeds the deadline: then it is passed on', () =>
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
    test(`gets its own reason when it aborts ${when}, and the connection closes`, () =>
      withStore(script, async (store) => {
        const controller = new AbortController();
        const reading = readAll(store.url, {}, controller.signal);
        void store.asked(1).then(() => setTimeout(() => controller.abort(REASON), 50));
        await assert.rejects(reading, REASON);
        await store.allClosed();
        assert.equal(store.requests.length, 1);
      }));

  test('gets its own reason when it aborts while it holds a batch, and the connection closes', () =>
    withStore([dripping(MEBIBYTE, 1)], async (store) => {
      const source = createRemoteRead({ url: store.url, ...LIMITS });
      const controller = new AbortController();
      const reading = source.read(SELECTION, RANGE, controller.signal)[Symbol.asyncIterator]();
      assert.equal((await reading.next()).done, false);
      controller.abort(REASON);
      await store.allClosed();
      await assert.rejects(Promise.resolve(reading.next()), REASON);
    }));

  test('sends nothing if it aborted before the request', () =>
    withStore([streaming(frame('a'))], async (store) => {
      await assert.rejects(readAll(store.url, {}, AbortSignal.abort(REASON)), REASON);
      assert.equal(store.requests.length, 0);
    }));

  test('closes the connection when it leaves early', () =>
    withStore([dripping(MEBIBYTE, 1)], async (store) => {
      const source = createRemoteRead({ url: store.url, ...LIMITS });
      for await (const batch of source.read(SELECTION, RANGE, new AbortController().signal)) {
        assert.ok(batch.bytes.length > 0, 'an empty batch');
        break;
      }
      await store.allClosed();
    }));

  test('may read slowly: the store waits, without a timeout', () =>
    withStore([streaming(...Array.from({ length: 40 }, () => MEBIBYTE))], async ({ url }) => {
      const source = createRemoteRead({ url, ...LIMITS, idleTimeoutMs: 400 });
      let bytes = 0;
      for await (const batch of source.read(SELECTION, RANGE, new AbortController().signal)) {
        if (bytes < 3e6) await new Promise((resolve) => setTimeout(resolve, 600));
        bytes += batch.bytes.length;
      }
      assert.equal(bytes, 40 * MEBIBYTE.length);
    }));
});

describe('reads at once', { concurrency: 16, timeout: 20_000 }, () => {
  const pausing: Reply = (...asked) => setTimeout(() => streaming(frame('a'))(...asked), 30);

  test('are limited to the allowed number, and all are answered', () =>
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

  test('fail by name if they get no turn in time, and do not free a turn', () =>
    withStore([hanging()], async (store) => {
      const source = createRemoteRead({
        url: store.url,
        idleTimeoutMs: 2000,
        totalTimeoutMs: 700,
        concurrentReads: 1,
      });
      const signal = new AbortController().signal;
      const read = (): Promise<unknown> => readBatches(source.read(SELECTION, RANGE, signal));
      for (const { reason } of (await Promise.allSettled([read(), read(), read()])).map(rejected))
        assert.match(String(reason), /^Unavailable: cannot read .* 700 ms$/);
      assert.ok(store.requests.length > 0, 'there was no request');
      await assert.rejects(read(), /not complete after 700 ms/);
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
    test(`finds ${application} ${version}`, () =>
      withStore([reply], async (store) => {
        const source = createRemoteRead({ url: store.url, ...LIMITS });
        const identity = await source.probe(new AbortController().signal);
        assert.deepEqual(identity, { application, version });
        assert.equal(store.requests[0]?.path, '/api/v1/status/buildinfo');
        await source.close();
      }));

  test('fails by name when the store is down', async () => {
    const store = await startScriptedStore();
    await store.stop();
    const source = createRemoteRead({ url: store.url, ...LIMITS });
    const probing = source.probe(new AbortController().signal);
    await assert.rejects(probing, { name: 'Unavailable', message: /connection was refused/ });
  });
});
