/** Where samples come from, and by what they are priced. */
import type { MetricsSource } from '../../metrics/index.ts';
import type { PriceBook } from '../../pricing/index.ts';
import type { ClusterOptions } from '../inventory/inventory.ts';

/** The metrics store, with prices and names of clusters for its samples. */
export interface Metrics extends ClusterOptions {
  readonly source: MetricsSource;
  readonly book: PriceBook;
  /** The last of `clusterLabels`, where it is not configured and tells clusters apart. */
  readonly foundLabel?: string;
}
