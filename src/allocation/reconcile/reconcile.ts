/**
 * Rows adjusted to the bill: the difference between an asset's billed cost and its list price goes into
 * the adjustments of the rows that use it. Costs stay as they were, so that
 *
 *   Σ (cost + adjustment) of rows and idle − overage = Σ billed cost of assets, else their list price
 *
 * Nodes and volumes are divided by the rows' share of them; load balancers, and networks where no
 * traffic is priced, by usage hours (the interface, "Rules for distribution"). Assets without a line
 * in a bill are not adjusted.
 */
import type { Table, Workspace } from '../../columnar/index.ts';
import { isTenancy, type ChargedAsset } from './charged-asset.ts';
import type { Rewrite } from '../row/overlay.ts';
import { reconcileNodes } from './reconcile-nodes.ts';
import { reconcileVolumes } from './reconcile-volumes.ts';
import type { RowIndex } from './row-index.ts';
import { EGRESS_BYTES } from '../row/schema.ts';
import { shareByHours } from './share-by-hours.ts';

/** Columns of rows that are read where an asset of that type is billed. */
export const RECONCILED_BY: Readonly<Record<string, readonly string[]>> = {
  Node: ['node', 'providerID'],
  Disk: ['pvs'],
  LoadBalancer: ['services'],
  Network: ['node', EGRESS_BYTES],
};

/**
 * `rewrite` gets the adjustments.
 * @returns changes the texts of the rows
 */
export function reconcile(
  space: Workspace,
  rewrite: Rewrite,
  rows: RowIndex,
  assets: readonly ChargedAsset[],
): (shown: Table) => Table {
  const billed = assets.filter((asset) => asset.billed !== null && !isTenancy(asset));
  const of = (wanted: string): ChargedAsset[] => billed.filter(({ type }) => type === wanted);
  const nodes = of('Node');
  const priced = nodes.length > 0 ? reconcileNodes(space, rewrite, rows, nodes) : asItIs;
  for (const balancer of of('LoadBalancer')) reconcileBalancer(rewrite, rows, balancer);
  for (const network of of('Network')) reconcileNetwork(rewrite, rows, network);
  const volumes = of('Disk');
  const mounted = volumes.length > 0 ? reconcileVolumes(rows.table, rewrite, volumes) : asItIs;
  return (shown) => mounted(priced(shown));
}

function asItIs(shown: Table): Table {
  return shown;
}

/** Rule 2, over the pods behind its service. Its list price was divided in the same way. */
function reconcileBalancer(rewrite: Rewrite, rows: RowIndex, balancer: ChargedAsset): void {
  const { cluster, name, cost, billed } = balancer;
  const slash = name.indexOf('/');
  const [namespace, service] = [name.slice(0, slash), name.slice(slash + 1)];
  const adjustments = rewrite.column('loadBalancerCostAdjustment');
  const more = (billed ?? cost) - cost;
  shareByHours(rows.lives, rows.behindService(cluster, namespace, service), balancer, (row, part) => {
    adjustments[row] = (adjustments[row] ?? 0) + part * more;
  }); // prettier-ignore
}

/**
 * Rule 3: in proportion to the traffic where the network's own metrics show some in the cluster,
 * at whatever price; else by rule 2. A network is a node's, or its cluster's where it names none. It is
 * divided by what its traffic costs, else by the bytes of such traffic, else by all bytes sent.
 */
function reconcileNetwork(rewrite: Rewrite, rows: RowIndex, network: ChargedAsset): void {
  const { cluster, node, billed } = network;
  const inCluster = rows.inCluster(cluster);
  const payers = node === '' ? inCluster : rows.onNode(cluster, node);
  const [workloads = []] = payers;
  const usd = billed ?? 0;
  const adjustments = rewrite.column('networkCostAdjustment');
  const charge = (row: number, part: number): void => {
    adjustments[row] = (adjustments[row] ?? 0) + part * usd;
  };
  const costs = columnOf(rows, 'networkCost');
  const egress = columnOf(rows, EGRESS_BYTES);
  // Sets stored before egress bytes were show egress by its cost alone.
  const isMeasured = [egress, costs].some((column) => totalOf(column, inCluster[0] ?? []) > 0);
  const traffic = [costs, egress, columnOf(rows, 'networkTransferBytes')].find(
    (column) => isMeasured && totalOf(column, workloads) > 0,
  );
  if (traffic === undefined) {
    shareByHours(rows.lives, payers, network, charge);
    return;
  }
  const total = totalOf(traffic, workloads);
  for (const row of workloads) {
    charge(row, (traffic?.[row] ?? 0) / total);
    adjustments[row] = (adjustments[row] ?? 0) - (costs?.[row] ?? 0);
  }
}

function columnOf({ table }: RowIndex, name: string): Float64Array | undefined {
  return table.numbers(name)?.values;
}

function totalOf(values: Float64Array | undefined, rows: readonly number[]): number {
  return rows.reduce((sum, row) => sum + (values?.[row] ?? 0), 0);
}
