/** What a node is made of and where it stands, as properties of allocations: the demo over HTTP. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';

const NOW = '2024-05-03T08:00:00Z';
const DAY = 'window=2024-05-02T00:00:00Z,2024-05-03T00:00:00Z';

interface Row {
  readonly properties: Readonly<Record<string, string>>;
  readonly totalCost: number;
}
type Rows = Readonly<Record<string, Row>>;

let server: BundleServer | undefined;
before(async () => {
  server = await startBundleServer([
    `--now=${NOW}`,
    '--workers=1',
    '--timezone=UTC',
    '--refresh=1h',
    '--retention=2d',
  ]);
});
after(() => server?.stop());

const PATHS = {
  computed: '/model/allocation/compute?resolution=exact&',
  stored: '/model/allocation?reconcile=false&shareTenancyCosts=false&',
} as const;

/** Waits for the day to be stored. */
async function ask(path: keyof typeof PATHS, query: string): Promise<Rows> {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await server?.ask(`${PATHS[path]}${DAY}&idle=true&${query}`);
    assert.equal(answer?.status, 200, answer?.text);
    const { data, warnings = [] } = JSON.parse(answer.text) as { data: Rows[]; warnings?: string[] };
    if (!/is not stored/.test(warnings.join())) return data[0] ?? {};
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('the day is not stored after a minute');
} // prettier-ignore

const totalOf = (rows: Rows): number =>
  Object.values(rows).reduce((sum, { totalCost }) => sum + totalCost, 0);

function assertClose(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= 1e-9 * expected, `${what}: ${actual}, not ${expected}`);
}

for (const path of ['computed', 'stored'] as const) {
  test(`${path}: what is grouped by a property of nodes adds up to the whole`, async () => {
    const whole = totalOf(await ask(path, 'aggregate=namespace'));
    assert.ok(whole > 1, `${whole}`);
    for (const [key, value] of [
      ['instanceType', /^[a-z]\w+([-.]\w+)+$/],
      ['region', /^[a-z]+-[a-z]+-?\d$/],
      ['zone', /^[a-z]+-[a-z]+-?\d-?[a-z]$/],
    ] as const) {
      const rows = await ask(path, `aggregate=${key}`);
      assertClose(totalOf(rows), whole, key);
      const names = Object.keys(rows).filter((name) => !name.startsWith('__'));
      assert.ok(names.length > 1, names.join());
      for (const name of names) {
        assert.match(name, value);
        assert.equal(rows[name]?.properties[key], name);
      }
    }
  });

  test(`${path}: a filter by a property of nodes and its complement add up`, async () => {
    const whole = totalOf(await ask(path, 'aggregate=namespace'));
    const [type = ''] = Object.keys(await ask(path, 'aggregate=instanceType')).filter(
      (name) => !name.startsWith('__'),
    );
    const own = await ask(path, `aggregate=instanceType&filter=instanceType:"${type}"`);
    const others = await ask(path, `aggregate=instanceType&filter=nodeType!:"${type}"`);
    assert.ok(type in own && !(type in others), type);
    assertClose(totalOf(own) + totalOf(others), whole, type);
  });
}

test('a node tells what it is made of and where it stands, stored as computed', async () => {
  const [computed, stored] = [
    await ask('computed', 'aggregate=node'),
    await ask('stored', 'aggregate=node'),
  ];
  const about = (row: Row | undefined): string =>
    ['instanceType', 'region', 'zone'].map((name) => row?.properties[name]).join(' ');
  for (const [name, row] of Object.entries(computed)) {
    if (name.startsWith('__')) continue;
    assert.match(about(row), /^\S+ [a-z]+-\S+ [a-z]+-\S+$/);
    assert.equal(about(stored[name]), about(row), name);
  }
});

test('a node pool that no label names is unallocated', async () => {
  const rows = await ask('computed', 'aggregate=nodePool');
  assert.deepEqual(Object.keys(rows).toSorted(), ['__idle__', '__unallocated__']);
});
