/** Pods of one name, one after the other. */
import { FewMap } from './few-map.ts';
import { emptyContainer, type Container, type Place, type Pod, type PodName } from './pods.ts';
import { Presence } from './presence.ts';
import { Runs } from './runs.ts';

/**
 * The pods behind one name. Facts that came without a uid belong to the pod that has one; where no
 * fact has a uid, a changed start time, or without any a changed node, tells one pod from the next.
 */
export function incarnations(name: PodName, gapMs: number): Iterable<Pod> {
  const loose = name.byUid.get('');
  if (!loose) return name.byUid.values();
  if (name.byUid.size === 1) return split(loose, gapMs);
  const pods = [...name.byUid.values()].filter((pod) => pod !== loose);
  for (const pod of pods) adopt(pod, loose, pods.length === 1);
  return pods;
}

/** @param isOnly the loose facts can be of no other pod, so its presence counts too */
function adopt(pod: Pod, loose: Pod, isOnly: boolean): void {
  pod.node ||= placeIn(loose, pod.presence.firstMs, pod.presence.lastMs)?.node ?? loose.node;
  pod.address ||= loose.address;
  pod.isOnHostNetwork ||= loose.isOnHostNetwork;
  pod.owner ??= loose.owner;
  pod.labels ??= loose.labels;
  pod.annotations ??= loose.annotations;
  for (const claim of loose.claims ?? []) (pod.claims ??= new Set()).add(claim);
  if (isOnly) {
    pod.presence.absorb(loose.presence);
    if (pod.startSeconds.isEmpty) pod.startSeconds.add(loose.startSeconds.merged());
    if (pod.deletionSeconds.isEmpty) pod.deletionSeconds.add(loose.deletionSeconds.merged());
    pod.status.adopt(loose.status);
    pod.wasTaken ||= loose.wasTaken;
  }
  loose.containers.forEach((facts, container) => {
    const own = pod.containers.get(container) ?? emptyContainer(facts.isUnmatched);
    pod.containers.set(container, own);
    for (const resource of ['cpu', 'ram', 'gpu'] as const) {
      if (own.requests[resource].isEmpty)
        own.requests[resource].add(facts.requests[resource].merged());
    }
    own.isSidecar ||= facts.isSidecar;
    own.hugepages ??= facts.hugepages;
    own.granted ??= facts.granted;
    own.accelerators ??= facts.accelerators;
    own.allocated ??= facts.allocated;
    if (isOnly && own.startMs !== own.startMs) own.startMs = facts.startMs;
  });
}

/** When a pod of the name is first told of, and when it started; NaN unknown. */
interface Birth {
  readonly fromMs: number;
  readonly startMs: number;
}

function split(pod: Pod, gapMs: number): Pod[] {
  const births = birthsOf(pod);
  if (births.length <= 1) return [pod];
  return births.map(({ fromMs, startMs }, i) => {
    const next = births[i + 1];
    const untilMs = next?.fromMs ?? Infinity;
    // A name is taken again only when it is free: at the latest when the next pod started.
    const goneMs = next && next.startMs > fromMs ? Math.min(untilMs, next.startMs) : untilMs;
    const sinceMs = i === 0 ? -Infinity : fromMs;
    const presence = new Presence(gapMs);
    const place = placeIn(pod, fromMs, untilMs);
    presence.absorb(pod.presence, sinceMs, Math.min(goneMs, seenUntilMs(pod, place, untilMs)));
    return {
      ...pod,
      presence,
      node: place?.node ?? pod.node,
      address: place?.address || pod.address,
      startSeconds: runsOf(startMs === startMs ? [fromMs, startMs / 1000] : []),
      deletionSeconds: runsOf(pod.deletionSeconds.begunIn(sinceMs, untilMs)),
      status: pod.status.in(sinceMs, untilMs),
      containers: containersIn(pod, sinceMs, untilMs),
    };
  });
}

function birthsOf({ startSeconds, places = [] }: Pod): Birth[] {
  const starts = startSeconds.merged();
  const births: Birth[] = [];
  for (let i = 0; i < starts.length; i += 2) {
    births.push({ fromMs: starts[i] ?? NaN, startMs: (starts[i + 1] ?? NaN) * 1000 });
  }
  if (births.length > 0) return births;
  let node = '';
  for (const place of places.toSorted((a, b) => a.firstMs - b.firstMs)) {
    if (place.node !== node) births.push({ fromMs: place.firstMs, startMs: NaN });
    node = place.node;
  }
  return births;
}

/** The place that is told for longest of what is in [fromMs, untilMs). */
function placeIn({ places = [] }: Pod, fromMs: number, untilMs: number): Place | undefined {
  const msIn = ({ firstMs, lastMs }: Place): number =>
    Math.min(lastMs, untilMs) - Math.max(firstMs, fromMs);
  const inside = places.filter(({ firstMs, lastMs }) => lastMs >= fromMs && firstMs < untilMs);
  return inside.toSorted((a, b) => msIn(b) - msIn(a))[0];
}

/** Where its place is last told of before `untilMs`. */
function seenUntilMs({ places = [] }: Pod, place: Place | undefined, untilMs: number): number {
  if (!place) return Infinity;
  const same = places.filter(({ node, firstMs }) => node === place.node && firstMs < untilMs);
  return Math.max(...same.map(({ lastMs }) => lastMs)) + 1;
}

/** Containers that are told of in [fromMs, untilMs), with what is told then. */
function containersIn(pod: Pod, fromMs: number, untilMs: number): FewMap<Container> {
  const part = new FewMap<Container>();
  pod.containers.forEach((container, name) => {
    const isTold = container.lastMs >= fromMs && container.firstMs < untilMs;
    if (!isTold && !container.isUnmatched) return;
    const cut = (runs: Runs): Runs => runsOf(runs.heldIn(fromMs, untilMs));
    const cutAll = ({ cpu, ram, gpu }: Container['requests']): Container['requests'] => ({
      cpu: cut(cpu),
      ram: cut(ram),
      gpu: cut(gpu),
    });
    const cutEach = (runs: Container['accelerators']): Container['accelerators'] =>
      runs && new Map([...runs].map(([of, each]) => [of, cut(each)]));
    const { startMs, requests, hugepages, granted, accelerators, allocated } = container;
    part.set(name, {
      ...container,
      startMs: startMs >= fromMs && startMs < untilMs ? startMs : NaN,
      requests: cutAll(requests),
      hugepages: cutEach(hugepages),
      granted: granted && cutAll(granted),
      accelerators: cutEach(accelerators),
      allocated: allocated && cutAll(allocated),
    });
  });
  return part;
}

function runsOf(pairs: readonly number[]): Runs {
  const runs = new Runs();
  runs.add(pairs);
  return runs;
}
