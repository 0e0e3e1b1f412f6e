/**
 * The columns that are stored for each node, disk, load balancer, network and cluster management of a
 * set. Hours and costs are those within the set, so that a day is the sum of its hours.
 */
import type { ColumnNames, NumberColumn, Table, TextColumn } from '../columnar/index.ts';

/** Kinds of assets, as clients spell them. */
export type AssetType = 'Node' | 'Disk' | 'LoadBalancer' | 'Network' | 'ClusterManagement';

/** Columns of texts; empty where one does not apply or is not known. */
export const ASSET_TEXTS = [
  'type',
  'cluster',
  'name',
  /** The node, or the node that a disk or network belongs to. */
  'node',
  /** The address of a load balancer. */
  'address',
  'providerID',
  'provider',
  'nodeType',
  'region',
  'zone',
  'pool',
  'storageClass',
  /** The persistent volume, and the claim that held it last. */
  'volume',
  'claim',
  'claimNamespace',
  /** An object of names and values in JSON. */
  'labels',
  'endSource',
  /** Where the prices of a node come from, a PriceSource. */
  'priceSource',
] as const;
export type AssetText = (typeof ASSET_TEXTS)[number];

/** What a node has and costs, in the order of CPU, RAM and GPU: core·h, byte·h, GPU·h; USD. */
export const NODE_HOURS = ['cpuCoreHours', 'ramByteHours', 'gpuHours'] as const;
export const NODE_COSTS = ['cpuCost', 'ramCost', 'gpuCost'] as const;

/** How the numbers of several rows of one asset are merged. */
const FOLDS = {
  startMs: 'min',
  endMs: 'max',
  endUncertaintyMs: 'last',
  cpuCoreHours: 'sum',
  ramByteHours: 'sum',
  gpuHours: 'sum',
  /** Usage of all that ran on a node, and of kube-system alone: in core·h and byte·h. */
  cpuCoreUsageHours: 'sum',
  cpuCoreSystemHours: 'sum',
  ramByteUsageHours: 'sum',
  ramByteSystemHours: 'sum',
  byteHours: 'sum',
  /** USD, after discounts. */
  cpuCost: 'sum',
  ramCost: 'sum',
  gpuCost: 'sum',
  /** USD, in total: for a node the sum of the three. */
  cost: 'sum',
  /** 1: a spot node. */
  preemptible: 'last',
  /** The discount on CPU and RAM, in [0, 1]. */
  discount: 'last',
  /** 1: a node's own disk, not a persistent volume. */
  isAttached: 'last',
} as const;

export const ASSET_FOLDS: ReadonlyMap<string, 'sum' | 'min' | 'max' | 'last'> = new Map(
  Object.entries(FOLDS),
);

export const ASSET_COLUMNS: ColumnNames = { texts: ASSET_TEXTS, numbers: Object.keys(FOLDS) };

/** The columns that identify an asset within its set. */
export const ASSET_KEYS: readonly AssetText[] = [
  'type',
  'cluster',
  'name',
  'node',
  'address',
  'providerID',
  'nodeType',
];

/** Adds the type to sets stored when nodes were the only assets. */
export function withTypes(table: Table): Table {
  if (table.rows === 0 || table.text('type')) return table;
  return {
    rows: table.rows,
    text: (name) =>
      name === 'type' ? constantText(table.rows) : table.text(name === 'name' ? 'node' : name),
    numbers: (name) => (name === 'cost' ? costOfNodes(table) : table.numbers(name)),
  };
}

function constantText(rows: number): TextColumn {
  const texts = ['', 'Node'];
  return {
    codes: new Uint32Array(rows).fill(1),
    texts: { size: texts.length, text: (code) => texts[code] ?? '' },
  };
}

function costOfNodes(table: Table): NumberColumn {
  const values = new Float64Array(table.rows);
  for (const name of NODE_COSTS) {
    table.numbers(name)?.values.forEach((cost, row) => {
      values[row] = (values[row] ?? 0) + cost;
    });
  }
  return { address: 0, values };
}
