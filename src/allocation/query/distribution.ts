/** How idle, shared and external costs of a set are told. */

/** How what is shared is divided: by cost, or the same for each group. */
export type ShareSplit = 'weighted' | 'even';

export interface Distribution {
  /** Whether idle has rows of its own. */
  readonly idle: boolean;
  /** Give idle to the rows of its place; `idle` then says of what nobody there pays for. */
  readonly shareIdle: boolean;
  /** Tell idle rows apart. */
  readonly splitIdle: boolean;
  /** Idle rows that name a node concern that node only, else their cluster. */
  readonly idleByNode: boolean;
  /** Whether external rows and costs count. */
  readonly external: boolean;
  readonly shareSplit: ShareSplit;
  /** Costs of the set that no row has, to be shared. */
  readonly overheads: readonly Overhead[];
}

export interface Overhead {
  readonly name: string;
  readonly usd: number;
}
