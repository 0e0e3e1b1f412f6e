/** The result of an on-demand query. */
import type { NodeCosts } from '../../assets/node-costs.ts';
import type { Caveats } from '../../query/index.ts';
import type { AssetsAt } from '../ledger/asset-rows.ts';
import type { Account } from '../ledger/decide.ts';
import type { EgressNow } from '../ledger/network.ts';

/** Sums in the arena, ready to be grouped and written. */
export interface Computed extends Caveats {
  readonly accounts: readonly Account[];
  /** Costs of nodes; null without idle. */
  readonly nodes: Account | null;
  /** All assets but networks; null where no sets are built. */
  readonly assets: AssetsAt | null;
  /** Prices of traffic; empty where no sets are built. */
  readonly egress: readonly EgressNow[];
  /** What nodes cost by the source of their prices, USD; empty without idle. */
  readonly nodeCosts: NodeCosts;
  /** Caveats of each set by itself, in the order of the plan; empty where no sets are built. */
  readonly ofSets: readonly Caveats[];
}

/** No sums, as of a window that lies in the future. */
export function nothingComputed(warnings: readonly string[]): Computed {
  const none = { accounts: [], nodes: null, assets: null, egress: [], nodeCosts: {}, ofSets: [] };
  return { ...none, warnings, isPartial: false };
}
