/** The parts of a cluster that bound requests of controllers: limit ranges, and autoscalers. */
import { ApiRefusal, type ClusterApi, type ClusterObject, type Kind } from '../../cluster/index.ts';
import type { ControllerName } from './controller.ts';
import type { Resource } from './amounts.ts';
import type { ContainerRange } from './lower.ts';

export interface Surroundings {
  ranges(namespace: string): readonly ContainerRange[];
  /** The autoscaler that compares the usage of a resource with its request. */
  autoscalerOf(controller: ControllerName, resource: Resource): string | undefined;
  /** Kinds that could not be read. */
  readonly warnings: readonly string[];
}

export async function readSurroundings(
  api: ClusterApi,
  signal: AbortSignal,
): Promise<Surroundings> {
  const warnings: string[] = [];
  const all = async (kind: Kind): Promise<ClusterObject[]> => {
    try {
      return await listed(api, kind, signal);
    } catch (error) {
      const status = error instanceof ApiRefusal ? error.apiStatus : undefined;
      // An old server does not have them at all.
      if (status === 404) return [];
      if (status !== 403) throw error;
      warnings.push(`${kind}s may not be read, so they are not respected`);
      return [];
    }
  };
  const [ranges, autoscalers] = [await all('LimitRange'), await all('HorizontalPodAutoscaler')];
  return {
    warnings,
    ranges: (namespace) =>
      ranges
        .filter(({ metadata }) => metadata.namespace === namespace)
        .flatMap(({ spec }) => spec?.limits ?? [])
        .filter(({ type }) => type === 'Container'),
    autoscalerOf: ({ namespace, kind, name }, resource) =>
      autoscalers.find(
        ({ metadata, spec }) =>
          metadata.namespace === namespace &&
          spec?.scaleTargetRef?.kind === kind &&
          spec.scaleTargetRef.name === name &&
          scalesBy(spec, resource),
      )?.metadata.name,
  };
}

function scalesBy(spec: ClusterObject['spec'], resource: Resource): boolean {
  return (spec?.metrics ?? []).some((metric) => {
    const source = metric.resource ?? metric.containerResource;
    return source?.name === resource && source.target?.type === 'Utilization';
  });
}

export async function listed(
  api: ClusterApi,
  kind: Kind,
  signal: AbortSignal,
): Promise<ClusterObject[]> {
  const objects: ClusterObject[] = [];
  for await (const page of api.list(kind, signal)) objects.push(...page.objects);
  return objects;
}
