/** Slices, refusals and warnings of PromQL stores. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ServerResponse } from 'node:http';
import { matrix, QUERY_RANGE, rangeVector, readWith } from '../support/stores/reader-replies.ts';
import { RANGE, withStore } from '../support/stores/remote-reading.ts';
import { answering, type Reply, type SeenRequest } from '../support/stores/scripted-store.ts';
import { measured } from '../support/measured.ts';

const EMPTY = answering(200, matrix([]));
const TOO_MANY = answering(
  422,
  '{"status":"error","errorType":"execution","error":"too many samples"}',
);
const MINUTE_MS = 60_000;

/** The requested slice: after `fromMs`, up to `toMs`. */
function sliceOf(request: SeenRequest): readonly [fromMs: number, toMs: number] {
  const form = new URLSearchParams(request.body.toString());
  const toMs = Math.round(Number(form.get('time')) * 1000);
  const lengthMs = /^up\{\}\[(\d+)ms\]$/.exec(form.get('query') ?? '')?.[1];
  return [toMs - Number(lengthMs), toMs];
}

function assertTiles(requests: readonly SeenRequest[]): void {
  const slices = requests.map(sliceOf);
  assert.equal(slices[0]?.[0], RANGE.startMs - 1);
  assert.equal(slices.at(-1)?.[1], RANGE.endMs);
  slices.slice(1).forEach(([fromMs], i) => assert.equal(fromMs, slices[i]?.[1]));
}

describe('a read by range selectors', { timeout: 20_000 }, () => {
  test('for a short range is one query', () =>
    withStore([EMPTY], async (store) => {
      assert.deepEqual(await readWith(QUERY_RANGE, store.url), []);
      assert.equal(store.requests.length, 1);
      assert.equal(store.requests[0]?.path, '/api/v1/query');
      assertTiles(store.requests);
    }));

  for (const sliceMs of [MINUTE_MS, 97_001, 599_999, 600_000, 600_001, 600_002])
    test(`in slices of ${sliceMs} ms covers each moment once`, () =>
      withStore([EMPTY], async (store) => {
        await readWith(QUERY_RANGE, store.url, { sliceMs });
        assert.equal(store.requests.length, Math.ceil(600_001 / sliceMs));
        assertTiles(store.requests);
      }));

  test('continues in halves when it is too large for the store', () =>
    withStore([EMPTY, TOO_MANY, TOO_MANY, EMPTY], async (store) => {
      await readWith(QUERY_RANGE, store.url, { sliceMs: 4 * MINUTE_MS });
      const [first, refused, again, ...rest] = store.requests;
      assert.ok(first && refused && again, 'fewer than three requests');
      const minutes = [first, refused, again, ...rest].map((request) => {
        const [fromMs, toMs] = sliceOf(request);
        return Math.round((toMs - fromMs) / MINUTE_MS);
      });
      assert.deepEqual(minutes, [4, 4, 2, 1, 1, 1, 1, 1, 1, 0]);
      assertTiles([first, ...rest]);
    }));

  test('fails with 422 and a hint when less than a minute is too large', () =>
    withStore([TOO_MANY], async (store) => {
      await assert.rejects(readWith(QUERY_RANGE, store.url), {
        name: 'Unavailable',
        status: 422,
        message: `cannot read Prometheus at ${store.url}: it answered 422: too many samples (asked for 38 seconds at once)`,
        hint: /samples a query/,
      });
      assert.equal(store.requests.length, 5);
    }));
});

/** Invalid answers of status 200. */
const FALSE_ANSWERS: readonly (readonly [what: string, body: string, says: RegExp])[] = [
  [
    'an error',
    '{"status":"error","errorType":"bad_data","error":"no such\\n thing"}',
    /it answered with an error: no such thing$/,
  ],
  ['an error without words', '{"status":"error","errorType":"internal"}', /error: internal$/],
  ['nothing', '', /cut off mid-stream \(it holds 0 JSON documents\)/],
  ['two answers', `${matrix([])}${matrix([])}`, /it holds 2 JSON documents/],
  ['a vector', matrix([]).replace('matrix', 'vector'), /status 'success', result 'vector'/],
  ['no status', '{"data":{"resultType":"matrix","result":[]}}', /status '', result 'matrix'/],
  ['a list', '[]', /damaged/],
  ['samples of three parts', matrix([{ values: [[1, '2', 3]] }]), /a sample is not a pair/],
  ['samples of one part', matrix([{ values: [[1]] }]), /a sample is not a pair/],
  ['a time that is none', matrix([{ values: [['x', '1']] }]), /a sample is not a pair/],
];

describe('an answer', { concurrency: 10, timeout: 20_000 }, () => {
  for (const [what, body, says] of FALSE_ANSWERS)
    test(`P-F1: with status 200 fails by name if it is ${what}`, () =>
      withStore([answering(200, body)], async ({ url }) => {
        const expected = { name: 'Unavailable', message: says };
        await assert.rejects(readWith(QUERY_RANGE, url), expected);
      }));
});

/** Statuses and messages of stores for too large queries. */
const TOO_MUCH: readonly (readonly [status: number, error: string, type?: string])[] = [
  [200, 'too many samples', 'execution'],
  [200, 'query timed out in query execution', 'timeout'],
  [400, 'exceeded maximum resolution of 11,000 points per timeseries'],
  [413, 'request entity too large'],
  [422, 'query processing would load too many samples into memory in query execution'],
  [422, 'the query exceeded the maximum number of chunks (err-mimir-max-chunks-per-query)'],
  [500, 'rpc error: code = ResourceExhausted desc = grpc: received message larger than max'],
  [503, 'query timed out in expression evaluation'],
];

describe('a store that finds a slice too large', { concurrency: 8, timeout: 20_000 }, () => {
  for (const [status, error, errorType = 'execution'] of TOO_MUCH)
    test(`gets a request for half of it at once: ${status} ${error}`, () => {
      const body = JSON.stringify({ status: 'error', errorType, error });
      return withStore([answering(status, body), EMPTY], async (store) => {
        await readWith(QUERY_RANGE, store.url);
        const lengths = store.requests.map(sliceOf).map(([fromMs, toMs]) => toMs - fromMs);
        assert.deepEqual(lengths, [600_001, 300_001, 300_000]);
      });
    });
});

test('warnings, infos and a note of a partial answer are passed on by name', () => {
  const more = { warnings: ['store a is down'], infos: ['not a counter'], isPartial: true };
  const body = matrix([rangeVector('a', 0)], more);
  return withStore([answering(200, body)], async ({ url }) => {
    const warnings: string[] = [];
    const batches = await readWith(QUERY_RANGE, url, {}, (warning) => warnings.push(warning));
    assert.equal(batches.length, 1);
    assert.deepEqual(warnings, [
      `Prometheus at ${url}: store a is down`,
      `Prometheus at ${url}: not a counter`,
      `Prometheus at ${url}: the answer is partial`,
    ]);
  });
});

describe('parts of a store that cannot be read', { timeout: 20_000 }, () => {
  /** As each request has the parameter. */
  function asked(requests: readonly SeenRequest[]): (string | null)[] {
    return requests.map(({ body }) => new URLSearchParams(body.toString()).get('partial_response'));
  }

  test('fail the read, as Thanos is asked to, and no smaller one is tried', () => {
    const error =
      'proxy Series(): rpc error: code = Aborted desc = receive series from Addr: 10.0.0.1:10901: rpc error: code = Unavailable desc = connection error';
    const body = JSON.stringify({ status: 'error', errorType: 'execution', error });
    return withStore([answering(422, body)], async (store) => {
      await assert.rejects(readWith(QUERY_RANGE, store.url), {
        status: 503,
        message: `cannot read Prometheus at ${store.url}: it answered 422: ${error}`,
      });
      assert.deepEqual(asked(store.requests), ['false', 'false', 'false']);
      assert.equal(new Set(store.requests.map((each) => sliceOf(each)[0])).size, 1);
    });
  });

  test('are not asked for where the store refuses the parameter, once', () => {
    const error = {
      code: 400,
      message:
        'Invalid JSON payload received. Unknown name "partial_response": Cannot bind query parameter.',
      status: 'INVALID_ARGUMENT',
    };
    return withStore([answering(400, JSON.stringify({ error })), EMPTY], async (store) => {
      assert.deepEqual(await readWith(QUERY_RANGE, store.url, { sliceMs: 4 * MINUTE_MS }), []);
      assert.deepEqual(asked(store.requests), ['false', null, null, null]);
      assertTiles(store.requests.slice(1));
    });
  });

  test('are no matter of other refusals', () =>
    withStore([answering(400, '{"error":"parse error"}'), EMPTY], async (store) => {
      await assert.rejects(readWith(QUERY_RANGE, store.url), /answered 400: parse error/);
      assert.equal(store.requests.length, 1);
    }));
});

test('P-M4: an answer of 150 MB is read in less than 75 MB of heap and buffers', (t) => {
  const vector = JSON.stringify(rangeVector('x', 20_000));
  const count = Math.ceil(150e6 / vector.length);
  const answer: Reply = async (response: ServerResponse) => {
    const head = matrix([]).replace(']}}', '');
    response.write(head);
    for (let i = 0; i < count; i++) {
      const one = vector.replace('"x"', `"pod-${i}"`);
      if (!response.write(i === 0 ? one : `,${one}`))
        await new Promise((resolve) => response.once('drain', resolve));
    }
    response.end(']}}');
  };
  return withStore([answer], async (store) => {
    const source = QUERY_RANGE.create(store.url, { totalTimeoutMs: 60_000 });
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    let [most, bytes] = [0, 0];
    const { signal } = new AbortController();
    for await (const batch of source.read({ metric: 'up', matchers: [] }, RANGE, signal)) {
      bytes += batch.bytes.length;
      const now = process.memoryUsage();
      most = Math.max(most, now.heapUsed + now.arrayBuffers - heapUsed - arrayBuffers);
    }
    await source.close();
    assert.ok(bytes >= count * 20_002 * 16, `${bytes} bytes`);
    assert.ok(most < 75e6, `${Math.round(most / 1e6)} MB`);
    measured(t, 'P-M4', `150 MB read in ${Math.round(most / 1e6)} MB`);
  });
});
