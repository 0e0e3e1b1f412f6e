/** The process killed at every call that an apply makes: what is known then, and what can be undone. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { SimulatedStore } from '../../src/demo/index.ts';
import { Journal } from '../../src/request-sizing/apply/journal.ts';
import { FolderLogs } from '../../src/request-sizing/apply/run-logs.ts';
import { readTargets } from '../../src/request-sizing/apply/plan-body.ts';
import { ApplyRunner, type Run } from '../../src/request-sizing/apply/apply-runner.ts';
import { logsAt } from '../support/servers/apply-logs.ts';
import { startObjectWorld } from '../support/stores/object-stores.ts';
import { workload } from '../support/fleets/cluster-objects.ts';
import { plainScript } from '../support/servers/plain-script.ts';
import { startScriptedCluster, type SeenCall } from '../support/servers/scripted-cluster.ts';
import { quickApi } from '../support/servers/quick-api.ts';
import { CLUSTER, newStore, planOptions } from '../support/servers/sizing-cluster.ts';

const PROCESS = fileURLToPath(new URL('../support/servers/apply-process.ts', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'prorata-kill-apply-'));
let script = '';
before(async () => void (script = await plainScript(PROCESS, home)));
const world = await startObjectWorld();
after(async () => {
  await world.stop();
  rmSync(home, { recursive: true, force: true });
});

const NAMES = ['one', 'two'];
const containers = { app: { TargetCPURequestMillicores: 100, TargetRAMRequestBytes: 2 ** 27 } };
const PLAN = {
  [CLUSTER]: {
    web: NAMES.map((Name) => ({ Name, Kind: 'Deployment', ContainerPlans: containers })),
  },
};
const LIVE = '{"cpu":"500m","memory":"512Mi"}';
const LOWERED = '{"cpu":"100m","memory":"128Mi"}';

const isRealPatch = ({ method, path }: SeenCall): boolean =>
  method === 'PATCH' && !path.includes('dryRun');

function newCluster(): SimulatedStore {
  const store = newStore();
  for (const name of NAMES) store.put('Deployment', workload(`web/${name}`));
  return store;
}

function requestsOf(store: SimulatedStore): string[] {
  return NAMES.map((name) => {
    const object = store.get('Deployment', { namespace: 'web', name });
    return JSON.stringify(object?.spec?.template?.spec?.containers?.[0]?.resources?.requests);
  });
}

/**
 * Applies in a process that is killed at a call.
 * @param at which call, from 0; -1: none @param isDone whether the call is made all the same
 */
async function applyKilled(
  store: SimulatedStore,
  place: string,
  at: number,
  isDone: boolean,
): Promise<readonly SeenCall[]> {
  let kill = (): void => undefined;
  const cluster = await startScriptedCluster(store, ({ index }) => {
    if (index !== at) return undefined;
    // The call was made, and its process is gone before it sees that no answer comes.
    kill();
    return isDone ? { does: 'loseAnswer' } : { does: 'reset' };
  });
  const args = [script, cluster.url, place, JSON.stringify(PLAN)];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    // The script lies elsewhere than the packages.
    env: { ...process.env, NODE_PATH: PACKAGES },
  });
  kill = () => void child.kill('SIGKILL');
  await once(child, 'close');
  assert.equal(child.signalCode, at < 0 ? null : 'SIGKILL', `call ${at}`);
  await cluster.stop();
  return cluster.calls;
}

async function twoAtATime<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const next = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all([next(), next()]);
}

async function errorsOf(run: Promise<Run>): Promise<readonly string[]> {
  return (await (await run).result).Errors;
}

const PLACES: readonly (readonly [name: string, at: () => string])[] = [
  ['in a folder', () => home],
  ['in a bucket', () => `${world.cloud.origin}/kill`],
];
for (const [name, at] of PLACES)
  test(`P-A4: a process killed at any call of an apply leaves known changes, which undo restores, by a journal ${name}`, () =>
    killedEverywhere((point) => `${at()}/${point}/`));

async function killedEverywhere(placeOf: (point: string) => string): Promise<void> {
  const calls = await applyKilled(newCluster(), placeOf('whole'), -1, false);
  assert.equal(calls.filter(isRealPatch).length, NAMES.length);
  const points = calls.flatMap((call, at) =>
    (isRealPatch(call) ? [false, true] : [false]).map((isDone) => ({ at, isDone })),
  );
  assert.ok(points.length >= 10, `${points.length} points`);
  await twoAtATime(points, async ({ at, isDone }) => {
    const where = `call ${at} ${calls[at]?.method} ${calls[at]?.path} ${isDone ? 'done' : 'not done'}`;
    const store = newCluster();
    const place = placeOf(`${at}-${isDone}`);
    await applyKilled(store, place, at, isDone);
    const left = requestsOf(store);
    const patched = calls.slice(0, at + (isDone ? 1 : 0)).filter(isRealPatch).length;
    assert.deepEqual(
      left,
      NAMES.map((_, i) => (i < patched ? LOWERED : LIVE)),
      where,
    );

    const { version } = store;
    const notes: string[] = [];
    const journal = new Journal(logsAt(place), Date.now);
    const isLive = async (): Promise<boolean> => (await journal.runs()).some((run) => run.isLive);
    while (await isLive()) await new Promise((resolve) => setTimeout(resolve, 100));
    const options = { ...planOptions(quickApi(store)), journal, nowMs: Date.now };
    const note = (sentence: string): void => void notes.push(sentence);
    const runner = new ApplyRunner({ ...options, note, controllersPerSecond: Infinity });
    await runner.settle();
    assert.equal(store.version, version, `${where}: nothing is repeated`);
    const [run] = await runner.runs();
    const done = (run?.changes ?? []).filter(({ outcome }) => outcome === 'done');
    const names = done.map(({ change }) => change.controller.name);
    assert.deepEqual(names, NAMES.slice(0, patched), `${where}: the journal tells what was done`);
    assert.ok(!(run?.changes ?? []).some(({ outcome }) => outcome === 'unknown'), where);
    assert.match(notes.join(), /was interrupted/, where);

    const { signal } = new AbortController();
    assert.deepEqual(await errorsOf(runner.apply(readTargets(PLAN, CLUSTER), signal)), [], where);
    assert.deepEqual(requestsOf(store), [LOWERED, LOWERED], where);
    for (const { id } of await runner.runs()) {
      assert.deepEqual(await errorsOf(runner.undo(id, signal)), [], where);
    }
    assert.deepEqual(requestsOf(store), [LIVE, LIVE], where);
    await assert.rejects(() => runner.undo(undefined, signal), { status: 404 }, where);
  });
}

test('P-A4: a journal that ends in half a record counts up to there, and continues after that', async () => {
  const folder = join(home, 'torn');
  await applyKilled(newCluster(), folder, -1, false);
  const [name = ''] = readdirSync(folder);
  const path = join(folder, name);
  const bytes = readFileSync(path);
  const journal = new Journal(new FolderLogs(folder), Date.now);
  const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a);
  for (let length = bytes.length; length > 0; length -= 37) {
    writeFileSync(path, bytes.subarray(0, length));
    const records = ends.filter((end) => end < length).length;
    const [run] = await journal.runs();
    assert.equal(run === undefined, records === 0, `${length} bytes`);
    if (run === undefined) continue;
    // A beginning, two intents with their outcomes, and an end.
    assert.equal(run.changes.length, Math.min(2, records >> 1), `${length} bytes`);
    assert.equal(run.ended === undefined, records < ends.length, `${length} bytes`);
    if (run.ended !== undefined) continue;
    await (await journal.resume(run))?.log.end(false);
    assert.equal((await journal.runs())[0]?.changes.length, run.changes.length);
    assert.notEqual((await journal.runs())[0]?.ended, undefined);
  }
});
