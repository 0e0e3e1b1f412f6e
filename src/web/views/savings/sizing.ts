/** Recommended requests as the page judges them: what lowering saves, and what it risks. */

interface Amounts {
  readonly cpuInMilliCores: number;
  readonly memoryInMiB: number;
}

/** A recommendation as `/model/savings/requestSizingV2` has it. */
export interface Recommendation {
  readonly clusterID: string;
  readonly namespace: string;
  readonly controllerKind: string;
  readonly controllerName: string;
  readonly containerName: string;
  readonly recommendedRequest: { readonly cpu: string; readonly memory: string };
  readonly monthlySavings: { readonly cpu: number; readonly memory: number };
  readonly normalizedRecommendedRequest: Amounts;
  readonly normalizedLatestKnownRequest: Amounts;
  readonly normalizedAverageUsage: Amounts;
  readonly normalizedMaxUsage: Amounts;
}

export interface SizingAnswer {
  readonly TotalMonthlySavings: number;
  readonly Count: number;
  readonly Recommendations: readonly Recommendation[];
  readonly warnings?: readonly string[];
}

export type Risk = 'low' | 'medium' | 'high';
export type Resource = 'cpu' | 'memory';

/** A request of one resource, before and after, beside what was used; millicores or MiB. */
export interface Change {
  readonly resource: Resource;
  readonly from: number;
  readonly to: number;
  readonly average: number;
  readonly most: number;
  /** USD a month, below 0 where the request is raised. */
  readonly savings: number;
}

export interface Sizing {
  /** Tells recommendations apart. */
  readonly key: string;
  readonly recommendation: Recommendation;
  readonly changes: readonly Change[];
  /** What is saved by the requests that are lowered, which are all that the cluster is asked to change. */
  readonly loweringSaves: number;
  /** What it costs a month to raise those that are too low, 0 or more. */
  readonly raisingCosts: number;
  readonly risk: Risk;
  readonly why: string;
}

/** Room above the most memory ever used, under which a container may be killed. */
const MEMORY_SPARE = 1.25;
const RISKS: readonly Risk[] = ['low', 'medium', 'high'];

export function sizingOf(recommendation: Recommendation): Sizing {
  const { clusterID, namespace, controllerKind, controllerName, containerName, monthlySavings } =
    recommendation;
  const amounts = (of: (amounts: Amounts) => number, resource: Resource): Change => ({
    resource,
    from: of(recommendation.normalizedLatestKnownRequest),
    to: of(recommendation.normalizedRecommendedRequest),
    average: of(recommendation.normalizedAverageUsage),
    most: of(recommendation.normalizedMaxUsage),
    savings: monthlySavings[resource],
  });
  const changes = [
    amounts(({ cpuInMilliCores }) => cpuInMilliCores, 'cpu'),
    amounts(({ memoryInMiB }) => memoryInMiB, 'memory'),
  ];
  const lowered = changes.filter(isLowered);
  const [risk, why] = riskOf(controllerKind, lowered);
  return {
    key: [clusterID, namespace, controllerKind, controllerName, containerName].join('/'),
    recommendation,
    changes,
    loweringSaves: sum(lowered.map(({ savings }) => Math.max(savings, 0))),
    raisingCosts: sum(changes.map(({ savings }) => Math.max(-savings, 0))),
    risk,
    why,
  };
}

export function isLowered({ from, to }: Change): boolean {
  return to < from;
}

/** @returns those that lower something, the highest savings first */
export function lowering(sizings: readonly Sizing[]): readonly Sizing[] {
  return sizings
    .filter(({ loweringSaves }) => loweringSaves > 0)
    .toSorted((a, b) => b.loweringSaves - a.loweringSaves);
}

function riskOf(kind: string, lowered: readonly Change[]): readonly [Risk, string] {
  const found: (readonly [Risk, string])[] = lowered.map((change) => riskOfChange(change));
  if (kind === 'statefulset' && lowered.length > 0) {
    found.push(['medium', 'a stateful set restarts one pod after the other']);
  }
  const worst = found.toSorted(([a], [b]) => RISKS.indexOf(b) - RISKS.indexOf(a))[0];
  return worst ?? ['low', 'nothing is lowered'];
}

function riskOfChange({ resource, to, average, most }: Change): readonly [Risk, string] {
  if (resource === 'cpu') {
    if (to >= most) return ['low', 'more CPU than was ever used'];
    return to >= average
      ? ['medium', 'less CPU than was used at the most']
      : ['high', 'less CPU than is used on average'];
  }
  if (to >= most * MEMORY_SPARE) return ['low', 'a quarter more memory than was ever used'];
  return to >= most
    ? ['medium', 'little more memory than was used at the most']
    : ['high', 'less memory than was used at the most: it may be killed'];
}

/** A line of the difference that a plan makes. */
export interface PlannedStep {
  /** `production/web/deployment:storefront/istio-proxy` */
  readonly path: string;
  readonly resource: Resource;
  readonly from: number;
  readonly to: number;
  /** USD a month. */
  readonly savings: number;
}

/** A plan as `/cluster/requestsizer/plan` answers it. */
export type Plan = Readonly<Record<string, Readonly<Record<string, readonly PlannedController[]>>>>;
interface PlannedController {
  readonly Name: string;
  readonly Kind: string;
  readonly ContainerPlans: Readonly<
    Record<
      string,
      { readonly TargetCPURequestMillicores: number; readonly TargetRAMRequestBytes: number }
    >
  >;
}

const MIB = 2 ** 20;

/** What a plan changes of the requests that are known; a target of 0 or of what there is changes nothing. */
export function stepsOf(plan: Plan, sizings: readonly Sizing[]): readonly PlannedStep[] {
  const known = new Map(sizings.map((sizing) => [sizing.key, sizing]));
  return Object.entries(plan).flatMap(([cluster, namespaces]) =>
    Object.entries(namespaces).flatMap(([namespace, controllers]) =>
      controllers.flatMap(({ Name, Kind, ContainerPlans }) =>
        Object.entries(ContainerPlans).flatMap(([container, target]) => {
          const changes = known.get([cluster, namespace, Kind, Name, container].join('/'))?.changes;
          const targets: Readonly<Record<Resource, number>> = {
            cpu: target.TargetCPURequestMillicores,
            memory: target.TargetRAMRequestBytes / MIB,
          };
          const path = `${cluster}/${namespace}/${Kind}:${Name}/${container}`;
          return (changes ?? [])
            .map(({ resource, from, savings }) => ({
              path,
              resource,
              from,
              to: targets[resource],
              savings,
            }))
            .filter(({ from, to }) => to > 0 && to < from);
        }),
      ),
    ),
  );
}

/** @returns the namespaces that a plan changes something in */
export function namespacesOf(plan: Plan): readonly string[] {
  return [...new Set(Object.values(plan).flatMap((namespaces) => Object.keys(namespaces)))];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
