/**
 * Reads of facts that break once more than a batch of them was worked on: they are done again, and the
 * answer is that of an undisturbed read, byte for byte.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  errorOf,
  startOwnServer,
  type Answer,
  type OwnServer,
} from '../../support/servers/own-server.ts';
import { FIRST_MS, framesByMetric, HOUR_WINDOW, metricsOf, NOW, podSeries, podStore } from '../../support/fleets/pod-store.ts'; // prettier-ignore
import type { TestSeries } from '../../support/stores/samples-encoding.ts';
import {
  cutting,
  startScriptedStore,
  type Reply,
  type ScriptedStore,
} from '../../support/stores/scripted-store.ts';

const MIB = 2 ** 20;
const PODS = 4000;
const LABELS = 'kube_pod_labels';
const REQUESTS = 'kube_pod_container_resource_requests';
const CPU = 'container_cpu_usage_seconds_total';
const QUERY = `window=${HOUR_WINDOW}&aggregate=pod`;
const TIMES = Array.from({ length: 7 }, (_, i) => FIRST_MS + 10 * 3_600_000 + i * 600_000);

/** So that usage is more than a batch, too. */
function withImage(one: TestSeries): TestSeries {
  return { ...one, labels: [...one.labels, ['image', 'x'.repeat(150)]] };
}

/** Labels are a MiB and more; a sample of each of them is not a number. */
const PODS_SERIES = Array.from({ length: PODS }, (_, i) => {
  const pod = `pod-${i}`;
  const named: TestSeries['labels'] = [
    ['__name__', LABELS],
    ['label_about', `${i}-${'x'.repeat(500)}`],
    ['label_app', `app-${i % 7}`],
    ['namespace', 'team'],
    ['pod', pod],
    ['uid', `uid-of-${pod}`],
  ];
  const values = TIMES.map((_, at) => (at === 3 ? NaN : 1));
  return [...podSeries(pod, TIMES).map(withImage), { labels: named, timestampsMs: TIMES, values }];
});

/** Whole frames of a hundred series: a batch is made of frames that are there. */
const FRAMES = new Map<string, Buffer>();
for (let from = 0; from < PODS; from += 100) {
  const frames = framesByMetric(PODS_SERIES.slice(from, from + 100).flat());
  for (const [metric, one] of frames) {
    FRAMES.set(metric, Buffer.concat([FRAMES.get(metric) ?? Buffer.alloc(0), one]));
  }
}

let reply: Reply;
let store: ScriptedStore;
let server: OwnServer;
let whole: Answer;

before(async () => {
  store = await startScriptedStore((response, request) => reply(response, request));
  server = await startOwnServer([`--metrics-url=${store.url}`, `--now=${NOW}`, '--workers=2']);
  reply = podStore({}, FRAMES);
  whole = await server.compute(QUERY);
  assert.equal(whole.status, 200, whole.text.slice(0, 300));
  assert.ok(
    whole.text.includes(`${PODS} samples were NaN or infinite: dropped`),
    'none is dropped',
  );
});
after(async () => {
  await server.stop();
  await store.stop();
});

interface Cut {
  readonly answer: Answer;
  /** Bytes of the read that is cut, when it is not. */
  readonly bytes: number;
  /** How often it was asked for. */
  readonly asked: number;
}

/** The answer, with the first `times` reads of a metric cut off after so many bytes. */
async function answerCut(metric: string, afterBytes: number, times: number): Promise<Cut> {
  let asked = 0;
  let bytes = 0;
  const own = podStore({}, FRAMES);
  const cut: Reply = (response, request) => {
    if (++asked > times) return own(response, request);
    const all = Buffer.concat(metricsOf(request).map((one) => FRAMES.get(one) ?? Buffer.alloc(0)));
    bytes = all.length;
    return cutting(all.subarray(0, Math.min(afterBytes, bytes - 1)))(response, request);
  };
  reply = podStore({ [metric]: cut }, FRAMES);
  return { answer: await server.compute(QUERY), bytes, asked };
}

const READS: readonly (readonly [what: string, metric: string])[] = [
  ['a read that several metrics share', LABELS],
  ['a read of a part of one metric', REQUESTS],
];

for (const [what, metric] of READS)
  for (const [where, afterBytes] of [
    ['before its first batch is full', MIB / 2],
    ['after its first MiB', MIB + 100_000],
    ['at its last byte', Infinity],
  ] as const)
    test(`${what}, cut ${where}, is done again, and nothing is counted twice`, async () => {
      const undisturbed = await answerCut(metric, 0, 0);
      const heldBytes = server.usedBytes();
      const { answer, bytes, asked } = await answerCut(metric, afterBytes, 1);
      assert.ok(bytes > 1.2 * MIB, `${bytes} bytes are no more than a batch`);
      assert.equal(asked, undisturbed.asked + 1);
      assert.equal(answer.status, 200, answer.text.slice(0, 300));
      assert.equal(answer.text, whole.text);
      assert.equal(server.usedBytes(), heldBytes, 'memory is held');
      assert.deepEqual(server.errors, []);
    });

test('a read that is cut again fails the query, and holds nothing', async () => {
  const heldBytes = server.usedBytes();
  const { answer, asked } = await answerCut(LABELS, 1.1 * MIB, 2);
  assert.equal(asked, 2);
  assert.equal(answer.status, 503);
  assert.match(errorOf(answer).message, /its answer was cut off mid-stream/);
  assert.equal(server.usedBytes(), heldBytes, 'memory is held');
});

test('usage that was integrated cannot be taken back: a read of it that is cut fails the query', async () => {
  const { answer, bytes } = await answerCut(CPU, Infinity, 1);
  assert.ok(bytes > 1.2 * MIB, `${bytes} bytes are no more than a batch`);
  assert.equal(answer.status, 503);
});
