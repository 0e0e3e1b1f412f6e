/** Trends of costs, and requests and usage of containers, from days whose rows are known. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { importHistory } from '../../../src/commands/import.ts';
import { errorOf, startOwnServer, type OwnServer } from '../../support/servers/own-server.ts';
import { DAY_MS, FIRST_MS, savedAnswer, savedRow, savedSet } from '../../support/stores/saved-days.ts'; // prettier-ignore

const home = mkdtempSync(join(tmpdir(), 'prorata-trends-'));
let server: OwnServer;

/** A set whose row also tells what its container requested and used. */
function dayOf(day: number, usd: Readonly<Record<string, number>>): Record<string, object> {
  const set = savedSet(FIRST_MS + day * DAY_MS, usd);
  const [start, end] = [0, 1].map((more) =>
    new Date(FIRST_MS + (day + more) * DAY_MS).toISOString(),
  );
  const amounts = {
    cpuCoreRequestAverage: 2,
    cpuCoreUsageAverage: 1 + day,
    ramByteRequestAverage: 10,
    ramByteUsageAverage: 4,
  };
  const names = { cluster: 'c', node: 'n', namespace: 'web', pod: 'p', container: 'k' };
  const properties = { ...names, controller: 'shop', controllerKind: 'deployment' };
  const rawAllocationOnly = { cpuCoreUsageMax: 3 + day, ramByteUsageMax: 9 };
  return {
    ...set,
    'c/n/web/p/k': savedRow({ start, end }, usd['c/n/web/p/k'] ?? 0, {
      ...amounts,
      properties,
      rawAllocationOnly,
    }),
  };
}

before(async () => {
  const days = [
    dayOf(0, { 'c/n/web/p/k': 1, 'c/n/old/p/k': 1 }),
    dayOf(1, { 'c/n/web/p/k': 3, 'c/n/new/p/k': 5 }),
  ];
  const file = join(home, 'days.json');
  writeFileSync(file, savedAnswer(...days));
  await importHistory(['allocations', file, '--data-dir', home, '--quiet', '--timezone=UTC']);
  const flags = ['--workers=1', '--timezone=UTC', '--now=2026-01-17T00:00:00Z'];
  server = await startOwnServer([`--data-dir=${home}`, ...flags]);
});
after(async () => {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

async function data<Shape>(path: string): Promise<Shape> {
  const { status, text } = await server.ask(path);
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { readonly data: Shape }).data;
}

const SECOND = 'window=2026-01-15T00:00:00Z,2026-01-16T00:00:00Z';
const BOTH = 'window=2026-01-14T00:00:00Z,2026-01-16T00:00:00Z';

interface Trends {
  readonly step: number;
  readonly sets: readonly [{ readonly allocationTrends: Readonly<Record<string, unknown>> }];
}

test('the trend of a cost is what it is by what it was as many days before, less one', async () => {
  const { step, sets } = await data<Trends>(
    `/model/allocation/trends?${SECOND}&aggregate=namespace`,
  );
  const [{ allocationTrends }] = sets;
  const trend = (isInfinite: boolean, value: number | null): object => ({
    trends: { costs: { totalCost: { relativeChange: { isInfinite, isNaN: false, value } } } },
  });
  assert.equal(step, DAY_MS * 1e6);
  assert.deepEqual(allocationTrends, { new: trend(true, null), web: trend(false, 2) });
});

test('a trend is told by the name that the row of allocations has, its controller with its kind', async () => {
  const query = `${SECOND}&aggregate=namespace,controller`;
  const { sets } = await data<Trends>(`/model/allocation/trends?${query}`);
  const [rows] = await data<readonly object[]>(`/model/allocation?${query}&idle=false`);
  assert.deepEqual(Object.keys(sets[0].allocationTrends), Object.keys(rows ?? {}).sort());
  assert.ok('web/deployment:shop' in sets[0].allocationTrends);
});

test('a trend of rows that a filter matches has no others', async () => {
  const { sets } = await data<Trends>(`/allocation/trends?${SECOND}&filterNamespaces=web`);
  assert.deepEqual(Object.keys(sets[0].allocationTrends), ['web']);
});

interface Item {
  readonly name: string;
  readonly cpu: {
    readonly request: { readonly avg: number };
    readonly usage: { readonly avg: number; readonly max: number };
  };
}

test('requests and usage are averages of the window, and the largest usage of a container', async () => {
  const path = `/model/kubernetes/containers/resources?${BOTH}&aggregate=namespace`;
  const { items } = await data<{ readonly items: readonly Item[] }>(path);
  const web = items.find(({ name }) => name === 'web');
  assert.deepEqual(web?.cpu, { request: { avg: 2 }, usage: { avg: 1.5, max: 4 } });
  assert.deepEqual(
    items.map(({ name }) => name),
    ['new', 'old', 'web'],
  );
});

test('a series has each day by itself, oldest first', async () => {
  const path = `/kubernetes/containers/resources/timeseries?${BOTH}&filterNamespaces=web`;
  const { timeseries } = await data<{
    readonly timeseries: readonly { readonly items: readonly Item[] }[];
  }>(path);
  assert.deepEqual(
    timeseries.map(({ items }) => items[0]?.cpu.usage),
    [
      { avg: 1, max: 3 },
      { avg: 2, max: 4 },
    ],
  );
});

test('a summary that is computed has its sets oldest first, with adjustments in the costs', async () => {
  const demo = await startOwnServer([
    '--workers=1',
    '--now=2026-01-17T00:00:00Z',
    '--timezone=UTC',
  ]);
  try {
    const { text } = await demo.ask(
      '/model/allocation/compute/summary?window=2h&step=1h&aggregate=namespace',
    );
    const { data: told } = JSON.parse(text) as {
      readonly data: {
        readonly sets: readonly {
          readonly window: { readonly start: string };
          readonly allocations: Readonly<Record<string, { readonly totalCost: number }>>;
        }[];
      };
    };
    assert.deepEqual(
      told.sets.map(({ window }) => window.start),
      ['2026-01-16T22:00:00Z', '2026-01-16T23:00:00Z'],
    );
    const whole = await demo.ask('/model/allocation/compute?window=2h&step=1h&aggregate=namespace');
    const { data: sets } = JSON.parse(whole.text) as {
      readonly data: readonly Readonly<Record<string, { readonly totalCost: number }>>[];
    };
    for (const [i, { allocations }] of told.sets.entries()) {
      const of = sets[sets.length - 1 - i] ?? {};
      assert.deepEqual(Object.keys(allocations), Object.keys(of));
      for (const [name, { totalCost }] of Object.entries(of))
        assert.equal(allocations[name]?.totalCost, totalCost);
    }
  } finally {
    await demo.stop();
  }
});

const REFUSED: readonly (readonly [path: string, parameter: string])[] = [
  ['/allocation/trends', 'window'],
  [`/allocation/trends?${SECOND}&aggregate=shop`, 'aggregate'],
  [`/allocation/trends?${SECOND}&shareIdle=perhaps`, 'shareIdle'],
  ['/kubernetes/containers/resources?window=soon', 'window'],
  [`/kubernetes/containers/resources/timeseries?${BOTH}&filter=shop:a`, 'filter'],
];
for (const [path, parameter] of REFUSED)
  test(`${path} is refused by its ${parameter}`, async () => {
    const answer = await server.ask(path);
    assert.equal(answer.status, 400);
    assert.equal(errorOf(answer).parameter, parameter);
  });
