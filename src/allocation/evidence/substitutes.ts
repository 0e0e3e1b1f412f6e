/**
 * Facts that stand in for others are read only where a cluster lacks those: what OpenCost allocates
 * changes with usage, and endpoints are as many as pods, while most stores have requests and
 * selectors, which say more.
 */
import { RecordReader, type Arena, type Block } from '../../columnar/index.ts';
import {
  FACTS,
  LABEL_NAMES,
  LIKELY_CLUSTER_LABELS,
  type FactName,
} from '../../metrics/catalogue.ts';
import type { TimeRange } from '../../metrics/index.ts';
import { UNSEEN_MS } from '../inventory/presence.ts';
import { FACT_NAMES } from './fact-names.ts';
import { first, type ClusterOptions } from '../inventory/inventory.ts';

export interface SubstitutesInput extends ClusterOptions {
  /** Where samples count. */
  readonly counted: TimeRange;
  readonly gapMs: number;
  readonly facts: readonly { readonly fact: FactName; readonly blocks: readonly Block[] }[];
}

/** Facts that tell which clusters there are, of few series. */
const OF_CLUSTERS: readonly FactName[] = ['nodeInfo', 'nodeCpuPrice'];

/** Whether it is read only once it is known that others lack something. */
export function isSubstitute(fact: FactName): boolean {
  const { insteadOf, isForGaps } = FACTS[fact];
  return insteadOf !== undefined || isForGaps === true;
}

/** The substitutes to read, now that all else is. */
export function neededSubstitutes(arena: Arena, input: SubstitutesInput): FactName[] {
  const blocksOf = new Map(input.facts.map(({ fact, blocks }) => [fact, blocks]));
  const reader = new RecordReader(arena);
  const clustersIn = function* (fact: FactName): Generator<string, void> {
    for (const record of reader.read(blocksOf.get(fact) ?? [])) {
      yield first(record, input.clusterLabels) || input.clusterId;
    }
  };
  const sidecarsIn = function* (): Generator<string, void> {
    for (const record of reader.read(blocksOf.get('initInfo') ?? []))
      if (record.label('restart_policy') === 'Always')
        yield first(record, input.clusterLabels) || input.clusterId;
  };
  const clusters = new Set(OF_CLUSTERS.flatMap((fact) => [...clustersIn(fact)]));
  const lacking = new Map<FactName, boolean>();
  return FACT_NAMES.filter((fact) => {
    const { insteadOf } = FACTS[fact];
    if (insteadOf === undefined) return false;
    if (fact === 'initRunning') return hasInitsOnly(clustersIn('initRequests'), sidecarsIn());
    const isLacking = lacking.get(insteadOf) ?? lacks(clustersIn(insteadOf), clusters);
    lacking.set(insteadOf, isLacking);
    return isLacking;
  });
}

/** Whether a cluster has init containers with requests, none of which is shown as a sidecar: old kube-state-metrics show none. */
function hasInitsOnly(inits: Iterable<string>, sidecars: Iterable<string>): boolean {
  const told = new Set(sidecars);
  for (const cluster of inits) if (!told.has(cluster)) return true;
  return false;
}

/** A node's series without a cluster. */
interface SeenNode {
  readonly value: string;
  readonly machine: string;
  readonly firstMs: number;
  readonly lastMs: number;
}

/**
 * The label that tells clusters apart though it is not configured: by it alone differ series of two machines with
 * one node name at one time, or the nodes of two pods with one name at one time.
 */
export function clusterLabelIn(arena: Arena, input: SubstitutesInput): string | undefined {
  const blocks = input.facts.find(({ fact }) => fact === 'nodeInfo')?.blocks ?? [];
  const seen = new Map<string, Map<string, SeenNode[]>>();
  const told = new Set<string>();
  for (const record of new RecordReader(arena).read(blocks)) {
    if (first(record, input.clusterLabels) !== '' || !(record.firstMs <= record.lastMs)) continue;
    const name = first(record, LABEL_NAMES.node);
    const machine = record.label('system_uuid') || record.label('provider_id');
    for (const label of LIKELY_CLUSTER_LABELS) {
      const own = {
        value: record.label(label),
        machine,
        firstMs: record.firstMs,
        lastMs: record.lastMs,
      };
      if (own.value === '') continue;
      const nodes = seen.get(label) ?? new Map<string, SeenNode[]>();
      seen.set(label, nodes);
      const others = nodes.get(name) ?? [];
      nodes.set(name, others);
      if (others.some((other) => isAnother(own, other))) told.add(label);
      others.push(own);
    }
  }
  return LIKELY_CLUSTER_LABELS.find((label) => told.has(label)) ?? labelOfPods(arena, input, seen);
}

/** Pods of one cluster have one name one after the other. @param seen nodes by label and name */
function labelOfPods(
  arena: Arena,
  { facts, clusterLabels }: SubstitutesInput,
  seen: ReadonlyMap<string, ReadonlyMap<string, readonly SeenNode[]>>,
): string | undefined {
  const labels = LIKELY_CLUSTER_LABELS.filter((label) => {
    const nodes = [...(seen.get(label)?.values() ?? [])].flat();
    return new Set(nodes.map(({ value }) => value)).size > 1;
  });
  if (labels.length === 0) return undefined;
  const pods = new Map<string, SeenPod[]>();
  const blocks = facts.find(({ fact }) => fact === 'podInfo')?.blocks ?? [];
  for (const record of new RecordReader(arena).read(blocks)) {
    const [uid, node] = [record.label('uid'), first(record, LABEL_NAMES.node)];
    if (uid === '' || first(record, clusterLabels) !== '') continue;
    const own = { uid, node, firstMs: record.firstMs, lastMs: record.lastMs };
    const key = `${first(record, LABEL_NAMES.namespace)}/${first(record, LABEL_NAMES.pod)}`;
    const others = pods.get(key) ?? [];
    pods.set(key, others);
    const beside = others.filter((other) => other.uid !== uid && bothMs(own, other) > UNSEEN_MS);
    const valueOn = (label: string, of: string): string =>
      seen.get(label)?.get(of)?.[0]?.value ?? '';
    const told = labels.find((label) =>
      beside.some((other) => {
        const [one, two] = [valueOn(label, node), valueOn(label, other.node)];
        return one !== '' && two !== '' && one !== two;
      }),
    );
    if (told !== undefined) return told;
    others.push(own);
  }
  return undefined;
}

interface SeenPod {
  readonly uid: string;
  readonly node: string;
  readonly firstMs: number;
  readonly lastMs: number;
}

function bothMs(one: SeenPod, other: SeenPod): number {
  return Math.min(one.lastMs, other.lastMs) - Math.max(one.firstMs, other.firstMs);
}

function isAnother(one: SeenNode, other: SeenNode): boolean {
  const isSameMachine = one.machine !== '' && one.machine === other.machine;
  const isAtOnce = one.firstMs <= other.lastMs && other.firstMs <= one.lastMs;
  return one.value !== other.value && isAtOnce && !isSameMachine;
}

/** Whether a cluster is not among those that are told; or none is told at all. */
function lacks(told: Iterable<string>, clusters: ReadonlySet<string>): boolean {
  const untold = new Set(clusters);
  for (const cluster of told) {
    untold.delete(cluster);
    if (untold.size === 0) return false;
  }
  return true;
}
