/** Containers of a pod as what is billed: from when to when, with which requests. */
import { BYTES_PER_GIB } from '../../pricing/index.ts';
import type { Container, NodeFacts, Resource } from '../inventory/inventory.ts';
import type { NamedTexts } from '../inventory/named-texts.ts';
import { partOfDevice, requestedGpus, type NodeGpus } from '../inventory/node-gpus.ts';
import type { Life, Stretch } from '../inventory/presence.ts';
import { combined, type Runs } from '../inventory/runs.ts';

/** What a container is billed for. */
export interface Billed {
  readonly container: string;
  /** Only usage names it. */
  readonly isUnmatched: boolean;
  readonly stretches: readonly Stretch[];
  /** When a counter of its usage stood at zero: a stretch begins then or later; NaN unknown. */
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
  /** Its pod is billed by size: usage beyond `requests` is not charged. */
  readonly isSized: boolean;
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
    zeroMs: startsLater || startMs >= life.zeroMs ? startMs : life.zeroMs,
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
    isSized: false,
  };
}

/** What a pod is billed for, whatever its node is: cores and GiB. */
interface PodSize {
  readonly cores: number;
  readonly gib: number;
}

/** Namespaces of Google's own pods on Autopilot, which are not billed. */
const SYSTEM_NAMESPACES =
  /^(kube-system|kube-node-lease|gmp-system|gke-gmp-system|gke-managed-.*)$/;

/** Whether the platform runs the pod at its own cost. */
export function isSystemPod(kind: NodeFacts['kind'], namespace: string): boolean {
  return kind === 'autopilot' && SYSTEM_NAMESPACES.test(namespace);
}

/**
 * Containers of a pod on a node that is billed by pods: their requests add up to the pod's size, divided as
 * they requested. A container that only usage names is part of the others' size.
 *
 * @param annotations of the pod
 */
export function billedBySize(
  kind: NodeFacts['kind'],
  annotations: NamedTexts,
  containers: readonly Billed[],
): readonly Billed[] {
  const own = containers.filter(({ isUnmatched }) => !isUnmatched);
  if (kind === '' || own.length === 0) return containers;
  const sizeOf = sizing(kind, annotations);
  const times = [
    ...new Set(own.flatMap(({ requests }) => [...timesOf(requests.cpu), ...timesOf(requests.ram)])),
  ].sort((a, b) => a - b);
  if (times.length === 0) times.push(0);
  const cpu = own.map((): number[] => []);
  const ram = own.map((): number[] => []);
  for (const atMs of times) {
    const cores = own.map(({ requests }) => valueAt(requests.cpu, atMs));
    const bytes = own.map(({ requests }) => valueAt(requests.ram, atMs));
    const size = sizeOf({ cores: sum(cores), gib: sum(bytes) / BYTES_PER_GIB }, own.length);
    shares(cores, size.cores).forEach((share, i) => cpu[i]?.push(atMs, share));
    shares(bytes, size.gib * BYTES_PER_GIB).forEach((share, i) => ram[i]?.push(atMs, share));
  }
  return containers.map((container): Billed => {
    const i = own.indexOf(container);
    const { requests } = container;
    const sized = { ...requests, cpu: cpu[i] ?? [], ram: ram[i] ?? [] };
    return { ...container, requests: i < 0 ? requests : sized, isSized: true };
  });
}

type Sizing = (requested: PodSize, containers: number) => PodSize;

function sizing(kind: Exclude<NodeFacts['kind'], ''>, annotations: NamedTexts): Sizing {
  if (kind === 'autopilot') return autopilotSize;
  if (kind !== 'fargate') return (requested) => requested;
  const size = provisionedSize(annotations);
  return size ? () => size : fargateSize;
}

/** `CapacityProvisioned: 0.25vCPU 0.5GB`, as Fargate annotates pods; kube-state-metrics spells names in its way. */
function provisionedSize(annotations: NamedTexts): PodSize | undefined {
  const text = annotations.find(([name]) => /^capacity_?provisioned$/i.test(name))?.[1] ?? '';
  const [, cores, gib] = /^\s*([\d.]+)\s*vCPU\s+([\d.]+)\s*GB\s*$/i.exec(text) ?? [];
  const size = { cores: Number(cores), gib: Number(gib) };
  return size.cores > 0 && size.gib > 0 ? size : undefined;
}

/** Sizes of Fargate: vCPU, the least and the most GB, and the step between (Amazon EKS user guide). */
const FARGATE_SIZES = [
  [0.25, 0.5, 1, 0.5], [0.25, 2, 2, 1], [0.5, 1, 4, 1], [1, 2, 8, 1], [2, 4, 16, 1], [4, 8, 30, 1], [8, 16, 60, 4],
  [16, 32, 120, 8],
] as const; // prettier-ignore
/** What Fargate adds to requests for the kubelet and its kin. */
const FARGATE_SYSTEM_GIB = 0.25;
/** Sums of requests are exact to this. */
const ROUNDING = 1e-9;

/** The smallest size that has room. A pod that has more than the largest costs what it requests. */
function fargateSize({ cores, gib }: PodSize): PodSize {
  const needed = gib + FARGATE_SYSTEM_GIB - ROUNDING;
  for (const [most, leastGib, mostGib, step] of FARGATE_SIZES) {
    if (cores > most + ROUNDING || needed > mostGib) continue;
    const steps = Math.max(0, Math.ceil((needed - leastGib) / step));
    return { cores: most, gib: leastGib + steps * step };
  }
  return { cores, gib: gib + FARGATE_SYSTEM_GIB };
}

/** Sizes of a container without requests, and of the smallest pod (GKE, "Resource requests in Autopilot"). */
const AUTOPILOT_DEFAULT: PodSize = { cores: 0.5, gib: 2 };
const AUTOPILOT_LEAST: PodSize = { cores: 0.05, gib: 52 / 1024 };
/** GiB for a vCPU. */
const [AUTOPILOT_LEAST_RATIO, AUTOPILOT_MOST_RATIO] = [1, 6.5];

/** Autopilot writes its rounding into requests; these are the rules that all its versions have. */
function autopilotSize(requested: PodSize, containers: number): PodSize {
  const isNone = requested.cores === 0 && requested.gib === 0;
  const { cores, gib } = isNone
    ? { cores: containers * AUTOPILOT_DEFAULT.cores, gib: containers * AUTOPILOT_DEFAULT.gib }
    : requested;
  const least = Math.max(gib, AUTOPILOT_LEAST.gib);
  const sized = Math.max(cores, AUTOPILOT_LEAST.cores, least / AUTOPILOT_MOST_RATIO);
  return { cores: sized, gib: Math.max(least, sized * AUTOPILOT_LEAST_RATIO) };
}

/** Divides an amount in the ratio of the parts, evenly if all are 0. */
function shares(parts: readonly number[], amount: number): readonly number[] {
  const all = sum(parts);
  return parts.map((part) => (all > 0 ? (amount * part) / all : amount / parts.length));
}

/** The times of pairs (fromMs, value). */
function timesOf(pairs: readonly number[]): readonly number[] {
  return pairs.filter((_, i) => i % 2 === 0);
}

/** The first value holds before its time too. */
export function valueAt(pairs: readonly number[], atMs: number): number {
  let value = pairs[1] ?? 0;
  for (let i = 2; i < pairs.length && (pairs[i] ?? NaN) <= atMs; i += 2) value = pairs[i + 1] ?? 0;
  return value;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
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
