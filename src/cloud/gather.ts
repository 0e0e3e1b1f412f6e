/** Charges of a cloud's bills as tasks take them: all sets, or slices that workers grouped before. */
import { inSlices, type ChargeQuery, type Gathered } from '../charges/index.ts';
import type { Arena, Owner, Owners } from '../columnar/index.ts';
import type { Pool } from '../pool/index.ts';
import type { StoredSet } from '../storage/index.ts';
import type { CloudAsked, CloudTasks } from './tasks.ts';

export interface Workers {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly pool: Pool<CloudTasks>;
}

export interface GatherAsked {
  readonly stored: readonly StoredSet[];
  readonly query: ChargeQuery;
  readonly asked: CloudAsked;
  readonly signal: AbortSignal;
}

/** @param keeper whom all of it belongs to */
export function gather(
  { pool, arena, owners }: Workers,
  keeper: Owner,
  { stored: all, query, asked, signal }: GatherAsked,
): Promise<Gathered> {
  return inSlices({ arena, owners }, all, keeper, (stored, owner, of) =>
    pool.run('cloudSlice', { stored, query, asked, owner, keeper: of }, signal),
  );
}
