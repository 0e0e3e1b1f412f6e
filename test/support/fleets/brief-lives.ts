/**
 * Fleets of pods that live for seconds to hours, some with names that are used again and containers that
 * restart, as series of state metrics and cAdvisor, and a store that holds them.
 */
import fc from 'fast-check';
import type { MetricsSource } from '../../../src/metrics/index.ts';
import { compileMatchers } from '../../../src/metrics/matching.ts';
import { encodeSamples, type TestSeries } from '../stores/samples-encoding.ts';
import { told, type Scraped, type ToldSeries } from '../stores/series-file.ts';

export const START_MS: number = Date.UTC(2024, 4, 1, 10);
export const HOURS = 4;
const HOUR_MS = 3_600_000;
const GIB = 2 ** 30;
export const CORE_USD = 0.04;
export const GIB_USD = 0.005;
const NODES = ['n1', 'n2'] as const;

const life = fc.oneof(
  fc.integer({ min: 5, max: 59 }),
  fc.integer({ min: 60, max: 900 }),
  fc.integer({ min: 900, max: 15_000 }),
);

export interface BriefPod {
  /** Pods of one name follow each other. */
  readonly name: string;
  readonly node: string;
  readonly namespace: string;
  readonly team: string;
  /** Seconds after the pod before it. */
  readonly pauseS: number;
  readonly lifeS: number;
  /** State metrics show its start, and its completion. */
  readonly hasStart: boolean;
  readonly hasEnd: boolean;
  readonly requestedCores: number;
  readonly usedCores: number;
  readonly usedGib: number;
  /** Its container restarts as often; 0: never. */
  readonly restartS: number;
}

const pod: fc.Arbitrary<BriefPod> = fc.record({
  name: fc.constantFrom('db-0', 'db-1', 'job-a', 'job-b', 'job-c', 'web-a', 'web-b'),
  node: fc.constantFrom(...NODES),
  namespace: fc.constantFrom('shop', 'batch'),
  team: fc.constantFrom('red', 'blue'),
  pauseS: fc.integer({ min: 1, max: 7200 }),
  lifeS: life,
  hasStart: fc.boolean(),
  hasEnd: fc.boolean(),
  requestedCores: fc.constantFrom(0, 0.1, 1),
  usedCores: fc.constantFrom(0.05, 0.5, 2),
  usedGib: fc.constantFrom(0.1, 3),
  restartS: fc.constantFrom(0, 0, 240, 1000),
});

export interface BriefFleet {
  readonly pods: readonly BriefPod[];
  /** Scrapes, and their place in the minute, in seconds. */
  readonly everyS: number;
  readonly phaseS: number;
}

export const briefFleet: fc.Arbitrary<BriefFleet> = fc.record({
  pods: fc.array(pod, { minLength: 1, maxLength: 12 }),
  everyS: fc.constantFrom(30, 60),
  phaseS: fc.nat(29),
});

export interface Lived extends BriefPod {
  readonly uid: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Runs all the time, so that no window is empty. */
const NEIGHBOUR: BriefPod = {
  name: 'web-0', node: 'n1', namespace: 'shop', team: 'red', pauseS: -7200, lifeS: 100_000,
  hasStart: true, hasEnd: false, requestedCores: 0.1, usedCores: 0.05, usedGib: 0.1, restartS: 0,
}; // prettier-ignore

/** Pods with their times: those of one name and namespace one after another. */
export function livesOf({ pods }: Pick<BriefFleet, 'pods'>): readonly Lived[] {
  const freeMs = new Map<string, number>();
  return [NEIGHBOUR, ...pods].map((one, i) => {
    const key = `${one.namespace}/${one.name}`;
    const startMs = (freeMs.get(key) ?? START_MS - HOUR_MS) + 1000 * one.pauseS;
    const endMs = startMs + 1000 * one.lifeS;
    freeMs.set(key, endMs);
    return { ...one, uid: `uid-${i}`, startMs, endMs };
  });
}

export function briefSeries(fleet: BriefFleet): ToldSeries[] {
  const scraped = {
    startMs: START_MS - HOUR_MS,
    endMs: START_MS + (HOURS + 1) * HOUR_MS,
    everyMs: 1000 * fleet.everyS,
    phaseMs: 1000 * fleet.phaseS,
  };
  return [
    ...NODES.flatMap((node) => nodeSeries(node, scraped)),
    ...livesOf(fleet).flatMap((one) => podSeries(one, scraped)),
  ];
}

function nodeSeries(node: string, scraped: Scraped): ToldSeries[] {
  return [
    told('kube_node_info', { node, provider_id: `aws:///us-east-1a/i-${node}` }, scraped),
    told('kube_node_created', { node }, scraped, Date.UTC(2024, 0, 1) / 1000),
    told('kube_node_status_capacity', { node, resource: 'cpu' }, scraped, 32),
    told('kube_node_status_capacity', { node, resource: 'memory' }, scraped, 64 * GIB),
    told('node_cpu_hourly_cost', { node, instance: node }, scraped, CORE_USD),
    told('node_ram_hourly_cost', { node, instance: node }, scraped, GIB_USD),
  ];
}

function podSeries(one: Lived, scraped: Scraped): ToldSeries[] {
  const { name, namespace, node, uid, team, startMs, endMs, requestedCores } = one;
  const named = { namespace, pod: name, uid };
  const contained = { ...named, container: 'app', node };
  const whole = { ...scraped, startMs, endMs: endMs - 1 };
  const kind = name.startsWith('db') ? 'StatefulSet' : 'Job';
  const owner = { owner_kind: kind, owner_name: name.split('-')[0] ?? '' };
  const resource = 'kube_pod_container_resource_requests';
  return [
    told('kube_pod_info', { ...named, node }, whole),
    told('kube_pod_owner', { ...named, ...owner }, whole),
    told('kube_pod_labels', { ...named, label_team: team }, whole),
    ...(one.hasStart ? [told('kube_pod_start_time', named, whole, startMs / 1000)] : []),
    ...(one.hasEnd
      ? [
          told('kube_pod_info', { ...named, node }, { ...scraped, startMs: endMs, endMs: endMs + 300_000 }),
          told('kube_pod_completion_time', named, { ...scraped, startMs: endMs, endMs: endMs + 300_000 }, endMs / 1000),
        ]
      : []),
    ...(requestedCores > 0
      ? [
          told(resource, { ...contained, resource: 'cpu' }, whole, requestedCores),
          told(resource, { ...contained, resource: 'memory' }, whole, GIB),
        ]
      : []),
    ...runsOf(one).flatMap((run) => usageSeries(one, run, scraped)),
  ]; // prettier-ignore
}

type Run = readonly [startMs: number, endMs: number];

/** From one restart to the next. */
export function runsOf({ startMs, endMs, restartS }: Lived): readonly Run[] {
  if (restartS === 0) return [[startMs, endMs]];
  const runs: Run[] = [];
  for (let ms = startMs; ms < endMs; ms += 1000 * restartS)
    runs.push([ms, Math.min(endMs, ms + 1000 * restartS)]);
  return runs;
}

function usageSeries(
  { name, namespace, uid, usedCores, usedGib }: Lived,
  [startMs, endMs]: Run,
  scraped: Scraped,
): ToldSeries[] {
  const id = `/kubepods/${uid}/${startMs}`;
  const labels = { namespace, pod: name, container: 'app', image: 'x', id };
  const own = { ...scraped, startMs, endMs: endMs - 1 };
  return [
    told('container_cpu_usage_seconds_total', labels, own, (ms) => ((ms - startMs) / 1000) * usedCores),
    told('container_memory_working_set_bytes', labels, own, usedGib * GIB),
  ]; // prettier-ignore
}

/** A store that has these series. */
export function storeOf(series: readonly ToldSeries[]): MetricsSource {
  const all = series.map(({ name, labels, samples }) => ({
    labels: { ...labels, __name__: name },
    samples,
  }));
  return {
    name: 'a list of series',
    concurrentReads: 2,
    async *read({ metric, matchers }, { startMs, endMs }) {
      const matches = compileMatchers(matchers);
      const found = all
        .filter(({ labels }) => labels.__name__ === metric && matches(labels))
        .map(({ labels, samples }): TestSeries => {
          const inside = samples.filter(([ms]) => ms >= startMs && ms <= endMs);
          return {
            labels: Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)),
            timestampsMs: inside.map(([ms]) => ms),
            values: inside.map(([, value]) => value),
          };
        })
        .filter(({ timestampsMs }) => timestampsMs.length > 0);
      if (found.length > 0) yield { encoding: 'samples', bytes: encodeSamples(found) };
    },
  };
}
