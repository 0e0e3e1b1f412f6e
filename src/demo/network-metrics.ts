/** The demo store's metrics of network traffic: of pods, and what it costs. */
import type { Span } from './changes.ts';
import { hexText, mix } from './hash.ts';
import type { SeriesMaker } from './pod-metrics.ts';
import type { DemoPod } from './pods.ts';
import { POOLS } from './pools.ts';
import { cadvisor, egressExporter, fleetPods, priceExporter, type DemoFleet } from './series.ts';
import { byteCounter, trafficOf, type Traffic } from './traffic.ts';
import type { Labels } from '../metrics/index.ts';

const ALWAYS = { startMs: -Infinity, endMs: Infinity };
const SENT = 0x5e;
const RECEIVED = 0x4e;

function* connectedPods(
  fleet: DemoFleet,
  range: Span,
): Generator<readonly [DemoPod, Traffic] | undefined, void> {
  for (const pod of fleetPods(fleet, range)) {
    const traffic = trafficOf(pod.workload);
    const isConnected = traffic && pod.startMs < range.endMs && pod.endMs > range.startMs;
    yield isConnected ? [pod, traffic] : undefined;
  }
}

/** A metric of cAdvisor: it counts for the sandbox, which a pod keeps while its containers restart. */
function counted(kind: number, rate: 'sentBytesPerSecond' | 'receivedBytesPerSecond'): SeriesMaker {
  return function* (fleet, range) {
    for (const connected of connectedPods(fleet, range)) {
      if (connected === undefined) {
        yield undefined;
        continue;
      }
      const [pod, traffic] = connected;
      const { startMs, endMs, node } = pod;
      yield {
        startMs,
        endMs,
        scraped: cadvisor(fleet, node),
        labels: sandboxLabels(pod),
        value: () => byteCounter(pod, kind, traffic[rate]),
      };
    }
  };
}

function sandboxLabels({ workload, name, uid, key }: DemoPod): Labels {
  const sandbox = hexText(mix(key, 0x5a), 64);
  const slice = `kubepods-burstable-pod${uid.replaceAll('-', '_')}.slice`;
  return {
    namespace: workload.namespace,
    pod: name,
    interface: 'eth0',
    id: `/kubepods.slice/kubepods-burstable.slice/${slice}/cri-containerd-${sandbox}.scope`,
    name: sandbox,
    image: 'registry.k8s.io/pause:3.9',
  };
}

/** Where sent bytes go, told by three labels, and the share of them. */
const WAYS: readonly (readonly [Labels, (traffic: Traffic) => number])[] = [
  [way('false', 'true', 'true'), stayingShare],
  [way('false', 'false', 'true'), ({ zoneShare }) => zoneShare],
  [way('false', 'false', 'false'), ({ regionShare }) => regionShare],
  [way('true', 'false', 'false'), ({ internetShare }) => internetShare],
];

function way(internet: string, same_zone: string, same_region: string): Labels {
  return { internet, same_zone, same_region };
}

function stayingShare({ zoneShare, regionShare, internetShare }: Traffic): number {
  return 1 - zoneShare - regionShare - internetShare;
}

const egress: SeriesMaker = function* (fleet, range) {
  for (const connected of connectedPods(fleet, range)) {
    if (connected === undefined) {
      yield undefined;
      continue;
    }
    const [pod, traffic] = connected;
    for (const [labels, shareOf] of WAYS) {
      const { startMs, endMs, workload, node, name } = pod;
      const rate = shareOf(traffic) * traffic.sentBytesPerSecond;
      if (rate <= 0) continue;
      yield {
        startMs,
        endMs,
        scraped: egressExporter(fleet, node),
        labels: { namespace: workload.namespace, pod_name: name, ...labels },
        value: () => byteCounter(pod, SENT, rate),
      };
    }
  }
};

/** USD per GiB, by region, as clouds ask. */
function priced(usdPerGiB: Readonly<Record<string, number>>): SeriesMaker {
  return function* (fleet) {
    const regions = new Map(POOLS.map(({ cluster, region }) => [cluster, region]));
    for (const [cluster, region] of regions) {
      const scraped = priceExporter(fleet, cluster);
      yield { ...ALWAYS, scraped, labels: {}, value: usdPerGiB[region] ?? 0 };
    }
  };
}

export const NETWORK_METRICS: Readonly<Record<string, SeriesMaker>> = {
  container_network_transmit_bytes_total: counted(SENT, 'sentBytesPerSecond'),
  container_network_receive_bytes_total: counted(RECEIVED, 'receivedBytesPerSecond'),
  kubecost_pod_network_egress_bytes_total: egress,
  kubecost_network_zone_egress_cost: priced({ 'us-east-1': 0.01, 'europe-west1': 0.01 }),
  kubecost_network_region_egress_cost: priced({ 'us-east-1': 0.02, 'europe-west1': 0.02 }),
  kubecost_network_internet_egress_cost: priced({ 'us-east-1': 0.09, 'europe-west1': 0.12 }),
};
