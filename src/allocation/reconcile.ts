/**
 * Rows as the bill has it: what each billed asset costs more or less than its list price goes into
 * the adjustments of those who have it. Costs stay what they were, so that
 *
 *   Σ (cost + adjustment) of rows and idle − overage = Σ billed cost of assets, else their list price
 *
 * Nodes and volumes are divided by what rows have of them; load balancers, and networks where no
 * traffic is priced, by usage hours (the interface, "Rules for distribution"). Nothing is adjusted
 * that no bill tells of.
 */
import type { Table, Workspace } from '../columnar/index.ts';
import { isTenancy, type ChargedAsset } from './charged-asset.ts';
import type { Rewrite } from './overlay.ts';
import { reconcileNodes } from './reconcile-nodes.ts';
import { reconcileVolumes } from './reconcile-volumes.ts';
import type { RowsBy } from './rows-by.ts';
import { shareByHours } from './usage-hours.ts';

/** Columns that are read of rows where an asset of that type is billed. */
export const RECONCILED_BY: Readonly<Record<string, readonly string[]>> = {
  Node: ['node'],
  Disk: ['pvs'],
  LoadBalancer: ['services'],
  Network: ['node'],
};

/**
 * `rewrite` gets the adjustments.
 * @returns how the rows are to be seen beside their numbers
 */
export function reconcile(
  space: Workspace,
  rewrite: Rewrite,
  rows: RowsBy,
  assets: readonly ChargedAsset[],
): (shown: Table) => Table {
  const billed = assets.filter((asset) => asset.billed !== null && !isTenancy(asset));
  const of = (wanted: string): ChargedAsset[] => billed.filter(({ type }) => type === wanted);
  const nodes = of('Node');
  if (nodes.length > 0) reconcileNodes(space, rewrite, rows, nodes);
  for (const balancer of of('LoadBalancer')) reconcileBalancer(rewrite, rows, balancer);
  for (const network of of('Network')) reconcileNetwork(rewrite, rows, network);
  const volumes = of('Disk');
  return volumes.length > 0 ? reconcileVolumes(rows.table, rewrite, volumes) : (shown) => shown;
}

/** Rule 2, over those behind its service. Its list price was divided alike. */
function reconcileBalancer(rewrite: Rewrite, rows: RowsBy, balancer: ChargedAsset): void {
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
 * Rule 3: in proportion to the traffic where some is priced, which shows that the network's own
 * metrics were there; else by rule 2. A network is a node's, or its cluster's where it names none.
 */
function reconcileNetwork(rewrite: Rewrite, rows: RowsBy, network: ChargedAsset): void {
  const { cluster, node, billed } = network;
  const bearers = node === '' ? rows.inCluster(cluster) : rows.onNode(cluster, node);
  const costs = rows.table.numbers('networkCost')?.values;
  const [workloads = []] = bearers;
  const usd = billed ?? 0;
  const listed = workloads.reduce((sum, row) => sum + (costs?.[row] ?? 0), 0);
  const adjustments = rewrite.column('networkCostAdjustment');
  if (listed > 0) {
    for (const row of workloads) {
      const cost = costs?.[row] ?? 0;
      adjustments[row] = (adjustments[row] ?? 0) + usd * (cost / listed) - cost;
    }
    return;
  }
  shareByHours(rows.lives, bearers, network, (row, part) => {
    adjustments[row] = (adjustments[row] ?? 0) + part * usd;
  });
}
