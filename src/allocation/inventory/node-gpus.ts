/**
 * Physical GPUs of nodes, and how much of one each unit of a resource is. A node is billed for its
 * devices, however its plugin shares them, and whether or not the plugin runs:
 *
 *   devices   a label's count, else those of the node's type, else units / replicas
 *   weight    devices / units of the node then; of a partition, its slices / slices of the model
 */
import {
  acceleratorOf,
  CLAIMED_DEVICES,
  partitionNamed,
  partitionOfModel,
  type Partition,
} from '../../metrics/catalogue.ts';
import { gpuModelNamed, listPriceOf, placeOfNode, type GpuModel } from '../../pricing/index.ts';
import type { Accelerators } from './accelerator-runs.ts';
import type { NodeFacts } from './nodes-and-volumes.ts';

/** Devices that Amazon's plugin shows each as so many, unless it is told otherwise. */
const VGPUS = 10;
const VGPU = 'k8s_amazonaws_com_vgpu';
/** HAMi shows each device so many times, unless it is told otherwise (`devicePlugin.deviceSplitCount`). */
const HAMI_SPLITS = 10;

/** What a unit of each resource is of a device, as pairs (fromMs, part). */
export type GpuWeights = ReadonlyMap<string, readonly number[]>;

export interface NodeGpus {
  /** 0 without any. */
  readonly devices: number;
  readonly weights: GpuWeights;
  /** Memory of one device; NaN where it is not known. */
  readonly memoryMiB: number;
}

const NONE: NodeGpus = { devices: 0, weights: new Map(), memoryMiB: NaN };

/** @param node undefined: not known, where each unit is a device */
export function gpusOf(node: NodeFacts | undefined): NodeGpus {
  if (node?.accelerators === undefined) return NONE;
  const model = modelOf(node);
  const whole = wholePartition(node);
  const units = [...node.accelerators].map(([resource, runs]) => {
    const found = acceleratorOf(resource);
    const partition = found?.kind === 'partition' ? found : found?.kind === 'claimed' ? undefined : whole; // prettier-ignore
    const part = partition && partOf(partition, model);
    return { resource, pairs: runs.merged(), most: Math.max(0, runs.largest() || 0), part };
  });
  const partitioned = sum(units.map(({ part, most }) => (part === undefined ? 0 : most * part)));
  const shown = units.filter(({ part }) => part === undefined);
  const type = node.type === '' ? undefined : typeOf(node);
  const own = sum(shown.map(({ resource, most }) => devicesIn(node, resource, most)));
  const counted = partitioned > 0 ? Math.ceil(partitioned - 1e-9) + own : own;
  const told = whole === undefined ? labelled(node, 'count') : undefined;
  const most = sum(units.map((one) => one.most));
  // Claims show no more than what is claimed.
  const isClaimed = node.accelerators.has(CLAIMED_DEVICES);
  const known = [told, type?.gpus].find((count = 0) => count > 0 && (count <= most || isClaimed));
  const devices = known ?? counted;
  // How many devices are cut is not known: beside partitions replicas alone tell what a share is.
  const left = partitioned > 0 ? own : devices;
  const weights = units.map(({ resource, part, pairs }): [string, readonly number[]] => {
    if (resource === CLAIMED_DEVICES) return [resource, [0, 1]];
    if (part !== undefined) return [resource, [pairs[0] ?? 0, part]];
    return [resource, held(pairs).map((v, i) => (i % 2 === 1 ? Math.min(1, left / v) : v))];
  });
  const memoryGiB = type?.gpuMemoryGiB || model?.memoryGiB;
  const memoryMiB = Number(node.gpuLabels.memory ?? NaN) || 1024 * (memoryGiB ?? NaN);
  return { devices, weights: new Map(weights), memoryMiB };
}

/** The partition that each unit of a node is, where all are cut alike: MIG's single strategy, and GKE. */
function wholePartition({ gpuLabels }: NodeFacts): Partition | undefined {
  return partitionOfModel(gpuLabels.product ?? '') ?? partitionNamed(gpuLabels.partition ?? '');
}

/** A profile such as `1g.24gb` is a seventh of an H100 and a fourth of an RTX PRO 6000. */
export function partOf({ slices, part }: Partition, model: GpuModel | undefined): number {
  return model?.slices === undefined ? part : Math.min(1, slices / model.slices);
}

/**
 * The model of a node's GPUs: by the label of GPU feature discovery, else by the node's type, as labels
 * of clouds do not all tell how much memory a device has; undefined unknown.
 */
export function modelOf(node: NodeFacts): GpuModel | undefined {
  const { product = '', accelerator = '' } = node.gpuLabels;
  const ofType = node.type === '' ? '' : (typeOf(node)?.gpuModel ?? '');
  return gpuModelNamed(product) ?? gpuModelNamed(ofType) ?? gpuModelNamed(accelerator);
}

function devicesIn(node: NodeFacts, resource: string, units: number): number {
  if (resource === VGPU) return units / VGPUS;
  const replicas = labelled(node, 'replicas') ?? 1;
  if (replicas > 1 && replicas <= units) return units / replicas;
  const isSplit = node.hasHami && resource === 'nvidia_com_gpu' && units % HAMI_SPLITS === 0;
  return isSplit ? units / HAMI_SPLITS : units;
}

/** Without the times in which the plugin was away: it restarts, and the devices stay. */
function held(pairs: readonly number[]): readonly number[] {
  const kept: number[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const [at = NaN, units = 0] = [pairs[i], pairs[i + 1]];
    if (units > 0) kept.push(at, units);
  }
  return kept;
}

/** Counts as GPU feature discovery writes them; 0 and less are none. */
function labelled({ gpuLabels }: NodeFacts, name: 'count' | 'replicas'): number | undefined {
  const count = Number(gpuLabels[name] ?? NaN);
  return count > 0 && count < Infinity ? count : undefined;
}

/** Devices that its type has by list, whether or not anything else tells of them. */
export function gpusOfType(node: NodeFacts): number {
  return node.type === '' ? 0 : (typeOf(node)?.gpus ?? 0);
}

function typeOf(node: NodeFacts): ReturnType<typeof listPriceOf> {
  const { provider, region } = placeOfNode(node);
  // Sizes alone count here, in whichever currency it is sold.
  return listPriceOf(provider, region, node.type, 1);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The devices that a container requests: units times what each is of a device then, added up. */
export function requestedGpus(requests: Accelerators, { weights, memoryMiB }: NodeGpus): number[] {
  const parts: (readonly number[])[] = [];
  const fractions: { readonly unit: string; readonly pairs: readonly number[] }[] = [];
  for (const [resource, runs] of requests) {
    const found = acceleratorOf(resource);
    if (found?.kind === 'fraction') fractions.push({ unit: found.unit, pairs: runs.merged() });
  }
  for (const [resource, runs] of requests) {
    const found = acceleratorOf(resource);
    if (found === undefined || found.kind === 'fraction') continue;
    const part = found.kind === 'partition' ? found.part : 1;
    const weight = fractionOf(fractions, memoryMiB) ?? weights.get(resource) ?? [0, part];
    parts.push(combined([runs.merged(), weight], ([units = 0, each = 0]) => units * each));
  }
  if (parts.length === 1) return [...(parts[0] ?? [])];
  return combined(parts, sum);
}

/** What one unit of what a container requests is of a device, the last that was told. */
export function partOfDevice(requests: Accelerators, gpus: NodeGpus): number {
  let units = 0;
  for (const [resource, runs] of requests) {
    const found = acceleratorOf(resource);
    if (found !== undefined && found.kind !== 'fraction') units += runs.merged().at(-1) ?? 0;
  }
  const devices = requestedGpus(requests, gpus).at(-1) ?? 0;
  return units > 0 && devices > 0 ? devices / units : 1;
}

/** Memory before cores: HAMi holds containers to it. */
function fractionOf(
  fractions: readonly { readonly unit: string; readonly pairs: readonly number[] }[],
  memoryMiB: number,
): readonly number[] | undefined {
  const wholes = [['%', 100], ['MiB', memoryMiB], ['cores%', 100]] as const; // prettier-ignore
  for (const [unit, whole] of wholes) {
    const found = fractions.find((one) => one.unit === unit);
    if (found && whole > 0)
      return found.pairs.map((v, i) => (i % 2 === 1 ? Math.min(1, v / whole) : v));
  }
  return undefined;
}

/** One step function of several: its value at each time that one of them changes. */
export function combined(
  all: readonly (readonly number[])[],
  value: (at: readonly number[]) => number,
): number[] {
  const times = new Set(all.flatMap((pairs) => pairs.filter((_, i) => i % 2 === 0)));
  const result: number[] = [];
  for (const at of [...times].sort((a, b) => a - b)) {
    const now = value(all.map((pairs) => valueAt(pairs, at)));
    if (result.at(-1) !== now || result.length === 0) result.push(at, now);
  }
  return result;
}

/** The first value also holds before its time. */
function valueAt(pairs: readonly number[], at: number): number {
  let value = pairs[1] ?? 0;
  for (let i = 0; i < pairs.length && (pairs[i] ?? Infinity) <= at; i += 2)
    value = pairs[i + 1] ?? 0;
  return value;
}

/** Gives a node its devices, for as long as it is there. */
export function settleGpus(node: NodeFacts): void {
  if (node.accelerators === undefined) return;
  const { devices } = gpusOf(node);
  if (devices > 0) node.capacity.gpu.add([0, devices]);
}
