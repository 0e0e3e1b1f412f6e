/** A planned pod as the API shows it at a time, and the times at which that changes. */
import { timeText, type PlainObject } from './plain-object.ts';
import {
  GRACE_MS,
  lifeEndMs,
  PULL_MS,
  requestAt,
  runningSinceMs,
  type PlannedContainer,
  type PlannedOwner,
  type PlannedPod,
} from './plan.ts';

const REPLICA_SET_HASH = '5d8f9c6b7d';

/** When the API shows something else of it, up to its removal. */
export function changeTimesMs(pod: PlannedPod): number[] {
  const { createdMs, startMs, endMs, containers, ending, removedMs } = pod;
  const restartsMs = containers.flatMap((container) => container.restartsMs);
  const resizesMs = containers.flatMap(({ requests }) => requests.map(({ fromMs }) => fromMs));
  const endsMs = ending === 'deleted' ? [endMs - GRACE_MS, endMs] : [endMs];
  const timesMs = [createdMs, startMs, startMs + PULL_MS, ...restartsMs, ...resizesMs, ...endsMs];
  return [...new Set(timesMs)].filter((atMs) => atMs < removedMs).toSorted((a, b) => a - b);
}

export function podObject(pod: PlannedPod, timeMs: number): PlainObject {
  const isBound = timeMs >= pod.startMs;
  const bound = isBound ? { nodeName: pod.node.name } : {};
  const [spec, status] = [{ ...specOf(pod, timeMs), ...bound }, statusOf(pod, timeMs)];
  return { metadata: metadataOf(pod, timeMs), spec, status };
}

function metadataOf(pod: PlannedPod, timeMs: number): PlainObject['metadata'] {
  const { namespace, name, uid, owner, createdMs, endMs, ending } = pod;
  const isDeleting = ending === 'deleted' && timeMs >= endMs - GRACE_MS;
  const untilMs = endMs - GRACE_MS + 30_000;
  return {
    namespace,
    name,
    uid,
    creationTimestamp: timeText(createdMs),
    ...(isDeleting ? { deletionTimestamp: timeText(untilMs), deletionGracePeriodSeconds: 30 } : {}),
    labels: { app: owner.name, 'app.kubernetes.io/part-of': namespace },
    annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' },
    ownerReferences: [ownerReference(owner)],
    managedFields: managedFields(pod, timeMs),
  };
}

function ownerReference({ kind, name }: PlannedOwner): object {
  const isSet = kind === 'Deployment';
  const owner = { kind: isSet ? 'ReplicaSet' : kind, name: isSet ? replicaSetName(name) : name };
  const uid = `uid-${owner.kind}-${owner.name}`;
  const apiVersion = kind === 'Job' ? 'batch/v1' : 'apps/v1';
  return { apiVersion, uid, blockOwnerDeletion: true, ...owner, controller: true };
}

export function replicaSetName(deployment: string): string {
  return `${deployment}-${REPLICA_SET_HASH}`;
}

/** Who changed what last: most of what an API server sends of a pod. */
function managedFields(pod: PlannedPod, timeMs: number): object[] {
  const names = pod.containers.map(({ name }) => [`k:{"name":"${name}"}`, FIELDS_OF_CONTAINER]);
  const fields = { 'f:metadata': FIELDS_OF_METADATA, 'f:spec': { 'f:containers': Object.fromEntries(names) as object } }; // prettier-ignore
  const entry = { operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
  const resizesMs = pod.containers.flatMap(({ requests }) =>
    requests.slice(1).flatMap(({ fromMs }) => (fromMs <= timeMs ? [fromMs] : [])),
  );
  const resize = { ...entry, manager: 'kubectl-patch', subresource: 'resize', fieldsV1: fields };
  return [
    { ...entry, manager: 'kube-controller-manager', time: timeText(pod.createdMs), fieldsV1: fields }, // prettier-ignore
    ...(resizesMs.length > 0 ? [{ ...resize, time: timeText(Math.max(...resizesMs)) }] : []),
  ];
}

const FIELDS_OF_METADATA = { 'f:annotations': { '.': {} }, 'f:generateName': {}, 'f:labels': { '.': {}, 'f:app': {} }, 'f:ownerReferences': { '.': {} } }; // prettier-ignore
const FIELDS_OF_CONTAINER = { '.': {}, 'f:env': { '.': {} }, 'f:image': {}, 'f:imagePullPolicy': {}, 'f:name': {}, 'f:ports': { '.': {} }, 'f:resources': { '.': {}, 'f:limits': {}, 'f:requests': { '.': {}, 'f:cpu': {}, 'f:memory': {} } }, 'f:terminationMessagePath': {}, 'f:terminationMessagePolicy': {} }; // prettier-ignore

function specOf(pod: PlannedPod, timeMs: number): object {
  const { claim, owner } = pod;
  const volumes = [
    { name: 'kube-api-access-x7k2p', projected: { defaultMode: 420, sources: [] } },
    ...(claim === undefined
      ? []
      : [{ name: 'data', persistentVolumeClaim: { claimName: claim.name } }]),
  ];
  return {
    volumes,
    containers: pod.containers.map((container) => ({
      name: container.name,
      image: `registry.example.com/${owner.name}/${container.name}:1.4.2`,
      ports: [{ containerPort: 8080, protocol: 'TCP' }],
      env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      resources: { requests: requestsText(container, timeMs) },
      volumeMounts: [{ name: 'kube-api-access-x7k2p', mountPath: '/var/run/secrets' }],
      terminationMessagePath: '/dev/termination-log',
      imagePullPolicy: 'IfNotPresent',
    })),
    restartPolicy: owner.kind === 'Job' ? 'Never' : 'Always',
    serviceAccountName: 'default',
    schedulerName: 'default-scheduler',
    tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
  };
}

function requestsText(container: PlannedContainer, timeMs: number): Record<string, string> {
  const { cores, ramBytes } = requestAt(container, timeMs);
  return { cpu: `${Math.round(cores * 1000)}m`, memory: String(ramBytes) };
}

function statusOf(pod: PlannedPod, timeMs: number): object {
  const { startMs, createdMs } = pod;
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: timeText(startMs) };
  if (timeMs < startMs) {
    const since = { lastTransitionTime: timeText(createdMs), reason: 'Unschedulable' };
    return { phase: 'Pending', conditions: [{ ...scheduled, ...since, status: 'False' }] };
  }
  const isReady = phaseOf(pod, timeMs) === 'Running' ? 'True' : 'False';
  const condition = { status: isReady, lastTransitionTime: timeText(startMs + PULL_MS) };
  return {
    phase: phaseOf(pod, timeMs),
    ...(phaseOf(pod, timeMs) === 'Failed' ? { reason: 'Error' } : {}),
    conditions: [{ type: 'Ready', ...condition }, { type: 'ContainersReady', ...condition }, scheduled], // prettier-ignore
    hostIP: '10.0.0.1',
    podIP: podAddress(pod),
    podIPs: [{ ip: podAddress(pod) }],
    startTime: timeText(startMs),
    containerStatuses: pod.containers.map((container) => containerStatus(pod, container, timeMs)),
    qosClass: 'Burstable',
  };
}

/** A deleted pod's phase is terminal before its object goes: Kubernetes 1.27 and later. */
function phaseOf({ startMs, endMs, ending }: PlannedPod, timeMs: number): string {
  if (timeMs < startMs + PULL_MS) return 'Pending';
  if (timeMs < endMs || ending === 'forced' || ending === 'stays') return 'Running';
  return ending === 'completes' ? 'Succeeded' : 'Failed';
}

function containerStatus(pod: PlannedPod, container: PlannedContainer, timeMs: number): object {
  const { name, restartsMs } = container;
  const phase = phaseOf(pod, timeMs);
  const begunMs = runningSinceMs(pod, container, Math.min(timeMs, pod.endMs - 1));
  const startedAt = timeText(begunMs);
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  const waiting = { waiting: { reason: 'ContainerCreating' } };
  const state = hasEnded ? { terminated: termination(pod, startedAt) } : { running: { startedAt } };
  const restarts = restartsMs.filter((atMs) => atMs <= timeMs);
  const lastMs = restarts.at(-1);
  const before = { exitCode: 1, reason: 'Error', finishedAt: timeText(lastMs ?? 0) };
  const resources = { requests: requestsText(container, timeMs) };
  return {
    name,
    state: phase === 'Pending' ? waiting : state,
    lastState: lastMs === undefined ? {} : { terminated: before },
    ready: phase === 'Running',
    started: phase === 'Running',
    restartCount: restarts.length,
    image: `registry.example.com/${pod.owner.name}/${name}:1.4.2`,
    ...(phase === 'Pending' ? {} : { containerID: `containerd://${containerId(pod, container, timeMs)}` }), // prettier-ignore
    allocatedResources: resources.requests,
    resources,
  };
}

function termination(pod: PlannedPod, startedAt: string): object {
  const isDone = pod.ending === 'completes';
  const finishedAt = timeText(lifeEndMs(pod));
  const [exitCode, reason] = isDone ? [0, 'Completed'] : [137, 'Error'];
  return { exitCode, reason, startedAt, finishedAt };
}

/** Another one after each restart. */
export function containerId(pod: PlannedPod, container: PlannedContainer, timeMs: number): string {
  const restarts = container.restartsMs.filter((atMs) => atMs <= timeMs).length;
  const text = `${pod.uid}-${container.name}-${restarts}`;
  return Buffer.from(text).toString('hex').padStart(64, '0').slice(-64);
}

function podAddress({ uid }: PlannedPod): string {
  const number = Number.parseInt(uid.replace(/\D/g, '').slice(-6), 10) || 0;
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}
