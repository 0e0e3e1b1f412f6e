/** Makes a plan of recommendations: those that can be applied, compared with the live cluster. */
import type { ClusterApi, ClusterObject } from '../../cluster/index.ts';
import { amountOf, requestOf, RESOURCES, type Resource } from './amounts.ts';
import {
  CONTROLLER_KINDS,
  containerOf,
  readKind,
  unchangeable,
  type ControllerKind,
  type ControllerName,
} from './controller.ts';
import { lowered, type Floors } from './lower.ts';
import type { ContainerPlan, ControllerPlan, SizingPlanBody } from './plan-body.ts';
import { recommendationName, type Recommendation } from './plan-input.ts';
import { withPauses } from './pauses.ts';
import { listed, readSurroundings, type Surroundings } from './surroundings.ts';

export interface ApplyLimits {
  readonly floors: Floors;
  /** Namespaces that are never changed. */
  readonly denied: ReadonlySet<string>;
}

export interface PlanOptions extends ApplyLimits {
  readonly api: ClusterApi;
  readonly clusterId: string;
}

export interface Planned {
  readonly plan: SizingPlanBody;
  /** Names of the recommendations that are not followed, each with the reason. */
  readonly dropped: readonly string[];
}

interface Found {
  readonly controller: ControllerName;
  readonly object: ClusterObject;
}

/**
 * The same recommendations and cluster give the same plan. Nothing is changed.
 * @param recommendations in order, by name
 */
export async function planRequests(
  options: PlanOptions,
  recommendations: readonly Recommendation[],
  signal: AbortSignal,
): Promise<Planned> {
  const own = recommendations.filter(({ clusterId }) => clusterId === options.clusterId);
  const find = await finder(options.api, own, signal);
  const surroundings = await readSurroundings(options.api, signal);
  const drafts = new Map<string, Draft>();
  const dropped = [...surroundings.warnings];
  for await (const recommendation of withPauses(own)) {
    const drop = (why: string): void =>
      void dropped.push(`${recommendationName(recommendation)}: ${why}`);
    const found = find(recommendation);
    const usable =
      typeof found === 'string' ? found : (unchangeable(found.object, options.denied) ?? found);
    if (typeof usable === 'string') {
      drop(usable);
      continue;
    }
    const { namespace, kind, name } = usable.controller;
    const key = `${namespace}/${kind}/${name}`;
    const draft = drafts.get(key) ?? { found: usable, containers: new Map() };
    const plan = containerPlan(options, usable, recommendation, surroundings, drop);
    if (draft.containers.has(recommendation.container)) drop('it is recommended twice');
    else if (plan !== undefined) {
      drafts.set(key, draft);
      draft.containers.set(recommendation.container, plan);
    }
  }
  dropped.push(...ofOthers(recommendations, options.clusterId));
  return { plan: bodyOf(options.clusterId, [...drafts.values()]), dropped };
}

/** One sentence a cluster: they may be many. */
function ofOthers(recommendations: readonly Recommendation[], own: string): string[] {
  const counts = new Map<string, number>();
  for (const { clusterId } of recommendations) {
    if (clusterId !== own) counts.set(clusterId, (counts.get(clusterId) ?? 0) + 1);
  }
  return [...counts].map(
    ([cluster, count]) => `${cluster}: all ${count}, as it is another cluster`,
  );
}

interface Draft {
  readonly found: Found;
  readonly containers: Map<string, ContainerPlan>;
}

function containerPlan(
  options: PlanOptions,
  { object, controller }: Found,
  { container: name, wanted }: Recommendation,
  surroundings: Surroundings,
  drop: (why: string) => void,
): ContainerPlan | undefined {
  const container = containerOf(object, name);
  if (container === undefined) {
    drop('the controller has no such container');
    return undefined;
  }
  const ranges = surroundings.ranges(controller.namespace);
  let isLower = false;
  const target = (resource: Resource): number => {
    const nanos = wanted[resource];
    const now = requestOf(container, resource);
    const result =
      nanos === undefined ? undefined : lowered(container, resource, nanos, options.floors, ranges);
    if (result?.toNanos !== undefined) isLower = true;
    else if (result?.why !== undefined) drop(result.why);
    const target = result?.toNanos ?? now;
    return target === undefined ? 0 : amountOf(target, resource);
  };
  const [cpu = 0, ram = 0] = RESOURCES.map(target);
  return isLower ? { TargetCPURequestMillicores: cpu, TargetRAMRequestBytes: ram } : undefined;
}

type Finder = (recommendation: Recommendation) => Found | string;

/** Lists each kind once; controllers without a kind are looked for among all kinds. */
async function finder(
  api: ClusterApi,
  own: readonly Recommendation[],
  signal: AbortSignal,
): Promise<Finder> {
  const named = new Set<ControllerKind | undefined>();
  const wanted = new Set<string>();
  let isWithoutKind = false;
  for await (const { kind, namespace, controller } of withPauses(own)) {
    named.add(kind === '' ? undefined : readKind(kind));
    wanted.add(`${namespace}/${controller}`);
    isWithoutKind ||= kind === '' && controller !== '';
  }
  const objects = new Map<string, ClusterObject>();
  for (const kind of CONTROLLER_KINDS) {
    if (!isWithoutKind && !named.has(kind)) continue;
    for (const object of await listed(api, kind, signal)) {
      const { namespace, name } = object.metadata;
      if (wanted.has(`${namespace}/${name}`)) objects.set(`${kind}/${namespace}/${name}`, object);
    }
  }
  return ({ namespace, controller: name, kind: text }) => {
    if (name === '') return 'its pod has no controller';
    const kind = readKind(text);
    if (text !== '' && kind === undefined) return `requests of a ${text} cannot be changed`;
    const kinds: readonly ControllerKind[] = kind === undefined ? CONTROLLER_KINDS : [kind];
    const found = kinds.flatMap((each) => {
      const object = objects.get(`${each}/${namespace}/${name}`);
      return object === undefined ? [] : [{ controller: { kind: each, namespace, name }, object }];
    });
    const [first] = found;
    if (first === undefined) return 'there is no such controller in the cluster';
    return found.length === 1 ? first : 'its kind is not told, and several are called so';
  };
}

function bodyOf(clusterId: string, drafts: readonly Draft[]): SizingPlanBody {
  if (drafts.length === 0) return {};
  const byNamespace = new Map<string, ControllerPlan[]>();
  for (const { found, containers } of drafts) {
    const { namespace, kind, name } = found.controller;
    const plans = byNamespace.get(namespace) ?? [];
    const ContainerPlans = Object.fromEntries(containers);
    byNamespace.set(namespace, [
      ...plans,
      { Name: name, Kind: kind.toLowerCase(), ContainerPlans },
    ]);
  }
  return Object.fromEntries([[clusterId, Object.fromEntries(byNamespace)]]);
}
