/** Predictions for workloads of manifests, from stored sets. */
import { holdSets, type HotSets } from '../allocation/index.ts';
import type { Pool } from '../pool/index.ts';
import type { PriceBook } from '../pricing/index.ts';
import { Fault, nearest, type Window } from '../query/index.ts';
import type { QueriedSets } from '../storage/index.ts';
import { PAST_COLUMNS, type Past } from './past.ts';
import type { PredictionPlan } from './params.ts';
import { predict, pricesOf, type Prediction } from './predict.ts';
import type { PastOutput, PredictionTasks } from './tasks.ts';
import type { Amounts, Workload } from './workload.ts';

export interface PredictionOptions {
  readonly sets: QueriedSets;
  readonly hot: HotSets;
  readonly pool: Pool<PredictionTasks>;
  readonly book: PriceBook;
}

/**
 * What each costs is told by its own past, else by its cluster's, else by the book.
 * @param warnings are added to: what is not stored, or damaged
 * @throws {Fault} when sets are stored, and none has the cluster
 */
export async function predictCosts(
  options: PredictionOptions,
  plan: PredictionPlan,
  workloads: readonly Workload[],
  warnings: Set<string>,
  signal: AbortSignal,
): Promise<Prediction[]> {
  const past = (days: readonly Window[]): Promise<PastOutput> =>
    readPast(options, { days, cluster: plan.cluster, workloads }, warnings, signal);
  const usage = await past(plan.usageDays);
  const costs = isSame(plan.usageDays, plan.costDays) ? usage : await past(plan.costDays);
  refuseUnknown(plan.cluster, [...usage.clusters, ...costs.clusters]);
  return workloads.map((workload, place) => {
    const known = usage.pasts[place] ?? null;
    return predict(workload, {
      usage: plan.noUsage ? withoutUsage(known) : known,
      costs: [costs.pasts[place] ?? null, costs.whole, usage.whole],
      book: options.book,
    });
  });
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
  const { whole } = await readPast(options, { days, cluster, workloads: [] }, new Set(), signal);
  return pricesOf([whole], options.book);
}

function withoutUsage(past: Past | null): Past | null {
  return past && { ...past, usageOf: {} };
}

interface Wanted {
  readonly days: readonly Window[];
  readonly cluster: string;
  readonly workloads: readonly Workload[];
}

async function readPast(
  options: PredictionOptions,
  { days, cluster, workloads }: Wanted,
  warnings: Set<string>,
  signal: AbortSignal,
): Promise<PastOutput> {
  const wanted = { kind: 'allocations', days, columns: PAST_COLUMNS };
  const { sets, release } = await holdSets(options, wanted, warnings);
  const names = workloads.map(({ namespace, kind, name }) => ({ namespace, kind, name }));
  const input = { sets, cluster, workloads: names };
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
