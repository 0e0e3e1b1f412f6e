/** Rows of stored sets for other capabilities: like the allocation query, except for idle. */
import { parseQuery } from '../../http/index.ts';
import type { AggregateKey, Filter, Window } from '../../query/index.ts';
import type { ChargesQuery } from '../reconcile/asset-charges.ts';
import { readAllocationQuery } from '../params/set-query-params.ts';
import type { SetQuery } from '../query/set-query.ts';
import type { SetsQuery } from './stored.ts';

export interface RowsRequest {
  /** Whole days, newest first. */
  readonly days: readonly Window[];
  readonly nowMs: number;
  readonly keys: readonly AggregateKey[];
  /** Null: all rows. */
  readonly filter: Filter | null;
  /** Idle is of the rows of its node, else of its cluster. */
  readonly idleByNode: boolean;
  /**
   * `separate`: rows of idle, one a node, each as much as the rows of the filter would bear of it, and
   * rows by node as well as by the keys. `shared`: idle is in the costs of rows; what nobody bears is
   * left as a row. `none`: no idle.
   */
  readonly idle: 'separate' | 'shared' | 'none';
  /** Whether the overhead of clusters is shared among all rows; absent: it is. */
  readonly shareTenancyCosts?: boolean;
}

/** @param unit `all`: the days are one set, `none`: each is one */
export function planOf(
  {
    days,
    nowMs,
    shareTenancyCosts = true,
  }: Pick<RowsRequest, 'days' | 'nowMs' | 'shareTenancyCosts'>,
  unit: 'none' | 'all',
): SetsQuery & { readonly charges: ChargesQuery } {
  return {
    days,
    nowMs,
    unit,
    view: 'allocations',
    request: { shareUsdPerMonth: 0 },
    charges: { reconcile: true, shareTenancyCosts },
  };
}

export function rowsQuery(request: RowsRequest): Omit<SetQuery, 'overheads'> {
  const { keys, filter, idleByNode, idle } = request;
  const { query } = readAllocationQuery(parseQuery(''), [], {
    idleByDefault: true,
    showsPaid: false,
  });
  const common = { ...query, keys, filter, idleByNode };
  if (idle !== 'separate')
    return { ...common, idle: idle === 'shared', shareIdle: idle === 'shared' };
  const byNode: AggregateKey = { kind: 'property', property: 'providerID' };
  return { ...common, keys: [...keys, byNode], idle: true, splitIdle: true, idleNames: 'node' };
}
