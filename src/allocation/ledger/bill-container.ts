/** Containers of a pod as what is billed: from when to when, with which requests. */
import type { Container, Resource } from '../inventory/inventory.ts';
import { partOfDevice, requestedGpus, type NodeGpus } from '../inventory/node-gpus.ts';
import type { Life, Stretch } from '../inventory/presence.ts';
import type { Runs } from '../inventory/runs.ts';

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
}

/** @param gpus of its node */
export function billContainer(
  container: string,
  facts: Container,
  life: Life,
  gpus: NodeGpus,
): Billed {
  // Requests hold from the pod's start on; its counters begin at its own.
  const { startMs } = facts;
  const startsLater = startMs > (life.stretches[0]?.startMs ?? Infinity);
  return {
    container,
    isUnmatched: facts.isUnmatched,
    stretches: startsLater ? cutAt(life.stretches, startMs) : life.stretches,
    zeroMs: startsLater ? startMs : life.startIsKnown ? (life.stretches[0]?.startMs ?? NaN) : NaN,
    requests: {
      cpu: sourceOf(facts, 'cpu').merged(),
      ram: sourceOf(facts, 'ram').merged(),
      gpu: facts.accelerators
        ? requestedGpus(facts.accelerators, gpus)
        : sourceOf(facts, 'gpu').merged(),
    },
    gpuPart: facts.accelerators ? partOfDevice(facts.accelerators, gpus) : 1,
    allocated: facts.allocated ? RESOURCE_NAMES.filter((name) => isAllocated(facts, name)) : NONE,
  };
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
