/** External charges as tasks take them: all sets, or slices that workers grouped before. */
import { inSlices, type ChargeQuery, type Gathered } from '../charges/index.ts';
import type { Owner } from '../../columnar/index.ts';
import type { Compute } from '../../pool/index.ts';
import type { StoredSet } from '../../storage/index.ts';
import type { ExternalSliceInput, ExternalTasks } from './tasks.ts';

export interface GatherAsked {
  readonly stored: readonly StoredSet[];
  readonly query: ChargeQuery;
  readonly as: ExternalSliceInput['as'];
  readonly signal: AbortSignal;
}

/** @param keeper whom all of it belongs to */
export function gather(
  compute: Compute<ExternalTasks>,
  keeper: Owner,
  { stored: all, query, as, signal }: GatherAsked,
): Promise<Gathered> {
  return inSlices(compute, all, keeper, (stored, owner, of) =>
    compute.pool.run('externalSlice', { stored, query, as, owner, keeper: of }, signal),
  );
}
