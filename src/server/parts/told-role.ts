/** What a server tells of its role, and of who builds a store that several processes share. */
import { gauge, type Family } from '../../export/index.ts';
import type { Config } from '../../settings/config.ts';
import type { Lease } from '../../storage/objects/lease.ts';
import type { ObjectSets } from '../../storage/objects/object-sets.ts';
import { found, type Found } from '../doctor/findings.ts';

/** A store that several processes share, and the lease by which one of them builds. */
interface Shared {
  readonly shared: ObjectSets | undefined;
  readonly lease: Lease | undefined;
}

/** The role, and who builds, where several processes share a store. For `/readyz?verbose`. */
export function roleState({ role }: Pick<Config, 'role'>, { lease, shared }: Shared): object {
  const builder = builderOf({ lease, shared });
  return builder === undefined ? {} : { role, builder };
}

export function roleFamilies({ lease, shared }: Shared): Family[] {
  const builder = builderOf({ lease, shared });
  if (builder === undefined) return [];
  return [
    gauge('prorata_builder_term', 'The term of the builder of a shared store, which is one higher with each builder.', builder.term),
    gauge('prorata_builder', 'Whether this process is the builder of the shared store.', builder.isThis ? 1 : 0),
  ]; // prettier-ignore
}

export function roleFindings({ role }: Pick<Config, 'role'>, served: Shared): Found[] {
  const builder = builderOf(served);
  if (builder === undefined) return [found('role', role)];
  const { holder, term, isThis } = builder;
  const who = holder === '' ? 'nobody' : holder;
  return [
    found('role', role),
    found('builder', `${who}${isThis ? ', which is this process' : ''}, term ${term}`),
  ];
}

interface BuilderState {
  /** Empty: nobody. */
  readonly holder: string;
  readonly term: number;
  readonly isThis: boolean;
}

/** Whoever has the lease, as this process knows it, or committed last; undefined where no store is shared. */
function builderOf({ lease, shared }: Shared): BuilderState | undefined {
  if (shared === undefined) return undefined;
  const committed = shared.state.builder ?? { holder: '', term: 0 };
  if (lease === undefined) return { ...committed, isThis: false };
  const { isHeld: isThis, ...known } = lease.state;
  return known.term >= committed.term ? { ...known, isThis } : { ...committed, isThis };
}
