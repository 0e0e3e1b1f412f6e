/**
 * Series of a pod, as kube-state-metrics tells them (internal/store/pod.go), with two differences: a
 * sidecar counts as a container, and a pod that is being deleted and whose containers all ended is
 * terminal, whatever phase its node last wrote. Labels that change whenever a container restarts are
 * left out.
 */
import type { PodObject } from './api-objects.ts';
import { deviceClaimsOf } from './device-series.ts';
import { labelsFrom } from './label-names.ts';
import { ownersOf } from './owner-series.ts';
import type { Series } from './packed-series.ts';
import {
  hasRefusedResize,
  heldBy,
  lastingContainers,
  type LastingContainer,
} from './pod-containers.ts';
import { amountOf, quantitiesOf } from './quantities.ts';
import { secondsOf } from './times.ts';

type Texts = Readonly<Record<string, string>>;

export function podSeries(pod: PodObject): Series[] {
  const { namespace, name, uid, labels, annotations, deletionTimestamp } = pod.metadata;
  const about = (metric: string, value: number | undefined, more: Texts = {}): Series[] =>
    value === undefined ? [] : [{ metric, value, labels: { namespace, pod: name, uid, ...more } }];
  const containers = lastingContainers(pod);
  const texts = labelsFrom('annotation', annotations);
  return [
    ...about('kube_pod_info', 1, infoOf(pod)),
    ...ownersOf(pod).flatMap((owner) => about('kube_pod_owner', 1, owner)),
    ...about('kube_pod_labels', 1, labelsFrom('label', labels)),
    ...(Object.keys(texts).length === 0 ? [] : about('kube_pod_annotations', 1, texts)),
    ...about('kube_pod_start_time', secondsOf(pod.status?.startTime)),
    ...about('kube_pod_completion_time', completionOf(containers)),
    ...about('kube_pod_deletion_timestamp', secondsOf(deletionTimestamp)),
    ...phases(pod, containers).flatMap(([phase, value]) =>
      about('kube_pod_status_phase', value, { phase }),
    ),
    ...containers.flatMap((one) => containerSeries(pod, one, about)),
    ...podRequests(pod, about),
    ...deviceClaimsOf(pod).flatMap((claim) => about('kube_pod_resourceclaim_info', 1, claim)),
    ...claimsOf(pod).flatMap((claim) =>
      about('kube_pod_spec_volumes_persistentvolumeclaims_info', 1, claim),
    ),
  ];
}

function infoOf(pod: PodObject): Texts {
  const { spec, status } = pod;
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return {
    node: spec?.nodeName ?? '',
    host_ip: status?.hostIP ?? '',
    pod_ip: status?.podIP ?? '',
    created_by_kind: owner?.kind ?? '',
    created_by_name: owner?.name ?? '',
    priority_class: spec?.priorityClassName ?? '',
    host_network: String(spec?.hostNetwork ?? false),
  };
}

/** The latest end of those containers that are terminated now. */
function completionOf(containers: readonly LastingContainer[]): number | undefined {
  const ends = containers.flatMap(({ status }) => {
    const seconds = secondsOf(status?.state?.terminated?.finishedAt);
    return seconds === undefined ? [] : [seconds];
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function phases(
  { metadata, status }: PodObject,
  containers: readonly LastingContainer[],
): (readonly [phase: string, value: number])[] {
  const { phase = '' } = status ?? {};
  if (phase === '') return [];
  const isTerminal = phase === 'Failed' || phase === 'Succeeded';
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const shown = isDeleted && !isTerminal ? endOf(containers, phase) : phase;
  return ['Failed', 'Pending', 'Running', 'Succeeded', 'Unknown'].map((one) => [
    one,
    Number(one === shown),
  ]);
}

/** The phase of a pod that is being deleted. */
function endOf(containers: readonly LastingContainer[], phase: string): string {
  const ends = containers.map(({ status }) => status?.state?.terminated);
  if (ends.length === 0 || ends.includes(undefined)) return phase;
  return ends.every((end) => end?.exitCode === 0) ? 'Succeeded' : 'Failed';
}

function containerSeries(
  pod: PodObject,
  container: LastingContainer,
  about: (metric: string, value: number | undefined, more: Texts) => Series[],
): Series[] {
  const { name, status } = container;
  const node = pod.spec?.nodeName ?? '';
  const { running, terminated } = status?.state ?? {};
  const startedAt = (running ?? terminated)?.startedAt;
  const requests = heldBy(container, hasRefusedResize(pod)).flatMap(({ resource, unit, value }) =>
    about('kube_pod_container_resource_requests', value, { container: name, node, resource, unit }),
  );
  if (status === undefined) return requests;
  return [
    ...requests,
    ...about('kube_pod_container_info', 1, { container: name }),
    ...about('kube_pod_container_state_started', secondsOf(startedAt), { container: name }),
    ...about('kube_pod_container_status_running', Number(running !== undefined), {
      container: name,
    }),
  ];
}

/** Requests that are not its lasting containers': of other init containers, its RuntimeClass and its own. */
function podRequests(
  { spec }: PodObject,
  about: (metric: string, value: number | undefined, more?: Texts) => Series[],
): Series[] {
  const node = spec?.nodeName ?? '';
  const ending = (spec?.initContainers ?? []).filter((one) => one.restartPolicy !== 'Always');
  return [
    ...ending.flatMap(({ name, resources }) =>
      quantitiesOf(resources?.requests).flatMap(({ resource, unit, value }) =>
        about('kube_pod_init_container_resource_requests', value, {
          container: name,
          node,
          resource,
          unit,
        }),
      ),
    ),
    ...about('kube_pod_overhead_cpu_cores', amountOf('cpu', spec?.overhead?.['cpu'])),
    ...about('kube_pod_overhead_memory_bytes', amountOf('memory', spec?.overhead?.['memory'])),
    ...quantitiesOf(spec?.resources?.requests).flatMap(({ resource, unit, value }) =>
      about('kube_pod_spec_resource_requests', value, { node, resource, unit }),
    ),
  ];
}

/** Claims by name, and those that are made of a template in the pod's own spec. */
function claimsOf({ metadata, spec }: PodObject): Texts[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const own = ephemeral === undefined ? undefined : `${metadata.name}-${name}`;
    const claim = persistentVolumeClaim?.claimName ?? own;
    return claim === undefined ? [] : [{ volume: name, persistentvolumeclaim: claim }];
  });
}
