/** Objects that stand as long as the plan, or as their node: nodes, namespaces, owners, volumes, services. */
import type { KubeletPlace } from './kubelets.ts';
import type { ClusterPlan, PlannedNode, PlannedOwner, PlannedPod } from './plan.ts';
import { timeText, type PlainObject } from './plain-object.ts';
import { replicaSetName } from './pod-object.ts';

export interface StandingObject {
  readonly kind: string;
  readonly object: PlainObject;
}

export function nodeObject(
  { name, cores, ramBytes, startMs }: PlannedNode,
  { address, port }: KubeletPlace,
): PlainObject {
  const capacity = { cpu: String(cores), memory: `${ramBytes / 1024}Ki`, pods: '110' };
  const since = { lastHeartbeatTime: timeText(startMs), lastTransitionTime: timeText(startMs) };
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/os': 'linux',
  };
  return {
    metadata: { namespace: '', name, creationTimestamp: timeText(startMs), labels },
    spec: { providerID: `test:///zone-a/${name}`, podCIDR: '10.244.0.0/24' },
    status: {
      capacity,
      allocatable: capacity,
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', ...since }],
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
      nodeInfo: {
        kubeletVersion: 'v1.33.1',
        kernelVersion: '6.1.0',
        osImage: 'Debian GNU/Linux 12',
        containerRuntimeVersion: 'containerd://2.0.5',
        architecture: 'amd64',
        operatingSystem: 'linux',
      },
    },
  };
}

/** What there is from before the plan's start to its end. */
export function standingObjects({ pods, startMs }: ClusterPlan): StandingObject[] {
  const creationTimestamp = timeText(startMs - 3_600_000);
  const namespaces = new Set(pods.map(({ namespace }) => namespace));
  const owners = new Map(pods.map((pod) => [ownerKey(pod), pod]));
  const claims = new Map(pods.flatMap((pod) => (pod.claim ? [[pod.claim.volume, pod]] : [])));
  return [
    ...[...namespaces].map((name) => ({
      kind: 'Namespace',
      object: {
        metadata: { namespace: '', name, creationTimestamp, labels: { team: `of-${name}` } },
        status: { phase: 'Active' },
      },
    })),
    ...[...owners.values()].flatMap(({ namespace, owner }) =>
      ownerObjects(namespace, owner, creationTimestamp),
    ),
    ...[...claims.values()].flatMap((pod) => volumeObjects(pod, creationTimestamp)),
  ];
}

function ownerKey({ namespace, owner }: PlannedPod): string {
  return `${namespace}/${owner.kind}/${owner.name}`;
}

function ownerObjects(
  namespace: string,
  { kind, name }: PlannedOwner,
  creationTimestamp: string,
): StandingObject[] {
  const selector = { matchLabels: { app: name } };
  const object = (of: string, metadata: object = {}): PlainObject => ({
    metadata: { namespace, name: of, creationTimestamp, labels: { app: name }, ...metadata },
    spec: { replicas: 1, selector },
    status: { replicas: 1 },
  });
  const own = { kind, object: object(name) };
  if (kind !== 'Deployment') return [own];
  const controller = {
    apiVersion: 'apps/v1',
    uid: `uid-Deployment-${name}`,
    kind,
    name,
    controller: true,
  };
  const set = object(replicaSetName(name), { ownerReferences: [controller] });
  const service = {
    metadata: { namespace, name, creationTimestamp },
    spec: { type: 'ClusterIP', clusterIP: '10.96.0.10', selector: { app: name } },
    status: { loadBalancer: {} },
  };
  return [own, { kind: 'ReplicaSet', object: set }, { kind: 'Service', object: service }];
}

function volumeObjects(
  { namespace, claim }: PlannedPod,
  creationTimestamp: string,
): StandingObject[] {
  // prettier-ignore
  if (claim === undefined) return [];
  const storage = String(claim.bytes);
  const claimRef = { kind: 'PersistentVolumeClaim', namespace, name: claim.name };
  const volume = {
    capacity: { storage },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'fast',
    claimRef,
    csi: { driver: 'test.csi.example.com', volumeHandle: `handle-${claim.volume}` },
  };
  return [
    {
      kind: 'PersistentVolume',
      object: {
        metadata: { namespace: '', name: claim.volume, creationTimestamp },
        spec: volume,
        status: { phase: 'Bound' },
      },
    },
    {
      kind: 'PersistentVolumeClaim',
      object: {
        metadata: { namespace, name: claim.name, creationTimestamp },
        spec: {
          volumeName: claim.volume,
          storageClassName: 'fast',
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage } },
        },
        status: { phase: 'Bound', capacity: { storage } },
      },
    },
  ];
}
