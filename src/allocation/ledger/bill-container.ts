/** Containers of a pod as what is billed: from when to when, with which requests. */
import type { Container, Resource } from '../inventory/inventory.ts';
import { partOfDevice, requestedGpus, type NodeGpus } from '../inventory/node-gpus.ts';
import type { Life, Stretch } from '../inventory/presence.ts';
import { combined, type Runs } from '../inventory/runs.ts';

/** What a container is billed for. */
export interface Billed {
  readonly container: string;
  /** Only usage names it. */
  readonly isUnmatched: boolean;
  readonly stretches: readonly Stretch[];
  /** When a counter of its usage stood at zero: a stretch begins then; NaN unknown. */
  readonly zeroMs: number;
  /** Requests in units (core, byte, GPU) as pairs (fromMs, value). */
  readonly requests: Readonly<Record<Resource, readonly number[]>>;
  /** The part of a device that one of the GPUs that it sees is: 1, or less where devices are shared. */
  readonly gpuPart: number;
  /** Resources without a known request: `requests` holds what OpenCost allocated, usage included. */
  readonly allocated: readonly Resource[];
  /** Resources of which it has a share of what its pod reserves beyond its containers' own requests. */
  readonly shares: readonly Resource[];
  /** Some requests were not believed (`believed`). */
  readonly isDoubted: boolean;
}

/** The node of a container. */
export interface Room {
  readonly gpus: NodeGpus;
  /** The most it had; Infinity unknown. */
  readonly cores: number;
  readonly ramBytes: number;
}

export function billContainer(
  container: string,
  facts: Container,
  life: Life,
  { gpus, cores, ramBytes }: Room,
): Billed {
  // Requests hold from the pod's start on; its counters begin at its own.
  const { startMs } = facts;
  const startsLater = startMs > (life.stretches[0]?.startMs ?? Infinity);
  const [toldCpu, toldRam] = [held(facts, 'cpu', cores), held(facts, 'ram', ramBytes)];
  const [cpu, ram] = [believed(toldCpu, cores), believed(toldRam, ramBytes)];
  return {
    container,
    isUnmatched: facts.isUnmatched,
    stretches: startsLater ? cutAt(life.stretches, startMs) : life.stretches,
    zeroMs: startsLater ? startMs : life.startIsKnown ? (life.stretches[0]?.startMs ?? NaN) : NaN,
    requests: {
      cpu,
      ram,
      gpu: facts.accelerators
        ? requestedGpus(facts.accelerators, gpus)
        : sourceOf(facts, 'gpu').merged(),
    },
    gpuPart: facts.accelerators ? partOfDevice(facts.accelerators, gpus) : 1,
    allocated: facts.allocated ? RESOURCE_NAMES.filter((name) => isAllocated(facts, name)) : NONE,
    shares: NONE,
    isDoubted: cpu !== toldCpu || ram !== toldRam,
  };
}

/**
 * What its node sets aside for a container. While a resize in place is under way that is the larger of what
 * is wanted and what is granted; what is more than the node has can never be granted.
 */
function held(facts: Container, resource: 'cpu' | 'ram', capacity: number): readonly number[] {
  const spec = sourceOf(facts, resource).merged();
  const granted = facts.granted?.[resource].merged() ?? [];
  const isResized = granted.length > 0 && spec.length > 0;
  // Before anything is granted, what is wanted counts.
  const resized = isResized
    ? combined([spec, [0, NaN, ...granted]], ([wanted = 0, own = NaN]) =>
        wanted < own || (own === own && wanted > capacity) ? own : wanted,
      )
    : spec;
  if (resource === 'cpu' || !facts.hugepages) return resized;
  const pages = Array.from(facts.hugepages.values(), (runs) => runs.merged());
  return combined([resized, ...pages], (values) => values.reduce((sum, value) => sum + value, 0));
}

/**
 * Requests without those that are a fault, as no node takes a pod that asks for more than it has: the
 * request before holds. Twice as much is believed, as for usage, since nodes may have been smaller before.
 * @param pairs (fromMs, value); the same where all are believed
 */
export function believed(pairs: readonly number[], capacity: number): readonly number[] {
  const isFault = (value: number): boolean => value < 0 || value > 2 * capacity;
  if (!pairs.some((value, i) => i % 2 === 1 && isFault(value))) return pairs;
  return pairs.filter((_, i) => !isFault(pairs[i | 1] ?? NaN));
}

const RESOURCE_NAMES: readonly Resource[] = ['cpu', 'ram', 'gpu'];

/** Shared by all without an allocation by OpenCost that stands in for requests. */
const NONE: readonly Resource[] = [];

function isAllocated(facts: Container, resource: Resource): boolean {
  if (resource === 'gpu' && facts.accelerators) return false;
  return sourceOf(facts, resource) !== facts.requests[resource];
}

/** Requests before what OpenCost says is allocated: that is sampled, and holds usage. */
function sourceOf({ requests, allocated }: Container, resource: Resource): Runs {
  const own = requests[resource];
  const other = allocated?.[resource];
  return own.isEmpty && other?.isEmpty === false ? other : own;
}

function cutAt(stretches: readonly Stretch[], atMs: number): Stretch[] {
  return stretches.flatMap((stretch) => {
    const { startMs, endMs } = stretch;
    if (atMs <= startMs || atMs >= endMs) return [stretch];
    return [
      { startMs, endMs: atMs },
      { startMs: atMs, endMs },
    ];
  });
}
