/** Traffic that costs nothing is remembered in stored days: a bill is divided by it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from '../../../src/commands/build.ts';
import { importFocus } from '../../../src/commands/import-focus.ts';
import { focusCsv } from '../../support/stores/focus-rows.ts';
import { A, B, GIB, NODE, series, times } from '../../support/fleets/odd-parts.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { NOW } from '../../support/fleets/pod-store.ts';
import type { TestSeries } from '../../support/stores/samples-encoding.ts';
import { startScriptedStore, type ScriptedStore } from '../../support/stores/scripted-store.ts';
import { remoteReads } from '../../support/stores/series-store.ts';

const DAY = 'window=2024-05-01T00:00:00Z,2024-05-02T00:00:00Z';
const ID = 'aws:///eu-1a/i-a';

/** So many bytes a second. */
function egress(pod: string, perSecond: number): TestSeries {
  const labels = { namespace: 'team', pod_name: pod, internet: 'true', same_region: 'false', same_zone: 'false' }; // prettier-ignore
  const sent = series('kubecost_pod_network_egress_bytes_total', labels);
  const [firstMs = 0] = times();
  return { ...sent, values: sent.timestampsMs.map((ms) => (perSecond * (ms - firstMs)) / 1000) };
}

const SERIES: readonly TestSeries[] = [
  ...A,
  ...B,
  ...NODE,
  series('kube_node_status_capacity', { node: 'node-a', resource: 'cpu', unit: 'core' }, 4),
  series('kube_node_status_capacity', { node: 'node-a', resource: 'memory', unit: 'byte' }, 8 * GIB), // prettier-ignore
  series('kube_node_info', { node: 'node-a', provider_id: ID }),
  series('kubecost_network_internet_egress_cost', {}, 0),
  egress('a', 1000),
  egress('b', 3000),
];

const folder = mkdtempSync(join(tmpdir(), 'prorata-free-'));
let store: ScriptedStore;
let server: BundleServer;

before(async () => {
  store = await startScriptedStore(remoteReads(() => SERIES));
  const place = [`--data-dir=${folder}`, '--workers=1'];
  await build([
    ...place,
    `--metrics-url=${store.url}`,
    `--now=${NOW}`,
    '--window=2024-05-01T00:00:00Z,2024-05-02T00:00:00Z',
    // The store ends at noon, long before the day does.
    '--again',
    '--quiet',
  ]);
  const usd = { BilledCost: '8', ContractedCost: '8', EffectiveCost: '8', ListCost: '8' };
  const period = { BillingPeriodStart: '2024-05-01T00:00:00Z', BillingPeriodEnd: '2024-06-01T00:00:00Z' }; // prettier-ignore
  const charged = { ChargePeriodStart: '2024-05-01T00:00:00Z', ChargePeriodEnd: '2024-05-02T00:00:00Z' }; // prettier-ignore
  const traffic = { ResourceId: ID, ServiceCategory: 'Networking', ServiceName: 'Transfer' };
  writeFileSync(join(folder, 'bill.csv'), focusCsv({ ...usd, ...period, ...charged, ...traffic }));
  await importFocus([join(folder, 'bill.csv'), '--as=cloud', '--quiet', ...place]);
  server = await startBundleServer([...place, `--now=${NOW}`]);
});
after(async () => {
  await server.stop();
  await store.stop();
  rmSync(folder, { recursive: true });
  assert.deepEqual(server.errors, []);
});

type Rows = Readonly<Record<string, Readonly<Record<string, number>>>>;

test('what a node is billed for traffic is divided by the bytes of its pods, priced at 0', async () => {
  const answer = await server.ask(`/model/allocation?${DAY}&aggregate=pod&idle=false`);
  const [{ a, b } = {}] = (JSON.parse(answer.text) as { data: Rows[] }).data;
  assert.deepEqual([a?.['networkCost'], b?.['networkCost']], [0, 0]);
  for (const [row, usd] of [
    [a, 2],
    [b, 6],
  ] as const)
    // prettier-ignore
    assert.ok(Math.abs((row?.['networkCostAdjustment'] ?? 0) - usd) < 1e-9, answer.text);
});

test('the bytes are kept, and shown nowhere', async () => {
  const answer = await server.ask(`/model/allocation?${DAY}`);
  assert.doesNotMatch(answer.text, /gressBytes/);
});
