/** GET /savings/clusterSizingETL: recommended nodes. */
import { holdSets, type HotSets } from '../allocation/index.ts';
import { answeringWhole, caveatFields, json, type Route } from '../http/index.ts';
import type { Admission, Compute } from '../pool/index.ts';
import type { NodeType, PriceBook } from '../pricing/index.ts';
import {
  type Caveats,
  Fault,
  FoundCaveats,
  futureWarnings,
  withNotes,
  type Clock,
} from '../query/index.ts';
import type { QueriedSets } from '../storage/index.ts';
import { clusterJson, monthlyRateOf } from './cluster-json.ts';
import { NODE_COLUMNS } from './current-nodes.ts';
import { commonPlace, offerFor } from './offers.ts';
import { readSizingPlan, type SizingPlan } from './params.ts';
import { POD_COLUMNS } from './pod-lives.ts';
import type { ClusterNeeds, ClusterSizingTasks, RecommendationJson } from './tasks.ts';

export interface SizingRouteOptions {
  readonly sets: QueriedSets;
  readonly hot: HotSets;
  readonly compute: Compute<ClusterSizingTasks>;
  readonly clock: Clock;
  readonly admission: Admission;
  readonly book: PriceBook;
  /** The types to choose from; read when they are first needed. */
  readonly nodeTypes: (provider: string, region: string) => readonly NodeType[];
  /** The only cloud for which ARM is recommended. */
  readonly armProvider: string;
}

export function clusterSizingRoutes(options: SizingRouteOptions): Route[] {
  const { clock, admission } = options;
  return [
    {
      method: 'GET',
      path: '/savings/clusterSizingETL',
      needs: 'viewer',
      scoping: { refused: 'nodes are recommended for all pods of a cluster' },
      handle: answeringWhole<SizingPlan, SizedClusters>({
        plan: (_, params) => readSizingPlan(params, clock.calendar, clock.nowMs()),
        turns: admission,
        value: (plan, { signal }) => sizedClusters(options, plan, signal),
        reply: ({ data, caveats }, _, ignored) =>
          json({ code: 200, data, ...caveatFields(withNotes(ignored, caveats)) }),
        isTagged: ({ caveats }) => !caveats.isPartial,
      }),
    },
    {
      method: 'GET',
      path: '/savings/nodeGroupSizing/recommendations',
      needs: 'viewer',
      scoping: { refused: 'nodes are recommended for all pods of a group' },
      handle: answeringWhole<SizingPlan, SizedGroups>({
        plan: (_, params) => readSizingPlan(params, clock.calendar, clock.nowMs(), 1),
        turns: admission,
        value: (plan, { signal }) => sizedGroups(options, plan, signal),
        reply: ({ groups, caveats }, _, ignored) =>
          json({ code: 200, data: dataOf(groups), ...caveatFields(withNotes(ignored, caveats)) }),
        isTagged: ({ caveats }) => !caveats.isPartial,
      }),
    },
  ];
}

/** A group of nodes that may be of another type and number. */
export interface SizedGroup {
  readonly cluster: string;
  /** USD; null: nothing is recommended. */
  readonly monthlySavings: number | null;
  readonly monthlyRate: number;
  readonly shown: object;
}

export interface SizedGroups {
  readonly groups: readonly SizedGroup[];
  readonly caveats: Caveats;
}

function dataOf(groups: readonly SizedGroup[]): object {
  const totalMonthlySavings = groups.reduce((sum, each) => sum + savingOf(each), 0);
  return { totalMonthlySavings, recommendations: groups.map(({ shown }) => shown) };
}

/** USD a month; a group that would cost more is better left as it is. */
export function savingOf({ monthlySavings }: SizedGroup): number {
  return Math.max(0, monthlySavings ?? 0);
}

/** Each group of nodes of each cluster, sized by itself: always one type, as a group has. */
export async function sizedGroups(
  options: SizingRouteOptions,
  plan: SizingPlan,
  signal: AbortSignal,
): Promise<SizedGroups> {
  const caveats = new FoundCaveats();
  const needs = await readNeeds(options, plan, caveats, signal, true);
  refuseArm(options, plan, needs);
  // Pods that wait for a node are of no group.
  const waiting = needs.filter(({ nodes }) => nodes.length > 0).entries();
  const groups: SizedGroup[] = [];
  // To ask for all of them at once would keep the main thread for 20 ms.
  const sizeNext = async (): Promise<void> => {
    for (const [at, each] of waiting) groups[at] = await sizedGroup(options, plan, each, signal);
  };
  await Promise.all(Array.from({ length: options.compute.pool.threads }, sizeNext));
  return { groups, caveats };
}

async function sizedGroup(
  options: SizingRouteOptions,
  plan: SizingPlan,
  needs: ClusterNeeds,
  signal: AbortSignal,
): Promise<SizedGroup> {
  const { recommendations, prices } = await recommended(options, plan, needs, signal, false);
  const { single, warnings } = recommendations;
  const { cluster, group } = needs;
  const only = { multi: null, single, warnings };
  const { recommendations: _, ...sized } = clusterJson({
    plan,
    needs,
    recommendations: only,
    prices,
  });
  const monthlySavings = single?.monthlySavings ?? null;
  return {
    cluster,
    monthlySavings,
    monthlyRate: monthlyRateOf(needs.nodes),
    shown: {
      clusterId: cluster,
      nodeGroup: group,
      monthlySavings,
      recommendation: single,
      ...sized,
    },
  };
}

interface SizedClusters {
  /** By cluster. */
  readonly data: object;
  readonly caveats: Caveats;
}

async function sizedClusters(
  options: SizingRouteOptions,
  plan: SizingPlan,
  signal: AbortSignal,
): Promise<SizedClusters> {
  const caveats = new FoundCaveats();
  const needs = await readNeeds(options, plan, caveats, signal);
  refuseArm(options, plan, needs);
  const clusters = await Promise.all(
    needs.map(async (each) => [each.cluster, await answer(options, plan, each, signal)] as const),
  );
  return { data: Object.fromEntries(clusters), caveats };
}

async function readNeeds(
  options: SizingRouteOptions,
  plan: SizingPlan,
  caveats: FoundCaveats,
  signal: AbortSignal,
  isByGroup: boolean = false,
): Promise<ClusterNeeds[]> {
  const { window, nowMs } = plan;
  const ahead = futureWarnings([window], nowMs);
  caveats.note(ahead);
  // The hours to come of today are as unknown as tomorrow.
  const days = ahead.length > 0 ? [] : plan.days.filter(({ startMs }) => startMs < nowMs);
  const pods = { kind: 'allocations', days, columns: POD_COLUMNS };
  const nodes = { kind: 'assets', days, columns: NODE_COLUMNS };
  const allocations = await holdSets(options, pods, caveats);
  try {
    const assets = await holdSets(options, nodes, caveats);
    const input = { allocations: allocations.sets, assets: assets.sets, window, isByGroup };
    return await options.compute.pool.run('clusterNeeds', input, signal).finally(assets.release);
  } finally {
    allocations.release();
  }
}

/** Refuses ARM if no cluster can have it; otherwise each cluster that cannot has a warning. */
function refuseArm(
  { armProvider }: SizingRouteOptions,
  { architecture }: SizingPlan,
  needs: readonly ClusterNeeds[],
): void {
  if (architecture !== 'ARM' || needs.length === 0) return;
  const wanted = armProvider.toLowerCase();
  const nodes = needs.flatMap((each) => each.nodes);
  if (nodes.some(({ provider }) => provider.toLowerCase() === wanted)) return;
  throw new Fault(
    `parameter 'architecture': no cluster is of ${armProvider}, for which alone ARM is accepted`,
    {
      parameter: 'architecture',
      hint: 'for example architecture=x86',
    },
  );
}

async function answer(
  options: SizingRouteOptions,
  plan: SizingPlan,
  needs: ClusterNeeds,
  signal: AbortSignal,
): Promise<object> {
  const { recommendations, prices } = await recommended(options, plan, needs, signal, true);
  return clusterJson({ plan, needs, recommendations, prices });
}

/** @param hasMix whether a mix of types is searched for, too */
async function recommended(
  options: SizingRouteOptions,
  plan: SizingPlan,
  needs: ClusterNeeds,
  signal: AbortSignal,
  hasMix: boolean,
): Promise<{
  readonly recommendations: RecommendationJson;
  readonly prices: readonly NodeType[];
}> {
  const { book, compute } = options;
  const { provider = '', region = '' } = commonPlace(needs.nodes) ?? {};
  const prices = options.nodeTypes(provider, region);
  const offer = offerFor(prices, needs.nodes, plan, options.armProvider);
  const { demand } = needs;
  const monthlyRate = monthlyRateOf(needs.nodes);
  const { includeOverhead } = plan;
  const preferences = {
    targetUtilization: plan.targetUtilization,
    minNodeCount: plan.minNodeCount,
  };
  const input = {
    demand,
    types: offer.types,
    preferences,
    includeOverhead,
    monthlyRate,
    book,
    hasMix,
  };
  const recommendations =
    offer.types.length > 0
      ? await compute.pool.run('recommendNodes', input, signal)
      : { multi: null, single: null, warnings: offer.warnings };
  return { recommendations, prices };
}
