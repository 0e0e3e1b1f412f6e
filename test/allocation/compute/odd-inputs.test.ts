/** Stores whose series do not fit together: no cost is lost or counted twice, and the answer tells. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ODD_CHARGES } from '../../support/fleets/odd-charges.ts';
import { ODD_NAMES } from '../../support/fleets/odd-names.ts';
import type { OddScene } from '../../support/fleets/odd-parts.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { HOUR_WINDOW, NOW } from '../../support/fleets/pod-store.ts';
import { startScriptedStore, type ScriptedStore } from '../../support/stores/scripted-store.ts';
import { remoteReads } from '../../support/stores/series-store.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';

const ODD_SCENES: readonly OddScene[] = [...ODD_CHARGES, ...ODD_NAMES];

interface Told {
  readonly data: readonly Readonly<Record<string, Readonly<Record<string, number>>>>[];
  readonly warnings?: readonly string[];
  readonly partial?: boolean;
}

let held: readonly TestSeries[] = [];
let store: ScriptedStore;
const servers = new Map<string, BundleServer>();

before(async () => {
  store = await startScriptedStore(remoteReads(() => held));
  for (const { flags = [] } of ODD_SCENES) {
    if (servers.has(String(flags))) continue;
    const all = [`--metrics-url=${store.url}`, `--now=${NOW}`, '--workers=2', ...flags];
    servers.set(String(flags), await startBundleServer(all));
  }
});

after(async () => {
  for (const server of servers.values()) await server.stop();
  await store.stop();
});

function serverOf({ flags = [] }: OddScene): BundleServer {
  const server = servers.get(String(flags));
  assert.ok(server, 'the server does not run');
  return server;
}

function queryOf({ query = '' }: OddScene, resolution: string): string {
  return `window=${HOUR_WINDOW}&resolution=${resolution}${query}`;
}

async function ask(scene: OddScene, query: string): Promise<Told> {
  held = scene.series;
  const server = serverOf(scene);
  const answer = await server.compute(query);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(server.errors, []);
  return JSON.parse(answer.text) as Told;
}

function assertRows(told: Told, rows: OddScene['rows']): void {
  const [set = {}] = told.data;
  assert.deepEqual(Object.keys(set).sort(), Object.keys(rows).sort());
  for (const [name, fields] of Object.entries(rows))
    for (const [field, expected] of Object.entries(fields)) {
      const actual = set[name]?.[field] ?? NaN;
      assert.ok(
        Math.abs(actual - expected) <= 1e-9 * expected,
        `${name} ${field}: ${actual}, not ${expected}`,
      );
    }
}

function assertWarnings(told: Told, { warnings, isPartial }: OddScene): void {
  const said = told.warnings ?? [];
  assert.equal(said.length, warnings.length, said.join('\n'));
  warnings.forEach((wanted, i) => {
    if (typeof wanted === 'string') assert.equal(said[i], wanted);
    else assert.match(said[i] ?? '', wanted);
  });
  assert.equal(told.partial, isPartial);
}

for (const scene of ODD_SCENES) {
  test(scene.name, async () => {
    const told = await ask(scene, queryOf(scene, 'exact'));
    assertRows(told, scene.rows);
    assertWarnings(told, scene);
  });

  test(`${scene.name}: at 1m all of it adds up, and a CSV tells as much`, async () => {
    const exact = await ask(scene, queryOf(scene, 'exact'));
    const told = await ask(scene, queryOf(scene, '1m'));
    assert.deepEqual(told.warnings, exact.warnings);
    // A minute of an hour is what the grid may be off for a pod.
    assertTotal(told, exact, 1 / 60);
    const url = `${serverOf(scene).url}/model/allocation/compute?${queryOf(scene, 'exact')}`;
    const csv = await fetch(`${url}&format=csv`);
    const totals = (await csv.text()).trim().split(/\r?\n/).slice(1).map(lastNumber);
    assert.equal(csv.headers.get('x-prorata-warnings') ?? '', (told.warnings ?? []).join('; '));
    assert.equal(csv.headers.get('x-prorata-partial'), scene.isPartial === true ? 'true' : null);
    assert.ok(Math.abs(sum(totals) - totalOf(exact)) <= 1e-9, String(totals));
  });
}

function assertTotal(told: Told, expected: Told, tolerance: number): void {
  const [total, wanted] = [totalOf(told), totalOf(expected)];
  assert.ok(Math.abs(total - wanted) <= tolerance * wanted + 1e-9, `${total}, not ${wanted}`);
}

function totalOf({ data: [set = {}] }: Told): number {
  return sum(Object.values(set).map(({ totalCost }) => totalCost ?? NaN));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function lastNumber(line: string): number {
  return Number(line.slice(line.lastIndexOf(',') + 1));
}
