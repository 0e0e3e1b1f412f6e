/** Idle of nodes in a real Prometheus, through the whole server, against capacity × price × time. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  expectedNodes,
  IDLE_END_MS,
  IDLE_START_MS,
  idleSeries,
  type NodeCosts,
} from '../../support/fleets/idle-fleet.ts';
import { skipWithout } from '../../support/servers/services.ts';
import { startTold, type Told } from '../../support/servers/told.ts';

const RESOURCES = ['cpu', 'ram', 'gpu'] as const;

interface Row {
  readonly properties: Readonly<Record<string, string>>;
  readonly start: string;
  readonly end: string;
  readonly cpuCost: number;
  readonly ramCost: number;
  readonly gpuCost: number;
  readonly totalCost: number;
}
interface Shared {
  readonly proportionalAssetResourceCosts: Readonly<
    Record<string, Readonly<Record<string, number>>>
  >;
}
type Rows = readonly (readonly [name: string, row: Row])[];

const skip = skipWithout('prometheus', 'promtool');
const NODES = expectedNodes();
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const total = (of: (node: NodeCosts) => NodeCosts['assets'], nodes = NODES): number =>
  sum(nodes.flatMap((node) => Object.values(of(node))));
/** Only of nodes whose capacity is told. */
const over = (node: NodeCosts): number =>
  node.assets.cpu > 0
    ? sum(RESOURCES.map((name) => Math.max(0, node.allocated[name] - node.assets[name])))
    : 0;
const idleOf = (node: NodeCosts): NodeCosts['assets'] => {
  const left = (name: 'cpu' | 'ram' | 'gpu'): number =>
    Math.max(0, node.assets[name] - node.allocated[name]);
  return { cpu: left('cpu'), ram: left('ram'), gpu: left('gpu') };
};
const TOLD = NODES.filter(({ node }) => node !== 'untold');

describe('allocations and idle are what nodes cost, to 1e-9', { skip }, () => {
  let told: Told;
  before(async () => {
    told = await startTold(idleSeries());
  });
  after(() => told.stop());

  const fetched = async (query: string): Promise<Response> => {
    const window = [IDLE_START_MS, IDLE_END_MS].map((ms) => new Date(ms).toISOString()).join();
    const response = await fetch(
      `${told.prorata.url}/model/allocation/compute?window=${window}&idle=true&${query}`,
    );
    assert.equal(response.status, 200);
    return response;
  };
  const ask = async (query: string): Promise<{ sets: Rows[]; warnings: string[] }> => {
    const answer = (await (await fetched(query)).json()) as {
      data: Record<string, Row>[];
      warnings?: string[];
    };
    return { sets: answer.data.map((set) => Object.entries(set)), warnings: answer.warnings ?? [] };
  };

  test('the fleet of the test has each kind of node', () => {
    assert.ok(NODES.some((node) => over(node) > 0) && NODES.some((node) => node.assets.gpu > 0));
    assert.ok(NODES.filter((node) => node.assets.cpu === 0).length === 1);
  });

  for (const [path, more] of [
    ['/model/allocation/compute', ''],
    ['/model/allocation/compute', '&shareIdle=true&sortBy=ramCost&limit=1000'],
    ['/allocation', '&step=7m&accumulate=true'],
  ] as const)
    test(`shares of what runs on a node are by what the node costs: ${path} ${more}`, async () => {
      const window = [IDLE_START_MS, IDLE_END_MS].map((ms) => new Date(ms).toISOString()).join();
      const flags = 'includeIdle=true&idleByNode=true&includeProportionalAssetResourceCosts=true';
      const query = `window=${window}&resolution=exact&aggregate=cluster,node&${flags}${more}`;
      const response = await fetch(`${told.prorata.url}${path}?${query}`);
      assert.equal(response.status, 200);
      const { data } = (await response.json()) as { data: Record<string, Shared>[] };
      assert.equal(data.length, 1);
      for (const { cluster, node, allocated, assets } of TOLD) {
        const row = data[0]?.[`${cluster}/${node}`];
        if (row === undefined && sum(Object.values(allocated)) === 0) continue;
        const shares = row?.proportionalAssetResourceCosts[`${cluster},${node}`] ?? {};
        for (const name of RESOURCES) {
          const all = Math.max(assets[name], allocated[name]);
          const expected = all > 0 ? allocated[name] / all : 0;
          const off = Math.abs((shares[`${name}Percentage`] ?? NaN) - expected);
          assert.ok(off <= 1e-9, `${node} ${name}: off by ${off}`);
        }
      }
    });

  for (const query of ['resolution=exact', 'resolution=1m'])
    test(`for each node and resource: ${query}`, async () => {
      const { sets } = await ask(`${query}&splitIdle=true&idleByNode=true&aggregate=node`);
      const rows = new Map(sets[0]);
      const idle = [...rows.keys()].filter((name) => name.endsWith('/__idle__'));
      assert.deepEqual(
        idle,
        TOLD.map(({ cluster, node }) => `${cluster}/${node}/__idle__`),
      );
      for (const node of TOLD) {
        const row = rows.get(`${node.cluster}/${node.node}/__idle__`);
        const expected = idleOf(node);
        assertClose(row?.cpuCost, expected.cpu, `${node.node} cpu`);
        assertClose(row?.ramCost, expected.ram, `${node.node} ram`);
        assertClose(row?.gpuCost, expected.gpu, `${node.node} gpu`);
        assert.equal(row?.properties['providerID'], node.providerId);
      }
      const { start, end } = rows.get('one/n2/__idle__') ?? {};
      assert.deepEqual([start, end], ['2024-05-07T06:45:00Z', '2024-05-07T09:20:00Z']);
    });

  for (const resolution of ['exact', '1m'])
    test(`in total, with overage and costs on no node, at ${resolution}`, async () => {
      const [rows = []] = (await ask(`resolution=${resolution}&aggregate=cluster`)).sets;
      const untold = NODES.filter(({ node }) => node === 'untold');
      const expected =
        total((node) => node.assets) +
        sum(NODES.map(over)) +
        total((node) => node.allocated, untold);
      assertClose(sum(rows.map(([, row]) => row.totalCost)), expected, 'all');
    });

  for (const step of ['1h', '97m', '5m'])
    for (const resolution of ['exact', '1m'])
      test(`in sets of ${step} together, of nodes never exceeded, at ${resolution}`, async () => {
        const query = `resolution=${resolution}&step=${step}&splitIdle=true&idleByNode=true`;
        const { sets } = await ask(query);
        assert.ok(sets.length > 3, `${sets.length} sets`);
        for (const node of NODES.filter(({ cluster }) => cluster === 'one')) {
          const prefix = `one/${node.node}/`;
          const own = sets.flat().filter(([name]) => name.startsWith(prefix));
          const cost = sum(own.map(([, row]) => row.totalCost));
          assertClose(cost, sum(Object.values(node.assets)), prefix);
        }
      });

  test('what exceeds nodes is told, and nodes of unknown capacity', async () => {
    const shown = (usd: number): number => Number(usd.toPrecision(12));
    const usd = shown(sum(NODES.map(over)));
    const untold = NODES.filter(({ node }) => node === 'untold');
    const elsewhere = shown(total((node) => node.allocated, untold));
    const expected = [
      `allocations on nodes that no asset is known of cost $${elsewhere}: nothing is idle there`,
      `allocations exceed their nodes by $${usd}: nothing is idle there`,
      'nodes without samples of kube_node_status_capacity for CPU and RAM (two/untold): 1; ' +
        'they have no idle cost',
    ];
    const about = (warnings: readonly string[]): string[] =>
      warnings.filter((text) => text.includes('idle'));
    assert.deepEqual(about((await ask('resolution=exact')).warnings), expected);
    const csv = await fetched('resolution=exact&format=csv');
    await csv.body?.cancel();
    const told = csv.headers.get('x-prorata-warnings') ?? '';
    for (const text of expected) assert.ok(told.includes(text), told);
  });
});

function assertClose(actual: number | undefined, expected: number, what: string): void {
  const error = Math.abs((actual ?? NaN) - expected);
  assert.ok(error <= 1e-9 * expected, `${what}: ${actual}, not ${expected}`);
}
