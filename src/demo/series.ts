/**
 * Which series the demo store has: for each metric, how it is made from nodes, pods and containers,
 * named and labelled as kube-state-metrics v2, cAdvisor and the OpenCost exporter do.
 */
import type { Span } from './changes.ts';
import { WORKLOADS } from './fleet.ts';
import { hashText, hexText } from './hash.ts';
import { nodePlaces, nodesAt, type DemoNode, type NodePlace } from './nodes.ts';
import { isRun, placeWorkloads, podsOf, type DemoPod, type Placed } from './pods.ts';
import type { Sampler } from './usage.ts';
import type { Labels } from '../metrics/index.ts';

/** Scraped from its start on, last before its end; then one stale marker. */
export interface DemoSeries extends Span {
  readonly labels: Labels;
  readonly scraped: Target;
  /** A constant, or what makes a sampler. */
  readonly value: number | (() => Sampler);
}

/** What is scraped as one: its labels, and when within each interval. */
export interface Target {
  readonly labels: Labels;
  readonly phaseMs: number;
}

export const SCRAPE_INTERVAL_MS = 60_000;

export interface DemoFleet {
  readonly places: readonly NodePlace[];
  readonly placed: readonly Placed[];
  readonly seed: number;
  /** Pods of the last ranges that were asked for, few enough to be kept: a query reads some 30 metrics of one range. */
  readonly known: Map<string, readonly DemoPod[]>;
  /** By cluster. */
  readonly kubeStates: Map<string, Target>;
}

const KNOWN_RANGES = 4;
/** Kept of one range: those of some three days. */
const KNOWN_PODS = 2000;

export function createFleet(seed: number): DemoFleet {
  const places = nodePlaces(seed);
  const placed = placeWorkloads(WORKLOADS, places, seed);
  return { places, placed, seed, known: new Map(), kubeStates: new Map() };
}

export function* fleetNodes({ places }: DemoFleet, range: Span): Generator<DemoNode, void> {
  for (const place of places) yield* nodesAt(place, range);
}

export function* fleetPods({ placed, known }: DemoFleet, range: Span): Generator<DemoPod, void> {
  const key = `${range.startMs} ${range.endMs}`;
  const before = known.get(key);
  if (before !== undefined) {
    yield* before;
    return;
  }
  // One after the other, as who reads them may rest in between.
  const pods: DemoPod[] = [];
  for (const one of placed)
    for (const pod of podsOf(one, range)) {
      if (pods.length <= KNOWN_PODS) pods.push(pod);
      yield pod;
    }
  if (pods.length > KNOWN_PODS) return;
  for (const oldest of known.keys()) if (known.size >= KNOWN_RANGES) known.delete(oldest);
  known.set(key, pods);
}

/** Those that run to completion. */
export function* fleetRuns({ placed }: DemoFleet, range: Span): Generator<DemoPod, void> {
  for (const one of placed) if (isRun(one.workload)) yield* podsOf(one, range);
}

/** kube-state-metrics of a cluster, with `honor_labels`. */
export function kubeState({ seed, kubeStates }: DemoFleet, cluster: string): Target {
  const before = kubeStates.get(cluster);
  if (before !== undefined) return before;
  const labels = { cluster_id: cluster, job: 'kube-state-metrics', instance: '10.1.0.12:8080' };
  const target = { labels, phaseMs: phaseOf(`${cluster}/kube-state-metrics`, seed) };
  kubeStates.set(cluster, target);
  return target;
}

/** cAdvisor within a node's kubelet. */
export function cadvisor({ seed }: DemoFleet, node: DemoNode): Target {
  const labels = {
    cluster_id: node.pool.cluster,
    job: 'kubelet',
    metrics_path: '/metrics/cadvisor',
    instance: `${node.ip}:10250`,
    node: node.name,
  };
  return { labels, phaseMs: phaseOf(`${node.name}/cadvisor`, seed) };
}

/** NVIDIA's exporter on a node, whose labels of workloads give way to those of its own pod. */
export function gpuExporter({ seed }: DemoFleet, { pool, ip, name }: DemoNode): Target {
  const labels = {
    cluster_id: pool.cluster,
    job: 'dcgm-exporter',
    instance: `${ip}:9400`,
    node: name,
    namespace: 'gpu-operator',
    pod: `dcgm-exporter-${hexText(hashText(name, seed), 5)}`,
    container: 'dcgm-exporter',
  };
  return { labels, phaseMs: phaseOf(`${name}/dcgm-exporter`, seed) };
}

/** The exporter of prices. */
export function priceExporter({ seed }: DemoFleet, cluster: string): Target {
  const labels = { cluster_id: cluster, job: 'opencost' };
  return { labels, phaseMs: phaseOf(`${cluster}/opencost`, seed) };
}

/** The exporter of egress on a node. */
export function egressExporter({ seed }: DemoFleet, { pool, ip, name }: DemoNode): Target {
  const labels = {
    cluster_id: pool.cluster,
    job: 'network-costs',
    instance: `${ip}:3001`,
    node: name,
  };
  return { labels, phaseMs: phaseOf(`${name}/network-costs`, seed) };
}

/** Whole milliseconds, as scrapers spread their targets. */
function phaseOf(target: string, seed: number): number {
  return hashText(target, seed) % SCRAPE_INTERVAL_MS;
}
