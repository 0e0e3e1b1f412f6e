/**
 * One fleet with every cost, scraped each minute by two replicas of each exporter for six hours,
 * and what it costs in closed form. Everything begins and ends on a minute.
 */
import type { Labels } from '../../scripts/openmetrics.ts';
import { told, type Scraped, type ToldSeries } from './series-file.ts';

const MINUTE = 60_000;
const GIB = 2 ** 30;
export const COSTS_START_MS: number = Date.UTC(2024, 4, 7, 6);
const WINDOW_MINUTES = 360;
export const COSTS_END_MS: number = COSTS_START_MS + WINDOW_MINUTES * MINUTE;

/** Minutes from the window's start. */
type Minutes = readonly [from: number, to: number];
/** Value before `at`, and from it on. */
type Step = readonly [before: number, at: number, after: number];

const EVER: Minutes = [-20, WINDOW_MINUTES + 20];
const CPU_USD: Step = [0.03, 180, 0.05];
const RAM_USD = 0.004;
const GPU_USD = 1.2;
const EGRESS_USD = {
  zone: [0.01, 90, 0.02],
  region: [0.02, 130, 0.05],
  internet: [0.09, 120, 0.12],
} satisfies Readonly<Record<string, Step>>;
type Egress = keyof typeof EGRESS_USD;
/** The default price book's storage. */
const STORAGE_USD = 0.04 / 730;

interface Container {
  readonly name: string;
  readonly cpu: number;
  readonly ramGib: number;
  readonly gpu: number;
  /** Where later than its pod. */
  readonly fromMinute?: number;
}

interface Pod {
  readonly name: string;
  readonly life: Minutes;
  readonly containers: readonly Container[];
  readonly claims: readonly string[];
  readonly egress?: readonly [kind: Egress, bytesPerSecond: number];
  readonly isBehindWeb?: boolean;
  readonly isOnInterfaces?: boolean;
}

const PODS: readonly Pod[] = [
  {
    name: 'a', life: EVER, claims: ['grows'], egress: ['internet', 2 ** 20], isOnInterfaces: true,
    containers: [
      { name: 'a1', cpu: 0.5, ramGib: 1, gpu: 1 },
      { name: 'a2', cpu: 0.25, ramGib: 2, gpu: 0, fromMinute: 90 },
    ],
  },
  {
    name: 'b', life: [30, 150], claims: ['data'], egress: ['zone', 3 * 2 ** 20], isBehindWeb: true,
    containers: [{ name: 'b1', cpu: 1, ramGib: 0.5, gpu: 0 }],
  },
  {
    name: 'c', life: [120, 200], claims: ['data', 'gone'], egress: ['region', 5 * 2 ** 20],
    containers: [{ name: 'c1', cpu: 2, ramGib: 4, gpu: 2 }],
  },
  {
    name: 'd', life: [300, 330], claims: ['grows'], isBehindWeb: true,
    containers: [{ name: 'd1', cpu: 0.1, ramGib: 0.25, gpu: 0 }],
  },
]; // prettier-ignore

interface Volume {
  readonly name: string;
  readonly life: Minutes;
  readonly gib: Step;
  readonly usd?: number;
  readonly claim?: readonly [namespace: string, name: string];
  /** Only its claim tells of it. */
  readonly isUntold?: boolean;
}

const steady = (value: number): Step => [value, 0, value];

const VOLUMES: readonly Volume[] = [
  { name: 'v1', life: EVER, gib: steady(10), usd: 0.001, claim: ['shop', 'data'] },
  { name: 'v2', life: EVER, gib: [4, 120, 8], usd: 0.003, claim: ['shop', 'grows'] },
  { name: 'v3', life: [60, 240], gib: steady(2), usd: 0.002 },
  { name: 'v4', life: EVER, gib: steady(6), claim: ['idle', 'lonely'] },
  { name: 'v5', life: [10, 310], gib: steady(3), claim: ['idle', 'untold'], isUntold: true },
];

interface Balancer {
  readonly service: string;
  readonly life: Minutes;
  readonly usd: Step;
}

const BALANCERS: readonly Balancer[] = [
  { service: 'web', life: EVER, usd: [0.025, 100, 0.04] },
  { service: 'orphan', life: [60, 300], usd: steady(0.05) },
];

const INTERFACES: Readonly<Record<string, number>> = { eth0: 1000, eth1: 300 };

/** Every series, twice: of two replicas of its exporter. */
export function costSeries(): ToldSeries[] {
  return ['10.0.0.1:80', '10.0.0.2:80'].flatMap((instance) => {
    const show: Show = (name, labels, life, value) =>
      told(name, { cluster_id: 'one', instance, ...labels }, scraped(life), value);
    return [
      ...PODS.flatMap((pod) => podSeries(pod, show)),
      ...VOLUMES.flatMap((volume) => volumeSeries(volume, show)),
      ...BALANCERS.map(({ service, life, usd }) => {
        const labels = { namespace: 'shop', service_name: service, ingress_ip: `ip-${service}` };
        return show('kubecost_load_balancer_cost', labels, life, stepAt(usd));
      }),
      show(
        'service_selector_labels',
        { namespace: 'shop', service: 'web', label_app: 'web' },
        EVER,
      ),
      show('node_cpu_hourly_cost', { node: 'n1' }, EVER, stepAt(CPU_USD)),
      show('node_ram_hourly_cost', { node: 'n1' }, EVER, RAM_USD),
      show('node_gpu_hourly_cost', { node: 'n1' }, EVER, GPU_USD),
      ...Object.entries(EGRESS_USD).map(([kind, usd]) =>
        show(`kubecost_network_${kind}_egress_cost`, {}, EVER, stepAt(usd)),
      ),
    ];
  });
}

type Value = number | ((timeMs: number) => number);
type Show = (name: string, labels: Labels, life: Minutes, value?: Value) => ToldSeries;

/** Samples from the first minute up to the one before the last: it ends one interval later. */
function scraped([from, to]: Minutes): Scraped {
  const startMs = COSTS_START_MS + from * MINUTE;
  return { startMs, endMs: COSTS_START_MS + (to - 1) * MINUTE, everyMs: MINUTE };
}

function stepAt([before, at, after]: Step): (timeMs: number) => number {
  return (timeMs) => (timeMs < COSTS_START_MS + at * MINUTE ? before : after);
}

function podSeries(pod: Pod, show: Show): ToldSeries[] {
  const { name, life, claims, egress } = pod;
  const labels = { namespace: 'shop', pod: name, uid: `uid-${name}` };
  const startMs = COSTS_START_MS + life[0] * MINUTE;
  const counted =
    (perSecond: number) =>
    (timeMs: number): number =>
      (perSecond * (timeMs - startMs)) / 1000;
  const internet = egress?.[0] === 'internet' ? 'true' : 'false';
  const sameRegion = egress?.[0] === 'zone' ? 'true' : 'false';
  const traffic = { namespace: 'shop', pod_name: name, same_zone: 'false' };
  return [
    show('kube_pod_info', { ...labels, node: 'n1' }, life),
    show('kube_pod_start_time', labels, life, startMs / 1000),
    show('kube_pod_labels', { ...labels, label_app: pod.isBehindWeb ? 'web' : name }, life),
    ...claims.map((persistentvolumeclaim) =>
      show(
        'kube_pod_spec_volumes_persistentvolumeclaims_info',
        { ...labels, persistentvolumeclaim },
        life,
      ),
    ),
    ...pod.containers.flatMap((container) => containerSeries(container, labels, life, show)),
    ...(egress
      ? [
          show(
            'kubecost_pod_network_egress_bytes_total',
            { ...traffic, internet, same_region: sameRegion },
            life,
            counted(egress[1]),
          ),
        ]
      : []),
    ...Object.entries(pod.isOnInterfaces ? INTERFACES : {}).flatMap(([device, perSecond]) =>
      ['transmit', 'receive'].map((way) =>
        show(
          `container_network_${way}_bytes_total`,
          { ...labels, interface: device },
          life,
          counted(way === 'receive' ? 2 * perSecond : perSecond),
        ),
      ),
    ),
  ];
}

function containerSeries(of: Container, pod: Labels, life: Minutes, show: Show): ToldSeries[] {
  const labels = { ...pod, container: of.name, node: 'n1' };
  const resources = { cpu: of.cpu, memory: of.ramGib * GIB, nvidia_com_gpu: of.gpu };
  const { fromMinute } = of;
  const started = (fromMinute ?? 0) * MINUTE + COSTS_START_MS;
  return [
    ...Object.entries(resources).map(([resource, value]) =>
      show('kube_pod_container_resource_requests', { ...labels, resource }, life, value),
    ),
    ...(fromMinute === undefined
      ? []
      : [show('kube_pod_container_state_started', labels, [fromMinute, life[1]], started / 1000)]),
  ];
}

function volumeSeries(volume: Volume, show: Show): ToldSeries[] {
  const { name, life, usd } = volume;
  const [before, at, after] = volume.gib;
  const bytes = stepAt([before * GIB, at, after * GIB]);
  const [namespace = '', claim = ''] = volume.claim ?? [];
  const labels = { namespace, persistentvolumeclaim: claim };
  const request = 'kube_persistentvolumeclaim_resource_requests_storage_bytes';
  return [
    ...(volume.isUntold
      ? []
      : [show('kube_persistentvolume_capacity_bytes', { persistentvolume: name }, life, bytes)]),
    ...(usd === undefined ? [] : [show('pv_hourly_cost', { volumename: name }, life, usd)]),
    ...(claim === ''
      ? []
      : [
          show('kube_persistentvolumeclaim_info', { ...labels, volumename: name }, life),
          show(request, labels, life, bytes),
        ]),
  ];
}

/** Hours that a step function's value holds within a span and the window, times the value. */
function hoursOf([before, at, after]: Step, [from, to]: Minutes): number {
  const [start, end] = [Math.max(from, 0), Math.min(to, WINDOW_MINUTES)];
  const early = Math.max(0, Math.min(end, at) - start);
  return (before * early + after * (end - start - early)) / 60;
}

const sum = (amounts: readonly number[]): number => amounts.reduce((a, b) => a + b, 0);

/** Price × hours, price × bytes: what all rows must add up to. */
export function expectedCosts(): Readonly<Record<string, number>> {
  const containers = PODS.flatMap(({ life, containers: list }) =>
    list.map((one) => {
      const span: Minutes = [one.fromMinute ?? life[0], life[1]];
      return { ...one, span, hours: hoursOf(steady(1), span) };
    }),
  );
  const egressUsd = (kind: Egress): number =>
    sum(
      PODS.map(({ life, egress }) =>
        egress?.[0] === kind ? ((egress[1] * 3600) / GIB) * hoursOf(EGRESS_USD[kind], life) : 0,
      ),
    );
  const kinds = { zone: egressUsd('zone'), region: egressUsd('region') };
  const internet = egressUsd('internet');
  const transferBytes = sum(Object.values(INTERFACES)) * WINDOW_MINUTES * 60;
  return {
    cpuCoreHours: sum(containers.map(({ cpu, hours }) => cpu * hours)),
    cpuCost: sum(containers.map(({ cpu, span }) => cpu * hoursOf(CPU_USD, span))),
    ramByteHours: sum(containers.map(({ ramGib, hours }) => ramGib * GIB * hours)),
    ramCost: sum(containers.map(({ ramGib, hours }) => ramGib * hours * RAM_USD)),
    gpuHours: sum(containers.map(({ gpu, hours }) => gpu * hours)),
    gpuCost: sum(containers.map(({ gpu, hours }) => gpu * hours * GPU_USD)),
    pvByteHours: sum(VOLUMES.map(({ gib, life }) => hoursOf(gib, life) * GIB)),
    pvCost: sum(VOLUMES.map(({ gib, life, usd }) => hoursOf(gib, life) * (usd ?? STORAGE_USD))),
    networkTransferBytes: transferBytes,
    networkReceiveBytes: 2 * transferBytes,
    networkCrossZoneCost: kinds.zone,
    networkCrossRegionCost: kinds.region,
    networkInternetCost: internet,
    networkCost: kinds.zone + kinds.region + internet,
    loadBalancerCost: sum(BALANCERS.map(({ usd, life }) => hoursOf(usd, life))),
  };
}

/** Some rows, by the end of their name: who pays for what, over the whole window. */
export function expectedRows(): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const untilLoneliness = hoursOf(steady(1), [0, 30]) + hoursOf(steady(1), [200, 360]);
  // v2 is a's, but for the half hour that d shares; its containers pay evenly.
  const ofD = (8 * 0.5) / 2;
  const ofA = (hoursOf([4, 120, 8], EVER) - ofD) / 2;
  const web = hoursOf([0.025, 100, 0.04], EVER);
  return {
    'shop/shop-unmounted-pvcs/__unmounted__': { pvByteHours: 10 * GIB * untilLoneliness },
    'idle/idle-unmounted-pvcs/__unmounted__': { pvByteHours: GIB * (6 * 6 + 3 * 5), cpuCost: 0 },
    '__unmounted__/__unmounted__/__unmounted__': {
      pvByteHours: 2 * GIB * 3,
      pvCost: 2 * 3 * 0.002,
      loadBalancerCost: 4 * 0.05,
    },
    'shop/a/a1': { pvByteHours: GIB * ofA, networkTransferBytes: (1300 * 6 * 3600) / 2 },
    'shop/a/a2': { pvByteHours: GIB * ofA, networkTransferBytes: (1300 * 6 * 3600) / 2 },
    'shop/b/b1': { pvByteHours: GIB * 10 * (1.5 + 0.25), loadBalancerCost: web * (120 / 150) },
    'shop/c/c1': { pvByteHours: GIB * 10 * (50 / 60 + 0.25), loadBalancerCost: 0 },
    'shop/d/d1': { pvByteHours: GIB * ofD, loadBalancerCost: web * (30 / 150) },
  };
}
