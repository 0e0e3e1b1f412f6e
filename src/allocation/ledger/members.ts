/**
 * Workloads as columns: one row a workload, texts as codes of one dictionary, so that any thread
 * can tell names, rows and stretches by addresses alone.
 */
import {
  createFrame,
  Dictionary,
  DictionaryBuilder,
  Frame,
  RESOURCES,
  type Arena,
  type ColumnSpec,
  type Owner,
} from '../../columnar/index.ts';
import { bitOfConcern } from '../inventory/concerns.ts';
import type { Resource } from '../inventory/inventory.ts';
import type { RowRange } from './row-layout.ts';
import { IDENTITY_COLUMNS, PRICE_SOURCE, TEXT_COLUMNS } from '../row/schema.ts';
import type { IdentityColumn } from '../row/schema.ts';
import type { NamedTexts } from '../inventory/named-texts.ts';
import type { PodLife, Workload } from './workloads.ts';
import { UNMOUNTED } from '../row/row-kinds.ts';
import { servicesText } from '../row/services-text.ts';

const METERED: readonly Resource[] = ['cpu', 'ram', 'gpu'];
const COLUMNS: readonly ColumnSpec[] = [
  ...IDENTITY_COLUMNS.map((name): ColumnSpec => ({ name, type: 'u32' })),
  /** Codes of JSON: objects with their names in order, and the list of services. */
  ...TEXT_COLUMNS.map((name): ColumnSpec => ({ name, type: 'u32' })),
  { name: 'endSource', type: 'u32' },
  { name: PRICE_SOURCE, type: 'u32' },
  { name: 'startUncertaintyMs', type: 'f64' },
  { name: 'endUncertaintyMs', type: 'f64' },
  { name: 'gapUncertaintyMs', type: 'f64' },
  /** The largest request and price of each resource: what a moment can cost that no sample shows. */
  ...METERED.flatMap((resource) => [
    { name: `${resource}RequestMax`, type: 'f64' as const },
    { name: `${resource}PriceMax`, type: 'f64' as const },
  ]),
  /** What a GPU that it uses is of a device. */
  { name: 'gpuPart', type: 'f64' },
  { name: 'row', type: 'u32' },
  { name: 'firstSet', type: 'u32' },
  { name: 'sets', type: 'u32' },
  /** Its pod's place among pods, and its rows in the ledger of pods. */
  { name: 'podPlace', type: 'u32' },
  { name: 'podRow', type: 'u32' },
  { name: 'podFirstSet', type: 'u32' },
  { name: 'podSets', type: 'u32' },
  /** 1: shown only in sets in which something was charged to it. */
  { name: 'isUnmounted', type: 'u32' },
  /** 1: its pod only may have run. */
  { name: 'mayHaveRun', type: 'u32' },
  /** A bit for each resource of which no request is known, only what OpenCost allocated; and SIZED_BIT. */
  { name: 'allocated', type: 'u32' },
  /** A bit for each resource of which it has a share of what its pod reserves as a whole. */
  { name: 'shares', type: 'u32' },
  /** Bits of CONCERNS. */
  { name: 'concerns', type: 'u32' },
  /** Its stretches are pairs [start, end) at `stretch` in the list of stretches. */
  { name: 'stretch', type: 'u32' },
  { name: 'stretches', type: 'u32' },
];

/** Addresses; opened by `openMembers`. */
export interface MembersAt {
  readonly frame: number;
  readonly dictionary: number;
  readonly stretches: number;
  readonly stretchCount: number;
  /** Some containers share what their pod reserves as a whole: their excess is to be settled. */
  readonly sharesRequests: boolean;
  /** Bits of CONCERNS that any of them has. */
  readonly concerns: number;
}

export interface Members {
  readonly frame: Frame;
  readonly dictionary: Dictionary;
  /** Pairs (startMs, endMs). */
  readonly stretches: Float64Array;
}

export function openMembers(arena: Arena, at: MembersAt): Members {
  return {
    frame: new Frame(arena, at.frame),
    dictionary: new Dictionary(arena, at.dictionary),
    stretches: arena.f64(at.stretches, 2 * at.stretchCount),
  };
}

const IDENTITY: Readonly<Record<IdentityColumn, (workload: Workload) => string>> = {
  cluster: ({ pod }) => pod.cluster,
  node: ({ pod }) => pod.node,
  namespace: ({ pod }) => pod.namespace,
  pod: ({ pod }) => pod.name,
  container: ({ container }) => container,
  controller: ({ pod }) => pod.controller,
  controllerKind: ({ pod }) => pod.controllerKind,
  providerID: ({ pod }) => pod.providerId,
  instanceType: ({ pod }) => pod.machine.instanceType,
  region: ({ pod }) => pod.machine.region,
  zone: ({ pod }) => pod.machine.zone,
  nodePool: ({ pod }) => pod.machine.nodePool,
};

function podOf({ pod }: Workload): PodLife {
  return pod;
}

/** What members are told of beside themselves. */
export interface MemberTables {
  /** Rows of each workload, in their order. */
  readonly ranges: readonly RowRange[];
  /** Rows of each pod in the ledger of pods; empty without one. */
  readonly podRanges: ReadonlyMap<PodLife, RowRange>;
  /** Pods that outlived their nodes. */
  readonly outliving: ReadonlySet<PodLife>;
  readonly texts: DictionaryBuilder;
}

export function storeMembers(
  arena: Arena,
  owner: Owner,
  workloads: readonly Workload[],
  { ranges, podRanges, outliving, texts }: MemberTables,
): MembersAt {
  const frame = createFrame(arena, COLUMNS, workloads.length, owner);
  const fill = (column: string, value: (workload: Workload, i: number) => number): void => {
    const target = frame.u32(column);
    workloads.forEach((workload, i) => (target[i] = value(workload, i)));
  };
  /** Neighbours mostly have the same: containers of a pod, pods of a namespace. */
  const fillBy = <Key>(
    column: string,
    keyOf: (workload: Workload) => Key,
    value: (key: Key, workload: Workload) => number,
  ): void => {
    let before: Key | undefined;
    let known = 0;
    fill(column, (workload, i) => {
      const key = keyOf(workload);
      if (i === 0 || key !== before) known = value(key, workload);
      before = key;
      return known;
    });
  };
  for (const name of IDENTITY_COLUMNS) fillBy(name, IDENTITY[name], (text) => texts.code(text));
  for (const name of TEXT_COLUMNS) {
    const code = (_: unknown, { pod }: Workload): number => texts.code(textOf(pod, name));
    fillBy(name, ({ pod }) => pod[name], code);
  }
  fill('endSource', ({ pod }) => texts.code(pod.life.endSource));
  fillBy(PRICE_SOURCE, podOf, ({ prices }) => texts.code(prices.source));
  fillAmounts(frame, workloads);
  for (const name of ['row', 'firstSet', 'sets'] as const)
    fill(name, (_, i) => ranges[i]?.[name] ?? 0);
  const pods = new Map<PodLife, number>();
  fillBy('podPlace', podOf, (pod) => {
    const place = pods.get(pod) ?? pods.size;
    pods.set(pod, place);
    return place;
  });
  const rangesOfPods = workloads.map(({ pod }) => podRanges.get(pod));
  fill('podRow', (_, i) => rangesOfPods[i]?.row ?? 0);
  fill('podFirstSet', (_, i) => rangesOfPods[i]?.firstSet ?? 0);
  fill('podSets', (_, i) => rangesOfPods[i]?.sets ?? 0);
  fill('isUnmounted', ({ container }) => (container === UNMOUNTED ? 1 : 0));
  fill('mayHaveRun', ({ pod }) => (pod.mayHaveRun ? 1 : 0));
  fill('allocated', allocatedBits);
  fill('shares', ({ shares }) => bitsOf(shares));
  fill('concerns', (workload) => concernsOf(workload, outliving));
  const stretches: number[] = [];
  fill('stretch', (workload) => {
    const place = stretches.length / 2;
    for (const { startMs, endMs } of workload.stretches) stretches.push(startMs, endMs);
    return place;
  });
  fill('stretches', (workload) => workload.stretches.length);
  const stretchesAt = arena.allocate(8 * Math.max(1, stretches.length), owner);
  arena.f64(stretchesAt, stretches.length).set(stretches);
  return {
    frame: frame.address,
    dictionary: texts.store(arena, owner).address,
    stretches: stretchesAt,
    stretchCount: stretches.length / 2,
    sharesRequests: workloads.some(({ shares }) => shares.length > 0),
    concerns: frame.u32('concerns').reduce((all, bits) => all | bits, 0),
  };
}

/** The column `concerns` of a workload. */
function concernsOf({ pod, isDoubted }: Workload, outliving: ReadonlySet<PodLife>): number {
  return (
    (pod.prices.concerns ?? 0) |
    (pod.isRelabelled ? bitOfConcern('relabelled') : 0) |
    (isDoubted ? bitOfConcern('doubtedRequest') : 0) |
    (outliving.has(pod) ? bitOfConcern('outlived') : 0)
  );
}

/** The column `allocated` of a workload. */
function allocatedBits({ allocated, isSized }: Workload): number {
  return bitsOf(allocated) | (isSized ? SIZED_BIT : 0);
}

/** Set in the column `allocated` of containers whose pods are billed by size. */
export const SIZED_BIT: number = 1 << 16;

/** A resource's bit in the column `allocated`. */
export function bitOf(resource: Resource): number {
  return 1 << RESOURCES[resource];
}

function bitsOf(resources: readonly Resource[]): number {
  return resources.reduce((bits, name) => bits | bitOf(name), 0);
}

/** '' without texts; a name such as `__proto__` is an ordinary name here. */
export function objectJson(pairs: NamedTexts): string {
  if (pairs.length === 0) return '';
  let json = '';
  for (const [name, value] of pairs)
    json += `${json === '' ? '{' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}`;
  return `${json}}`;
}

function fillAmounts(frame: Frame, workloads: readonly Workload[]): void {
  for (const name of ['startUncertaintyMs', 'endUncertaintyMs', 'gapUncertaintyMs'] as const) {
    const column = frame.f64(name);
    workloads.forEach(({ pod }, i) => (column[i] = pod.life[name]));
  }
  const gpuParts = frame.f64('gpuPart');
  workloads.forEach(({ gpuPart }, i) => (gpuParts[i] = gpuPart));
  // Workloads of a node share its prices.
  const known = new Map<readonly number[], number>();
  const largestPrice = (pairs: readonly number[]): number => {
    const largest = known.get(pairs) ?? largestOf(pairs);
    known.set(pairs, largest);
    return largest;
  };
  for (const resource of METERED) {
    const requests = frame.f64(`${resource}RequestMax`);
    const prices = frame.f64(`${resource}PriceMax`);
    workloads.forEach((workload, i) => {
      requests[i] = largestOf(workload.requests[resource]);
      prices[i] = largestPrice(workload.pod.prices[resource]);
    });
  }
}

/** @param pairs (fromMs, value) */
function largestOf(pairs: readonly number[]): number {
  let largest = 0;
  for (let i = 1; i < pairs.length; i += 2) largest = Math.max(largest, pairs[i] ?? 0);
  return largest;
}

function textOf(pod: PodLife, name: (typeof TEXT_COLUMNS)[number]): string {
  return name === 'services' ? servicesText(pod[name]) : objectJson(pod[name]);
}
