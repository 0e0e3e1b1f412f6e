/** How idle, shared and external costs of a set are distributed. */

/** How shared cost is divided: by cost, or equally among groups. */
export type ShareSplit = 'weighted' | 'even';

export interface SharingOptions {
  /** Whether idle has rows of its own. */
  readonly idle: boolean;
  /** Idle is charged to the rows of its cluster or node; `idle` then shows what no row there pays. */
  readonly shareIdle: boolean;
  /** Idle has a row for each cluster or node. */
  readonly splitIdle: boolean;
  /** Idle of a node belongs to that node, else to its cluster. */
  readonly idleByNode: boolean;
  /** Whether external rows and costs count. */
  readonly external: boolean;
  readonly shareSplit: ShareSplit;
  /** Costs of the set beyond its rows, to be shared. */
  readonly overheads: readonly Overhead[];
  /** Costs of load balancers are shared, instead of charged to the rows behind them; absent: no. */
  readonly sharesBalancers?: true;
  /** Whoever asks sees some rows alone; absent: all. */
  readonly isScoped?: boolean;
}

export interface Overhead {
  readonly name: string;
  readonly usd: number;
}
