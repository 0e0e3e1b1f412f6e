/** What nodes cost by where their prices come from: how far an answer can be trusted. */
import { numberReader, textReader, type Table } from '../columnar/index.ts';
import type { PriceSource } from '../pricing/index.ts';
import type { Billable, Billed } from './billed.ts';

/** USD of nodes by a PriceSource; `unknown` for nodes stored without one. */
export type NodeCosts = Readonly<Record<string, number>>;

export class NodeCostSums {
  readonly #sums: Map<string, number> = new Map();

  add(source: string, usd: number): void {
    if (usd === 0) return;
    const known = source || 'unknown';
    this.#sums.set(known, (this.#sums.get(known) ?? 0) + usd);
  }

  addAll(costs: NodeCosts): void {
    for (const [source, usd] of Object.entries(costs)) this.add(source, usd);
  }

  /** In order of the alphabet. */
  get all(): NodeCosts {
    return Object.fromEntries([...this.#sums].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** By the prices of the set. @param assets columns as ASSET_COLUMNS */
export function nodeCostsIn(assets: Table): NodeCosts {
  const sums = new NodeCostSums();
  const [type, source] = [textReader(assets, 'type'), textReader(assets, 'priceSource')];
  const cost = numberReader(assets, 'cost');
  for (let row = 0; row < assets.rows; row++)
    if (type(row) === 'Node') sums.add(source(row), cost(row));
  return sums.all;
}

/** By the bill where it tells of a node. */
export function nodeCostsOf(assets: readonly Billed<Billable>[]): NodeCosts {
  const sums = new NodeCostSums();
  for (const { type, priceSource, cost, billed, isEstimated } of assets) {
    if (type !== 'Node') continue;
    const ofBill: PriceSource = isEstimated ? 'recentBill' : 'bill';
    if (billed === null) sums.add(priceSource, cost);
    else sums.add(ofBill, billed);
  }
  return sums.all;
}
