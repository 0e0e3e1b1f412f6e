/** More queries than are worked on: so many wait, the next is told to come back. */
import assert from 'node:assert/strict';
import { get, type ClientRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  errorOf,
  startOwnServer,
  type Answer,
  type OwnServer,
} from '../../support/servers/own-server.ts';
import { HOUR_WINDOW, NOW, podStore } from '../../support/fleets/pod-store.ts';
import {
  startScriptedStore,
  type ScriptedStore,
  type Reply,
} from '../../support/stores/scripted-store.ts';

const QUERY = `window=${HOUR_WINDOW}&aggregate=namespace`;
/** Identical questions would be one computation. */
let questions = 0;
const newQuestion = (): string => `${QUERY}&limit=${++questions}`;
const RUNNING = 2;
const WAITING = 4;

const silent: Reply = () => undefined;
let reply: Reply = silent;
let store: ScriptedStore;
let server: OwnServer;

before(async () => {
  store = await startScriptedStore((response, request) => reply(response, request));
  server = await startOwnServer(
    [`--metrics-url=${store.url}`, `--now=${NOW}`, '--workers=1', '--cost-metrics-interval=0'],
    2000,
  );
});

after(async () => {
  await server.stop();
  await store.stop();
});

function askAndLeaveOpen(): ClientRequest {
  return get(`${server.url}/model/allocation/compute?${newQuestion()}`).on(
    'error',
    () => undefined,
  );
}

test('P-O2: two of seven different queries at once run, four wait and one is told to come back', async () => {
  const clients = Array.from({ length: RUNNING + WAITING }, askAndLeaveOpen);
  // The others hang: the server says so of the seventh before any of them ends.
  const refused = await refusal();
  assert.equal(errorOf(refused).code, 503);
  assert.equal(
    errorOf(refused).message,
    'too many questions that are computed from samples: 2 are being answered and 4 wait for their turn',
  );
  assert.ok(errorOf(refused).hint, 'no hint');
  assert.equal(refused.retryAfter, '10');
  assert.equal((await server.ask('/healthz')).status, 200);

  reply = podStore();
  for (const client of clients) client.destroy();
  while (store.atOnce > 0) await sleep(2);
  const answer = await server.compute(QUERY);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(server.errors, []);
});

test('a question that will read few samples, by what those before it read, waits with its like alone', async () => {
  assert.deepEqual(await lanesOf(newQuestion()), { heavy: 0, quick: 1 });
});

/** How often each lane lets a question in. */
async function lanesOf(query: string): Promise<Record<string, number>> {
  const before = await admitted();
  assert.equal((await server.compute(query)).status, 200);
  const after = await admitted();
  return Object.fromEntries(
    ['heavy', 'quick'].map((lane) => [lane, (after.get(lane) ?? 0) - (before.get(lane) ?? 0)]),
  );
}

async function admitted(): Promise<Map<string, number>> {
  const { text } = await server.ask('/metrics');
  const lines = text.matchAll(/^prorata_lane_admitted_total\{lane="(\w+)"\} (\d+)$/gm);
  return new Map([...lines].map(([, lane = '', count]) => [lane, Number(count)]));
}

/** Asks until the queries before it have all arrived: from then on nobody is let in. */
async function refusal(): Promise<Answer> {
  for (;;) {
    const answer = await Promise.race([server.compute(newQuestion()), sleep(50, undefined)]);
    if (answer) return answer;
  }
}
