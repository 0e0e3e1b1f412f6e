/** How each fact is read into the inventory: one reader a metric. */
import type { SeriesRecord } from '../../columnar/index.ts';
import {
  acceleratorOf,
  FACTS,
  isHugepages,
  LABEL_NAMES,
  RESOURCE_OF_LABEL,
  type FactName,
} from '../../metrics/catalogue.ts';
import {
  ALLOCATION_MAX,
  at,
  type Claim,
  type Container,
  emptyContainer,
  first,
  type Inventory,
  type NetworkPrices,
  noRuns,
  type Owner,
  type Pod,
  type PodRequest,
  type Resource,
  setNode,
  type Volume,
} from './inventory.ts';
import { addAccelerator, addHugepages } from './accelerator-runs.ts';
import { DEVICE_READERS } from './device-readers.ts';
import { NODE_READERS } from './node-readers.ts';
import { joined } from '../row/joined.ts';
import { Presence } from './presence.ts';
import { Runs } from './runs.ts';
import { SERVICE_READERS } from './service-readers.ts';
import { textsOf } from './texts.ts';

type Reader = (inventory: Inventory, record: SeriesRecord) => void;

export function readFact(inventory: Inventory, fact: FactName, record: SeriesRecord): void {
  inventory.reading = FACTS[fact].selection.metric;
  READERS[fact](inventory, record);
}

function containerOf(pod: Pod | undefined, record: SeriesRecord): Container | undefined {
  const name = first(record, LABEL_NAMES.container);
  if (!pod || name === '') return undefined;
  let container = pod.containers.get(name);
  if (!container) pod.containers.set(name, (container = emptyContainer()));
  if (record.firstMs < container.firstMs) container.firstMs = record.firstMs;
  if (record.lastMs > container.lastMs) container.lastMs = record.lastMs;
  return container;
}

/** A container that the pod's status tells of: the node took the pod. */
function statusContainerOf(pod: Pod | undefined, record: SeriesRecord): Container | undefined {
  if (pod) pod.wasTaken = true;
  return containerOf(pod, record);
}

function addRequest(
  container: Container | undefined,
  label: string,
  pairs: readonly number[],
): void {
  const resource = RESOURCE_OF_LABEL[label];
  if (resource) container?.requests[resource].add(pairs);
  else if (isHugepages(label)) addHugepages(container, label, pairs);
  else if (acceleratorOf(label)) addAccelerator(container, label, pairs);
}

/** Clocks of nodes are a bit off. */
const BESIDE_MS = 120_000;

/** Whether an init container still runs when another container has started: others have ended by then. */
function runsBeside(pod: Pod, { pairs, lastMs }: SeriesRecord): boolean {
  let startedMs = Infinity;
  pod.containers.forEach(({ startMs }) => {
    if (startMs < startedMs) startedMs = startMs;
  });
  for (let i = 0; i < pairs.length; i += 2) {
    const untilMs = Math.min(pairs[i + 2] ?? Infinity, lastMs);
    if (pairs[i + 1] === 1 && untilMs > startedMs + BESIDE_MS) return true;
  }
  return false;
}

/** Requests of CPU and memory for a pod as a whole. */
function readPodRequest(kind: PodRequest['kind'], named?: string): Reader {
  return (inventory, record) => {
    const label = named ?? record.label('resource');
    if (RESOURCE_OF_LABEL[label] || isHugepages(label))
      inventory.addPodRequest(kind, label, record);
  };
}

function ownerIn(record: SeriesRecord, kindLabel: string, nameLabel: string): Owner | undefined {
  const kind = record.label(kindLabel);
  const name = record.label(nameLabel);
  if (kind === '' || kind === '<none>' || name === '' || kind === 'Node') return undefined;
  return { kind: kind.toLowerCase(), name };
}

function readNamedOwner(owners: (inventory: Inventory) => Map<string, Owner>, ...names: string[]) {
  return (inventory: Inventory, record: SeriesRecord): void => {
    const owner = ownerIn(record, 'owner_kind', 'owner_name');
    const name = first(record, names);
    if (!owner || name === '') return;
    const namespace = first(record, LABEL_NAMES.namespace);
    owners(inventory).set(joined(inventory.clusterOf(record), namespace, name), owner);
  };
}

function readAllocation(resource: Resource): Reader {
  return (inventory, record) => {
    const pod = inventory.allocatedPodOf(record);
    const counts = setNode(inventory, pod, record);
    const container = containerOf(pod, record);
    if (!container || !counts) return;
    container.allocated ??= noRuns();
    container.allocated[resource].add(
      record.pairs.map((v, i) => (i % 2 === 1 ? sane(v, resource) : v)),
    );
  };
}

/** An amount that no container can have is none, as in OpenCost's CPU_SANITY_LIMIT. */
function sane(amount: number, resource: Resource): number {
  return amount >= 0 && amount <= ALLOCATION_MAX[resource] ? amount : 0;
}

function readNamespace(map: 'namespaceLabels' | 'namespaceAnnotations', prefix: string): Reader {
  return (inventory, record) => {
    const namespace = first(record, LABEL_NAMES.namespace);
    const key = joined(inventory.clusterOf(record), namespace);
    inventory[map].set(key, textsOf(record, prefix, inventory[map].get(key)));
  };
}

function volumeOf(inventory: Inventory, record: SeriesRecord): Volume | undefined {
  const name = first(record, LABEL_NAMES.volume);
  if (name === '') return undefined;
  const cluster = inventory.clusterOf(record);
  return at(inventory.volumes, joined(cluster, name), () => ({
    cluster,
    name,
    presence: new Presence(inventory.options.gapMs),
    bytes: new Runs(),
    price: new Runs(),
    providerId: '',
    storageClass: '',
    driver: '',
    server: '',
    isLocal: false,
  }));
}

/** Labels that tell a disk of a cloud, from before CSI, and the drivers that took them over. */
const DISKS = [
  ['ebs_volume_id', 'ebs.csi.aws.com'],
  ['gce_persistent_disk_name', 'pd.csi.storage.gke.io'],
  ['azure_disk_name', 'disk.csi.azure.com'],
] as const;

/** The driver, and the provider's id. */
function diskOf(record: SeriesRecord): readonly string[] {
  const driver = record.label('csi_driver');
  if (driver !== '') return [driver, record.label('csi_volume_handle')];
  const [label, own] = DISKS.find(([name]) => record.label(name) !== '') ?? [];
  return label === undefined ? [] : [own ?? '', record.label(label).replace(/^aws:.*\//, '')];
}

function claimKey(inventory: Inventory, record: SeriesRecord): string {
  const claim = first(record, LABEL_NAMES.claim);
  const namespace = first(record, LABEL_NAMES.namespace);
  return claim === '' ? '' : joined(inventory.clusterOf(record), namespace, claim);
}

function claimOf(inventory: Inventory, record: SeriesRecord): Claim | undefined {
  const key = claimKey(inventory, record);
  if (key === '') return undefined;
  return at(inventory.claims, key, () => ({
    cluster: inventory.clusterOf(record),
    namespace: first(record, LABEL_NAMES.namespace),
    name: first(record, LABEL_NAMES.claim),
    storageClass: '',
    bytes: new Runs(),
    noPrice: new Runs(),
    byVolume: new Map(),
  }));
}

function readMount(podOf: (inventory: Inventory, record: SeriesRecord) => Pod | undefined): Reader {
  return (inventory, record) => {
    const key = claimKey(inventory, record);
    const pod = key === '' ? undefined : podOf(inventory, record);
    if (pod) (pod.claims ??= new Set()).add(key);
  };
}

function readNetworkPrice(column: keyof NetworkPrices): Reader {
  return (inventory, record) => {
    const prices = at(inventory.networkPrices, inventory.clusterOf(record), () => ({
      zoneEgress: new Runs(),
      regionEgress: new Runs(),
      internetEgress: new Runs(),
    }));
    prices[column].add(record.pairs);
  };
}

const READERS: Readonly<Record<FactName, Reader>> = {
  requests(inventory, record) {
    const pod = inventory.podOf(record);
    setNode(inventory, pod, record);
    const label = record.label('resource');
    addRequest(containerOf(pod, record), label, record.pairs);
    if (pod && acceleratorOf(label)?.kind === 'fraction')
      inventory.partRequests.set(pod, inventory.clusterOf(record));
  },
  initInfo(inventory, record) {
    if (record.label('restart_policy') !== 'Always') return;
    const container = statusContainerOf(inventory.podOf(record), record);
    if (container) container.isSidecar = true;
  },
  initRunning(inventory, record) {
    const pod = inventory.podOf(record);
    if (!pod || !runsBeside(pod, record)) return;
    const container = containerOf(pod, record);
    if (container) container.isSidecar = true;
  },
  initRequests(inventory, record) {
    const label = record.label('resource');
    const pod = inventory.podOf(record);
    setNode(inventory, pod, record);
    const isSidecar = pod?.containers.get(first(record, LABEL_NAMES.container)) !== undefined;
    if (isSidecar) addRequest(containerOf(pod, record), label, record.pairs);
    else readPodRequest('init')(inventory, record);
  },
  grantedRequests(inventory, record) {
    const container = containerOf(inventory.podOf(record), record);
    const resource = RESOURCE_OF_LABEL[record.label('resource')];
    if (container && resource) (container.granted ??= noRuns())[resource].add(record.pairs);
  },
  overheadCpu: readPodRequest('overhead', 'cpu'),
  overheadRam: readPodRequest('overhead', 'memory'),
  podRequests: readPodRequest('pod'),
  scheduledRequests: readPodRequest('scheduler'),
  podInfo(inventory, record) {
    const pod = inventory.podOf(record);
    setNode(inventory, pod, record);
    if (!pod) return;
    inventory.see(pod, record);
    inventory.addScrapes(record);
    // On its node's network it shares the address with others.
    pod.isOnHostNetwork ||= record.label('host_network') === 'true';
    if (!pod.isOnHostNetwork) pod.address ||= record.label('pod_ip');
    pod.owner ??= ownerIn(record, 'created_by_kind', 'created_by_name');
  },
  podStart(inventory, record) {
    inventory.podOf(record)?.startSeconds.add(record.pairs);
  },
  podCompletion(inventory, record) {
    const status = inventory.podOf(record)?.status;
    if (!status) return;
    status.completionSeconds.add(record.pairs);
    status.completionsMs.push([record.firstMs, record.lastMs]);
  },
  podPhase(inventory, record) {
    const phase = record.label('phase');
    const pod = inventory.podOf(record);
    if (phase === 'Failed' || phase === 'Succeeded') pod?.status.addPhase(phase, record.pairs);
  },
  podDeletion(inventory, record) {
    inventory.podOf(record)?.deletionSeconds.add(record.pairs);
  },
  containerRunning(inventory, record) {
    const pod = inventory.podOf(record);
    statusContainerOf(pod, record);
    if (record.pairs.at(-1) === 1) pod?.status.runningLastsMs.push(record.lastMs);
  },
  containerSeen(inventory, record) {
    inventory.addSeen(record);
  },
  podOwner(inventory, record) {
    const pod = inventory.podOf(record);
    const owner = ownerIn(record, 'owner_kind', 'owner_name');
    const isController = record.label('owner_is_controller') !== 'false';
    if (pod && owner && (isController || !pod.owner)) pod.owner = owner;
  },
  podLabels(inventory, record) {
    const pod = inventory.podOf(record);
    if (pod) pod.labels = textsOf(record, 'label_', pod.labels);
  },
  podAnnotations(inventory, record) {
    const pod = inventory.podOf(record);
    if (pod) pod.annotations = textsOf(record, 'annotation_', pod.annotations);
  },
  namespaceLabels: readNamespace('namespaceLabels', 'label_'),
  namespaceAnnotations: readNamespace('namespaceAnnotations', 'annotation_'),
  containerInfo(inventory, record) {
    statusContainerOf(inventory.podOf(record), record);
  },
  containerStart(inventory, record) {
    const container = statusContainerOf(inventory.podOf(record), record);
    if (!container) return;
    // A restart moves the value on; the container's own start is the earliest.
    const { pairs } = record;
    for (let i = 1; i < pairs.length; i += 2) {
      const startMs = (pairs[i] ?? NaN) * 1000;
      if (!(container.startMs <= startMs)) container.startMs = startMs;
    }
  },
  replicaSetOwner: readNamedOwner((inventory) => inventory.replicaSetOwners, 'replicaset'),
  jobOwner: readNamedOwner((inventory) => inventory.jobOwners, 'exported_job_name', 'job_name'),
  ...NODE_READERS,
  ...DEVICE_READERS,
  claimInfo(inventory, record) {
    const volume = record.label('volumename');
    const claim = claimOf(inventory, record);
    if (!claim || volume === '') return;
    claim.storageClass ||= record.label('storageclass');
    at(claim.byVolume, volume, () => new Presence(inventory.options.gapMs)).add(record);
  },
  claimRequest(inventory, record) {
    claimOf(inventory, record)?.bytes.add(record.pairs);
  },
  volumeCapacity(inventory, record) {
    const volume = volumeOf(inventory, record);
    if (!volume) return;
    inventory.see(volume, record);
    volume.bytes.addSeries(record);
    volume.presence.add(record);
  },
  volumePrice(inventory, record) {
    volumeOf(inventory, record)?.price.addSeries(record);
  },
  volumeInfo(inventory, record) {
    const volume = volumeOf(inventory, record);
    if (volume) volume.providerId ||= record.label('provider_id');
  },
  volumeKind(inventory, record) {
    const volume = volumeOf(inventory, record);
    if (!volume) return;
    const [driver = '', id = ''] = diskOf(record);
    volume.storageClass ||= record.label('storageclass');
    volume.driver ||= driver;
    volume.providerId ||= id;
    // csi-driver-nfs writes `server#share#directory#…`.
    const isNfs = driver === 'nfs.csi.k8s.io';
    volume.server ||= record.label('nfs_server') || (isNfs ? (id.split('#')[0] ?? '') : '');
    volume.isLocal ||= ['host_path', 'local_path'].some((label) => record.label(label) !== '');
  },
  podVolumes: readMount((inventory, record) => inventory.podOf(record)),
  // OpenCost's exporter shows a pod's claims for minutes after it is gone.
  podClaims: readMount((inventory, record) => inventory.allocatedPodOf(record)),
  ...SERVICE_READERS,
  cpuAllocation: readAllocation('cpu'),
  ramAllocation: readAllocation('ram'),
  gpuAllocation: readAllocation('gpu'),
  zoneEgressPrice: readNetworkPrice('zoneEgress'),
  regionEgressPrice: readNetworkPrice('regionEgress'),
  internetEgressPrice: readNetworkPrice('internetEgress'),
};
