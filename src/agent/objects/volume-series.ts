/** Series of persistent volumes and claims, as kube-state-metrics tells them. */
import type { ClaimObject, VolumeObject } from './api-objects.ts';
import type { Series } from './packed-series.ts';
import { amountOf } from './quantities.ts';

/** The class of before Kubernetes 1.6, which wins. */
const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';

export function volumeSeries({ metadata, spec }: VolumeObject): Series[] {
  const labels = { persistentvolume: metadata.name };
  const bytes = amountOf('storage', spec?.capacity?.['storage']);
  const info = {
    ...labels,
    storageclass: spec?.storageClassName ?? '',
    csi_driver: spec?.csi?.driver ?? '',
    csi_volume_handle: spec?.csi?.volumeHandle ?? '',
    ebs_volume_id: spec?.awsElasticBlockStore?.volumeID ?? '',
    gce_persistent_disk_name: spec?.gcePersistentDisk?.pdName ?? '',
    azure_disk_name: spec?.azureDisk?.diskName ?? '',
  };
  return [
    { metric: 'kube_persistentvolume_info', labels: info, value: 1 },
    { metric: 'kube_persistentvolume_capacity_bytes', labels, value: bytes ?? 0 },
  ];
}

export function claimSeries({ metadata, spec }: ClaimObject): Series[] {
  const { namespace, name, annotations } = metadata;
  const labels = { namespace, persistentvolumeclaim: name };
  const bytes = amountOf('storage', spec?.resources?.requests?.['storage']);
  const info = {
    ...labels,
    storageclass: annotations?.[OLD_CLASS] ?? spec?.storageClassName ?? '',
    volumename: spec?.volumeName ?? '',
    volumemode: spec?.volumeMode ?? '',
  };
  const requests = 'kube_persistentvolumeclaim_resource_requests_storage_bytes';
  return [
    { metric: 'kube_persistentvolumeclaim_info', labels: info, value: 1 },
    ...(bytes === undefined ? [] : [{ metric: requests, labels, value: bytes }]),
  ];
}
