/** A day that was built from samples, with a bill for all of its assets that have a provider id. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from '../../src/commands/build.ts';
import type { CostObject } from '../../src/collections/cost.ts';
import { importFocus } from '../../src/commands/import-focus.ts';
import { bodyOf, collect, itemsOf } from '../support/servers/estate.ts';
import { focusCsv } from '../support/stores/focus-rows.ts';
import { startBundleServer, type BundleServer } from '../support/servers/bundle-server.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-built-'));
after(() => rmSync(home, { recursive: true, force: true }));

const DAY = 'window=2026-01-15T00:00:00Z,2026-01-16T00:00:00Z';
const FLAGS = ['--demo=true', '--data-dir', home, '--workers=1', '--now=2026-01-16T02:00:00Z'];
/** Billed costs are by this factor above the prices of the built days. */
const SURCHARGE = 1.25;

interface Asset {
  readonly type: string;
  readonly properties: { readonly providerIDFull?: string };
  readonly totalCost: number;
}

function billOf(assets: readonly Asset[]): string {
  const charge = (usd: number, service: string, resource: string): Record<string, string> => ({
    ...Object.fromEntries(['BilledCost', 'ContractedCost', 'EffectiveCost', 'ListCost'].map((name) => [name, String(usd)])),
    BillingPeriodStart: '2026-01-01T00:00:00Z',
    BillingPeriodEnd: '2026-02-01T00:00:00Z',
    ChargePeriodStart: '2026-01-15T00:00:00Z',
    ChargePeriodEnd: '2026-01-16T00:00:00Z',
    ServiceName: service,
    ResourceId: resource,
  }); // prettier-ignore
  const known = assets.filter(({ properties }) => (properties.providerIDFull ?? '') !== '');
  const lines = known
    .filter(({ type }) => ['Node', 'Disk', 'LoadBalancer'].includes(type))
    .map(({ type, properties, totalCost }) =>
      charge(SURCHARGE * totalCost, type, properties.providerIDFull ?? ''),
    );
  return focusCsv(...lines, charge(100, 'AmazonS3', ''));
}

let server: BundleServer;
let assets: readonly Asset[];
before(async () => {
  await build([...FLAGS, `--${DAY}`]);
  const first = await startBundleServer(FLAGS);
  const found = await bodyOf<{ data: readonly Record<string, Asset>[] }>(
    first,
    `/model/assets?${DAY}`,
  );
  await first.stop();
  assets = Object.values(found.data[0] ?? {});
  const bill = join(home, 'bill.csv');
  writeFileSync(bill, billOf(assets));
  await importFocus([bill, '--as', 'cloud', '--data-dir', home]);
  server = await startBundleServer(FLAGS);
});
after(() => server.stop());

interface Answer {
  readonly cost: CostObject;
  readonly items?: readonly { readonly cost: number; readonly name: string }[];
}

async function ask(path: string, query: string): Promise<Answer> {
  const url = `/collections/query/${path}?${DAY}&${query}`;
  return (await bodyOf<{ data: Answer }>(server, url)).data;
}

function near(actual: number | undefined, expected: number, what: string): void {
  const error = Math.abs((actual ?? NaN) - expected);
  assert.ok(error <= 1e-9 * (1 + Math.abs(expected)), `${what}: ${actual}, not ${expected}`);
}

test('a bill of nodes, volumes and load balancers adds nothing to the costs of allocations', async () => {
  const empty = await collect(server, { name: 'empty' });
  for (const type of ['Node', 'Disk', 'LoadBalancer']) {
    assert.ok(
      assets.some((asset) => asset.type === type),
      `the fleet has a ${type}`,
    );
  }
  const cloud = await ask('complement/cloud', `id=${empty}&aggregate=service`);
  const items = cloud.items?.filter(({ cost }) => Math.abs(cost) > 1e-9);
  assert.deepEqual(items, [{ cost: 100, name: 'AmazonS3' }]);
  const rows = await ask('complement/kubernetes', `id=${empty}`);
  const topline = await bodyOf<{
    data: { combined: { allocations: { total: { totalCost: number } } } };
  }>(server, `/allocation/summary/topline?${DAY}`);
  near(rows.cost.totalCost, topline.data.combined.allocations.total.totalCost, 'allocations');
  const estate = await ask('complement', `id=${empty}`);
  near(estate.cost.totalCost, rows.cost.totalCost + 100, 'the estate');
});

test('a collection of the bill of one kind costs as much as allocations are charged for it', async () => {
  const empty = await ask('complement', `id=${await collect(server, { name: 'nothing' })}`);
  for (const type of ['Node', 'Disk', 'LoadBalancer']) {
    const id = await collect(server, { name: type, groups: [itemsOf(`service:"${type}"`)] });
    const own = await ask('total', `id=${id}`);
    const billed = assets.filter((asset) => asset.type === type && asset.properties.providerIDFull);
    const usd = billed.reduce((sum, { totalCost }) => sum + SURCHARGE * totalCost, 0);
    near(own.cost.totalCost, usd, `the bill of each ${type}`);
    const outside = await ask('complement', `id=${id}`);
    near(own.cost.totalCost + outside.cost.totalCost, empty.cost.totalCost, `outside of ${type}`);
    near(outside.cost.domainCosts.cloudCost?.totalCost, 100, 'the rest of the bill');
  }
});
