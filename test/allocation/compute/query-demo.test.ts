/** Filters, sharing, rates and pages over HTTP, of the demo fleet: always the same money. */
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';

interface Row {
  readonly totalCost: number;
  readonly sharedCost: number;
  readonly sharedCostBreakdown?: Readonly<Record<string, { totalCost: number }>> | null;
}
type Rows = Readonly<Record<string, Row>>;

let server: BundleServer | undefined;
before(async () => {
  server = await startBundleServer(['--now=2024-05-03T12:00:00Z', '--workers=1', '--timezone=UTC']);
});
after(() => server?.stop());

/** An eighth of a day, which is over. */
async function ask(query: string): Promise<Rows> {
  assert.ok(server, 'no server runs');
  const answer = await server.compute(`window=3h&aggregate=namespace&${query}`);
  assert.equal(answer.status, 200, answer.text);
  const { data } = JSON.parse(answer.text) as { data: readonly Rows[] };
  assert.equal(data.length, 1);
  return data[0] ?? {};
}

const sumOf = (rows: Rows): number =>
  Object.values(rows).reduce((sum, { totalCost }) => sum + totalCost, 0);

function assertClose(actual: number, expected: number, what: string): void {
  const off = Math.abs(actual - expected);
  assert.ok(off <= 1e-9 * Math.abs(expected), `${what}: ${actual}, not ${expected}`);
}

/** What must cost the same in all as the day with its idle, times a factor, and what besides. */
const SAME: readonly (readonly [query: string, factor: number, plus: number])[] = [
  ['idle=true', 1, 0],
  ['shareIdle=true', 1, 0],
  ['shareIdle=weighted&idleByNode=true', 1, 0],
  ['idle=true&shareNamespaces=kube-system', 1, 0],
  ['shareIdle=true&shareNamespaces=kube-system&shareSplit=even', 1, 0],
  ['idle=true&shareCost=60.84', 1, 0.25],
  ['idle=true&costMetric=monthly', 730 / 3, 0],
  ['idle=true&sortBy=name&sortByOrder=asc', 1, 0],
];

describe('adds up to the nodes and what runs on them', () => {
  for (const [query, factor, plus] of SAME)
    test(query, async () => {
      const whole = sumOf(await ask('idle=true'));
      assertClose(sumOf(await ask(query)), factor * whole + plus, 'sum');
    });

  for (const query of ['idle=true', 'shareIdle=true', 'idle=true&shareCost=9&shareSplit=even'])
    test(`in two halves: ${query}`, async () => {
      const name = 'monitoring';
      const own = await ask(`${query}&filterNamespaces=${name}`);
      const rest = await ask(`${query}&filter=namespace!:%22${name}%22`);
      const all = await ask(query);
      assertClose(sumOf(own) + sumOf(rest), sumOf(all), 'sum');
      for (const [namespace, { totalCost }] of Object.entries({ ...own, ...rest })) {
        if (namespace !== '__idle__')
          assertClose(totalCost, all[namespace]?.totalCost ?? NaN, namespace);
      }
    });
});

const SUMMED = [
  'aggregate=namespace&idle=true',
  'aggregate=node&idle=true&splitIdle=true&idleByNode=true&resolution=10m',
  'aggregate=controller&shareIdle=true&shareNamespaces=kube-system&shareCost=100&shareSplit=even',
  'idle=true&filterNamespaces=monitoring',
];

for (const query of SUMMED)
  test(`accumulate=true sums the sets of step: ${query}`, async () => {
    assert.ok(server, 'no server runs');
    const of = `window=3h&step=40m&${query}`;
    const [some, one] = [await server.compute(of), await server.compute(`${of}&accumulate=true`)];
    const { data: sets } = JSON.parse(some.text) as { data: readonly Rows[] };
    const { data: all } = JSON.parse(one.text) as { data: readonly Rows[] };
    assert.deepEqual([sets.length, all.length], [5, 1]);
    const sums = new Map<string, number>();
    for (const set of sets)
      for (const [name, { totalCost }] of Object.entries(set))
        sums.set(name, (sums.get(name) ?? 0) + totalCost);
    assert.deepEqual([...sums.keys()].sort(), Object.keys(all[0] ?? {}).sort());
    for (const [name, sum] of sums) assertClose(all[0]?.[name]?.totalCost ?? NaN, sum, name);
  });

test('a breakdown says who shared what', async () => {
  const rows = await ask(
    'shareNamespaces=kube-system&shareCost=60.84&includeSharedCostBreakdown=1',
  );
  assert.equal(rows['kube-system'], undefined);
  for (const [name, { sharedCost, sharedCostBreakdown }] of Object.entries(rows)) {
    const names = name === '__unmounted__' ? [] : ['kube-system', 'overheadCost'];
    assert.deepEqual(Object.keys(sharedCostBreakdown ?? {}), names);
    const sources = Object.values(sharedCostBreakdown ?? {});
    assertClose(
      sources.reduce((sum, { totalCost }) => sum + totalCost, 0),
      sharedCost,
      name,
    );
  }
  const plain = await ask('shareNamespaces=kube-system');
  for (const row of Object.values(plain)) assert.ok(!('sharedCostBreakdown' in row), 'not asked');
});

test('pages hold the dearest rows first, and idle each', async () => {
  const all = await ask('idle=true');
  const dearest = Object.entries(all)
    .filter(([name]) => name !== '__idle__')
    .toSorted(([, a], [, b]) => b.totalCost - a.totalCost)
    .map(([name]) => name);
  for (const offset of [0, 2, 4]) {
    const page = await ask(`idle=true&limit=2&offset=${offset}`);
    assert.deepEqual(Object.keys(page), ['__idle__', ...dearest.slice(offset, offset + 2)]);
  }
});

for (const [query, parameter] of [
  ['shareSplit=odd', 'shareSplit'],
  ['filter=colour:red', 'filter'],
  ['limit=-1', 'limit'],
] as const)
  test(`${query} is refused, naming ${parameter}`, async () => {
    const answer = await server?.compute(`window=1h&${query}`);
    assert.equal(answer?.status, 400);
    assert.equal((JSON.parse(answer?.text ?? '') as { parameter: string }).parameter, parameter);
  });
