/** Requests whose objects exceed a worker's heap are refused, and the server goes on. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { startServer, type Running } from '../../src/commands/serve.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { assetDay } from '../support/stores/asset-days.ts';
import { charge, chargeSet } from '../support/stores/charges.ts';
import { folderOf } from '../support/stores/columns-folder.ts';
import { dayKey, DAY_MS, encoded, FIRST_MS } from '../support/stores/stored-sets.ts';

const PODS = 150_000;
const DISKS = 30_000;
const CHARGES = 100_000;

const errors: unknown[] = [];
let folder = '';
let server: Running;

before(async () => {
  // A day each, as charges of a bill for assets would be passed on to pods.
  folder = await folderOf([
    await podDay(0),
    await assetDay(
      1,
      Array.from({ length: DISKS }, (_, i) => disk(i)),
    ),
    await chargeSet(charges(2), 0, 'cloud'),
    await chargeSet(charges(3), 0, 'external'),
  ]);
  const flags = ['--port=0', '--workers=1', `--data-dir=${folder}`, '--now=2024-05-09T12:00:00Z', '--refresh=0']; // prettier-ignore
  const { config } = loadConfig(flags, {}, () => '');
  const none = (): void => undefined;
  const log = { info: none, warn: none, error: (fields: object) => void errors.push(fields) };
  server = await startServer({ ...config, memory: { ...config.memory, heapBytes: 0 } }, log);
});
after(async () => {
  await server.close(0);
  rmSync(folder, { recursive: true, force: true });
});

/** Pods of one cluster, each with its own labels. */
function podDay(day: number): ReturnType<typeof encoded> {
  const of = <T>(value: (i: number) => T): T[] => Array.from({ length: PODS }, (_, i) => value(i));
  const more = Array.from({ length: 8 }, (_, i) => `"name-${i}":"value-${i}"`).join();
  return encoded(dayKey(day), {
    cluster: of(() => 'c'),
    node: of((i) => `n${i % 10}`),
    namespace: of(() => 'shop'),
    controllerKind: of(() => 'deployment'),
    controller: of((i) => `web-${i % 100}`),
    pod: of((i) => `web-${i}`),
    container: of(() => 'main'),
    endSource: of(() => 'running'),
    labels: of((i) => `{"app":"app-${i}","env":"prod",${more}}`),
    startMs: of(() => FIRST_MS + day * DAY_MS),
    endMs: of(() => FIRST_MS + (day + 1) * DAY_MS),
    cpuCoreHours: of(() => 24),
    cpuCost: of(() => 1),
  });
}

function disk(i: number): Parameters<typeof assetDay>[1][number] {
  return { type: 'Disk', cluster: 'c', name: `d-${i}`, providerID: `disk-${i}`, cost: 1 };
}

function charges(day: number): ReturnType<typeof charge>[] {
  return Array.from({ length: CHARGES }, (_, i) =>
    charge(day, { providerID: `id-${i}`, provider: 'AWS', service: 'EC2', billedCost: 1 }),
  );
}

/** Requests by day that are refused, each with a smaller one that is answered. */
const QUESTIONS: readonly (readonly [day: number, path: string, less: string])[] = [
  [0, '/allocation?aggregate=label:app', '/allocation?aggregate=cluster'],
  [0, '/savings/clusterSizingETL?', '/allocation/autocomplete?field=cluster'],
  [1, '/assets?limit=1', '/assets?aggregate=type'],
  [2, '/cloudCost?aggregate=providerID&limit=1', '/cloudCost?aggregate=service'],
  [2, '/cloudCost/view/totals?aggregate=providerID', '/cloudCost/view/totals?aggregate=provider'],
  [3, '/customCost/total?limit=1', '/customCost/total?aggregate=domain'],
];

async function ask(day: number, path: string): Promise<Response> {
  const [from, to] = [day, day + 1].map((each) => new Date(FIRST_MS + each * DAY_MS).toISOString());
  return await fetch(`${server.url}/model${path.replace('?', `?window=${from},${to}&`)}`);
}

for (const [day, path, less] of QUESTIONS)
  test(`${path} is refused with 422, ${less} is answered after it`, async () => {
    const refused = await ask(day, path);
    assert.equal(refused.status, 422);
    const { message, hint } = (await refused.json()) as Record<'message' | 'hint', string>;
    assert.match(message, /^this needs more than the \d+\.\d MiB of memory that a worker has$/);
    assert.match(hint, /^ask for a shorter window, .*--memory-limit/);
    const answered = await ask(day, less);
    assert.equal(answered.status, 200, await answered.text());
    assert.deepEqual(errors, []);
  });

for (const path of ['aggregate=pod&limit=1', 'aggregate=pod,label:app&accumulate=true&limit=1'])
  test(`/allocation?${path} is answered: names of groups take no heap`, async () => {
    const answered = await ask(0, `/allocation?${path}`);
    assert.equal(answered.status, 200);
    const { data } = (await answered.json()) as { data: Record<string, { cpuCost: number }>[] };
    const [row] = data.flatMap((set) => Object.values(set));
    assert.equal(row?.cpuCost, 1);
    assert.deepEqual(errors, []);
  });
