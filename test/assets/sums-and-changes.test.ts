/** Totals, graphs, changes and values of assets, against sums of the assets themselves. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { assetChanges } from '../../src/assets/changes.ts';
import type { AssetGroup } from '../../src/assets/groups.ts';
import { errorOf, startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { assetDay, MOCK_ASSETS, node } from '../support/stores/asset-days.ts';
import { folderOf } from '../support/stores/columns-folder.ts';

const DAYS = [
  [...MOCK_ASSETS, node('cluster1', 'gone', { cpuCost: 2 })],
  [...MOCK_ASSETS, node('cluster9', 'new', { cpuCost: 5, labels: '{"squad":"web"}' })],
];
const day = (from: number, to: number = from + 1): string =>
  `2024-05-0${1 + from}T00:00:00Z,2024-05-0${1 + to}T00:00:00Z`;
const WHOLE = `window=${day(0, 2)}`;

let folder = '';
let server: OwnServer;
before(async () => {
  folder = await folderOf(await Promise.all(DAYS.map((rows, i) => assetDay(i, rows))));
  const flags = ['--workers=1', '--timezone=UTC', '--now=2024-05-09T12:00:00Z'];
  server = await startOwnServer([`--data-dir=${folder}`, ...flags]);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function data<Shape>(path: string): Promise<Shape> {
  const { status, text } = await server.ask(path);
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { readonly data: Shape }).data;
}

type Costs = Readonly<Record<string, { readonly totalCost: number }>>;
const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

test('a graph has the cost of each group, oldest set first', async () => {
  const graph = await data<{ start: string; items: { name: string; value: number }[] }[]>(
    `/assets/graph?${WHOLE}&aggregate=cluster`,
  );
  const sets = await data<Costs[]>(`/model/assets?${WHOLE}&aggregate=cluster`);
  assert.deepEqual(
    graph.map(({ start }) => start),
    ['2024-05-01T00:00:00Z', '2024-05-02T00:00:00Z'],
  );
  for (const [i, { items }] of graph.entries()) {
    const set = sets[sets.length - 1 - i] ?? {};
    assert.deepEqual(
      items,
      Object.entries(set).map(([name, { totalCost: value }]) => ({ name, value })),
    );
  }
});

test('totals are the sum of all groups, and of their kinds of cost', async () => {
  const { numResults, combined } = await data<{
    readonly numResults: number;
    readonly combined: Readonly<Record<string, number>>;
  }>(`/assets/totals?${WHOLE}&aggregate=cluster`);
  const [set = {}] = await data<Costs[]>(
    `/model/assets?${WHOLE}&aggregate=cluster&accumulate=true`,
  );
  assert.equal(numResults, Object.keys(set).length);
  const total = sum(Object.values(set).map(({ totalCost }) => totalCost));
  const { totalCost = NaN, name: _, ...kinds } = combined;
  assert.ok(Math.abs(totalCost - total) < 1e-9);
  assert.ok(Math.abs(sum(Object.values(kinds)) - total) < 1e-9);
});

test('changes name what came, what went, and what costs otherwise', async () => {
  const path = `/assets/diff?before=${day(0)}&after=${day(1)}&aggregate=name&filterTypes=Node`;
  const changes = await data<{ name: string; kind: string; change: number }[]>(path);
  assert.deepEqual(
    changes.map(({ name, kind, change }) => [name, kind, change]),
    [
      ['new', 'added', 5],
      ['gone', 'removed', -2],
    ],
  );
});

test('values of a field are those of the rows that a filter matches', async () => {
  const read = (query: string): Promise<string[]> =>
    data<{ data: string[] }>(`/assets/autocomplete?${WHOLE}&${query}`).then((told) => told.data);
  assert.deepEqual(await read('field=cluster'), ['cluster1', 'cluster2', 'cluster3', 'cluster9']);
  assert.deepEqual(await read('field=cluster&search=R2'), ['cluster2']);
  assert.deepEqual(await read('field=cluster&limit=1'), ['cluster1']);
  assert.deepEqual(await read('field=name&filter=cluster:"cluster9"'), ['new']);
  assert.deepEqual(await read('field=label:squad'), ['web']);
  assert.deepEqual(await read('field=type&filterTypes=Node'), ['Node']);
});

const REFUSED: readonly (readonly [path: string, parameter: string])[] = [
  [`/assets/autocomplete?${WHOLE}`, 'field'],
  [`/assets/autocomplete?${WHOLE}&field=pod`, 'field'],
  [`/assets/autocomplete?${WHOLE}&field=name&limit=0`, 'limit'],
  ['/assets/autocomplete?field=name', 'window'],
  [`/assets/diff?before=${day(0)}`, 'after'],
  [`/assets/diff?before=soon&after=${day(0)}`, 'before'],
  [`/assets/diff?before=${day(0)}&after=${day(0)}&costChangeRatio=-1`, 'costChangeRatio'],
  [`/assets/diff?before=${day(0)}&after=${day(0)}&aggregate=pod`, 'aggregate'],
  ['/assets/graph', 'window'],
  [`/assets/totals?${WHOLE}&filterTypes=Dusk`, 'filterTypes'],
];
for (const [path, parameter] of REFUSED)
  test(`${path} is refused by its ${parameter}`, async () => {
    const answer = await server.ask(path);
    assert.equal(answer.status, 400);
    assert.equal(errorOf(answer).parameter, parameter);
  });

const costs = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: -5, max: 5 }));

test('changes of all groups add up to the difference of both sums', () => {
  const groups = (of: Readonly<Record<string, number>>): AssetGroup[] =>
    Object.entries(of).map(([name, totalCost]) => ({ name, totalCost }) as AssetGroup);
  fc.assert(
    fc.property(costs, costs, (before, after) => {
      const changes = assetChanges(groups(before), groups(after), 0);
      const change = sum(Object.values(after)) - sum(Object.values(before));
      assert.equal(sum(changes.map((one) => one.change)), change);
      for (const { name, kind, ratio } of changes) {
        const [was, is] = [before[name], after[name]];
        assert.equal(kind, was === undefined ? 'added' : is === undefined ? 'removed' : 'changed');
        if (was !== undefined && was !== 0) assert.equal(ratio, ((is ?? 0) - was) / was);
      }
      const large = assetChanges(groups(before), groups(after), 0.5);
      const isLarge = (one: (typeof changes)[number]): boolean =>
        one.kind !== 'changed' || Math.abs(one.ratio ?? Infinity) >= 0.5;
      assert.deepEqual(large, changes.filter(isLarge));
    }),
  );
});
