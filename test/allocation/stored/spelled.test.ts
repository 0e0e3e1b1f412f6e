/** Parameters as clients spell them, over stored days through the whole server. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { folderOf, rowSet, type StoredRow } from '../../support/stores/columns-folder.ts';
import { startOwnServer, type OwnServer } from '../../support/servers/own-server.ts';
import { DAY_MS, FIRST_MS } from '../../support/stores/stored-sets.ts';

const row = (namespace: string, cpuCost: number, more: object = {}): StoredRow => ({
  texts: {
    cluster: 'one',
    node: 'n',
    namespace,
    pod: `${namespace}-1`,
    container: 'main',
    ...more,
  },
  numbers: { cpuCost },
});

/** The days of May up to the fourth, of which noon is now. */
const DAYS = 4;
const ROWS: readonly StoredRow[] = [
  row('web', 1),
  row('db', 2, { cluster: 'two' }),
  row('ops', 4),
  { texts: { cluster: 'one', node: 'n', container: '__idle__' }, numbers: { cpuCost: 8 } },
];
const FLAGS = ['--timezone=UTC', '--now=2024-05-04T12:00:00Z', '--workers=1'];

const folders: string[] = [];
let whole: OwnServer;
let exact: OwnServer;
const start = (...flags: readonly string[]): Promise<OwnServer> => serve(ROWS, flags);

async function serve(rows: readonly StoredRow[], flags: readonly string[]): Promise<OwnServer> {
  const days = Array.from({ length: DAYS }, (_, day) => FIRST_MS + day * DAY_MS);
  const folder = await folderOf(
    await Promise.all(days.map((startMs) => rowSet({ startMs, endMs: startMs + DAY_MS }, rows))),
  );
  folders.push(folder);
  return await startOwnServer([`--data-dir=${folder}`, ...FLAGS, ...flags]);
}
before(async () => {
  whole = await start();
  exact = await start('--window-days=exact');
});
after(async () => {
  await whole.stop();
  await exact.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

type Rows = Readonly<Record<string, { readonly totalCost: number }>>;

interface Answer {
  readonly data: readonly Rows[];
  readonly warnings?: readonly string[];
}

const PATH = '/model/allocation?shareTenancyCosts=false&reconcile=false&';

async function ask(query: string, server: OwnServer = whole): Promise<Answer> {
  const { status, text } = await server.ask(`${PATH}${query}`);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Answer;
}

const costs = ({ data }: Answer): Record<string, number>[] =>
  data.map((set) =>
    Object.fromEntries(Object.entries(set).map(([name, { totalCost }]) => [name, totalCost])),
  );

/** Sets of a window by the server's setting, and by what the request says. */
const COUNTS: readonly (readonly [query: string, whole: number, exact: number])[] = [
  ['window=3d', 4, 3],
  ['window=1d', 2, 1],
  ['window=3d&exactWindow=true', 3, 3],
  ['window=3d&exactWindow=false', 4, 4],
  ['window=72h', 4, 4],
  ['window=today', 1, 1],
  ['window=2024-05-01', 1, 1],
  ['window=2024-05-01,2024-05-03', 2, 2],
];

describe('a window selects', () => {
  for (const [query, ofWhole, ofExact] of COUNTS)
    test(`${query}: ${ofWhole} sets, and ${ofExact} by --window-days exact`, async () => {
      assert.equal((await ask(`${query}&aggregate=cluster`)).data.length, ofWhole);
      assert.equal((await ask(`${query}&aggregate=cluster`, exact)).data.length, ofExact);
      for (const path of [
        '/model/allocation/summary',
        '/model/assets',
        '/model/customCost/timeseries',
      ]) {
        const { text } = await exact.ask(`${path}?${query}`);
        const { data } = JSON.parse(text) as { data: { sets?: unknown[]; timeseries?: unknown[] } };
        const sets = data.sets ?? data.timeseries ?? data;
        assert.ok(Array.isArray(sets));
        assert.equal(sets.length, ofExact, path);
      }
    });

  test('topline of exact days: three of them', async () => {
    const path = '/model/allocation/summary/topline?window=3d&exactWindow=yes&idle=no';
    const { text } = await whole.ask(path);
    assert.match(text, /"window":\{"start":"2024-05-02T00:00:00Z","end":"2024-05-05T00:00:00Z"\}/);
  });
});

const THREE = 'window=2024-05-01,2024-05-04';

/** A request, and the costs of its sets. */
const ANSWERS: readonly (readonly [query: string, expected: Record<string, number>[]])[] = [
  ['aggregate=all&idle=no', [{ all: 7 }, { all: 7 }, { all: 7 }]],
  ['aggregate=all&accumulate=yes', [{ all: 21, __idle__: 24 }]],
  ['aggregate=all&filterNamespaces=web&filterNamespaces=db&idle=off&accumulate=1', [{ all: 9 }]],
  ['aggregate=all,cluster&idle=n&accumulate=true', [{ 'all/one': 15, 'all/two': 6 }]],
  ['aggregate=all&shareIdle=true&accumulate=true', [{ all: 45 }]],
  ['aggregate=unaggregated&idle=false&accumulateBy=all', [{ 'one/n/ops/ops-1/main': 12, 'one/n/web/web-1/main': 3, 'two/n/db/db-1/main': 6 }]],
  ['aggregate=cluster&aggregate=namespace&idle=false&accumulate=quarter', [{ 'one/ops': 12, 'one/web': 3, 'two/db': 6 }]],
  ['AGGREGATE=cluster&IncludeIdle=false&accumulate=weeknow', [{ one: 15, two: 6 }]],
  ['aggregate=cluster&idle=false&accumulate=true&accumulateBy=month', [{ one: 15, two: 6 }]],
  ['aggregate=cluster&idle=false&filternamespaces=ops&accumulate=monthnow', [{ one: 12 }]],
]; // prettier-ignore

describe('costs are', () => {
  for (const [query, expected] of ANSWERS)
    test(`by ${query}`, async () => {
      const answer = await ask(`${THREE}&${query}`);
      assert.deepEqual(costs(answer), expected);
      assert.doesNotMatch(String(answer.warnings), /parameter/);
    });

  test('in a CSV with a column for all of them', async () => {
    const query = `${THREE}&aggregate=all,cluster&idle=false&format=csv&columns=full`;
    const { text } = await whole.ask(`${PATH}${query}`);
    assert.match(text, /^name,all,cluster,/);
    assert.match(text, /\nall\/one,all,one,/);
  });

  test('the same in the other order', async () => {
    const [asc, desc] = await Promise.all(
      ['asc', 'desc'].map((order) => ask(`${THREE}&aggregate=namespace&order=${order}`)),
    );
    assert.deepEqual(asc?.data.toReversed(), desc?.data);
    assert.equal(desc?.data.length, 3);
  });
});

test('a parameter that means nothing, and those that are off, change nothing', async () => {
  const plain = await ask(`${THREE}&aggregate=cluster`);
  const sent =
    'sharelb=false&includeProportionalAssetResourceCosts=0&includeAggregatedMetadata=true';
  assert.deepEqual(await ask(`${THREE}&aggregate=cluster&${sent}`), plain);
});

test('costs of load balancers that are shared are no row’s own, and are told apart', async () => {
  const behind = { ...row('web', 1), numbers: { cpuCost: 1, loadBalancerCost: 8 } };
  const server = await serve([behind, row('ops', 3)], []);
  try {
    const query = 'window=2024-05-01,2024-05-03&aggregate=namespace&accumulate=true&idle=false';
    const sent = `${query}&sharelb=true&includeSharedCostBreakdown=true`;
    const { status, text } = await server.ask(`${PATH}${sent}`);
    assert.equal(status, 200, text);
    const [set = {}] = (JSON.parse(text) as { data: Record<string, Record<string, unknown>>[] })
      .data;
    const told = ['web', 'ops'].map((name) => {
      const { loadBalancerCost, sharedCost, totalCost, sharedCostBreakdown } = set[name] ?? {};
      const { loadBalancers } = sharedCostBreakdown as Record<string, Record<string, unknown>>;
      return [loadBalancerCost, sharedCost, totalCost, loadBalancers?.['loadBalancerCost']];
    });
    assert.deepEqual(told, [
      [0, 4, 6, 4],
      [0, 12, 18, 12],
    ]);
  } finally {
    await server.stop();
  }
});
