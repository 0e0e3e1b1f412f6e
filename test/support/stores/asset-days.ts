/** Stored sets of assets, made of rows in words. */
import { ASSET_COLUMNS } from '../../../src/assets/columns.ts';
import type { EncodedSet } from '../../../src/storage/index.ts';
import { DAY_MS, dayKey, encoded, FIRST_MS, type Columns } from './stored-sets.ts';

/** Columns by name; what a row does not say is empty or zero. */
export type AssetRow = Readonly<Record<string, string | number>>;

export function columnsOf(day: number, rows: readonly AssetRow[]): Columns {
  const startMs = FIRST_MS + day * DAY_MS;
  const filled = rows.map((row): AssetRow => ({ startMs, endMs: startMs + DAY_MS, ...row }));
  return Object.fromEntries([
    ...ASSET_COLUMNS.texts.map((name) => [name, filled.map((row) => String(row[name] ?? ''))]),
    ...ASSET_COLUMNS.numbers.map((name) => [name, filled.map((row) => Number(row[name] ?? 0))]),
  ] as [string, string[] | number[]][]);
}

export function assetDay(day: number, rows: readonly AssetRow[]): Promise<EncodedSet> {
  return encoded(dayKey(day, 'assets'), columnsOf(day, rows));
}

/** A node of whole-day amounts; costs are after the discount. */
export function node(cluster: string, name: string, more: AssetRow): AssetRow {
  const cost = ['cpuCost', 'ramCost', 'gpuCost'].reduce(
    (sum, of) => sum + Number(more[of] ?? 0),
    0,
  );
  return { type: 'Node', cluster, name, node: name, provider: 'GCP', cost, ...more };
}

/** What OpenCost's tests take (core/pkg/opencost/mock.go, GenerateMockAssetSet), adjustments aside. */
export const MOCK_ASSETS: readonly AssetRow[] = [
  node('cluster1', 'node1', { providerID: 'gcp-node1', cpuCost: 2, ramCost: 3, gpuCost: 2, discount: 0.5, labels: '{"test":"test","team":"data"}' }),
  node('cluster1', 'node2', { providerID: 'gcp-node2', cpuCost: 3.5, ramCost: 2, discount: 0.5 }),
  node('cluster1', 'node3', { providerID: 'gcp-node3', cpuCost: 2, ramCost: 1.5, gpuCost: 3, discount: 0.5 }),
  { type: 'Disk', cluster: 'cluster1', name: 'disk1', providerID: 'gcp-disk1', cost: 2.5 },
  { type: 'Disk', cluster: 'cluster1', name: 'disk2', providerID: 'gcp-disk2', cost: 1.5 },
  { type: 'ClusterManagement', cluster: 'cluster1', provider: 'GCP', cost: 3 },
  node('cluster2', 'node4', { providerID: 'gcp-node4', cpuCost: 7, ramCost: 4, discount: 0.25 }),
  { type: 'Disk', cluster: 'cluster2', name: 'disk3', providerID: 'gcp-disk3', cost: 2.5 },
  { type: 'Disk', cluster: 'cluster2', name: 'disk4', providerID: 'gcp-disk4', cost: 1.5 },
  { type: 'ClusterManagement', cluster: 'cluster2', provider: 'GCP' },
  node('cluster3', 'node5', { providerID: 'aws-node5', provider: 'AWS', cpuCost: 12, ramCost: 7 }),
]; // prettier-ignore
