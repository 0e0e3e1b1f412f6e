/** Options of all readers of a store over HTTP. */
import type { TimeLimits } from './deadline.ts';
import type { Matcher } from '../source.ts';
import type { StoreClientOptions } from './store-client.ts';

export interface StoreOptions extends StoreClientOptions, TimeLimits {
  /** Further reads wait for their turn; Prometheus itself serves ten at once. Default 4. */
  readonly concurrentReads?: number;
  /** Series that are read have to match these, too. */
  readonly matchers?: readonly Matcher[] | undefined;
  /** Whether memory of the kernels is checked; by default what the environment says. */
  readonly isMemoryChecked?: boolean;
}
