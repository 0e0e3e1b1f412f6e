/** GET /assets over real sockets as CSV and as a topline. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { assetDay, MOCK_ASSETS, node } from '../support/stores/asset-days.ts';
import { folderOf } from '../support/stores/columns-folder.ts';
import { startBundleServer, type BundleServer } from '../support/servers/bundle-server.ts';

interface Asset {
  readonly type: string;
  readonly window: { readonly start: string; readonly end: string };
  readonly minutes: number;
  readonly totalCost: number;
  readonly [name: string]: unknown;
}

const DAY = (day: number): string => `2024-05-0${1 + day}T00:00:00Z`;
const span = (from: number, to: number): string => `window=${DAY(from)},${DAY(to)}`;

let server: BundleServer;
let folder = '';
before(async () => {
  const day = [
    node('c', 'n', { cpuCoreHours: 96, cpuCost: 4, gpuCost: 1 }),
    { type: 'Network', cluster: 'c', name: 'network', cost: 0.5 },
  ];
  folder = await folderOf([await assetDay(0, MOCK_ASSETS), await assetDay(1, day)]);
  server = await startBundleServer([
    '--workers=1',
    `--data-dir=${folder}`,
    '--timezone=UTC',
    '--now=2024-05-09T12:00:00Z',
  ]);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  assert.deepEqual(server.errors, []);
});

interface Topline {
  readonly numResults: number;
  readonly combined: {
    readonly assets: { readonly total: Asset };
    readonly window: Asset['window'];
  };
}

describe('a topline', () => {
  const topline = async (query: string): Promise<Topline> => {
    const answer = await server.ask(`/model/assets/topline?${query}`);
    assert.equal(answer.status, 200, answer.text);
    return (JSON.parse(answer.text) as { data: Topline }).data;
  };

  const TOPLINES = [
    'aggregate=type',
    'aggregate=cluster&filterTypes=node&limit=1',
    'accumulate=day',
  ];
  for (const query of TOPLINES)
    test(`a topline is the total of all groups: ${query}`, async () => {
      const { numResults, combined } = await topline(`${span(0, 2)}&${query}`);
      const all = query.replace(/&limit=1|accumulate=day/, '');
      const answer = await server.ask(`/model/assets?${span(0, 2)}&accumulate=true&${all}`);
      const [set = {}] = (JSON.parse(answer.text) as { data: Readonly<Record<string, Asset>>[] })
        .data;
      const totals = Object.values(set).map(({ totalCost }) => totalCost);
      assert.equal(numResults, totals.length);
      const error = combined.assets.total.totalCost - totals.reduce((sum, cost) => sum + cost, 0);
      assert.ok(Math.abs(error) < 1e-12, `${error}`);
      assert.deepEqual(combined.window, { start: DAY(0), end: DAY(2) });
      assert.deepEqual(combined.window, combined.assets.total.window);
    });

  test('a topline of several types has the type Any, one of a single type that type and its fields', async () => {
    const any = await topline(span(1, 2));
    assert.deepEqual([any.numResults, any.combined.assets.total.type], [2, 'Any']);
    const { total } = (await topline(`${span(1, 2)}&filterTypes=Node`)).combined.assets;
    assert.deepEqual([total.type, total['cpuCoreHours'], total.totalCost], ['Node', 96, 5]);
  });

  test('a topline without assets is zero, with a warning of days that are not stored', async () => {
    const answer = await server.ask(`/model/assets/topline?${span(3, 4)}`);
    const { data, warnings } = JSON.parse(answer.text) as { data: Topline; warnings: string[] };
    const { type, minutes, totalCost } = data.combined.assets.total;
    assert.deepEqual([data.numResults, type, minutes, totalCost], [0, 'Any', 1440, 0]);
    assert.match(warnings[0] ?? '', /is not stored/);
  });
});

describe('as CSV', () => {
  test('CSV has one set for all days: a header and a line for each group', async () => {
    const answer = await server.ask(`/model/assets?${span(0, 2)}&aggregate=cluster&format=csv`);
    assert.equal(answer.contentType, 'text/csv; charset=utf-8');
    const [header = '', ...lines] = answer.text.trimEnd().split('\n');
    const names = header.split(',');
    assert.equal(names[0], 'Name');
    const total = names.indexOf('Total');
    const cells = lines.map((line) => line.split(','));
    assert.deepEqual(
      cells.map((line) => [line[0], Number(line[total])]),
      [
        ['c', 5.5],
        ['cluster1', 26],
        ['cluster2', 15],
        ['cluster3', 19],
      ],
    );
  });
});
