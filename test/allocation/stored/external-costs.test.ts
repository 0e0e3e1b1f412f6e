/** External costs on allocations: over real sockets, with bills that were pushed. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { folderOf, rowSet, type StoredRow } from '../../support/stores/columns-folder.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { PUSH_TOKEN, pushCosts } from '../../support/stores/pushes.ts';
import { DAY_MS, FIRST_MS } from '../../support/stores/stored-sets.ts';

const HOUR_MS = 3_600_000;
const row = (namespace: string, cpuCost: number, labels: Readonly<Record<string, string>> = {}): StoredRow => ({
  texts: { cluster: 'one', node: 'n', namespace, pod: `${namespace}-0`, container: 'main', controller: namespace, controllerKind: 'deployment' },
  labels,
  numbers: { cpuCost, cpuCoreHours: cpuCost },
}); // prettier-ignore
const IDLE: StoredRow = { texts: { cluster: 'one', node: 'n', container: '__idle__' }, numbers: { cpuCost: 4 } }; // prettier-ignore

/** Tags of what is charged outside, and the cost of a day. */
const EXTERNAL: readonly (readonly [tags: Readonly<Record<string, string>>, usd: number])[] = [
  [{ kubernetes_namespace: 'web' }, 5],
  [{ 'Kubernetes-Namespace': 'monitoring', env: 'prod' }, 10],
  [{ kubernetes_namespace: 'web', kubernetes_label_app: 'shop' }, 2],
  [{ kubernetes_deployment: 'api', kubernetes_cluster: 'one', kubernetes_namespace: 'api' }, 1],
  [{ kubernetes_label_team: 'x' }, 7],
  // Says nothing of Kubernetes.
  [{ team: 'x' }, 100],
  [{}, 200],
];
const JOINED_USD = 25;
const OWN_USD = 30;

type Answered = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

let folder = '';
let server: BundleServer;
before(async () => {
  const days = [0, 1].map((day) => ({
    startMs: FIRST_MS + day * DAY_MS,
    endMs: FIRST_MS + day * DAY_MS + DAY_MS,
  }));
  const rows = [row('web', 10, { app: 'shop' }), row('api', 20), IDLE];
  const late = [rows, [...rows, row('late', 8)]];
  folder = await folderOf(await Promise.all(days.map((day, i) => rowSet(day, late[i] ?? rows))));
  const token = join(folder, 'token');
  writeFileSync(token, PUSH_TOKEN);
  server = await startBundleServer([
    `--data-dir=${folder}`,
    `--custom-cost-token-file=${token}`,
    '--now=2024-05-05T00:00:00Z',
    '--workers=2',
  ]);
  await push('first', EXTERNAL, [0, 1]);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
  assert.deepEqual(server.errors, []);
});

async function push(
  source: string,
  costs: typeof EXTERNAL,
  days: readonly number[],
): Promise<void> {
  const at = (ms: number): string => new Date(FIRST_MS + ms).toISOString();
  const lines = days.flatMap((day) =>
    costs.map(
      ([labels, billedCost]) =>
      ({ start: at(day * DAY_MS), end: at(day * DAY_MS + HOUR_MS), domain: 'outside', billedCost, labels }), // prettier-ignore
    ),
  );
  await pushCosts(server, source, `${at(0)},${at(2 * DAY_MS)}`, lines);
}

const DAY = 'window=2024-05-01T00:00:00Z,2024-05-02T00:00:00Z';
async function ask(query: string, window: string = DAY): Promise<Answered> {
  const answer = await server.ask(`/model/allocation?${window}&${query}`);
  assert.equal(answer.status, 200, answer.text);
  return (JSON.parse(answer.text) as { data: readonly Answered[] }).data[0] ?? {};
}

const externals = (rows: Answered): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(rows)
      .map(([name, { externalCost }]) => [name, externalCost] as const)
      .filter(([, cost]) => cost !== 0),
  );
const sumOf = (rows: Answered, field: string): number =>
  Object.values(rows).reduce((sum, each) => sum + Number(each[field]), 0);

describe('external costs', () => {
  test('are left out unless they are requested', async () => {
    const rows = await ask('aggregate=namespace&idle=false');
    assert.deepEqual(externals(rows), {});
    assert.equal(sumOf(rows, 'totalCost'), OWN_USD);
  });

  test('add to the rows they name, and say nothing else of them', async () => {
    const rows = await ask('aggregate=namespace&external=true');
    const without = await ask('aggregate=namespace');
    for (const name of ['web', 'api', '__idle__']) {
      const { externalCost, totalCost, ...told } = rows[name] ?? {};
      const { externalCost: none, totalCost: own, ...before_ } = without[name] ?? {};
      assert.deepEqual(told, before_, name);
      assert.equal(none, 0);
      assert.equal(Number(totalCost), Number(own) + Number(externalCost), name);
    }
    assert.deepEqual(externals(rows), { __unallocated__: 7, api: 1, monitoring: 10, web: 7 });
  });

  test('have a row of their own where they match none', async () => {
    const { monitoring } = await ask('aggregate=namespace&external=true');
    assert.equal(monitoring?.['totalCost'], 10);
    assert.equal(monitoring?.['cpuCost'], 0);
    assert.deepEqual(monitoring?.['properties'], {
      container: '__external__',
      namespace: 'monitoring',
    });
  });

  const NAMES: readonly (readonly [query: string, costs: Readonly<Record<string, number>>])[] = [
    ['aggregate=cluster', { __unallocated__: 24, one: 1 }],
    ['aggregate=namespace,label:env', { '__unallocated__/__unallocated__': 7, 'api/__unallocated__': 1, 'monitoring/env=prod': 10, 'web/__unallocated__': 7 }],
    ['aggregate=namespace,label:foo&filter=namespace:"monitoring"', { 'monitoring/__unallocated__': 10 }],
    ['aggregate=label:app', { __unallocated__: 23, 'app=shop': 2 }],
    ['aggregate=controller', { __unallocated__: 24, 'deployment:api': 1 }],
    ['aggregate=team', { __unallocated__: 18, x: 7 }],
    ['aggregate=namespace&filterNamespaces=web', { web: 7 }],
    ['', { '////__external__': 7, '//monitoring//__external__': 10, '//web//__external__': 7, 'one//api//__external__': 1 }],
  ]; // prettier-ignore
  for (const [query, expected] of NAMES) {
    test(`are grouped by ${query === '' ? 'single containers' : query}`, async () => {
      assert.deepEqual(externals(await ask(`${query}&external=true`)), expected);
    });
  }

  const WHOLE = [
    'aggregate=namespace',
    'aggregate=cluster,label:app',
    'aggregate=pod',
    '',
    'aggregate=namespace&shareIdle=true',
    'aggregate=namespace&shareNamespaces=web',
    'aggregate=namespace&shareNamespaces=monitoring&shareSplit=even',
    'aggregate=namespace&splitIdle=true&idleByNode=true',
  ];
  for (const query of WHOLE) {
    test(`are whole whatever is asked: ${query}`, async () => {
      const rows = await ask(`${query}&external=true`);
      assert.equal(sumOf(rows, 'externalCost'), JOINED_USD);
      const total = sumOf(rows, 'totalCost');
      assert.ok(Math.abs(total - OWN_USD - 4 - JOINED_USD) < 1e-9, String(total));
    });
  }

  test('add up over several days', async () => {
    const window = 'window=2024-05-01T00:00:00Z,2024-05-03T00:00:00Z';
    const rows = await ask('aggregate=namespace&external=true&accumulate=true', window);
    assert.deepEqual(externals(rows), { __unallocated__: 14, api: 2, monitoring: 20, web: 14 });
  });

  test('are in the CSV and in the summary', async () => {
    const csv = await server.ask(
      `/model/allocation?${DAY}&aggregate=namespace&external=true&format=csv`,
    );
    assert.match(csv.text, /^monitoring,0,0,0,0,0,0,10,0,0,10$/m);
    const summary = await server.ask(
      `/model/allocation/summary?${DAY}&aggregate=namespace&external=true`,
    );
    assert.match(summary.text, /"monitoring":\{[^}]*"externalCost":10/);
  });

  test('follow what is pushed anew', async () => {
    await push('second', [[{ kubernetes_namespace: 'web' }, 3]], [0]);
    assert.equal((await ask('aggregate=namespace&external=true'))['web']?.['externalCost'], 10);
    await push('second', [[{ kubernetes_namespace: 'web' }, 0]], [0]);
    assert.equal((await ask('aggregate=namespace&external=true'))['web']?.['externalCost'], 7);
  });

  test('are shown for days before a namespace ran, with its identity and times', async () => {
    await push('early', [[{ kubernetes_namespace: 'late' }, 2]], [0]);
    const window = 'window=2024-05-01T00:00:00Z,2024-05-03T00:00:00Z';
    const { late } = await ask('aggregate=namespace&external=true&accumulate=true', window);
    assert.deepEqual(late?.['properties'], {
      cluster: 'one',
      container: 'main',
      namespace: 'late',
    });
    assert.equal(late?.['start'], '2024-05-02T00:00:00Z');
    assert.deepEqual([late?.['externalCost'], late?.['totalCost']], [2, 10]);
  });
});
