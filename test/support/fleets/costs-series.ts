/** The fleet of costs-fleet.ts as two replicas of each exporter show it, a sample a minute. */
import type { Labels } from '../../../scripts/openmetrics.ts';
import {
  BALANCERS,
  COSTS_START_MS,
  CPU_USD,
  EGRESS_USD,
  EVER,
  GPU_USD,
  INTERFACES,
  PODS,
  RAM_USD,
  VOLUMES,
  type Container,
  type Minutes,
  type Pod,
  type Step,
  type Volume,
} from './costs-fleet.ts';
import { told, type Scraped, type ToldSeries } from '../stores/series-file.ts';

const MINUTE = 60_000;
const GIB = 2 ** 30;

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
  const { name, claims, egress } = pod;
  const labels = { namespace: 'shop', pod: name, uid: `uid-${name}` };
  const startMs = COSTS_START_MS + pod.life[0] * MINUTE;
  // It is there at its end once more, completed.
  const endMinute = pod.life[1];
  const life: Minutes = [pod.life[0], endMinute + 1];
  const endSeconds = COSTS_START_MS / 1000 + endMinute * 60;
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
    show('kube_pod_completion_time', labels, [endMinute, endMinute + 1], endSeconds),
    show('kube_pod_labels', { ...labels, label_app: pod.isBehindWeb ? 'web' : name }, life),
    ...claims.map((persistentvolumeclaim) =>
      show(
        'kube_pod_spec_volumes_persistentvolumeclaims_info',
        { ...labels, persistentvolumeclaim },
        life,
      ),
    ),
    ...pod.containers.flatMap((container) => containerSeries(container, labels, life, show)),
    // One pod talks to several services of the cloud: the exporter has a series of each.
    ...Object.entries(egress ? { storage: 0.75, queue: 0.25 } : {}).map(([service, part]) =>
      show(
        'kubecost_pod_network_egress_bytes_total',
        { ...traffic, internet, same_region: sameRegion, service },
        life,
        counted(part * (egress?.[1] ?? 0)),
      ),
    ),
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
