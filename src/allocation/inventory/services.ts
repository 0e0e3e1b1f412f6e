/** Which services a pod stands behind: by their selectors, and where none is known by endpoints. */
import type { Endpoints, Target } from './endpoints.ts';
import { joined } from '../row/joined.ts';
import type { Texts } from './texts.ts';

export interface ServiceIndex {
  /** Services of a pod that has these labels, in order of name. */
  of(pod: Target, labels: Labels): readonly string[];
}

interface Selector {
  readonly service: string;
  readonly pairs: Texts['pairs'];
}

type Labels = readonly (readonly [string, string])[];

const NONE: readonly Selector[] = [];
const NOWHERE: readonly string[] = [];

/**
 * A selector counts where the pod's labels are known; else, and for services without a selector, a
 * pod stands behind a service that had it as an endpoint.
 * @param selectors by `cluster\0namespace\0service`
 */
export function serviceIndex(
  selectors: ReadonlyMap<string, Texts>,
  endpoints: Endpoints,
): ServiceIndex {
  const byNamespace = new Map<string, Selector[]>();
  const selecting = new Set<string>();
  for (const [key, { pairs }] of selectors) {
    const [cluster = '', namespace = '', service = ''] = key.split('\0');
    // A service without a selector has its endpoints written by hand: it selects no pod.
    if (pairs.length === 0) continue;
    selecting.add(key);
    const place = joined(cluster, namespace);
    const list = byNamespace.get(place) ?? [];
    byNamespace.set(place, list);
    list.push({ service, pairs });
  }
  return {
    of(pod, labels) {
      if (byNamespace.size === 0 && endpoints.isEmpty) return NOWHERE;
      const place = joined(pod.cluster, pod.namespace);
      const services = [
        ...selectedBy(byNamespace.get(place) ?? NONE, labels),
        ...endpoints
          .servicesOf(pod)
          .filter((service) => labels.length === 0 || !selecting.has(joined(place, service))),
      ];
      return services.length === 0 ? NOWHERE : [...new Set(services)].sort();
    },
  };
}

function selectedBy(selectors: readonly Selector[], labels: Labels): string[] {
  if (selectors.length === 0 || labels.length === 0) return [];
  const own = new Map(labels);
  return selectors
    .filter(({ pairs }) => pairs.every(([name, value]) => own.get(name) === value))
    .map(({ service }) => service);
}
