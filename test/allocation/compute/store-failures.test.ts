/**
 * A store that fails, while facts are read and while usage is: each failure is an error of its own
 * that names the store, nothing is answered by halves, and all memory is given back.
 */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeChunked } from '../../support/stores/chunked-frames.ts';
import {
  errorOf,
  startOwnServer,
  type Answer,
  type OwnServer,
} from '../../support/servers/own-server.ts';
import { FIRST_MS, framesOf, HOUR_WINDOW, NOW, podStore } from '../../support/fleets/pod-store.ts';
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
} from '../../support/stores/scripted-store.ts';

const FACT = 'kube_pod_info';
const CPU = 'container_cpu_usage_seconds_total';
const RAM = 'container_memory_working_set_bytes';
const QUERY = `window=${HOUR_WINDOW}&aggregate=namespace`;
/** With room for a busy machine, on which a healthy answer may take its time. */
const IDLE_MS = 1000;
const TOTAL_MS = 3000;
const PAGE = answering(200, '<html>hello</html>', { 'Content-Type': 'text/html' });
const SAMPLES = answering(200, 'abc', { 'Content-Type': 'application/x-protobuf' });

type Row = readonly [
  what: string,
  reply: (metric: string) => Reply,
  status: number,
  says: RegExp,
  retryAfter?: string,
];

/** Answers that begin well, or that never begin. */
const BREAKS: readonly Row[] = [
  ['is silent', () => () => undefined, 504, /it did not begin to answer within 1000 ms$/],
  ['falls silent', (metric) => hanging(framesOf(metric)), 504, /it fell silent for 1000 ms$/],
  ['drips', () => dripping(Buffer.of(1), 20), 504, /its answer was not complete after 3000 ms$/],
  [
    'hangs up within a frame',
    (metric) => cutting(framesOf(metric).subarray(0, 99)),
    503,
    /cut off mid-stream: the connection was/,
  ],
  [
    'ends within its second frame',
    (metric) => streaming(framesOf(metric), framesOf(metric).subarray(0, 50)),
    502,
    /cut off mid-stream \(50 bytes of a frame came\)$/,
  ],
  ['damages a frame', (metric) => streaming(damaged(metric)), 502, /a frame has a wrong checksum$/],
  [
    'damages a frame after whole ones',
    (metric) => streaming(framesOf(metric), damaged(metric)),
    502,
    /a frame has a wrong checksum$/,
  ],
  [
    'sends a frame that is no message',
    () => streaming(Buffer.concat([Buffer.of(40), Buffer.alloc(44, 7)])),
    502,
    /a frame has a wrong checksum$/,
  ],
  ['answers 400', () => answering(400, 'bad_data: no'), 502, /it answered 400: bad_data: no$/],
  ['answers 500', () => answering(500, 'oops'), 503, /it answered 500: oops$/],
];

/** Answers that are none. */
const REFUSALS: readonly Row[] = [
  ['answers nothing and hangs up', () => cutting(), 503, /cut off mid-stream: the connection was/],
  ['answers 401', () => answering(401, ''), 502, /it answered 401$/],
  ['answers 404', () => answering(404, 'page not found'), 502, /it answered 404: page not found$/],
  [
    'answers 422',
    () => answering(422, '{"status":"error","error":"too many samples"}'),
    502,
    /it answered 422: too many samples$/,
  ],
  [
    'answers 429',
    () => answering(429, 'slow down', { 'Retry-After': '7' }),
    503,
    /it answered 429: slow down$/,
    '7',
  ],
  ['answers 503', () => answering(503, 'starting'), 503, /it answered 503: starting$/],
  ['answers a web page', () => PAGE, 502, /it answered with 'text\/html'$/],
  ['answers in another type', () => SAMPLES, 502, /it answered with SAMPLES/],
  [
    'redirects',
    () => answering(302, '', { Location: '/' }),
    502,
    /302; redirects are not followed/,
  ],
  ['does not speak HTTP', () => babbling('220 smtp\r\n'), 503, /it does not answer in HTTP/],
];

/** One byte of the frame's message is another. */
function damaged(metric: string): Buffer {
  const frames = Buffer.from(framesOf(metric));
  frames[frames.length >> 1] = (frames[frames.length >> 1] ?? 0) ^ 4;
  return frames;
}

let reply: Reply = podStore();
let store: ScriptedStore;
let server: OwnServer;
let restingBytes: number;

before(async () => {
  store = await startScriptedStore((response, request) => reply(response, request));
  const flags = [`--metrics-url=${store.url}`, `--now=${NOW}`, `--read-timeout=${TOTAL_MS}ms`];
  server = await startOwnServer(flags, IDLE_MS);
  // Both workers are at work once two queries have run at the same time.
  await Promise.all([server.compute(QUERY), server.compute(QUERY)]);
  restingBytes = server.usedBytes();
});

after(async () => {
  await server.stop();
  await store.stop();
});

async function answerOver(replies: Readonly<Record<string, Reply>>): Promise<Answer> {
  reply = podStore(replies);
  const answer = await server.compute(QUERY);
  assert.equal(server.usedBytes(), restingBytes, 'memory is held');
  assert.equal(answer.wasCut, false);
  assert.deepEqual(server.errors, []);
  return answer;
}

interface Whole {
  readonly data: readonly [{ readonly team: Readonly<Record<string, number>> }];
  readonly warnings?: readonly string[];
}

function wholeOf(answer: Answer): Whole {
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as Whole;
}

async function answersAgain(): Promise<void> {
  const { data, warnings } = wholeOf(await answerOver({}));
  assert.equal(data[0].team['cpuCoreHours'], 1);
  assert.equal(warnings, undefined);
}

interface Place {
  readonly where: string;
  /** The metric that fails, `*` for all. */
  readonly asked: string;
  readonly metric: string;
  readonly failures: readonly Row[];
}

const PLACES: readonly Place[] = [
  { where: 'of one fact', asked: FACT, metric: FACT, failures: BREAKS },
  { where: 'of usage, when all facts are read', asked: CPU, metric: CPU, failures: BREAKS },
  { where: 'of anything', asked: '*', metric: FACT, failures: REFUSALS },
];

for (const { where, asked, metric, failures } of PLACES)
  describe(`a store that, when it is asked for samples ${where},`, () => {
    for (const [what, replyFor, status, says, retryAfter] of failures)
      test(`P-F1: ${what} is answered ${status}`, async () => {
        const answer = await answerOver({ [asked]: replyFor(metric) });
        const error = errorOf(answer);
        assert.equal(answer.status, status, answer.text);
        assert.equal(answer.contentType, 'application/json');
        assert.deepEqual([error.code, error.data], [status, null]);
        assert.match(error.message, /^cannot read /);
        assert.ok(error.message.includes(`Prometheus at ${store.url}: `), error.message);
        assert.match(error.message, says);
        assert.equal(answer.retryAfter, retryAfter);
      });

    test('answers again is answered again', answersAgain);
  });

/** An hour's samples that all are `value`. */
function constant(metric: string, value: number): Reply {
  const timestampsMs = Array.from({ length: 120 }, (_, i) => FIRST_MS + 36e6 + i * 30_000);
  const labels = Object.entries({
    __name__: metric,
    namespace: 'team',
    pod: 'a',
    uid: 'uid-of-a',
    container: 'app',
    node: 'node-a',
    resource: 'cpu',
  });
  return streaming(
    encodeChunked([{ labels, timestampsMs, values: timestampsMs.map(() => value) }]),
  );
}

describe('a store whose samples are not numbers', () => {
  for (const [kind, value] of [
    ['NaN', NaN],
    ['infinite', Infinity],
  ] as const)
    // prettier-ignore
    for (const metric of [FACT, CPU, RAM])
      test(`P-F2: (${kind}, of ${metric}) has them dropped, and the answer says so`, async () => {
        const { data, warnings } = wholeOf(await answerOver({ [metric]: constant(metric, value) }));
        assert.deepEqual(warnings, ['120 samples were NaN or infinite: dropped']);
        assert.ok(Number.isFinite(data[0].team['totalCost']), 'no total');
        assert.equal(data[0].team['cpuCoreHours'], 1);
      });

  test('at all has no samples for the window', async () => {
    const metrics = [FACT, 'kube_pod_container_resource_requests', CPU, RAM];
    const replies = metrics.map((metric) => [metric, constant(metric, NaN)] as const);
    const answer = await answerOver(Object.fromEntries(replies));
    assert.equal(answer.status, 400, answer.text);
    assert.equal(errorOf(answer).parameter, 'window');
    assert.match(errorOf(answer).message, /no samples of kube-state-metrics but NaN/);
  });
});

test('a store that holds nothing for the window is answered 400, naming store and window', async () => {
  const answer = await answerOver({ '*': streaming() });
  const { code, parameter, message, hint } = errorOf(answer);
  assert.deepEqual([answer.status, code, parameter], [400, 400, 'window']);
  assert.ok(message.includes(`Prometheus at ${store.url} has no samples`), message);
  assert.match(hint ?? '', /a window in which the store was collecting/);
});

test('a store without usage is answered by requests alone, and the answer says so', async () => {
  const { data, warnings } = wholeOf(await answerOver({ [CPU]: streaming() }));
  assert.equal(data[0].team['cpuCoreHours'], 1);
  assert.deepEqual(warnings, [`the store has no samples of ${CPU}: usage counts as 0`]);
});

describe('a client that goes away', () => {
  for (const { where, asked, metric } of PLACES)
    test(`P-L6: while the store is asked for samples ${where} stops the reads`, async () => {
      reply = podStore({ [asked]: hanging(framesOf(metric)) });
      const requests = store.requests.length;
      const path = `${server.url}/model/allocation/compute?${QUERY}`;
      const client = get(path).on('error', () => undefined);
      await untilHanging(asked === '*' ? 4 : 1, requests);
      client.destroy();
      while (store.atOnce > 0) await sleep(2);
      while (server.usedBytes() > restingBytes) await sleep(2);
      assert.equal(server.usedBytes(), restingBytes);
      await answersAgain();
    });
});

/** Waits until the store has been asked and so many of its answers do not end. */
async function untilHanging(count: number, before: number): Promise<void> {
  const deadlineMs = Date.now() + TOTAL_MS;
  for (let quietSince = 0, seen = -1; quietSince < 10; quietSince++) {
    assert.ok(Date.now() < deadlineMs, `${store.atOnce} answers hang, not ${count}`);
    await sleep(10);
    const now = store.requests.length;
    if (now === before || store.atOnce !== count || now !== seen) quietSince = 0;
    seen = now;
  }
}

test('P-F1: a store that is down is answered 503, and its port is named', async () => {
  await store.stop();
  const answer = await server.compute(QUERY);
  assert.equal(answer.status, 503, answer.text);
  const what = 'the connection was refused (ECONNREFUSED)';
  assert.equal(errorOf(answer).message, `cannot read Prometheus at ${store.url}: ${what}`);
  assert.equal(server.usedBytes(), restingBytes);
  assert.equal((await server.ask('/healthz')).status, 200);
});
