/** Predicts costs of manifests from stored sets. Workers read both and write the answer. */
import { holdSets, type HotSets } from '../allocation/index.ts';
import { columnsOfFilter } from '../allocation/stored-rows.ts';
import {
  bytesOfPieces,
  storeBytes,
  withOwner,
  type Owner,
  type TextPiece,
} from '../columnar/index.ts';
import type { Compute } from '../pool/index.ts';
import type { PriceBook } from '../pricing/index.ts';
import {
  Fault,
  FoundCaveats,
  futureWarnings,
  nearest,
  type Filter,
  type Window,
} from '../query/index.ts';
import type { QueriedSets } from '../storage/index.ts';
import { MANIFESTS_START, noWorkload, type ManifestPlace } from './manifests.ts';
import { PAST_COLUMNS } from './past.ts';
import type { PredictionPlan } from './params.ts';
import { pricesOf } from './predict-workload.ts';
import type { ManifestsOutput, PastOutput, PredictionTasks } from './tasks.ts';
import type { Amounts } from './workload.ts';

export interface PredictionOptions {
  readonly sets: QueriedSets;
  readonly hot: HotSets;
  readonly compute: Compute<PredictionTasks>;
  readonly book: PriceBook;
}

/**
 * Prices come from the workload's own past, else from its cluster's, else from the book.
 * @param manifests in YAML or JSON, UTF-8
 * @param caveats get what is missing or damaged, and whether all of it lies in the future
 * @returns a list of predictions as JSON, in the order of the manifests
 * @throws {Fault} for an invalid manifest, and for an unknown cluster when sets are stored
 */
export async function predictCosts(
  options: PredictionOptions,
  plan: PredictionPlan,
  manifests: Uint8Array,
  caveats: FoundCaveats,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { compute, book } = options;
  const { arena, pool } = compute;
  return await withOwner(compute, async (owner) => {
    const { cluster, noUsage, nowMs, filter } = plan;
    for (const days of [plan.usageDays, plan.costDays]) caveats.note(futureWarnings(days, nowMs));
    const workloads = await readAll(compute, plan, manifests, owner, signal);
    const past = (days: readonly Window[]): Promise<PastOutput> =>
      readPast(options, { days, nowMs, cluster, filter, workloads, owner }, caveats, signal);
    const usage = await past(plan.usageDays);
    const costs = isSame(plan.usageDays, plan.costDays) ? usage : await past(plan.costDays);
    refuseUnknown(cluster, [...usage.clusters, ...costs.clusters]);
    const input = { workloads, usage, costs, noUsage, book, owner };
    return await bytesOfPieces(arena, await pool.run('predictWorkloads', input, signal));
  });
}

/** Reads in several short tasks, so that other requests have their turn. */
async function readAll(
  { arena, pool }: PredictionOptions['compute'],
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
 * The cluster's prices in the days: USD for an hour of a core, a byte and a GPU.
 * @returns the book's prices for resources without allocation
 */
export async function pricesInDays(
  options: PredictionOptions,
  cluster: string,
  days: readonly Window[],
  signal: AbortSignal,
): Promise<Amounts> {
  return await withOwner(options.compute, async (owner) => {
    const wanted = { days, nowMs: Infinity, cluster, filter: null, workloads: [], owner };
    const { whole } = await readPast(options, wanted, new FoundCaveats(), signal);
    return pricesOf([whole], options.book);
  });
}

interface Wanted {
  readonly days: readonly Window[];
  /** Days that begin later are not read. */
  readonly nowMs: number;
  readonly cluster: string;
  /** Rows that count; null: all. */
  readonly filter: Filter | null;
  readonly workloads: readonly TextPiece[];
  readonly owner: Owner;
}

async function readPast(
  options: PredictionOptions,
  { days, nowMs, cluster, filter, workloads, owner }: Wanted,
  caveats: FoundCaveats,
  signal: AbortSignal,
): Promise<PastOutput> {
  const begun = days.filter(({ startMs }) => startMs < nowMs);
  const columns = [...new Set([...PAST_COLUMNS, ...(filter ? columnsOfFilter(filter) : [])])];
  const wanted = { kind: 'allocations', days: begun, columns };
  const { sets, release } = await holdSets(options, wanted, caveats);
  const input = { sets, cluster, filter, workloads, owner };
  return await options.compute.pool.run('pastOfWorkloads', input, signal).finally(release);
}

function isSame(a: readonly Window[], b: readonly Window[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Refuses a cluster without rows, as a misspelt name would silently have the book's prices. */
function refuseUnknown(cluster: string, known: readonly string[]): void {
  if (known.length === 0 || known.includes(cluster)) return;
  const near = nearest(cluster, known);
  const shown = [...new Set(known)].slice(0, 10).join(', ');
  throw new Fault(`parameter 'clusterID': '${cluster.slice(0, 80)}' is no cluster that is stored`, {
    parameter: 'clusterID',
    hint: near === undefined ? `known: ${shown}` : `did you mean '${near}'?`,
  });
}
