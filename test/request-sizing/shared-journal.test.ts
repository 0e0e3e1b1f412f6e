/** Applies of several servers of one bucket, and of one that stands still while another goes on for it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ClusterApi } from '../../src/cluster/index.ts';
import type { SimulatedStore } from '../../src/demo/index.ts';
import { ApplyRunner, FolderLogs, Journal, moveLogs, readTargets } from '../../src/request-sizing/index.ts'; // prettier-ignore
import { workload } from '../support/fleets/cluster-objects.ts';
import { LIVE_MS, logsAt } from '../support/servers/apply-logs.ts';
import { quickApi } from '../support/servers/quick-api.ts';
import { planOf, requests, target } from '../support/servers/sizing-applies.ts';
import { CLUSTER, newStore, planOptions } from '../support/servers/sizing-cluster.ts';
import { startObjectWorld } from '../support/stores/object-stores.ts';

const LIVE = { cpu: '500m', memory: '512Mi' };
const LOWERED = { cpu: '200m', memory: '256Mi' };
const { signal } = new AbortController();
const world = await startObjectWorld();
after(() => world.stop());
let places = 0;
const newPlace = (): string => `${world.cloud.origin}/j${places++}/`;

function newCluster(names: readonly string[]): SimulatedStore {
  const store = newStore();
  for (const name of names) store.put('Deployment', workload(`web/${name}`));
  return store;
}

const plan = (names: readonly string[]): ReturnType<typeof readTargets> =>
  readTargets(
    {
      [CLUSTER]: {
        web: names.map((Name) => ({
          Name,
          Kind: 'Deployment',
          ContainerPlans: { app: target(200, 256) },
        })),
      },
    },
    CLUSTER,
  );

interface Server {
  readonly runner: ApplyRunner;
  readonly notes: string[];
}

function newServer(
  place: string,
  api: ClusterApi,
  controllersPerSecond: number = Infinity,
): Server {
  const notes: string[] = [];
  const runner = new ApplyRunner({
    ...planOptions(api),
    journal: new Journal(logsAt(place), Date.now),
    nowMs: Date.now,
    note: (sentence) => void notes.push(sentence),
    controllersPerSecond,
  });
  return { runner, notes };
}

const NAMES = ['a', 'b', 'c', 'd'];

test('one apply of all servers runs at a time, and each lists and undoes those of the others', async () => {
  const place = newPlace();
  const store = newCluster(NAMES);
  const one = newServer(place, quickApi(store), 2).runner;
  const two = newServer(place, quickApi(store)).runner;
  const run = await one.apply(plan(NAMES), signal);
  const refused = { status: 409, message: `${run.id} is running, and there is one apply or undo at a time` };
  await assert.rejects(two.apply(plan(NAMES), signal), refused);
  await assert.rejects(two.undo(undefined, signal), refused);
  // A server that starts meanwhile leaves it alone.
  await newServer(place, quickApi(store)).runner.settle();
  assert.deepEqual((await two.runs()).map(({ id, isRunning }) => [id, isRunning]), [[run.id, true]]);
  assert.deepEqual((await run.result).Errors, []);
  const listed = await two.runs();
  assert.deepEqual(listed, await one.runs());
  const [told] = listed;
  assert.deepEqual([told?.isRunning, told?.isWhole, told?.changes.length], [false, true, 4]);
  const undone = await two.undo(undefined, signal);
  assert.equal(undone.of, run.id);
  assert.deepEqual((await undone.result).Errors, []);
  for (const name of NAMES) assert.deepEqual(requests(store, name), LIVE);
  await assert.rejects(one.undo(undefined, signal), { status: 404 });
}); // prettier-ignore

test('one of the servers that apply at one moment does', async () => {
  for (let times = 0; times < 5; times++) {
    const place = newPlace();
    const store = newCluster(NAMES);
    const begun = await Promise.allSettled(
      [1, 2, 3, 4].map(() => newServer(place, quickApi(store)).runner.apply(plan(NAMES), signal)),
    );
    const runs = begun.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const refused = begun.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    assert.equal(runs.length, 1, JSON.stringify(refused));
    assert.deepEqual(
      refused.map(({ status }: { readonly status: number }) => status),
      [409, 409, 409],
    );
    assert.deepEqual((await runs[0]?.result)?.Errors, []);
  }
});

test('a server that stood still makes no patch once another has gone on for it', async () => {
  const place = newPlace();
  const store = newCluster(NAMES);
  const quick = quickApi(store);
  let wake = (): void => undefined;
  const stands: { still: Promise<void> | undefined } = { still: undefined };
  const api: ClusterApi = {
    ...quick,
    get: async (...args) => {
      await stands.still;
      return await quick.get(...args);
    },
    patch: (...args) => quick.patch(...args),
    list: (...args) => quick.list(...args),
  };
  const slow = newServer(place, api, 4);
  // What writes the journal meanwhile stands still, too.
  const { setInterval: real } = globalThis;
  globalThis.setInterval = ((...args: Parameters<typeof real>) => {
    const timer = real(...args);
    clearInterval(timer);
    return timer;
  }) as typeof real;
  const run = await slow.runner.apply(plan(NAMES), signal);
  globalThis.setInterval = real;
  while (JSON.stringify(requests(store, 'a')) !== JSON.stringify(LOWERED))
    await new Promise((resolve) => setTimeout(resolve, 20));
  stands.still = new Promise((resolve) => (wake = resolve));
  await new Promise((resolve) => setTimeout(resolve, LIVE_MS + 1500));
  const other = newServer(place, quick);
  const undone = await other.runner.undo(undefined, signal);
  assert.equal(undone.of, run.id);
  assert.match(other.notes.join(), /was interrupted: [1-3] changes were made/);
  assert.deepEqual((await undone.result).Errors, []);
  wake();
  const { Errors } = await run.result;
  assert.match(Errors.join('\n'), /another process goes on with s3:\/\/sets\/j\d+\/request-sizing\/000001/);
  for (const name of NAMES) assert.deepEqual(requests(store, name), LIVE, name);
}); // prettier-ignore

test('journals of a folder are those of a bucket that has none, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-journals-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const store = newCluster(NAMES);
  const before = newServer(folder, quickApi(store)).runner;
  await (
    await before.apply(readTargets(planOf('web/Deployment:a'), CLUSTER), signal)
  ).result;
  await (
    await before.apply(plan(NAMES.slice(1)), signal)
  ).result;
  const place = newPlace();
  assert.equal(await moveLogs(new FolderLogs(folder), logsAt(place)), true);
  assert.equal(await moveLogs(new FolderLogs(folder), logsAt(place)), false);
  const { runner } = newServer(place, quickApi(store));
  assert.deepEqual(await runner.runs(), await before.runs());
  await (
    await runner.undo(undefined, signal)
  ).result;
  assert.deepEqual(requests(store, 'b'), LIVE);
  assert.deepEqual(requests(store, 'a'), LOWERED);
});
