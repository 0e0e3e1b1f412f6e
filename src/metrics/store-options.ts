/** What every reader of a store over HTTP is given. */
import type { TimeLimits } from './deadline.ts';
import type { StoreClientOptions } from './store-client.ts';

export interface StoreOptions extends StoreClientOptions, TimeLimits {
  /** Reads beyond it wait for their turn; Prometheus itself serves ten at once. Default 4. */
  readonly concurrentReads?: number;
}
