/** External costs on allocations that are computed: over real sockets, with bills that were pushed. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { A, B, GIB, NODE, series } from '../../support/fleets/odd-parts.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { NOW } from '../../support/fleets/pod-store.ts';
import { PUSH_TOKEN, pushCosts } from '../../support/stores/pushes.ts';
import { startScriptedStore, type ScriptedStore } from '../../support/stores/scripted-store.ts';
import { remoteReads } from '../../support/stores/series-store.ts';

const at = (hour: number): string => new Date(Date.UTC(2024, 4, 1, hour)).toISOString();
/** Tags, USD, and the hours they were charged for: two are asked for. */
const CHARGES: readonly (readonly [Readonly<Record<string, string>>, number, number, number])[] = [
  [{ kubernetes_namespace: 'team' }, 24, 0, 24],
  [{ kubernetes_namespace: 'team', kubernetes_pod: 'a' }, 4, 10, 11],
  [{ kubernetes_namespace: 'elsewhere' }, 6, 9, 12],
  [{ kubernetes_namespace: 'team' }, 100, 13, 14],
  [{ team: 'x' }, 1000, 10, 12],
];
const CAPACITY = [
  series('kube_node_status_capacity', { node: 'node-a', resource: 'cpu', unit: 'core' }, 4),
  series(
    'kube_node_status_capacity',
    { node: 'node-a', resource: 'memory', unit: 'byte' },
    8 * GIB,
  ),
];
/** The sum of both hours. */
const JOINED_USD = 2 + 4 + 4;

const folder = mkdtempSync(join(tmpdir(), 'prorata-external-'));
let store: ScriptedStore;
let server: BundleServer;
const start = (): Promise<BundleServer> =>
  startBundleServer([
    `--metrics-url=${store.url}`,
    `--data-dir=${folder}`,
    `--custom-cost-token-file=${join(folder, 'token')}`,
    `--now=${NOW}`,
    '--workers=2',
  ]);
before(async () => {
  store = await startScriptedStore(remoteReads(() => [...A, ...B, ...NODE, ...CAPACITY]));
  writeFileSync(join(folder, 'token'), PUSH_TOKEN);
  server = await start();
  const costs = CHARGES.map(([labels, billedCost, from, to]) => ({
    start: at(from),
    end: at(to),
    domain: 'outside',
    billedCost,
    labels,
  }));
  await pushCosts(server, 's', `${at(0)},${at(24)}`, costs);
});
after(async () => {
  await server.stop();
  await store.stop();
  rmSync(folder, { recursive: true });
  assert.deepEqual(server.errors, []);
});

type Rows = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
interface Told {
  readonly data: readonly Rows[];
  readonly warnings?: readonly string[];
  readonly partial?: boolean;
}

const WINDOW = `window=${at(10)},${at(12)}`;
async function ask(query: string, of: BundleServer = server): Promise<Told> {
  const answer = await of.compute(`${WINDOW}&${query}`);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as Told;
}

const externals = (rows: Rows = {}): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(rows)
      .map(([name, { externalCost }]) => [name, externalCost] as const)
      .filter(([, cost]) => cost !== 0),
  );
const sumOf = (sets: readonly Rows[], field: string): number =>
  sets.flatMap((rows) => Object.values(rows)).reduce((sum, row) => sum + Number(row[field]), 0);

describe('external costs of computed allocations', () => {
  test('are left out unless they are requested', async () => {
    const { data } = await ask('aggregate=namespace');
    assert.deepEqual(externals(data[0]), {});
  });

  test('are the part of a charge that falls into the set', async () => {
    const { data } = await ask('aggregate=namespace&external=true&step=1h');
    assert.deepEqual(data.map(externals), [{ team: 1, elsewhere: 2 }, { team: 5, elsewhere: 2 }]); // prettier-ignore
  });

  test('add to the rows they name, and say nothing else of them', async () => {
    const [rows] = (await ask('aggregate=pod&external=true&resolution=exact')).data;
    const [without] = (await ask('aggregate=pod&resolution=exact')).data;
    for (const name of ['a', 'b']) {
      const { externalCost, totalCost, ...told } = rows?.[name] ?? {};
      const { externalCost: none, totalCost: own, ...others } = without?.[name] ?? {};
      assert.deepEqual(told, others, name);
      assert.equal(none, 0);
      assert.equal(Number(totalCost), Number(own) + Number(externalCost), name);
    }
    assert.deepEqual(externals(rows), { a: 4, __unallocated__: 6 });
  });

  const WHOLE = ['', 'aggregate=namespace', 'aggregate=pod&step=7m', 'aggregate=cluster&idle=true&resolution=exact',
    'aggregate=namespace&accumulate=hour', 'aggregate=pod&shareIdle=true', 'aggregate=namespace&shareNamespaces=elsewhere',
    'aggregate=namespace&shareCost=730&shareSplit=even']; // prettier-ignore
  for (const query of WHOLE)
    test(`are whole whatever is asked: ${query}`, async () => {
      const { data, warnings } = await ask(`${query}&external=true`);
      assert.equal(warnings, undefined);
      assert.ok(Math.abs(sumOf(data, 'externalCost') - JOINED_USD) < 1e-9, JSON.stringify(data));
      const without = sumOf((await ask(query)).data, 'totalCost');
      const more = sumOf(data, 'totalCost') - without;
      assert.ok(Math.abs(more - JOINED_USD) < 1e-9, `${more}`);
    });

  test('are rates, pages and lines as other costs are', async () => {
    const { data } = await ask('aggregate=namespace&external=true&costMetric=hourly&limit=1');
    assert.deepEqual(externals(data[0]), { team: 3 });
    const query = `${WINDOW}&aggregate=namespace&external=true`;
    const csv = await server.compute(`${query}&format=csv`);
    assert.match(csv.text, /^elsewhere,0,0,0,0,0,0,4,0,0,4$/m);
    const lines = await server.compute(`${query}&format=ndjson`);
    assert.match(lines.text, /"elsewhere".*"externalCost":4,/);
  });

  test('give a warning where they cannot be read, and the answer lacks them', async () => {
    const sets = join(folder, 'sets');
    const [file = ''] = readdirSync(sets).filter((name) => name.startsWith('bill-external'));
    const bytes = readFileSync(join(sets, file));
    for (let i = 200; i < bytes.length / 2; i += 8) bytes[i] = (bytes[i] ?? 0) ^ 0xff;
    writeFileSync(join(sets, file), bytes);
    await server.stop();
    server = await start();
    const { data, warnings = [], partial } = await ask('aggregate=namespace&external=true');
    assert.deepEqual([externals(data[0]), partial, warnings.length], [{}, true, 1]);
    assert.match(warnings[0] ?? '', /the answer lacks external costs/);
    assert.deepEqual((await ask('aggregate=namespace')).warnings, undefined);
  });
});
