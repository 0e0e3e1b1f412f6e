/** Endpoint 11: GET /savings/clusterSizingETL. */
import { holdSets, type HotSets } from '../allocation/index.ts';
import {
  json,
  parseQuery,
  taggedJson,
  type HttpReply,
  type HttpRequest,
  type Route,
} from '../http/index.ts';
import type { Admission, Pool } from '../pool/index.ts';
import type { NodeType, PriceBook } from '../pricing/index.ts';
import { Fault, type Calendar } from '../query/index.ts';
import type { QueriedSets } from '../storage/index.ts';
import { clusterJson, monthlyRateOf } from './cluster-json.ts';
import { NODE_COLUMNS } from './current-nodes.ts';
import { offerFor } from './offers.ts';
import { readSizingPlan, type SizingPlan } from './params.ts';
import { POD_COLUMNS } from './pod-lives.ts';
import type { ClusterNeeds, ClusterSizingTasks } from './tasks.ts';

export interface SizingRouteOptions {
  readonly sets: QueriedSets;
  readonly hot: HotSets;
  readonly pool: Pool<ClusterSizingTasks>;
  readonly admission: Admission;
  readonly calendar: Calendar;
  readonly nowMs: () => number;
  readonly book: PriceBook;
  /** What may be recommended; read when it is first needed. */
  readonly nodeTypes: () => readonly NodeType[];
  /** The one cloud of which ARM is recommended. */
  readonly armProvider: string;
}

export function clusterSizingRoutes(options: SizingRouteOptions): Route[] {
  return [
    {
      method: 'GET',
      path: '/savings/clusterSizingETL',
      handle: (request) => handle(options, request),
    },
  ];
}

async function handle(options: SizingRouteOptions, request: HttpRequest): Promise<HttpReply> {
  const plan = readSizingPlan(parseQuery(request.query), options.calendar, options.nowMs());
  const leave = await options.admission.enter(request.signal);
  try {
    const warnings = new Set<string>();
    const needs = await readNeeds(options, plan, warnings, request.signal);
    refuseArm(options, plan, needs);
    const clusters = await Promise.all(
      needs.map(async (each) => [each.cluster, await answer(options, plan, each, request.signal)]),
    );
    const data = Object.fromEntries(clusters) as object;
    if (warnings.size === 0) return taggedJson(request, { code: 200, data });
    return json({ code: 200, data, warnings: [...warnings], partial: true });
  } finally {
    leave();
  }
}

async function readNeeds(
  options: SizingRouteOptions,
  plan: SizingPlan,
  warnings: Set<string>,
  signal: AbortSignal,
): Promise<ClusterNeeds[]> {
  const { window } = plan;
  const days = plan.days.filter(({ startMs }) => startMs < options.nowMs());
  const pods = { kind: 'allocations', days, columns: POD_COLUMNS };
  const nodes = { kind: 'assets', days, columns: NODE_COLUMNS };
  const allocations = await holdSets(options, pods, warnings);
  try {
    const assets = await holdSets(options, nodes, warnings);
    const input = { allocations: allocations.sets, assets: assets.sets, window };
    return await options.pool.run('clusterNeeds', input, signal).finally(assets.release);
  } finally {
    allocations.release();
  }
}

/** Clusters of other clouds beside one that may have ARM are told of by themselves. */
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
      // prettier-ignore
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
  const { book, pool } = options;
  const prices = options.nodeTypes();
  const offer = offerFor(prices, needs.nodes, plan, options.armProvider);
  const { demand } = needs;
  const monthlyRate = monthlyRateOf(needs.nodes);
  const { includeOverhead } = plan;
  const preferences = { targetUtilization: plan.targetUtilization, minNodeCount: plan.minNodeCount }; // prettier-ignore
  const input = { demand, types: offer.types, preferences, includeOverhead, monthlyRate, book };
  const recommendations =
    offer.types.length > 0
      ? await pool.run('recommendNodes', input, signal)
      : { multi: null, single: null };
  return clusterJson({ plan, needs, recommendations, warnings: offer.warnings, prices });
}
