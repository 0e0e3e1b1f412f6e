/** Containers of demo pods: started after the pod, restarted now and then, counters from zero. */
import { timeOfDayMs, type Span } from './changes.ts';
import { DAY_MS, SECOND_MS } from '../query/index.ts';
import type { ContainerSpec } from './fleet.ts';
import { hashText, hexText, mix, unit } from './hash.ts';
import type { DemoPod } from './pods.ts';

/** One run of a container, between two restarts; `lastMs` is when its state stops being told. */
export interface DemoContainer extends Span {
  readonly spec: ContainerSpec;
  readonly key: number;
  /** As the runtime names it: new after each restart. */
  readonly id: string;
  readonly lastMs: number;
}

const RESTART_MS = 2 * SECOND_MS;

/** Ids are made of many hashes, and some 20 metrics tell of each container. */
const known = new WeakMap<DemoPod, readonly DemoContainer[]>();

export function containersOf(pod: DemoPod): readonly DemoContainer[] {
  const before = known.get(pod);
  if (before !== undefined) return before;
  const made = [...newContainersOf(pod)];
  known.set(pod, made);
  return made;
}

function* newContainersOf(pod: DemoPod): Generator<DemoContainer, void> {
  for (const spec of pod.workload.containers) {
    const startMs = Math.min(pod.startMs + spec.startDelaySeconds * SECOND_MS, pod.endMs);
    yield* runsOf(pod, spec, startMs);
  }
}

function* runsOf(
  pod: DemoPod,
  spec: ContainerSpec,
  firstMs: number,
): Generator<DemoContainer, void> {
  const key = hashText(spec.name, pod.key);
  let startMs = firstMs;
  const run = (endMs: number, lastMs: number): DemoContainer => {
    const own = mix(key, startMs / SECOND_MS);
    return { spec, startMs, endMs, lastMs, key: own, id: hexText(own, 64) };
  };
  for (const atMs of spec.restartsPerDay > 0 ? restartsOf(pod, spec, key) : []) {
    if (atMs < startMs + 60 * SECOND_MS) continue;
    yield run(atMs, atMs + RESTART_MS);
    startMs = atMs + RESTART_MS;
  }
  yield run(pod.endMs, pod.goneMs);
}

function* restartsOf(pod: DemoPod, spec: ContainerSpec, key: number): Generator<number, void> {
  for (let day = Math.floor(pod.startMs / DAY_MS); day * DAY_MS < pod.endMs; day++) {
    const atMs = timeOfDayMs(key ^ 0x2f, day, 0, 24);
    if (unit(mix(key, day)) < spec.restartsPerDay && atMs < pod.endMs - 60 * SECOND_MS) yield atMs;
  }
}
