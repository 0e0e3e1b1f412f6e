/** What charges of volumes, load balancers and clusters are made by. */
import type { PriceBook } from '../../pricing/index.ts';
import type { ClusterPrices } from '../inventory/cluster-prices.ts';
import type { Presence, Stretch } from '../inventory/presence.ts';
import type { ShownOptions } from './payers.ts';
import type { WorkloadOptions } from './workloads.ts';

export interface ChargeOptions extends ShownOptions {
  readonly limits: Omit<WorkloadOptions, 'book' | 'onGrid'>;
  /** Interval of series of the cluster with a single sample, ms. */
  readonly intervalMs: (cluster: string) => number;
  readonly book: PriceBook;
  readonly prices: ClusterPrices;
}

/** Stretches in which samples showed it. */
export function stretchesOf(
  { cluster, presence }: { readonly cluster: string; readonly presence: Presence },
  { limits, intervalMs }: Pick<ChargeOptions, 'limits' | 'intervalMs'>,
): readonly Stretch[] {
  const ofCluster = { intervalMs: intervalMs(cluster), startMs: NaN, onGrid: false };
  const life = presence.life({ ...limits, ...ofCluster });
  return life?.stretches ?? [];
}
