/** Pods and their containers as facts tell of them. */
import { FewMap } from './few-map.ts';
import { Presence } from './presence.ts';
import { Runs } from './runs.ts';
import type { Texts } from './texts.ts';

/** What a container is allocated. */
export type Resource = 'cpu' | 'ram' | 'gpu';

export interface Container {
  /** Its own start by a state metric, ms; NaN unknown. */
  startMs: number;
  /** Only usage names it. */
  readonly isStray: boolean;
  readonly requests: Readonly<Record<Resource, Runs>>;
  /** What OpenCost's exporter says it is allocated; undefined where it says nothing. */
  allocated: Readonly<Record<Resource, Runs>> | undefined;
}

export interface Pod {
  readonly uid: string;
  readonly presence: Presence;
  readonly startSeconds: Runs;
  readonly completionSeconds: Runs;
  readonly containers: FewMap<Container>;
  /** Only usage names it. */
  isStray: boolean;
  node: string;
  /** Its own IP address; '' unknown, or its node's. */
  address: string;
  owner: Owner | undefined;
  labels: Texts | undefined;
  annotations: Texts | undefined;
  /** Keys of the claims it mounts; undefined where it mounts none. */
  claims: Set<string> | undefined;
}

export interface Owner {
  readonly kind: string;
  readonly name: string;
}

/** Pods that have one name, one after the other: told apart by uid. */
export interface PodName {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  /** '' holds what came without a uid. */
  readonly byUid: FewMap<Pod>;
}

export function emptyContainer(isStray: boolean = false): Container {
  return { startMs: NaN, isStray, requests: noRuns(), allocated: undefined };
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
    completionSeconds: new Runs(),
    containers: new FewMap(),
    isStray: false,
    node: '',
    address: '',
    owner: undefined,
    labels: undefined,
    annotations: undefined,
    claims: undefined,
  };
  named.byUid.set(uid, pod);
  return pod;
}
