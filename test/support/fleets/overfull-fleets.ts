/**
 * Fleets at random whose pods ask for and use more than their nodes have, outlive them, or run on nodes
 * that nobody prices or tells the capacity of: a cluster a fleet, from the evening of a day to the
 * morning after.
 */
import type { Labels } from '../../../scripts/openmetrics.ts';
import type { Seeded } from '../../../scripts/seeded.ts';
import { told, type Scraped, type ToldSeries } from '../stores/series-file.ts';

const MINUTE = 60_000;
const GIB = 2 ** 30;
/** 2024-05-07T18:00:00Z; minutes are counted from here on. */
export const OVERFULL_START_MS: number = Date.UTC(2024, 4, 7, 18);
export const OVERFULL_MINUTES = 720;

/** From a minute up to another. */
type Life = readonly [from: number, to: number];

interface Amounts {
  readonly cpu: number;
  /** GiB. */
  readonly ram: number;
  readonly gpu: number;
}

export function overfullSeries(random: Seeded, clusters: number): ToldSeries[] {
  return Array.from({ length: clusters }, (_, i) => clusterSeries(random, `cluster-${i}`)).flat();
}

function clusterSeries(random: Seeded, cluster: string): ToldSeries[] {
  const nodes = Array.from({ length: 1 + random.below(3) }, (_, i) => `node-${i}`);
  return nodes.flatMap((node) => {
    const life = lifeWithin(random, [0, OVERFULL_MINUTES]);
    const pods = Array.from({ length: random.below(4) }, (_, i) => {
      // Some outlive their node by hours, some it is never told of.
      const own = random.is(0.3) ? lifeWithin(random, [0, OVERFULL_MINUTES]) : lifeWithin(random, life); // prettier-ignore
      return podSeries(random, { cluster, node, pod: `${node}-pod-${i}`, life: own });
    });
    return [...nodeSeries(random, { cluster_id: cluster, node }, life), ...pods.flat()];
  });
}

function lifeWithin(random: Seeded, [from, to]: Life): Life {
  if (random.is(0.3) || to - from < 60) return [from, to];
  const start = from + random.below(to - from - 30);
  return [start, start + 30 + random.below(to - start - 30)];
}

/** A sample every other minute. */
function scraped([from, to]: Life): Scraped {
  const at = (minute: number): number => OVERFULL_START_MS + minute * MINUTE;
  return { startMs: at(from), endMs: at(to), everyMs: 2 * MINUTE };
}

function nodeSeries(random: Seeded, labels: Labels, life: Life): ToldSeries[] {
  const capacity: Amounts = { cpu: 1 + random.below(4), ram: 2 + random.below(8), gpu: random.below(2) }; // prettier-ignore
  const usd = { cpu: 0.01 + random.below(9) / 100, ram: 0.001 * (1 + random.below(9)), gpu: 0.5 };
  const [isTold, isPriced] = [!random.is(0.15), !random.is(0.25)];
  const show = (name: string, more: Labels, value: number): ToldSeries =>
    told(name, { ...labels, ...more }, scraped(life), value);
  const capacities = [
    show('kube_node_status_capacity', { resource: 'cpu' }, capacity.cpu),
    show('kube_node_status_capacity', { resource: 'memory' }, capacity.ram * GIB),
    show('kube_node_status_capacity', { resource: 'nvidia_com_gpu' }, capacity.gpu),
  ];
  const prices = Object.entries(usd).map(([of, value]) =>
    show(`node_${of}_hourly_cost`, {}, value),
  );
  return [
    show('kube_node_info', { provider_id: `id-of-${labels['cluster_id']}-${labels['node']}` }, 1),
    ...(isTold ? capacities : []),
    ...(isPriced ? prices : []),
  ];
}

interface Placed {
  readonly cluster: string;
  readonly node: string;
  readonly pod: string;
  readonly life: Life;
}

/** Usage goes up and down by hours, up to three times what is asked for. */
function podSeries(random: Seeded, { cluster, node, pod, life }: Placed): ToldSeries[] {
  const asks: Amounts = { cpu: random.below(5) / 2, ram: random.below(9) / 2, gpu: random.below(2) };
  const bursts = Array.from({ length: OVERFULL_MINUTES / 60 + 1 }, () => random.below(7) / 2);
  const burstAt = (ms: number): number =>
    bursts[Math.floor((ms - OVERFULL_START_MS) / (60 * MINUTE))] ?? 0;
  let counted = 0;
  const counter = (ms: number): number => (counted += burstAt(ms) * 120);
  const own = { cluster_id: cluster, namespace: 'shop', pod, uid: `${cluster}-${pod}` };
  const contained = { ...own, container: 'app', node };
  const show = (name: string, labels: Labels, value: Parameters<typeof told>[3]): ToldSeries =>
    told(name, labels, scraped(life), value);
  const asked = (resource: string, value: number): ToldSeries =>
    show('kube_pod_container_resource_requests', { ...contained, resource }, value);
  return [
    show('kube_pod_info', { ...own, node }, 1),
    asked('cpu', asks.cpu),
    asked('memory', asks.ram * GIB),
    asked('nvidia_com_gpu', asks.gpu),
    show('container_cpu_usage_seconds_total', contained, counter),
    show('container_memory_working_set_bytes', contained, (ms) => burstAt(ms) * GIB),
  ];
} // prettier-ignore
