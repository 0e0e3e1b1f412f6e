/** Pods of one name, one after the other. */
import { emptyContainer, type Pod, type PodName } from './inventory.ts';
import { Presence } from './presence.ts';
import { Runs } from './runs.ts';

/**
 * The pods behind one name. Facts that came without a uid belong to the pod that has one; where no
 * fact has a uid, a changed start time tells one pod from the next.
 */
export function incarnations(name: PodName, gapMs: number): Iterable<Pod> {
  const loose = name.byUid.get('');
  if (!loose) return name.byUid.values();
  if (name.byUid.size === 1) return splitByStart(loose, gapMs);
  const pods = [...name.byUid.values()].filter((pod) => pod !== loose);
  for (const pod of pods) adopt(pod, loose, pods.length === 1);
  return pods;
}

/** @param isOnly the loose facts can be of no other pod, so its presence counts too */
function adopt(pod: Pod, loose: Pod, isOnly: boolean): void {
  pod.node ||= loose.node;
  pod.address ||= loose.address;
  pod.owner ??= loose.owner;
  pod.labels ??= loose.labels;
  pod.annotations ??= loose.annotations;
  for (const claim of loose.claims ?? []) (pod.claims ??= new Set()).add(claim);
  if (isOnly) {
    pod.presence.absorb(loose.presence);
    if (pod.startSeconds.isEmpty) pod.startSeconds.add(loose.startSeconds.merged());
    if (pod.completionSeconds.isEmpty) pod.completionSeconds.add(loose.completionSeconds.merged());
  }
  loose.containers.forEach((facts, container) => {
    const own = pod.containers.get(container) ?? emptyContainer(facts.isStray);
    pod.containers.set(container, own);
    for (const resource of ['cpu', 'ram', 'gpu'] as const) {
      if (own.requests[resource].isEmpty)
        own.requests[resource].add(facts.requests[resource].merged());
    }
    own.allocated ??= facts.allocated;
    if (isOnly && own.startMs !== own.startMs) own.startMs = facts.startMs;
  });
}

function splitByStart(pod: Pod, gapMs: number): Pod[] {
  const starts = pod.startSeconds.merged();
  if (starts.length <= 2) return [pod];
  const completions = pod.completionSeconds.merged();
  const pods: Pod[] = [];
  for (let i = 0; i < starts.length; i += 2) {
    const fromMs = starts[i] ?? NaN;
    const untilMs = starts[i + 2] ?? Infinity;
    const nextStartMs = (starts[i + 3] ?? Infinity) * 1000;
    // A name is taken again only when it is free: at the latest when the next pod started.
    const goneMs = nextStartMs > fromMs ? Math.min(untilMs, nextStartMs) : untilMs;
    const presence = new Presence(gapMs);
    presence.absorb(pod.presence, i === 0 ? -Infinity : fromMs, goneMs);
    pods.push({
      ...pod,
      presence,
      startSeconds: runsOf([fromMs, starts[i + 1] ?? NaN]),
      completionSeconds: runsOf(slice(completions, fromMs, untilMs)),
    });
  }
  return pods;
}

function runsOf(pairs: readonly number[]): Runs {
  const runs = new Runs();
  runs.add(pairs);
  return runs;
}

function slice(pairs: readonly number[], fromMs: number, untilMs: number): number[] {
  const inside: number[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const at = pairs[i] ?? NaN;
    if (at >= fromMs && at < untilMs) inside.push(at, pairs[i + 1] ?? NaN);
  }
  return inside;
}
