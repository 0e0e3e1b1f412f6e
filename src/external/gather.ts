/** External charges as tasks take them: all sets, or slices that workers grouped before. */
import { inSlices, type ChargeQuery, type Gathered } from '../charges/index.ts';
import type { Arena, Owner, Owners } from '../columnar/index.ts';
import type { Pool } from '../pool/index.ts';
import type { StoredSet } from '../storage/index.ts';
import type { ExternalSliceInput, ExternalTasks } from './tasks.ts';

export interface Workers {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly pool: Pool<ExternalTasks>;
}

export interface GatherAsked {
  readonly stored: readonly StoredSet[];
  readonly query: ChargeQuery;
  readonly as: ExternalSliceInput['as'];
  readonly signal: AbortSignal;
}

/** @param keeper whom all of it belongs to */
export function gather(
  { pool, arena, owners }: Workers,
  keeper: Owner,
  { stored: all, query, as, signal }: GatherAsked,
): Promise<Gathered> {
  return inSlices({ arena, owners }, all, keeper, (stored, owner, of) =>
    pool.run('externalSlice', { stored, query, as, owner, keeper: of }, signal),
  );
}
