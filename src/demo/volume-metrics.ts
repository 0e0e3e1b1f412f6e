/** The demo store's metrics of volumes, their claims, and the pods that mount them. */
import { podLabels, type SeriesMaker } from './pod-metrics.ts';
import { fleetPods, kubeState, priceExporter, type DemoFleet, type Target } from './series.ts';
import { claimOf, fleetVolumes, type DemoClaim, type DemoVolume } from './volumes.ts';
import { hashText, unit } from './hash.ts';
import type { Labels } from '../metrics/index.ts';

const ALWAYS = { startMs: -Infinity, endMs: Infinity };

type Exporter = (fleet: DemoFleet, cluster: string) => Target;

function aboutVolumes(
  exporter: Exporter,
  describe: (volume: DemoVolume) => { readonly labels?: Labels; readonly value: number },
): SeriesMaker {
  return function* (fleet) {
    for (const volume of fleetVolumes(fleet)) {
      const { labels, value } = describe(volume);
      const scraped = exporter(fleet, volume.cluster);
      yield { ...ALWAYS, scraped, labels: { persistentvolume: volume.name, ...labels }, value };
    }
  };
}

function aboutClaims(
  describe: (volume: DemoVolume) => { readonly labels?: Labels; readonly value: number },
): SeriesMaker {
  return function* (fleet) {
    for (const volume of fleetVolumes(fleet))
      if (volume.claim) {
        const { labels, value } = describe(volume);
        yield {
          ...ALWAYS,
          scraped: kubeState(fleet, volume.cluster),
          labels: { ...claimLabels(volume.claim), ...labels },
          value,
        };
      }
  };
}

/** A part of its volume, the same all the time. */
function usedBytes({ name, bytes }: DemoVolume): number {
  return Math.round((0.1 + 0.6 * unit(hashText(name, 0))) * bytes);
}

function claimLabels({ namespace, name }: DemoClaim): Labels {
  return { namespace, persistentvolumeclaim: name };
}

const podClaims: SeriesMaker = function* (fleet, range) {
  for (const pod of fleetPods(fleet, range)) {
    if (pod.workload.diskGiB === 0) {
      yield undefined;
      continue;
    }
    const labels = {
      ...podLabels(pod),
      volume: 'data',
      persistentvolumeclaim: claimOf(pod.name),
    };
    const { startMs, goneMs, workload } = pod;
    yield { startMs, endMs: goneMs, scraped: kubeState(fleet, workload.cluster), labels, value: 1 };
  }
};

export const VOLUME_METRICS: Readonly<Record<string, SeriesMaker>> = {
  kube_persistentvolume_capacity_bytes: aboutVolumes(kubeState, ({ bytes }) => ({ value: bytes })),
  kube_persistentvolume_info: aboutVolumes(kubeState, ({ storageClass, driver, providerId }) => ({
    labels: { storageclass: storageClass, csi_driver: driver, csi_volume_handle: providerId },
    value: 1,
  })),
  kube_persistentvolumeclaim_info: aboutClaims(({ name, storageClass }) => ({
    labels: { volumename: name, storageclass: storageClass, volumemode: 'Filesystem' },
    value: 1,
  })),
  kube_persistentvolumeclaim_resource_requests_storage_bytes: aboutClaims(({ bytes }) => ({
    value: bytes,
  })),
  kubelet_volume_stats_used_bytes: aboutClaims((volume) => ({ value: usedBytes(volume) })),
  kube_pod_spec_volumes_persistentvolumeclaims_info: podClaims,
  pv_hourly_cost: aboutVolumes(priceExporter, ({ name, providerId, usdPerGiBHour }) => ({
    labels: { volumename: name, provider_id: providerId },
    value: usdPerGiBHour,
  })),
  kubecost_pv_info: aboutVolumes(priceExporter, ({ storageClass, providerId }) => ({
    labels: { storageclass: storageClass, provider_id: providerId },
    value: 1,
  })),
};
