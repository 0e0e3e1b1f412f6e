/** Charges of many sets, grouped slice by slice, so that no task of a worker is long. */
import { withOwner, type Owner } from '../../columnar/index.ts';
import type { Compute } from '../../pool/index.ts';
import { slicesOf } from '../../pool/slices.ts';
import type { StoredSet } from '../../storage/index.ts';
import type { GroupsAt } from './charge-groups.ts';
import type { ChargeQuery } from './charge-schema.ts';

/** The charges that the last task of an answer reads: sets, or the groups of their slices. */
export interface Gathered {
  readonly stored: readonly StoredSet[];
  readonly parts: readonly GroupsAt[];
  readonly query: ChargeQuery;
  /** Owns the groups of slices, and scratch memory. */
  readonly owner: Owner;
}

/** A query over sets. `Spec` is plain data of which a worker makes the schema of the charges. */
export interface SpecifiedCharges<Spec> {
  readonly stored: readonly StoredSet[];
  readonly query: ChargeQuery;
  readonly spec: Spec;
}

export interface SliceInput<Spec> extends SpecifiedCharges<Spec> {
  /** Owns the scratch memory. */
  readonly owner: Owner;
  /** Owns the groups. */
  readonly keeper: Owner;
}

/** The task that groups a slice, under the name that a capability gives it. */
export type SliceTask<Name extends string, Spec> = {
  readonly [Task in Name]: { input: SliceInput<Spec>; output: GroupsAt };
};

interface GatherOptions<Spec> extends SpecifiedCharges<Spec> {
  /** Owns the groups of all slices. */
  readonly owner: Owner;
  readonly signal: AbortSignal;
}

/**
 * Sets of a slice, 350,000 charges or so: half a second of a worker. Always the same, so that sums do
 * not depend on the number of workers.
 */
const SETS = 64;

/** @throws the error of a slice, once all slices that were begun have ended */
export async function gather<Name extends string, Spec>(
  compute: Compute<SliceTask<Name, Spec>>,
  task: Name,
  { stored, query, spec, owner: keeper, signal }: GatherOptions<Spec>,
): Promise<Gathered> {
  if (stored.length <= SETS) return { stored, parts: [], query, owner: keeper };
  const begun = slicesOf(stored, SETS).map((slice) =>
    withOwner(compute, (owner) =>
      compute.pool.run(task, { stored: slice, query, spec, owner, keeper }, signal),
    ),
  );
  // Nobody may free the keeper's memory under a task that still writes.
  await Promise.allSettled(begun);
  return { stored: [], parts: await Promise.all(begun), query, owner: keeper };
}
