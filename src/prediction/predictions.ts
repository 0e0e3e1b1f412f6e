/** Predictions for workloads of manifests, from stored sets. Workers read both, and write the answer. */
import { holdSets, type HotSets } from '../allocation/index.ts';
import {
  bytesOfPieces,
  storeBytes,
  withOwner,
  type OwnedMemory,
  type Owner,
  type TextPiece,
} from '../columnar/index.ts';
import type { Pool } from '../pool/index.ts';
import type { PriceBook } from '../pricing/index.ts';
import { Fault, nearest, type Window } from '../query/index.ts';
import type { QueriedSets } from '../storage/index.ts';
import { MANIFESTS_START, noWorkload, type ManifestPlace } from './manifests.ts';
import { PAST_COLUMNS } from './past.ts';
import type { PredictionPlan } from './params.ts';
import { pricesOf } from './predict.ts';
import type { ManifestsOutput, PastOutput, PredictionTasks } from './tasks.ts';
import type { Amounts } from './workload.ts';

export interface PredictionOptions extends OwnedMemory {
  readonly sets: QueriedSets;
  readonly hot: HotSets;
  readonly pool: Pool<PredictionTasks>;
  readonly book: PriceBook;
}

/**
 * What each costs is told by its own past, else by its cluster's, else by the book.
 * @param manifests in YAML or JSON, UTF-8
 * @param warnings are added to: what is not stored, or damaged
 * @returns a list of predictions as JSON, in the order of the manifests
 * @throws {Fault} for what is no manifest; when sets are stored, and none has the cluster
 */
export async function predictCosts(
  options: PredictionOptions,
  plan: PredictionPlan,
  manifests: Uint8Array,
  warnings: Set<string>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return await withOwner(options, async (owner) => {
    const { arena, pool, book } = options;
    const { cluster, noUsage } = plan;
    const workloads = await readAll(options, plan, manifests, owner, signal);
    const past = (days: readonly Window[]): Promise<PastOutput> =>
      readPast(options, { days, cluster, workloads, owner }, warnings, signal);
    const usage = await past(plan.usageDays);
    const costs = isSame(plan.usageDays, plan.costDays) ? usage : await past(plan.costDays);
    refuseUnknown(cluster, [...usage.clusters, ...costs.clusters]);
    const input = { workloads, usage, costs, noUsage, book, owner };
    return await bytesOfPieces(arena, await pool.run('predictWorkloads', input, signal));
  });
}

/** A task each half a second of work, so that others have their turn. */
async function readAll(
  { arena, pool }: PredictionOptions,
  { namespaceByDefault }: PredictionPlan,
  manifests: Uint8Array,
  owner: Owner,
  signal: AbortSignal,
): Promise<readonly TextPiece[]> {
  const body = storeBytes(arena, owner, manifests);
  const workloads: TextPiece[] = [];
  for (let place: ManifestPlace | null = MANIFESTS_START; place !== null;) {
    const input = { body, place, namespaceByDefault, owner };
    const part: ManifestsOutput = await pool.run('readManifests', input, signal);
    workloads.push(...part.workloads);
    place = part.next;
  }
  if (workloads.length === 0) throw noWorkload();
  return workloads;
}

/**
 * What a core, a byte and a GPU of the cluster cost an hour in the days: USD.
 * @returns those of the book where none were allocated
 */
export async function pricesInDays(
  options: PredictionOptions,
  cluster: string,
  days: readonly Window[],
  signal: AbortSignal,
): Promise<Amounts> {
  return await withOwner(options, async (owner) => {
    const wanted = { days, cluster, workloads: [], owner };
    const { whole } = await readPast(options, wanted, new Set(), signal);
    return pricesOf([whole], options.book);
  });
}

interface Wanted {
  readonly days: readonly Window[];
  readonly cluster: string;
  readonly workloads: readonly TextPiece[];
  readonly owner: Owner;
}

async function readPast(
  options: PredictionOptions,
  { days, cluster, workloads, owner }: Wanted,
  warnings: Set<string>,
  signal: AbortSignal,
): Promise<PastOutput> {
  const wanted = { kind: 'allocations', days, columns: PAST_COLUMNS };
  const { sets, release } = await holdSets(options, wanted, warnings);
  const input = { sets, cluster, workloads, owner };
  return await options.pool.run('pastOfWorkloads', input, signal).finally(release);
}

function isSame(a: readonly Window[], b: readonly Window[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Prices of a cluster whose name is misspelt would be those of none. */
function refuseUnknown(cluster: string, known: readonly string[]): void {
  if (known.length === 0 || known.includes(cluster)) return;
  const near = nearest(cluster, known);
  const shown = [...new Set(known)].slice(0, 10).join(', ');
  throw new Fault(`parameter 'clusterID': '${cluster.slice(0, 80)}' is no cluster that is stored`, {
    parameter: 'clusterID',
    hint: near === undefined ? `known: ${shown}` : `did you mean '${near}'?`,
  });
}
