/** A fleet with a bill of its last whole day, by the commands of users: today costs at that day's rates. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { COMMAND } from '../support/command.ts';
import { startBundleServer, type BundleServer } from '../support/servers/bundle-server.ts';
import { focusCsv } from '../support/stores/focus-rows.ts';

const COSTS = ['cpuCost', 'ramCost', 'gpuCost'];
/** What the bill charges of each price. */
const CHARGED = 0.6;
const DEMO = ['--demo=true', '--now=2026-11-24T15:00:00Z'];

interface Asset {
  readonly properties: { readonly name: string; readonly providerIDFull: string };
  readonly minutes: number;
  readonly cpuCost: number;
  readonly ramCost: number;
  readonly gpuCost: number;
  readonly totalCost: number;
}

function run(...args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...args]);
  assert.equal(status, 0, stderr.toString());
}

describe('a bill of yesterday, a charge for each node and day', () => {
  const home = mkdtempSync(join(tmpdir(), 'prorata-demo-bill-'));
  const data = `--data-dir=${join(home, 'data')}`;
  let server: BundleServer;

  const get = async <T>(path: string): Promise<T> => {
    const { status, text } = await server.ask(path);
    assert.equal(status, 200, text);
    return (JSON.parse(text) as { readonly data: readonly T[] }).data[0] as T;
  };
  const nodesOf = async (window: string): Promise<Asset[]> =>
    Object.values(
      await get<Record<string, Asset>>(`/model/assets?window=${window}&filterTypes=Node`),
    );

  before(async () => {
    // Hours of yesterday are stored beside the day.
    run('build', ...DEMO, data, '--window=2d', '--quiet');
    server = await startBundleServer([...DEMO, data]);
    const lines = (await nodesOf('yesterday')).map(({ properties, totalCost }) => ({
      ResourceId: properties.providerIDFull,
      EffectiveCost: String(CHARGED * totalCost),
      BilledCost: String(CHARGED * totalCost),
      ChargePeriodStart: '2026-11-23T00:00:00Z',
      ChargePeriodEnd: '2026-11-24T00:00:00Z',
      BillingPeriodStart: '2026-11-01T00:00:00Z',
      BillingPeriodEnd: '2026-12-01T00:00:00Z',
    }));
    await server.stop();
    const bill = join(home, 'bill.csv');
    writeFileSync(bill, focusCsv(...lines));
    run('import', 'focus', bill, '--as=cloud', '--source=aws', data);
    server = await startBundleServer([...DEMO, data]);
  });
  after(async () => {
    await server.stop();
    rmSync(home, { recursive: true });
  });

  type Rows = Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** What nodes cost in each set, by the node, as listed and as billed. */
  const setsOf = async (
    query: string,
  ): Promise<ReadonlyMap<string, readonly [listed: number, billed: number]>[]> => {
    const path = `/model/allocation?${query}&aggregate=node&idle=true&idleByNode=true&shareTenancyCosts=false`;
    const { status, text } = await server.ask(path);
    assert.equal(status, 200, text);
    return (JSON.parse(text) as { readonly data: readonly Rows[] }).data.map((rows) => {
      const nodes = new Map<string, readonly [number, number]>();
      for (const [name, row] of Object.entries(rows)) {
        const node = name.split('/')[0] ?? '';
        const sum = (columns: readonly string[]): number =>
          columns.reduce((usd, column) => usd + (row[column] ?? NaN), 0);
        const [listedUsd, billedUsd] = nodes.get(node) ?? [0, 0];
        const own = sum(COSTS);
        nodes.set(node, [
          listedUsd + own,
          billedUsd + own + sum(COSTS.map((name) => `${name}Adjustment`)),
        ]);
      }
      return nodes;
    });
  };

  const listed = ({ cpuCost, ramCost, gpuCost }: Asset): number => cpuCost + ramCost + gpuCost;

  test('each node of today costs at the rate of the bill, new ones and those that began yesterday too', async () => {
    const [yesterday, today] = [await nodesOf('yesterday'), await nodesOf('today')];
    const names = new Set(yesterday.map(({ properties }) => properties.name));
    assert.ok(today.length > 15);
    assert.ok(
      yesterday.some(({ minutes }) => minutes < 1000),
      'none began yesterday',
    );
    assert.ok(
      today.some(({ properties }) => !names.has(properties.name)),
      'none is new',
    );
    for (const asset of [...yesterday, ...today])
      assertClose(asset.totalCost, CHARGED * listed(asset), asset.properties.name);
  });

  test('allocations and idle of today add up to its nodes', async () => {
    const [rows] = await setsOf('window=today&accumulate=true');
    const usd = [...(rows ?? [])].reduce((sum, [, [, billed]]) => sum + billed, 0);
    const nodes = (await nodesOf('today')).reduce((sum, { totalCost }) => sum + totalCost, 0);
    assertClose(usd, nodes, 'rows and idle');
  });

  test('hours of yesterday cost at the same rates, also where a node began in it', async () => {
    const hours = await setsOf('window=yesterday&accumulate=hour');
    assert.equal(hours.length, 24);
    let charged = 0;
    for (const [i, nodes] of hours.entries())
      for (const [node, [own, billed]] of nodes) {
        if (own === 0) continue;
        charged++;
        assertClose(billed, CHARGED * own, `${node}, hour ${i} from the last`);
      }
    assert.ok(charged > 24 * 15, `${charged} nodes and hours`);
  });
});

function assertClose(actual: number, expected: number, what: string): void {
  const error = Math.abs(actual - expected);
  assert.ok(error <= 1e-9 * Math.abs(expected), `${what}: ${actual}, not ${expected}`);
}
