/** Endpoints 5 and 6: GET /customCost/timeseries and GET /customCost/total. */
import {
  chargeCaveats,
  gather,
  textChunks,
  type ToldCharges,
  type WrittenText,
} from '../charges/index.ts';
import type { Owner } from '../../columnar/index.ts';
import { windowOf } from '../../export/index.ts';
import { answering, caveatMembers, inTurnWhileRead, type Route } from '../../http/index.ts';
import type { Admission, Compute } from '../../pool/index.ts';
import { type Caveats, type Clock, type Window, withNotes } from '../../query/index.ts';
import { originOf, type StoredSet } from '../../storage/index.ts';
import { readTimeseriesPlan, readTotalPlan, type ExternalPlan } from './params.ts';
import type { ExternalTasks } from './tasks.ts';

/** Stored charges. */
export interface ChargeSets {
  /** All sets with charges in the window. */
  stored(window: Window): readonly StoredSet[];
}

export interface ExternalOptions {
  readonly charges: ChargeSets & ToldCharges;
  readonly compute: Compute<ExternalTasks>;
  readonly clock: Clock;
  readonly admission: Admission;
}

export function externalRoutes(options: ExternalOptions): Route[] {
  const { charges, compute, clock, admission } = options;
  return SHAPES.map(({ path, read, head, tail }) => ({
    method: 'GET',
    path,
    needs: 'viewer',
    scoping: 'joined',
    handle: answering<ExternalPlan, FoundCharges>({
      plan: (_, params) => read(params, clock.calendar, clock.nowMs()),
      find: ({ window }, ignored) => ({
        stored: charges.stored(window),
        caveats: withNotes(
          ignored,
          chargeCaveats(charges, { asked: window, window }, clock.nowMs()),
        ),
      }),
      identity: (plan, { stored, caveats }) => [
        { head: head(plan), tail },
        plan,
        stored.map(originOf),
        // Without warnings the tag is that of the charges alone.
        ...caveats.warnings,
      ],
      isTagged: () => true,
      head: () => ({ 'content-type': 'application/json' }),
      make: (plan, found, signal) => ({
        found: () => found,
        chunks: textChunks(compute, {
          head: head(plan),
          write: (owner) => written(compute, plan, { stored: found.stored, owner, signal }),
          tail: tailOf(tail, found),
        }),
      }),
      serving: inTurnWhileRead(admission),
    }),
  }));
}

interface FoundCharges {
  readonly stored: readonly StoredSet[];
  readonly caveats: Caveats;
}

function tailOf(tail: string, { caveats }: FoundCharges): string {
  return `${tail.slice(0, -1)}${caveatMembers(caveats)}}`;
}

interface Shape {
  readonly path: string;
  readonly read: typeof readTotalPlan;
  readonly head: (plan: ExternalPlan) => string;
  readonly tail: string;
}

const SHAPES: readonly Shape[] = [
  {
    path: '/customCost/timeseries',
    read: readTimeseriesPlan,
    head: ({ window }) =>
      `{"code":200,"data":{"window":${JSON.stringify(windowOf(window))},"timeseries":[`,
    tail: ']}}',
  },
  { path: '/customCost/total', read: readTotalPlan, head: () => '{"code":200,"data":', tail: '}' },
];

interface Wanted {
  readonly stored: readonly StoredSet[];
  readonly owner: Owner;
  readonly signal: AbortSignal;
}

async function written(
  compute: ExternalOptions['compute'],
  { query, shown }: ExternalPlan,
  { stored, owner, signal }: Wanted,
): Promise<readonly WrittenText[]> {
  const wanted = { stored, query, spec: 'items', owner, signal } as const;
  const charges = await gather(compute, 'externalSlice', wanted);
  return await compute.pool.run('externalCosts', { ...charges, shown }, signal);
}
