/** Many who ask the same, and one who asks too much, of the server as users run it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { aggregationDay } from '../support/aggregation-cases.ts';
import { HOUR_WINDOW, NOW, podStore } from '../support/fleets/pod-store.ts';
import { measured } from '../support/measured.ts';
import {
  errorOf,
  startBundleServer,
  type Answer,
  type BundleServer,
} from '../support/servers/bundle-server.ts';
import { storeSaved } from '../support/stores/stored-folder.ts';
import { startScriptedStore, type ScriptedStore } from '../support/stores/scripted-store.ts';

const MANY = 200;
/** A client may ask as many as that and some more at once. */
const RATE = 60;
/** The fixture's day is kept as one before `NOW`. */
const SHIFT_MS = Date.UTC(2024, 4, 1) - Date.UTC(2026, 0, 14);
const STORED = 'window=2024-05-01T00:00:00Z,2024-05-02T00:00:00Z';

let store: ScriptedStore;
let folder: string;
let server: BundleServer;
/** Replies of the store wait for it. */
let letGo = (): void => undefined;
let going = Promise.resolve();

before(async () => {
  const pods = podStore();
  store = await startScriptedStore(async (response, request) => {
    await going;
    return await pods(response, request);
  });
  folder = mkdtempSync(join(tmpdir(), 'prorata-clients-'));
  await storeSaved(folder, aggregationDay('cluster-idle'), [
    { shiftMs: SHIFT_MS, state: 'sealed' },
  ]);
  server = await startBundleServer([
    `--data-dir=${folder}`,
    `--metrics-url=${store.url}`,
    `--now=${NOW}`,
    '--workers=1',
    // Nothing but questions begins tasks and reads of the store.
    '--cost-metrics-interval=0',
    `--rate-limit=${RATE}`,
  ]);
});

after(async () => {
  await server.stop();
  await store.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** How often each task has run. */
async function tasks(): Promise<Map<string, number>> {
  const { text } = await server.ask('/metrics');
  return new Map(
    Array.from(
      text.matchAll(/^prorata_pool_tasks_total\{task="(\w+)"\} (\d+)$/gm),
      ([, task = '', count]) => [task, Number(count)],
    ),
  );
}

/** The tasks that a question begins. */
async function tasksOf(work: () => Promise<unknown>): Promise<[string, number][]> {
  const before = await tasks();
  await work();
  return [...(await tasks())]
    .map(([task, count]): [string, number] => [task, count - (before.get(task) ?? 0)])
    .filter(([, count]) => count > 0);
}

function askMany(path: string): Promise<Answer[]> {
  return Promise.all(Array.from({ length: MANY }, () => server.ask(path)));
}

function assertAlike(answers: readonly Answer[]): void {
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
}

test('P-O5: two hundred identical stored questions are one computation', async (t) => {
  const question = (aggregate: string): string =>
    `/model/allocation?${STORED}&aggregate=${aggregate}`;
  const ran = await tasksOf(async () => assertAlike(await askMany(question('pod'))));
  assert.ok(new Map(ran).get('querySet') === 1, JSON.stringify(ran));
  const { text } = await server.ask('/metrics');
  assert.match(text, /^prorata_lane_admitted_total\{lane="cheap"\} [1-9]/m, 'by its estimate');
  assert.match(text, /^prorata_lane_admitted_total\{lane="short"\} 0$/m);
  assert.deepEqual(
    ran.filter(([, count]) => count > 1),
    [],
    'a task ran again',
  );
  measured(t, 'P-O5', `${MANY} identical stored questions, no task twice`);
});

test('P-O5: two hundred identical computed questions read the store once', async (t) => {
  const question = (aggregate: string): string =>
    `/model/allocation/compute?window=${HOUR_WINDOW}&aggregate=${aggregate}`;
  const alone = store.requests.length;
  await server.ask(question('namespace'));
  const readsOfOne = store.requests.length - alone;
  going = new Promise((resolve) => {
    letGo = resolve;
  });
  const before = store.requests.length;
  const asked = askMany(question('pod'));
  while (!(await areInFlight(MANY))) await sleep(5);
  letGo();
  assertAlike(await asked);
  // The first question of a server asks the store what it can do besides.
  const reads = store.requests.length - before;
  assert.ok(reads > 0 && reads <= readsOfOne, `${reads} reads, ${readsOfOne} for one`);
  measured(
    t,
    'P-O5',
    `${MANY} identical computed questions, ${reads} reads of the store, one has ${readsOfOne}`,
  );
});

async function areInFlight(count: number): Promise<boolean> {
  const { text } = await server.ask('/metrics');
  // This request is one of them.
  return Number(/^prorata_http_requests_in_flight (\d+)$/m.exec(text)?.[1]) > count;
}

test('P-O3: who asks more than its rate gets 429 and when to come back, and probes go on', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 * RATE }, () => server.ask('/model/allocation')),
  );
  const refused = answers.filter(({ status }) => status === 429);
  const [first] = refused;
  assert.ok(first && refused.length >= RATE / 2, `${refused.length} were refused`);
  assert.match(errorOf(first).message, /^127\.0\.0\.1 asks more than 60 requests a second$/);
  assert.equal(first.retryAfter, '1');
  assert.equal((await server.ask('/healthz')).status, 200);
});
