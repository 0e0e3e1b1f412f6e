/**
 * A budget of 292 MiB (65 for columns) over 600 pods that are there for six hours: what does not
 * fit is refused, and what is suggested instead does fit.
 */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeChunked } from '../../support/stores/chunked-frames.ts';
import {
  errorOf,
  startOwnServer,
  type Answer,
  type OwnServer,
} from '../../support/servers/own-server.ts';
import { framesByMetric, metricsOf, podSeries, podStore } from '../../support/fleets/pod-store.ts';
import {
  startScriptedStore,
  streaming,
  type Reply,
  type ScriptedStore,
} from '../../support/stores/scripted-store.ts';
import { measured } from '../../support/measured.ts';

const NOW_MS = Date.UTC(2024, 4, 2, 6);
const PODS = 600;
const TIMES = Array.from({ length: 41 }, (_, i) => NOW_MS - (40 - i) * 9 * 60_000);
const TOO_MUCH = 'window=6h&step=30s';
const SMALL = 'window=2h';

const frames = framesByMetric(
  Array.from({ length: PODS }, (_, i) => podSeries(`pod-${i}`, TIMES)).flat(),
);
let reply: Reply = podStore({}, frames);
let store: ScriptedStore;
let server: OwnServer;
let restingBytes: number;

before(async () => {
  store = await startScriptedStore((response, request) => reply(response, request));
  const now = new Date(NOW_MS).toISOString();
  const flags = [
    `--metrics-url=${store.url}`,
    '--memory-limit=292Mi',
    '--workers=2',
    `--now=${now}`,
  ];
  server = await startOwnServer(flags);
  await Promise.all([server.compute(SMALL), server.compute(SMALL)]);
  restingBytes = server.usedBytes();
});

after(async () => {
  await server.stop();
  await store.stop();
});

interface ClusterSet {
  readonly 'default-cluster': { readonly cpuCoreHours: number };
}

/** @param hours that all pods together ran, at half a core */
async function answersWhole(query: string, hours: number): Promise<void> {
  const answer = await server.compute(`${query}&aggregate=cluster`);
  assert.equal(answer.status, 200, `${query}: ${answer.text.slice(0, 300)}`);
  assert.equal(answer.wasCut, false);
  const { data } = JSON.parse(answer.text) as { data: ClusterSet[] };
  const sum = data.reduce((total, set) => total + set['default-cluster'].cpuCoreHours, 0);
  assert.ok(Math.abs(sum / (hours / 2) - 1) < 1e-9, `${query}: ${sum} core hours`);
  assert.equal(server.usedBytes(), restingBytes);
}

function suggestions(answer: Answer): string[] {
  return [...(errorOf(answer).hint ?? '').matchAll(/(?:step|window)=[^\s;]+/g)].map(String);
}

function hoursOf(window: string): number {
  const [start = 0, end = 0] = window.split(',').map((time) => Date.parse(time));
  return window.includes(',') ? (end - start) / 3_600_000 : Number.parseInt(window, 10);
}

test('P-M3: sets that do not fit are refused with an estimate and the limit', async () => {
  const answer = await server.compute(TOO_MUCH);
  const { code, parameter, message } = errorOf(answer);
  assert.deepEqual([answer.status, code, parameter], [422, 422, 'window'], answer.text);
  const [, needed, free] = /needs (\d+\.\d) MiB, (\d+\.\d) MiB of the memory/.exec(message) ?? [];
  assert.ok(Number(needed) > Number(free) && Number(free) > 50, message);
  assert.equal(server.usedBytes(), restingBytes);
  await answersWhole(SMALL, 2 * PODS);
});

test('P-M3: the suggested step and the suggested window do pass', async () => {
  const suggested = suggestions(await server.compute(TOO_MUCH));
  assert.deepEqual(suggested, ['step=5m', 'window=1h']);
  for (const text of suggested) {
    const parameters = new URLSearchParams(TOO_MUCH);
    for (const [name, value] of new URLSearchParams(text)) parameters.set(name, value);
    const hours = hoursOf(parameters.get('window') ?? '');
    await answersWhole(parameters.toString(), hours * PODS);
  }
});

const HOURLY = Array.from({ length: 21 * 24 }, (_, i) => NOW_MS - (21 * 24 - i) * 3_600_000);
const LONG: readonly (readonly [query: string, status: number, usage: 'no usage' | 'usage'])[] = [
  ['window=20d&step=1d', 200, 'usage'],
  ['window=20d&step=4m', 422, 'no usage'],
];
for (const [query, status, usage] of LONG)
  test(`a long window, ${query}, is answered with ${status} and reads ${usage}`, async () => {
    const pods = Array.from({ length: 200 }, (_, i) => podSeries(`pod-${i}`, HOURLY));
    reply = podStore({}, framesByMetric(pods.flat()));
    const earlier = store.requests.length;
    const answer = await server.compute(`${query}&aggregate=cluster`);
    reply = podStore({}, frames);
    assert.equal(answer.status, status, answer.text.slice(0, 300));
    const read = store.requests.slice(earlier).flatMap(metricsOf);
    assert.ok(read.includes('kube_pod_container_resource_requests'), read.join());
    const ofUsage = read.filter((metric) => /^container_(cpu|memory)_/.test(metric));
    assert.equal(ofUsage.length > 0, usage === 'usage', read.join());
    if (status === 422) assert.match(suggestions(answer).join(), /^step=.*,window=/);
    assert.equal(server.usedBytes(), restingBytes);
  });

test('the window of a pair is suggested as a pair that ends where it did', async () => {
  const answer = await server.compute('window=2024-05-02T00:00:00Z,2024-05-02T05:59:00Z&step=30s');
  const suggested = suggestions(answer).find((text) => text.startsWith('window=')) ?? '';
  assert.equal(suggested, 'window=2024-05-02T04:59:00.000Z,2024-05-02T05:59:00.000Z');
  await answersWhole(`${suggested}&step=30s`, PODS);
});

test('a row a container fits as well as one for all, to the last of them', async () => {
  const answer = await server.compute('window=2h&step=1h&accumulate=false');
  const { data } = JSON.parse(answer.text) as { data: object[] };
  assert.deepEqual(
    data.map((set) => Object.keys(set).length),
    [PODS, PODS],
  );
});

test('facts that do not fit are refused with a shorter window to try', async () => {
  const batch = (name: string): Buffer =>
    encodeChunked(
      Array.from({ length: 8 }, (_, i) => ({
        labels: Object.entries({
          __name__: 'kube_pod_labels',
          label_huge: 'x'.repeat(100_000),
          namespace: 'team',
          pod: `${name}-${i}`,
        }),
        timestampsMs: TIMES,
        values: TIMES.map(() => 1),
      })),
    );
  const batches = [batch('a'), batch('b')];
  const endless = Array.from({ length: 120 }, (_, i) => batches[i % 2] ?? Buffer.alloc(0));
  reply = podStore({ kube_pod_labels: streaming(...endless) }, frames);
  const answer = await server.compute(SMALL);
  reply = podStore({}, frames);
  const { message, parameter } = errorOf(answer);
  assert.deepEqual([answer.status, parameter], [422, 'window'], answer.text);
  assert.match(message, /needs more than the 65\.0 MiB of the memory budget$/);
  assert.match(suggestions(answer).join(), /^window=\d+m$/);
  assert.equal(server.usedBytes(), restingBytes);
  await answersWhole(SMALL, 2 * PODS);
});

test('pods that do not fit as objects are refused with a shorter window to try', async () => {
  const pods = Array.from({ length: 150_000 }, (_, i) => ({
    labels: Object.entries({ __name__: 'kube_pod_info', namespace: 'n', pod: i.toString(36) }),
    timestampsMs: [NOW_MS - 120_000, NOW_MS - 60_000],
    values: [1, 1],
  }));
  reply = podStore({}, new Map([['kube_pod_info', encodeChunked(pods)]]));
  const answer = await server.compute(SMALL);
  reply = podStore({}, frames);
  const { message, parameter } = errorOf(answer);
  assert.deepEqual([answer.status, parameter], [422, 'window'], answer.text);
  assert.match(message, /needs more than the \d+\.\d MiB of the memory budget$/);
  assert.match(suggestions(answer).join(), /^window=\d+m$/);
  assert.deepEqual(server.errors, []);
  assert.equal(server.usedBytes(), restingBytes);
  await answersWhole(SMALL, 2 * PODS);
});

test('each of large queries at once is whole, refused or told to come back; then all is free', async () => {
  const queries = ['window=4h&step=1m', 'window=5h&step=1m', TOO_MUCH, SMALL];
  const answers = await Promise.all(
    queries.map((query) => server.compute(`${query}&aggregate=cluster`)),
  );
  for (const { status, retryAfter, wasCut, text } of answers) {
    assert.ok([200, 422, 503].includes(status), `${status} ${text.slice(0, 200)}`);
    if (status === 503) assert.ok(Number(retryAfter) > 0, `retry after ${retryAfter}`);
    // An answer begun is whole, or seen to be broken off.
    if (!wasCut) assert.doesNotThrow(() => JSON.parse(text) as unknown);
    else assert.equal(status, 200);
  }
  assert.ok(
    answers.some(({ status, wasCut }) => status === 200 && !wasCut),
    'no answer is whole',
  );
  assert.equal(server.usedBytes(), restingBytes);
  await answersWhole(SMALL, 2 * PODS);
});

test('P-L6: clients that go away at any moment leave nothing behind', async (t) => {
  for (let i = 0; i < 20; i++) {
    const path = `${server.url}/model/allocation/compute?window=4h&step=1h`;
    const client = get(path, (response) => response.resume()).on('error', () => undefined);
    await sleep(10 * i);
    client.destroy();
  }
  while (server.usedBytes() > restingBytes || store.atOnce > 0) await sleep(2);
  assert.equal(server.usedBytes(), restingBytes);
  measured(t, 'P-L6', '20 clients left at random moments, 0 bytes and 0 reads left');
  await answersWhole(SMALL, 2 * PODS);
});
