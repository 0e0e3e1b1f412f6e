/** Which pods stand behind services, as their endpoints tell: by address or by name. */
import type { SeriesRecord } from '../../columnar/index.ts';
import { joined } from '../row/joined.ts';
import type { Stretch } from './presence.ts';

/** While samples showed an endpoint of a service. Unix ms. */
interface Endpoint {
  readonly service: string;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** A pod by all that endpoints can name it by. */
export interface Target {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  /** Its own IP address; '' unknown, or its node's. */
  readonly address: string;
  readonly stretches: readonly Stretch[];
}

/**
 * How the control plane names slices: the service and five characters that spell no words
 * (k8s.io/apimachinery/pkg/util/rand). kube-state-metrics shows the label that names the service
 * only where it is told to.
 */
const SLICE_NAME = /^(.+)-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** Endpoints stand in the namespace of their service, and so do the pods. */
export class Endpoints {
  /** By `cluster\0namespace\0address`. */
  readonly #byAddress: Map<string, Endpoint[]> = new Map();
  /** By `cluster\0namespace\0pod`. */
  readonly #byName: Map<string, Endpoint[]> = new Map();
  /** Services of slices, by `cluster\0namespace\0slice`. */
  readonly #slices: Map<string, string> = new Map();

  get isEmpty(): boolean {
    return this.#byAddress.size === 0 && this.#byName.size === 0;
  }

  addAddress(place: string, address: string, service: string, record: SeriesRecord): void {
    if (address !== '' && service !== '')
      add(this.#byAddress, joined(place, address), service, record);
  }

  nameSlice(place: string, slice: string, service: string): void {
    if (service !== '') this.#slices.set(joined(place, slice), service);
  }

  /** @param place `cluster\0namespace` */
  addPod(place: string, pod: string, slice: string, record: SeriesRecord): void {
    const service = this.#slices.get(joined(place, slice)) ?? SLICE_NAME.exec(slice)?.[1] ?? '';
    if (pod !== '' && service !== '') add(this.#byName, joined(place, pod), service, record);
  }

  /** Services that had the pod as an endpoint while it lived, some of them several times. */
  servicesOf({ cluster, namespace, name, address, stretches }: Target): string[] {
    const place = joined(cluster, namespace);
    const named = this.#byName.get(joined(place, name)) ?? [];
    const addressed = address === '' ? [] : (this.#byAddress.get(joined(place, address)) ?? []);
    return [...named, ...addressed]
      .filter(({ firstMs, lastMs }) =>
        stretches.some(({ startMs, endMs }) => startMs <= lastMs && firstMs < endMs),
      )
      .map(({ service }) => service);
  }
}

function add(
  to: Map<string, Endpoint[]>,
  key: string,
  service: string,
  { firstMs, lastMs }: SeriesRecord,
): void {
  const list = to.get(key) ?? [];
  to.set(key, list);
  list.push({ service, firstMs, lastMs });
}
