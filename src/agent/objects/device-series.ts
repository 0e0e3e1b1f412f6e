/**
 * Series of devices by dynamic resource allocation, as kube-state-metrics tells them: the claims that a
 * pod names, the devices of a claim, the devices of a node.
 */
import type { DeviceClaimObject, DeviceSliceObject, PodObject } from './api-objects.ts';
import type { Series } from './packed-series.ts';

/** Labels of each claim; one that is made of a template has its name from the pod's status. */
export function deviceClaimsOf({ spec, status }: PodObject): Series['labels'][] {
  const made = new Map(
    (status?.resourceClaimStatuses ?? []).map((one) => [one.name, one.resourceClaimName ?? '']),
  );
  return (spec?.resourceClaims ?? []).map(({ name, resourceClaimName }) => ({
    name,
    resourceclaim_name: resourceClaimName ?? made.get(name) ?? '',
  }));
}

export function deviceClaimSeries({ metadata, status }: DeviceClaimObject): Series[] {
  const { namespace, name: resourceclaim } = metadata;
  const results = status?.allocation?.devices?.results ?? [];
  return results.map(({ request = '', driver = '', pool = '', device = '' }) => ({
    metric: 'kube_resourceclaim_allocation_device_info',
    labels: { namespace, resourceclaim, request, driver, pool, device },
    value: 1,
  }));
}

export function deviceSliceSeries({ metadata, spec }: DeviceSliceObject): Series[] {
  const { driver = '', nodeName = '', pool, devices = [] } = spec ?? {};
  return devices.map(({ name }) => ({
    metric: 'kube_resourceslice_device_info',
    labels: {
      resourceslice: metadata.name,
      driver,
      node_name: nodeName,
      pool_name: pool?.name ?? '',
      device_name: name,
    },
    value: 1,
  }));
}
