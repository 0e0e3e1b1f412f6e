/**
 * Nodes of two clusters in six hours with what runs on them: nodes that come and go, grow and
 * change their price, one that is overfull and one whose capacity nobody tells. Everything begins
 * and ends on a minute. Requests are all of the usage, so that every sum is a closed form.
 */
import type { Labels } from '../../../scripts/openmetrics.ts';
import { told, type Scraped, type ToldSeries } from '../stores/series-file.ts';

const MINUTE = 60_000;
const GIB = 2 ** 30;
export const IDLE_START_MS: number = Date.UTC(2024, 4, 7, 6);
export const IDLE_END_MS: number = IDLE_START_MS + 360 * MINUTE;

/** Minutes from the window's start; before and after it as well. */
type Minutes = readonly [from: number, to: number];
/** Value before `at`, and from it on. */
type Step = readonly [before: number, at: number, after: number];

const EVER: Minutes = [-20, 380];
const RESOURCES = ['cpu', 'ram', 'gpu'] as const;
type Resource = (typeof RESOURCES)[number];
/** Cores, GiB and GPUs, or USD an hour for one of them. */
type Amounts = Readonly<Record<Resource, Step>>;

interface Node {
  readonly cluster: string;
  readonly name: string;
  readonly life: Minutes;
  /** Without, its capacity is not told. */
  readonly capacity?: Amounts;
  /** Without, the default book's. */
  readonly usd?: Amounts;
}

interface Pod {
  readonly on: readonly [cluster: string, node: string];
  readonly name: string;
  readonly life: Minutes;
  readonly asks: Readonly<Record<Resource, number>>;
}

const steady = (value: number): Step => [value, 0, value];
const amounts = (cpu: Step, ram: Step, gpu: Step = steady(0)): Amounts => ({ cpu, ram, gpu });
const BOOK = amounts(steady(0.031611), steady(0.004237), steady(0.95));

const NODES: readonly Node[] = [
  {
    cluster: 'one', name: 'n1', life: EVER, capacity: amounts(steady(4), steady(16), steady(2)),
    usd: amounts([0.03, 180, 0.05], steady(0.004), steady(1.2)),
  },
  {
    cluster: 'one', name: 'n2', life: [45, 200], capacity: amounts(steady(2), steady(8)),
    usd: amounts([0.02, 100, 0.01], [0.002, 100, 0.003]),
  },
  // Of the same name, grown and at the book's prices.
  { cluster: 'two', name: 'n1', life: EVER, capacity: amounts([4, 120, 8], [16, 120, 32]) },
  { cluster: 'two', name: 'small', life: EVER, capacity: amounts(steady(1), steady(2)) },
  { cluster: 'two', name: 'untold', life: EVER },
]; // prettier-ignore

const PODS: readonly Pod[] = [
  { on: ['one', 'n1'], name: 'a', life: EVER, asks: { cpu: 1, ram: 4, gpu: 1 } },
  { on: ['one', 'n1'], name: 'b', life: [30, 250], asks: { cpu: 3, ram: 12, gpu: 1 } },
  { on: ['one', 'n2'], name: 'c', life: [45, 200], asks: { cpu: 0.1, ram: 0.3, gpu: 0 } },
  { on: ['one', 'n2'], name: 'd', life: [60, 61], asks: { cpu: 1, ram: 1, gpu: 0 } },
  { on: ['two', 'n1'], name: 'a', life: [119, 300], asks: { cpu: 2, ram: 1, gpu: 0 } },
  { on: ['two', 'small'], name: 'full', life: EVER, asks: { cpu: 1.5, ram: 1, gpu: 0 } },
  { on: ['two', 'untold'], name: 'lost', life: EVER, asks: { cpu: 1, ram: 1, gpu: 0 } },
];

export function idleSeries(): ToldSeries[] {
  return [...NODES.flatMap(nodeSeries), ...PODS.flatMap(podSeries)];
}

/** Samples from the first minute up to the one before the last: it ends one interval later, as no start is told. */
function scraped([from, to]: Minutes): Scraped {
  const at = (minute: number): number => IDLE_START_MS + minute * MINUTE;
  return { startMs: at(from), endMs: at(to - 1), everyMs: MINUTE };
}

function stepAt([before, at, after]: Step, times: number = 1): (timeMs: number) => number {
  return (timeMs) => (timeMs < IDLE_START_MS + at * MINUTE ? before : after) * times;
}

/** As metrics name resources, and in which units. */
const METRICS: Readonly<Record<Resource, readonly [resource: string, times: number]>> = {
  cpu: ['cpu', 1],
  ram: ['memory', GIB],
  gpu: ['nvidia_com_gpu', 1],
};

function nodeSeries({ cluster, name, life, capacity, usd }: Node): ToldSeries[] {
  const labels: Labels = { cluster_id: cluster, node: name };
  const show = (metric: string, more: Labels, value?: Parameters<typeof told>[3]): ToldSeries =>
    told(metric, { ...labels, ...more }, scraped(life), value);
  return [
    show('kube_node_info', { provider_id: `id-of-${cluster}-${name}` }),
    ...RESOURCES.flatMap((resource) => [
      ...(capacity && capacity[resource][0] > 0
        ? [
            show(
              'kube_node_status_capacity',
              { resource: METRICS[resource][0] },
              stepAt(capacity[resource], METRICS[resource][1]),
            ),
          ]
        : []),
      ...(usd ? [show(`node_${resource}_hourly_cost`, {}, stepAt(usd[resource]))] : []),
    ]),
  ];
}

function podSeries({ on: [cluster, node], name, life, asks }: Pod): ToldSeries[] {
  const labels = { cluster_id: cluster, namespace: 'shop', pod: name, uid: `${cluster}-${name}` };
  const show = (metric: string, more: Labels, value?: number): ToldSeries =>
    told(metric, { ...labels, ...more }, scraped(life), value);
  return [
    show('kube_pod_info', { node }),
    ...RESOURCES.map((resource) =>
      show(
        'kube_pod_container_resource_requests',
        { container: 'app', node, resource: METRICS[resource][0] },
        asks[resource] * METRICS[resource][1],
      ),
    ),
  ];
}

/** The integral of a product of steps over a life within the window, an hour as unit. */
function integral(life: Minutes, ...steps: readonly Step[]): number {
  let sum = 0;
  for (let minute = Math.max(0, life[0]); minute < Math.min(360, life[1]); minute++) {
    sum += steps.reduce((now, [before, at, after]) => now * (minute < at ? before : after), 1 / 60);
  }
  return sum;
}

export interface NodeCosts {
  readonly cluster: string;
  readonly node: string;
  readonly providerId: string;
  /** What the node costs, and below what is allocated on it: USD over the window, by resource. */
  readonly assets: Readonly<Record<Resource, number>>;
  readonly allocated: Readonly<Record<Resource, number>>;
}

/** In the order of names. A node whose capacity is not told has assets of 0. */
export function expectedNodes(): NodeCosts[] {
  return NODES.map(({ cluster, name, life, capacity, usd = BOOK }) => {
    const of = (cost: (resource: Resource) => number): NodeCosts['assets'] => ({
      cpu: cost('cpu'),
      ram: cost('ram'),
      gpu: cost('gpu'),
    });
    const pods = PODS.filter(({ on }) => on[0] === cluster && on[1] === name);
    return {
      cluster,
      node: name,
      providerId: `id-of-${cluster}-${name}`,
      assets: of((resource) => (capacity ? integral(life, capacity[resource], usd[resource]) : 0)),
      allocated: of((resource) =>
        pods.reduce(
          (sum, pod) => sum + integral(pod.life, steady(pod.asks[resource]), usd[resource]),
          0,
        ),
      ),
    };
  });
}
