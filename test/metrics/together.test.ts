/** Several metrics in one read: the requests, and what happens if a store refuses. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { uncompress } from 'snappyjs';
import {
  createQueryRange,
  createRemoteRead,
  createVictoriaExport,
  openStore,
  type Batch,
  type MetricsSource,
} from '../../src/metrics/index.ts';
import { encodeReadRequest } from '../../src/metrics/readers/remote-read-request.ts';
import { readBatches } from '../support/references/read-batches.ts';
import { frame, LIMITS, MEBIBYTE, RANGE, withStore } from '../support/stores/remote-reading.ts';
import {
  answering,
  cutting,
  streaming,
  type Reply,
  type ScriptedStore,
} from '../support/stores/scripted-store.ts';

const METRICS = ['up', 'kube_pod_info'];
const LINE = '{"metric":{"__name__":"up","pod":"a"},"values":[1],"timestamps":[1700000000000]}\n';

type Source = MetricsSource & { close(): Promise<void> };
type Open = (options: { url: string } & typeof LIMITS) => Source;

/** @returns the series read */
async function readTogether(open: Open, url: string): Promise<string[]> {
  const source = open({ url, ...LIMITS });
  try {
    const { signal } = new AbortController();
    const read = await source.together?.(signal);
    assert.ok(read, 'it reads each by itself');
    const batches: Batch[] = [];
    for await (const batch of read(METRICS, RANGE, signal)) batches.push(batch);
    return [...(await readBatches(batches)).values()].map(({ labels }) => labels['pod'] ?? '');
  } finally {
    await source.close();
  }
}

/** The names of metrics in each request. */
function namesIn({ requests }: ScriptedStore): string[] {
  return requests.map(({ path, body }) => {
    const text = path === '/api/v1/read' ? uncompress(new Uint8Array(body)) : body;
    const plain = decodeURIComponent(Buffer.from(text).toString('latin1'));
    return METRICS.filter((metric) => plain.includes(metric)).join('|');
  });
}

describe('several metrics', { concurrency: 8, timeout: 20_000 }, () => {
  test('are one remote read, by an expression of their names', () =>
    withStore([streaming(frame('a'), frame('b'))], async (store) => {
      assert.deepEqual(await readTogether(createRemoteRead, store.url), ['a', 'b']);
      assert.equal(store.requests.length, 1);
      const body = uncompress(new Uint8Array(store.requests[0]?.body ?? []));
      const wanted = encodeReadRequest({ metrics: METRICS }, RANGE);
      assert.deepEqual(Buffer.from(body), Buffer.from(wanted));
      assert.match(Buffer.from(wanted).toString('latin1'), /__name__.{2}up\|kube_pod_info/s);
    }));

  test('are one export of VictoriaMetrics', () =>
    withStore([answering(200, LINE)], async (store) => {
      assert.deepEqual(await readTogether(createVictoriaExport, store.url), ['a']);
      const form = new URLSearchParams(store.requests[0]?.body.toString());
      assert.equal(form.get('match[]'), '{__name__=~"up|kube_pod_info"}');
      assert.equal(store.requests.length, 1);
    }));

  test('are read one by one through PromQL, as a store builds each answer in memory', () =>
    withStore([answering(404, '')], async ({ url }) => {
      const { signal } = new AbortController();
      const options = { url, ...LIMITS };
      const chosen = openStore({ ...options, reader: 'query-range' });
      for (const source of [createQueryRange(options), chosen]) {
        assert.equal(await source.together?.(signal), undefined);
        await source.close();
      }
    }));

  const REFUSED: readonly (readonly [what: string, script: Reply[], asked: string[]])[] = [
    [
      'are requested one after the other if the store refuses them together',
      [answering(422, 'too many series'), streaming(frame('a')), streaming(frame('b'))],
      ['up|kube_pod_info', 'up', 'kube_pod_info'],
    ],
    [
      'are requested together again when the store is busy',
      [answering(429, '', { 'Retry-After': '0' }), streaming(frame('a'), frame('b'))],
      ['up|kube_pod_info', 'up|kube_pod_info'],
    ],
    [
      'are requested together again when the connection broke',
      [cutting(frame('a').subarray(0, 9)), streaming(frame('a'), frame('b'))],
      ['up|kube_pod_info', 'up|kube_pod_info'],
    ],
  ];
  for (const [what, script, wanted] of REFUSED)
    test(what, () =>
      withStore(script, async (store) => {
        assert.deepEqual(await readTogether(createRemoteRead, store.url), ['a', 'b']);
        assert.deepEqual(namesIn(store), wanted);
      }),
    );

  test('are a failure if the read breaks off after a yielded batch', () =>
    withStore([cutting(MEBIBYTE), streaming(frame('a'))], async (store) => {
      await assert.rejects(readTogether(createRemoteRead, store.url), /cut off mid-stream/);
      assert.equal(store.requests.length, 1);
    }));

  test('are a failure with the reason if they are also refused one by one', () =>
    withStore([answering(422, 'too many series')], async (store) => {
      await assert.rejects(readTogether(createRemoteRead, store.url), /422: too many series$/);
      assert.deepEqual(namesIn(store), ['up|kube_pod_info', 'up']);
    }));

  test('are not requested again if the store refuses the credentials', () =>
    withStore([answering(401, 'who are you')], async (store) => {
      await assert.rejects(readTogether(createRemoteRead, store.url), /401: who are you$/);
      assert.equal(store.requests.length, 1);
    }));
});
