/**
 * Small worlds as series, of one day: what kube-state-metrics, cAdvisor and the price exporter show of
 * nodes and pods. Times are hours of the day, amounts cores and GiB.
 */
import type { TestSeries } from '../stores/samples-encoding.ts';

export const DAY_MS: number = Date.UTC(2026, 10, 20);
export const DAY_WINDOW = '2026-11-20T00:00:00Z,2026-11-21T00:00:00Z';
/** The clock of a server over a world. */
export const WORLD_NOW = '2026-11-22T06:00:00Z';
export const CORE_USD = 0.05;
export const GIB_USD = 0.006;
const HOUR_MS = 3_600_000;
const GIB = 2 ** 30;

type Labels = Readonly<Record<string, string>>;
/** A value that holds, or one at each hour. */
export type Value = number | ((hour: number) => number | undefined);

/** When an exporter is scraped. */
export interface Scraped {
  readonly everySeconds?: number;
  /** Each scrape is up to so much late. */
  readonly jitterSeconds?: number;
  /** First and last hour; a day and four hours on either side by default. */
  readonly hours?: readonly [from: number, to: number];
  /** Hours without scrapes. */
  readonly gaps?: readonly (readonly [from: number, to: number])[];
  /** An end marker follows the last sample by an interval. */
  readonly isEnded?: boolean;
}

export function shown(
  metric: string,
  labels: Labels,
  value: Value = 1,
  {
    everySeconds = 60,
    jitterSeconds = 0,
    hours: [from, to] = [-4, 28],
    gaps = [],
    isEnded = false,
  }: Scraped = {},
): TestSeries {
  const timestampsMs: number[] = [];
  const values: (number | 'stale')[] = [];
  const everyMs = everySeconds * 1000;
  const firstMs = Math.ceil((DAY_MS + from * HOUR_MS) / everyMs) * everyMs;
  let scrape = 0;
  for (let ms = firstMs; ms <= DAY_MS + to * HOUR_MS; ms += everyMs) {
    // Of no period that tests would share.
    const atMs = ms + Math.round(((scrape++ * 0.618) % 1) * jitterSeconds * 1000);
    const hour = (atMs - DAY_MS) / HOUR_MS;
    if (gaps.some(([start, end]) => hour >= start && hour < end)) continue;
    const now = typeof value === 'number' ? value : value(hour);
    if (now === undefined) continue;
    timestampsMs.push(atMs);
    values.push(now);
  }
  if (isEnded) {
    timestampsMs.push((timestampsMs.at(-1) ?? firstMs) + everyMs);
    values.push('stale');
  }
  return {
    labels: Object.entries({ __name__: metric, ...labels }).sort(([a], [b]) => (a < b ? -1 : 1)),
    timestampsMs,
    values,
  };
}

/** The exporters of a world. */
export interface Exporters {
  readonly state?: Scraped | undefined;
  readonly cadvisor?: Scraped | undefined;
}

export function nodeSeries(
  node: string,
  { state }: Exporters = {},
  cores = 8,
  gib = 32,
): TestSeries[] {
  const of = (resource: string, unit: string): Labels => ({ node, resource, unit });
  return [
    shown('kube_node_info', { node, kubelet_version: 'v1.31.2' }, 1, state),
    shown('kube_node_created', { node }, DAY_MS / 1000 - 10 * 86_400, state),
    shown('kube_node_status_capacity', of('cpu', 'core'), cores, state),
    shown('kube_node_status_capacity', of('memory', 'byte'), gib * GIB, state),
    shown('node_cpu_hourly_cost', { node, instance: node }, CORE_USD, state),
    shown('node_ram_hourly_cost', { node, instance: node }, GIB_USD, state),
  ];
}

/** Cores all the time, or before and after noon. */
export type Used = number | readonly [before: number, after: number];

export interface WorldContainer {
  readonly name?: string;
  /** Requests; none where not given. */
  readonly cores?: Value;
  readonly gib?: Value;
  readonly usedCores?: Used;
  readonly usedGib?: number;
  /** Only its usage is shown by cAdvisor; kube-state-metrics shows it as an init container. */
  readonly init?: 'sidecar' | 'ends';
}

export interface WorldPod {
  readonly name?: string;
  readonly node?: string;
  readonly isOnHostNetwork?: boolean;
  readonly containers: readonly WorldContainer[];
  /** kube-state-metrics names no uid. */
  readonly hasNoUid?: boolean;
}

/** A pod that runs from four hours before the day to four hours after it. */
export function podSeries(
  { name = 'web-1', node = 'n1', isOnHostNetwork = false, containers, hasNoUid = false }: WorldPod,
  { state, cadvisor }: Exporters = {},
): TestSeries[] {
  const pod = podLabels(name, hasNoUid);
  return [
    shown('kube_pod_info', { ...pod, node, host_network: String(isOnHostNetwork) }, 1, state),
    shown('kube_pod_start_time', pod, DAY_MS / 1000 - 4 * 3600, state),
    ...['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'].map((phase) =>
      shown('kube_pod_status_phase', { ...pod, phase }, Number(phase === 'Running'), state),
    ),
    ...containers.flatMap((one) => containerSeries(one, { pod, node, state, cadvisor })),
  ];
}

export function podLabels(pod: string, hasNoUid: boolean = false): Labels {
  return { namespace: 'shop', pod, ...(hasNoUid ? {} : { uid: `uid-of-${pod}` }) };
}

function containerSeries(
  { name = 'app', cores, gib, usedCores = 0.1, usedGib = 0.1, init }: WorldContainer,
  { pod, node, state, cadvisor }: Exporters & { readonly pod: Labels; readonly node: string },
): TestSeries[] {
  const named = { ...pod, container: name };
  const kind = init === undefined ? '' : 'init_';
  const restarts = init === 'sidecar' ? { restart_policy: 'Always' } : {};
  const request = (resource: string, unit: string, value: Value | undefined): TestSeries[] => {
    if (value === undefined) return [];
    const labels = { ...named, node, resource, unit };
    return [shown(`kube_pod_${kind}container_resource_requests`, labels, value, state)];
  };
  const info = shown(`kube_pod_${kind}container_info`, { ...named, ...restarts }, 1, state);
  return [
    info,
    ...request('cpu', 'core', cores),
    ...request('memory', 'byte', typeof gib === 'number' ? gib * GIB : gib),
    ...(init === 'ends' ? [] : usageSeries({ pod, name, node, usedCores, usedGib }, cadvisor)),
  ];
}

const NOON = 12;

/** The counter starts with the series. */
export function usageSeries(
  {
    pod: { namespace = '', pod = '' },
    name,
    node,
    usedCores,
    usedGib,
  }: {
    readonly pod: Labels;
    readonly name: string;
    readonly node: string;
    readonly usedCores: Used;
    readonly usedGib: number;
  },
  cadvisor: Scraped = {},
): TestSeries[] {
  const of = { namespace, pod, container: name, node, image: 'x', id: `/k/${pod}/${name}` };
  const [from] = cadvisor.hours ?? [-4];
  const [before, after] = typeof usedCores === 'number' ? [usedCores, usedCores] : usedCores;
  const counter = (hour: number): number =>
    3600 * (before * (Math.min(hour, NOON) - from) + after * Math.max(0, hour - NOON));
  return [
    shown('container_cpu_usage_seconds_total', of, counter, cadvisor),
    shown('container_memory_working_set_bytes', of, usedGib * GIB, cadvisor),
  ];
}
