/** Decisions about a controller as it is at the moment of its patch: lower it, or restore it. */
import type { ClusterObject, ContainerSpec } from '../../cluster/index.ts';
import { readQuantity } from '../../query/index.ts';
import { quantityText, requestOf, RESOURCES, type Resource, type Wanted } from './amounts.ts';
import type { Decide, Decision } from './change-controller.ts';
import { containerOf, unchangeable, unready, type ControllerName } from './controller.ts';
import type { Change, Step } from './journal.ts';
import { lowered, type Floors } from './lower.ts';
import type { Surroundings } from './surroundings.ts';

export interface LoweringOptions {
  readonly controller: ControllerName;
  readonly containers: ReadonlyMap<string, Wanted>;
  readonly floors: Floors;
  readonly denied: ReadonlySet<string>;
  readonly surroundings: Surroundings;
}

export function lowering(options: LoweringOptions): Decide {
  const { containers, denied } = options;
  return (object) => {
    const why = unchangeable(object, denied) ?? unready(object);
    if (why !== undefined) return `left as it is: ${why}`;
    const steps: Step[] = [];
    const warnings: string[] = [];
    for (const [name, wanted] of containers) {
      const container = containerOf(object, name);
      if (container === undefined) warnings.push(`there is no container ${name}`);
      else lowerContainer(container, wanted, options, { steps, warnings });
    }
    return { steps, warnings: [...warnings, ...autoscaled(options, steps)] };
  };
}

function lowerContainer(
  container: ContainerSpec,
  wanted: Wanted,
  { controller, floors, surroundings }: LoweringOptions,
  out: { readonly steps: Step[]; readonly warnings: string[] },
): void {
  const ranges = surroundings.ranges(controller.namespace);
  for (const resource of RESOURCES) {
    const nanos = wanted[resource];
    if (nanos === undefined) continue;
    const result = lowered(container, resource, nanos, floors, ranges);
    const warning = result.toNanos === undefined ? result.why : result.held;
    if (warning !== undefined) out.warnings.push(`${container.name}: ${warning}`);
    if (result.toNanos === undefined) continue;
    out.steps.push({
      container: container.name,
      resource,
      from: String(container.resources?.requests?.[resource]),
      to: quantityText(result.toNanos, resource),
    });
  }
}

/** Warns of autoscalers: they compare usage with the request, so that a lower one means more replicas. */
function autoscaled(
  { controller, surroundings }: LoweringOptions,
  steps: readonly Step[],
): string[] {
  const resources = new Set<Resource>(steps.map(({ resource }) => resource));
  return [...resources].flatMap((resource) => {
    const name = surroundings.autoscalerOf(controller, resource);
    if (name === undefined) return [];
    return [`autoscaler ${name} goes by the utilization of ${resource}: it may add replicas`];
  });
}

/** Restores the requests before an apply, where they are still those that it set. */
export function restoring(change: Change, denied: ReadonlySet<string>): Decide {
  return (object) => {
    const why = unchangeable(object, denied);
    if (why !== undefined) return `left as it is: ${why}`;
    if (object.metadata.uid !== change.uid) return 'left as it is: it was made anew since';
    const decisions = change.steps.map((step) => restored(object, step));
    return {
      steps: decisions.flatMap(({ steps }) => steps),
      warnings: decisions.flatMap(({ warnings }) => warnings),
    };
  };
}

function restored(object: ClusterObject, { container: name, resource, from, to }: Step): Decision {
  const container = containerOf(object, name);
  const now = container && requestOf(container, resource);
  if (now === readQuantity(from)) return { steps: [], warnings: [] };
  if (now === readQuantity(to)) {
    return { steps: [{ container: name, resource, from: to, to: from }], warnings: [] };
  }
  const state = container === undefined ? 'is gone' : `was changed since: ${resource} stays`;
  return { steps: [], warnings: [`container ${name} ${state}`] };
}
