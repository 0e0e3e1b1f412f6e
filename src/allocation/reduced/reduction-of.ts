/** Which questions are answered by rows that were added up before: reduced rows (reduce.ts). */
import { LABEL_OF, type AggregateKey } from '../../query/index.ts';
import { idleNamesOf, type SetQuery } from '../query/set-query.ts';
import { columnsNeeded, columnsOfFilter } from '../query/stored-columns.ts';
import { IDENTITY_COLUMNS } from '../row/schema.ts';

/** What reduced rows must have, so that they answer a question as the rows do. */
export interface Reduction {
  /** Columns of texts: rows that differ in one of them are not added up. `cluster` is among them. */
  readonly apart: readonly string[];
  /** The same, for idle rows. */
  readonly idleApart: readonly string[];
  /** Columns that the question reads. */
  readonly columns: readonly string[];
}

/** Why a question needs the rows themselves. */
export interface NotReducible {
  readonly because: string;
}

/**
 * Money that is distributed by row, and what a filter leaves of idle, is rounded row by row: sums of rows cannot
 * tell the same to the last digit. Charges of assets are distributed so, too: who has them asks the rows.
 */
export function reductionOf(query: SetQuery): Reduction | NotReducible {
  const because = reasonAgainst(query);
  if (because !== undefined) return { because };
  const { keys, filter } = query;
  const columns = columnsNeeded(query, 'allocations');
  if (columns === null) return { because: 'every column is shown' };
  const compared = filter === null ? [] : columnsOfFilter(filter);
  const apart = [...new Set(['cluster', ...keys.flatMap(columnsReadBy), ...compared])];
  const isByNode = (query.idleNames ?? idleNamesOf(query)) === 'node';
  const idleApart = isByNode ? [...new Set([...apart, 'node'])] : apart;
  return { apart, idleApart, columns };
}

function reasonAgainst(query: SetQuery): string | undefined {
  const { keys, filter, share, overheads, shareIdle, idle } = query;
  if (keys.length === 0) return 'rows are not aggregated';
  const isSharing = share !== null || overheads.length > 0 || query.sharesBalancers === true;
  if (isSharing || shareIdle) return 'costs are shared by row';
  if (filter !== null && idle) return 'a filter leaves of idle what its rows would pay';
  if (query.showsAssetShares === true) return 'shares in assets are of rows';
  return undefined;
}

/** Columns whose texts make the name of a group; others are only shown with it. */
function columnsReadBy(key: AggregateKey): readonly string[] {
  if (key.kind !== 'property') return [key.kind === 'label' ? 'labels' : 'annotations'];
  const { property } = key;
  if (property === 'all') return [];
  if (property === 'service') return ['services'];
  if (LABEL_OF[property] !== undefined) return ['labels', 'annotations'];
  const column = IDENTITY_COLUMNS.find((name) => name === property) ?? 'controller';
  return column === 'controller' ? ['controller', 'controllerKind'] : [column];
}
