/** Endpoints 5 and 6: GET /customCost/timeseries and GET /customCost/total. */
import { gather, textChunks, type WrittenText } from '../charges/index.ts';
import type { Owner } from '../../columnar/index.ts';
import { windowOf } from '../../export/index.ts';
import { answering, inTurnWhileRead, type Route } from '../../http/index.ts';
import type { Admission, Compute } from '../../pool/index.ts';
import type { Clock, Window } from '../../query/index.ts';
import { originOf, type StoredSet } from '../../storage/index.ts';
import { readTimeseriesPlan, readTotalPlan, type ExternalPlan } from './params.ts';
import type { ExternalTasks } from './tasks.ts';

/** Stored charges. */
export interface ChargeSets {
  /** All sets with charges in the window. */
  stored(window: Window): readonly StoredSet[];
}

export interface ExternalOptions {
  readonly charges: ChargeSets;
  readonly compute: Compute<ExternalTasks>;
  readonly clock: Clock;
  readonly admission: Admission;
}

export function externalRoutes(options: ExternalOptions): Route[] {
  const { charges, compute, clock, admission } = options;
  return SHAPES.map(({ path, read, head, tail }) => ({
    method: 'GET',
    path,
    handle: answering<ExternalPlan, FoundCharges>({
      plan: (_, params) => read(params, clock.calendar, clock.nowMs()),
      find: ({ window }, ignored) => ({ stored: charges.stored(window), ignored }),
      identity: (plan, { stored }) => [{ head: head(plan), tail }, plan, stored.map(originOf)],
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
  /** Warnings of parameters. */
  readonly ignored: readonly string[];
}

function tailOf(tail: string, { ignored }: FoundCharges): string {
  if (ignored.length === 0) return tail;
  return `${tail.slice(0, -1)},"warnings":${JSON.stringify(ignored)}}`;
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
