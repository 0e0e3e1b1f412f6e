/** Which services select a pod: those whose selector labels the pod all has. */
import { joined } from './inventory.ts';
import type { Texts } from './texts.ts';

export interface ServiceIndex {
  /** Services that select a pod of these labels, in order of name. */
  of(
    cluster: string,
    namespace: string,
    labels: readonly (readonly [string, string])[],
  ): readonly string[];
}

interface Selector {
  readonly service: string;
  readonly pairs: Texts['pairs'];
}

const NONE: readonly string[] = [];

/** @param selectors by `cluster\0namespace\0service` */
export function serviceIndex(selectors: ReadonlyMap<string, Texts>): ServiceIndex {
  const byNamespace = new Map<string, Selector[]>();
  for (const [key, { pairs }] of selectors) {
    const [cluster = '', namespace = '', service = ''] = key.split('\0');
    // A service without a selector has its endpoints written by hand: it selects no pod.
    if (pairs.length === 0) continue;
    const place = joined(cluster, namespace);
    const list = byNamespace.get(place) ?? [];
    byNamespace.set(place, list);
    list.push({ service, pairs });
  }
  return {
    of(cluster, namespace, labels) {
      const selecting = byNamespace.get(joined(cluster, namespace));
      if (!selecting || labels.length === 0) return NONE;
      const own = new Map(labels);
      return selecting
        .filter(({ pairs }) => pairs.every(([name, value]) => own.get(name) === value))
        .map(({ service }) => service)
        .sort();
    },
  };
}
