/** Reasons why no nodes hold the pods: the resource, who asks for it, and what node types have. */
import { hasRoom, RESOURCES, type Demand, type NodeResource } from './demand.ts';
import { isUsable, type Machine } from './machine.ts';
import { requirements, type Preferences } from './requirements.ts';

const UNITS: Readonly<Record<NodeResource, string>> = {
  cpuCores: 'cores',
  ramGiB: 'GiB of RAM',
  gpus: 'GPUs',
};

/**
 * @param machines at least one; no choice of them holds the pods
 * @returns one warning for each reason, at least one
 */
export function infeasibleWarnings(
  machines: readonly Machine[],
  demand: Demand,
  preferences: Preferences,
): string[] {
  const context = { machines, demand, preferences };
  const reasons = [daemonReasons, podReasons, targetReasons, combinedReasons];
  return reasons.map((reason) => reason(context)).find(({ length }) => length > 0) ?? [NO_MIX];
}

interface Context {
  readonly machines: readonly Machine[];
  readonly demand: Demand;
  readonly preferences: Preferences;
}

const NO_MIX =
  'no mix of four node types that was tried has room for all pods: more types, or larger ones, may';

function daemonReasons({ machines, demand }: Context): string[] {
  const { perNode, daemonSetCount } = demand;
  if (machines.some((machine) => isUsable(machine, demand))) return [];
  const reasons = RESOURCES.filter((resource) =>
    machines.every(({ allocatable }) => allocatable[resource] < perNode[resource]),
  ).map(
    (resource) =>
      `the daemon sets ask each node for ${amount(perNode[resource], resource)}: ${offered(machines, resource, 0)}`,
  );
  if (reasons.length > 0) return reasons;
  return [`no node type has room for the ${daemonSetCount} pods that daemon sets run on each node`];
}

function podReasons({ machines, demand }: Context): string[] {
  const { perNode, largestPods } = demand;
  return RESOURCES.flatMap((resource) => {
    const pod = largestPods[resource];
    const asked = pod?.size[resource] ?? 0;
    const needed = (asked + perNode[resource]) * (1 - 1e-9);
    if (!pod || asked === 0) return [];
    if (machines.some(({ allocatable }) => allocatable[resource] >= needed)) return [];
    return `pod ${pod.name} asks for ${amount(asked, resource)}: ${offered(machines, resource, perNode[resource])}`;
  });
}

/** Daemon sets that take more than the target share of any node leave nothing for pods. */
function targetReasons({ machines, demand, preferences }: Context): string[] {
  const { perNode, total } = demand;
  const rows = requirements(demand, preferences);
  return RESOURCES.filter(
    (resource, i) =>
      perNode[resource] > 0 &&
      total[resource] > 0 &&
      machines.every((machine) => (rows[i]?.gain(machine) ?? 0) <= 0),
  ).map(
    (resource) =>
      `daemon sets ask each node for ${amount(perNode[resource], resource)}, and a targetUtilization of ${preferences.targetUtilization} leaves no pod room beside them: ${offered(machines, resource, 0)}`,
  );
}

/** Each resource fits on some type, but not all of them on one. */
function combinedReasons({ machines, demand }: Context): string[] {
  const { perNode, largestPods, largestPod } = demand;
  const isHeld = (size: Readonly<Record<NodeResource, number>>): boolean =>
    machines.some(({ allocatable }) =>
      hasRoom(allocatable, {
        cpuCores: size.cpuCores + perNode.cpuCores,
        ramGiB: size.ramGiB + perNode.ramGiB,
        gpus: size.gpus + perNode.gpus,
      }),
    );
  const sizeText = (size: Readonly<Record<NodeResource, number>>): string =>
    RESOURCES.filter((resource) => size[resource] > 0)
      .map((resource) => amount(size[resource], resource))
      .join(' and ');
  const pods = new Map(
    RESOURCES.flatMap((resource) => largestPods[resource] ?? []).map((pod) => [pod.name, pod]),
  );
  const unheld = [...pods.values()].filter(({ size }) => !isHeld(size));
  if (unheld.length > 0) {
    return unheld.map(
      ({ name, size }) => `pod ${name} asks for ${sizeText(size)}: no node type has all of them`,
    );
  }
  const largest = { ...largestPod, gpus: 0 };
  if (isHeld(largest)) return [];
  const names = [largestPods.cpuCores, largestPods.ramGiB].map((pod) => pod?.name).join(' and ');
  return [
    `one node must have room for the largest pod, ${sizeText(largest)} (${names}): no node type has both`,
  ];
}

function amount(value: number, resource: NodeResource): string {
  return `${Number(value.toPrecision(4))} ${UNITS[resource]}`;
}

/** The most that pods may have of a resource, of one node. */
function offered(machines: readonly Machine[], resource: NodeResource, daemons: number): string {
  const most = machines.reduce((a, b) =>
    b.allocatable[resource] > a.allocatable[resource] ? b : a,
  );
  const all = most.allocatable[resource];
  if (all <= 0) return `no node type that may be chosen has ${UNITS[resource]}`;
  const beside = daemons > 0 ? ', daemon sets included' : '';
  return `the node type with most, ${most.type.name}, has ${amount(all, resource)} for pods${beside}`;
}
