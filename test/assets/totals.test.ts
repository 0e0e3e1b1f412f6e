/** Allocations add up to the costs of assets, over HTTP, with a bill and without. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { buildSets } from '../../src/allocation/index.ts';
import { billKind } from '../../src/billing/deliveries/bill-key.ts';
import { textColumn, type Table } from '../../src/columnar/index.ts';
import { assertClose, startBuilding } from '../support/stores/builds.ts';
import { folderOf } from '../support/stores/columns-folder.ts';
import { startBundleServer, type BundleServer } from '../support/servers/bundle-server.ts';
import { encoded } from '../support/stores/stored-sets.ts';

const DAY = { startMs: Date.UTC(2024, 4, 7), endMs: Date.UTC(2024, 4, 8) };
const NOW_MS = DAY.endMs + 7_200_000;
const NOW = `--now=${new Date(NOW_MS).toISOString()}`;
const NEVER = new AbortController().signal;

/** Lines of a bill for every second asset with a provider id, for nodes also of traffic. */
function linesOf(assets: Table): readonly { id: string; category: string; usd: number }[] {
  const { codes, texts } = textColumn(assets, 'providerID');
  const types = textColumn(assets, 'type');
  const costs = assets.numbers('cost')?.values ?? [];
  return Array.from(codes).flatMap((code, row) => {
    const id = texts.text(code);
    if (id === '' || row % 2 === 1) return [];
    const line = { id, category: 'Compute', usd: (costs[row] ?? 0) * (0.5 + (row % 7) / 7) };
    const isNode = types.texts.text(types.codes[row] ?? 0) === 'Node';
    return isNode ? [line, { id, category: 'Networking', usd: 0.125 }] : [line];
  });
}

interface Row {
  readonly totalCost: number;
}

describe('allocations add up to assets', () => {
  let server: BundleServer;
  const folders: string[] = [];

  before(async () => {
    const folder = await folderOf([]);
    folders.push(folder);
    const building = await startBuilding(['--demo=true', `--data-dir=${folder}`, NOW]);
    await buildSets(building, { windows: [DAY], nowMs: NOW_MS, stateOf: () => 'sealed' }, NEVER);
    const lines = await building.rows('assets', [DAY.startMs, DAY.endMs], linesOf);
    const kind = billKind({ as: 'cloud', source: 'aws', storedMs: NOW_MS, periodMs: DAY.startMs, part: 0 }); // prettier-ignore
    const bill = await encoded(
      { kind, ...DAY },
      {
        providerID: lines.map(({ id }) => id),
        category: lines.map(({ category }) => category),
        startMs: lines.map(() => DAY.startMs),
        endMs: lines.map(() => DAY.endMs),
        effectiveCost: lines.map(({ usd }) => usd),
      },
    );
    await building.sets.write([bill]);
    await building.close();
    server = await startBundleServer([`--data-dir=${folder}`, NOW, '--demo=true', '--refresh=0']);
  });

  after(async () => {
    await server.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  /** By cluster; under '' the sum of all. */
  const totals = async (path: string, query: string): Promise<Map<string, number>> => {
    const window = [DAY.startMs, DAY.endMs].map((ms) => new Date(ms).toISOString()).join();
    const answer = await server.ask(`${path}?window=${window}&accumulate=true&${query}`);
    assert.equal(answer.status, 200, answer.text);
    const { data } = JSON.parse(answer.text) as { data: readonly Readonly<Record<string, Row>>[] };
    assert.equal(data.length, 1);
    return new Map(Object.entries(data[0] ?? {}).map(([key, row]) => [key, row.totalCost]));
  };

  for (const [what, ofRows, ofAssets] of [
    ['with a bill', 'reconcile=true', ''],
    ['at list prices', 'reconcile=false', 'disableAdjustments=true'],
  ] as const)
    for (const idle of ['shareIdle=true', 'splitIdle=true'] as const)
      test(`allocations of each cluster add up to its assets: ${what}, ${idle}`, async () => {
        const assets = await totals('/model/assets', `aggregate=cluster&${ofAssets}`);
        const rows = await totals('/model/allocation', `aggregate=cluster&${ofRows}&${idle}`);
        assert.deepEqual([...assets.keys()].toSorted(), ['development', 'production']);
        for (const [cluster, cost] of assets) {
          const own = [...rows].filter(([key]) => key.split('/')[0] === cluster);
          const paid = own.reduce((sum, [, usd]) => sum + usd, 0);
          assertClose(paid, cost, cluster);
        }
      });

  for (const [reconcile, sources] of [['true', ['bill', 'series']], ['false', ['series']]] as const)
    test(`costs of nodes by the source of their prices add up to nodes, reconcile=${reconcile}`, async () => {
      const window = [DAY.startMs, DAY.endMs].map((ms) => new Date(ms).toISOString()).join();
      const query = `window=${window}&aggregate=cluster&reconcile=${reconcile}`;
      const { text } = await server.ask(`/model/allocation?${query}`);
      const { nodeCosts } = JSON.parse(text) as { nodeCosts: Readonly<Record<string, number>> };
      const adjusted = reconcile === 'true' ? '' : '&disableAdjustments=true';
      const assets = await totals('/model/assets', `aggregate=type${adjusted}`);
      assert.deepEqual(Object.keys(nodeCosts), sources);
      const usd = Object.values(nodeCosts).reduce((sum, cost) => sum + cost, 0);
      assertClose(usd, assets.get('Node') ?? NaN, 'nodes');
      const csv = await fetch(`${server.url}/model/allocation?${query}&format=csv`);
      await csv.body?.cancel();
      const told = Object.entries(nodeCosts).map(([source, cost]) => `${source}=${cost}`).join('; ');
      assert.equal(csv.headers.get('x-prorata-node-costs'), told);
    }); // prettier-ignore

  test('costs of nodes by source are computed as they are stored, with idle only', async () => {
    const window = [DAY.startMs, DAY.endMs].map((ms) => new Date(ms).toISOString()).join();
    const costsOf = async (path: string): Promise<Readonly<Record<string, number>> | undefined> => {
      const { status, text } = await server.ask(`${path}window=${window}&aggregate=cluster`);
      assert.equal(status, 200, text);
      return (JSON.parse(text) as { nodeCosts?: Readonly<Record<string, number>> }).nodeCosts;
    };
    const stored = (await costsOf('/model/allocation?reconcile=false&')) ?? {};
    const computed = (await costsOf('/model/allocation/compute?includeIdle=true&resolution=exact&')) ?? {};
    assert.deepEqual(Object.keys(computed), Object.keys(stored));
    for (const [source, usd] of Object.entries(stored))
      assertClose(computed[source] ?? NaN, usd, source);
    assert.equal(await costsOf('/model/allocation/compute?'), undefined);
    const csv = await fetch(`${server.url}/model/allocation/compute?window=${window}&idle=true&resolution=exact&format=csv`);
    await csv.body?.cancel();
    const told = Object.entries(computed).map(([source, usd]) => `${source}=${usd}`).join('; ');
    assert.equal(csv.headers.get('x-prorata-node-costs'), told);
  }); // prettier-ignore

  test('the bill changes costs', async () => {
    const [adjusted, listed] = await Promise.all(
      ['', 'disableAdjustments=true'].map((query) =>
        totals('/model/assets', `aggregate=service&${query}`),
      ),
    );
    const difference = (adjusted?.get('Kubernetes') ?? 0) - (listed?.get('Kubernetes') ?? 0);
    assert.ok(Math.abs(difference) > 1, `${difference}`);
  });
});
