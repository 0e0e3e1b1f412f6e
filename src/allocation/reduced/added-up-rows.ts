/** Rows of a stored set that the store itself adds up, as a table that a worker makes of its answer. */
import type { Owner, TableAddresses } from '../../columnar/index.ts';
import type { Compute } from '../../pool/index.ts';
import { Unavailable } from '../../query/index.ts';
import type { QueriedSets, StoredSet } from '../../storage/index.ts';
import type { SetQuery } from '../query/set-query.ts';
import { storeReduction } from './store-reduction.ts';
import type { AddedUpTasks } from './tasks.ts';

/** More reduced rows than half of the rows are no gain. */
const ROWS_SHARE = 1 / 2;
const ROWS_LEAST = 4000;

export interface AddedUpRequest {
  readonly stored: StoredSet;
  /** Rows of the set. */
  readonly rows: number;
  readonly query: SetQuery;
  /** Columns that the question reads; null: all. */
  readonly columns: readonly string[] | null;
  /** Has the table. */
  readonly owner: Owner;
}

/** @returns undefined where the rows themselves are to be read */
export async function addedUpRows(
  { sets, compute }: { readonly sets: QueriedSets; readonly compute: Compute<AddedUpTasks> },
  { stored, rows, query, columns, owner }: AddedUpRequest,
  signal: AbortSignal,
): Promise<TableAddresses | undefined> {
  const reduction = sets.addUp && columns ? storeReduction(query, columns) : undefined;
  const found = reduction && (await sets.addUp?.(stored, reduction));
  signal.throwIfAborted();
  if (found === undefined) return undefined;
  const { arena, pool } = compute;
  const bytes = found.pieces.reduce((sum, piece) => sum + piece.length, 0);
  const address = arena.allocate(bytes, owner);
  let at = address;
  for (const piece of found.pieces) {
    arena.u8(at, piece.length).set(piece);
    at += piece.length;
  }
  const rowsMax = Math.max(ROWS_LEAST, rows * ROWS_SHARE);
  const input = { address, bytes, plan: found.plan, rowsMax, owner };
  const made = await pool.run('addedUpTable', input, signal).catch((error: unknown) => {
    // The server's answer ended with an error.
    if (error instanceof Unavailable) return null;
    throw error;
  });
  return made ?? undefined;
}
