/** Pods and their containers as facts tell of them. */
import { FewMap } from './few-map.ts';
import { PodStatus } from './pod-status.ts';
import { Presence } from './presence.ts';
import { Runs } from './runs.ts';
import type { Accelerators } from './accelerator-runs.ts';
import type { Texts } from './texts.ts';

/** What a container is allocated. */
export type Resource = 'cpu' | 'ram' | 'gpu';

/**
 * Cores, bytes and GPUs: more in one container is a fault of a counter or gauge. 512 cores are
 * OpenCost's limit too (CPU_SANITY_LIMIT).
 */
export const ALLOCATION_MAX: Readonly<Record<Resource, number>> = {
  cpu: 512,
  ram: 2 ** 53,
  gpu: 2 ** 53,
};

export interface Container {
  /** When it was first started, by a state metric; ms, NaN unknown. */
  startMs: number;
  /** Samples of a state metric told that it was there, or will be; Infinity, -Infinity: none. */
  firstMs: number;
  lastMs: number;
  /** Only usage names it. */
  readonly isUnmatched: boolean;
  /** An init container that goes on beside the others. */
  isSidecar: boolean;
  readonly requests: Readonly<Record<Resource, Runs>>;
  /** Bytes of huge pages that it requests, by their size; undefined without any. */
  hugepages: Accelerators | undefined;
  /** Requests that its node has granted; undefined where no metric has them. */
  granted: Readonly<Record<Resource, Runs>> | undefined;
  /** Units of extended resources that it requests; undefined without any. */
  accelerators: Accelerators | undefined;
  /** What OpenCost's exporter says it is allocated; undefined where it says nothing. */
  allocated: Readonly<Record<Resource, Runs>> | undefined;
}

export interface Pod {
  readonly uid: string;
  readonly presence: Presence;
  readonly startSeconds: Runs;
  readonly status: PodStatus;
  /** When it is to be gone at the latest, once it is deleted. */
  readonly deletionSeconds: Runs;
  /** A node took it: its status has containers. */
  wasTaken: boolean;
  readonly containers: FewMap<Container>;
  /** Only usage names it. */
  isUnmatched: boolean;
  node: string;
  /** Its own IP address; '' unknown, or its node's. */
  address: string;
  /** It shares its node's network, of which all its series show the whole traffic. */
  isOnHostNetwork: boolean;
  /** Where facts without a uid place it: pods of one name may follow each other on several nodes. */
  places: Place[] | undefined;
  owner: Owner | undefined;
  labels: Texts | undefined;
  annotations: Texts | undefined;
  /** Keys of the claims it mounts; undefined where it mounts none. */
  claims: Set<string> | undefined;
}

/** A node that a series names, from its first sample to its last. */
export interface Place {
  readonly node: string;
  readonly address: string;
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface Owner {
  readonly kind: string;
  readonly name: string;
}

/** A request of a pod that is not one of its lasting containers'. */
export interface PodRequest {
  /**
   * An init container that ends before the others start, the overhead of the RuntimeClass, the pod as a whole
   * by its spec, or the effective request by kube-scheduler.
   */
  readonly kind: 'init' | 'overhead' | 'pod' | 'scheduler';
  /** '' unknown. */
  readonly uid: string;
  /** The init container; '' for the others. */
  readonly container: string;
  /** As kube-state-metrics names it: `cpu`, `memory`, `hugepages_2Mi`. */
  readonly resource: string;
  readonly firstMs: number;
  readonly lastMs: number;
  /** (fromMs, value) */
  readonly pairs: readonly number[];
}

/** Pods that have one name, one after the other: told apart by uid. */
export interface PodName {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  /** '' holds what came without a uid. */
  readonly byUid: FewMap<Pod>;
  /** Requests of all pods of the name; undefined without any. */
  requests: PodRequest[] | undefined;
  /** Usage that is of no pod in the window, though facts beside the window name one; undefined without any. */
  used: UsedBeside | undefined;
}

export interface UsedBeside {
  readonly presence: Presence;
  readonly containers: Set<string>;
}

export function emptyContainer(isUnmatched: boolean = false): Container {
  return {
    startMs: NaN,
    firstMs: Infinity,
    lastMs: -Infinity,
    isUnmatched,
    isSidecar: false,
    requests: noRuns(),
    hugepages: undefined,
    granted: undefined,
    accelerators: undefined,
    allocated: undefined,
  };
}

export function noRuns(): Readonly<Record<Resource, Runs>> {
  return { cpu: new Runs(), ram: new Runs(), gpu: new Runs() };
}

/** The pod of this uid, made when new. */
export function podByUid(named: PodName, uid: string, gapMs: number): Pod {
  const known = named.byUid.get(uid);
  if (known) return known;
  const pod: Pod = {
    uid,
    presence: new Presence(gapMs),
    startSeconds: new Runs(),
    status: new PodStatus(),
    deletionSeconds: new Runs(),
    wasTaken: false,
    containers: new FewMap(),
    isUnmatched: false,
    node: '',
    address: '',
    isOnHostNetwork: false,
    places: undefined,
    owner: undefined,
    labels: undefined,
    annotations: undefined,
    claims: undefined,
  };
  named.byUid.set(uid, pod);
  return pod;
}
