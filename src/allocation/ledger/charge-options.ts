/** What charges of volumes, load balancers and clusters are made by. */
import type { PriceBook } from '../../pricing/index.ts';
import type { ClusterPrices } from '../inventory/cluster-prices.ts';
import type { Presence, Stretch } from '../inventory/presence.ts';
import type { ShownOptions } from './payers.ts';
import type { WorkloadOptions } from './workloads.ts';

export interface ChargeOptions extends ShownOptions {
  readonly limits: Omit<WorkloadOptions, 'book' | 'onGrid'> & { readonly intervalMs: number };
  readonly book: PriceBook;
  readonly prices: ClusterPrices;
}

/** Stretches in which samples showed it. */
export function stretchesOf(
  presence: Presence,
  { limits }: Pick<ChargeOptions, 'limits'>,
): readonly Stretch[] {
  const life = presence.life({ ...limits, startMs: NaN, onGrid: false });
  return life?.stretches ?? [];
}
