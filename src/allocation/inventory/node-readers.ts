/** How facts about nodes, their disks and their clusters are read into the inventory. */
import type { SeriesRecord } from '../../columnar/index.ts';
import {
  acceleratorOf,
  CLOUD_LABELS,
  NODE_DISK_HOST,
  LABEL_NAMES,
  NODE_GPU_LABELS,
  NODE_POOL_LABELS,
  NODE_REGION_LABELS,
  NODE_TYPE_LABELS,
  NODE_ZONE_LABELS,
  RESOURCE_OF_LABEL,
  SPOT_LABELS,
  type FactName,
  type GpuLabel,
} from '../../metrics/catalogue.ts';
import { higherVersion } from '../../pricing/index.ts';
import { at, first, noRuns, type Inventory, type NodeFacts } from './inventory.ts';
import { addAccelerator } from './accelerator-runs.ts';
import { joined } from '../row/joined.ts';
import { Presence } from './presence.ts';
import { Runs } from './runs.ts';
import { textsOf } from './texts.ts';

type Reader = (inventory: Inventory, record: SeriesRecord) => void;

type NodeFact =
  | 'nodeLabels'
  | 'nodeCpuPrice'
  | 'nodeRamPrice'
  | 'nodeGpuPrice'
  | 'nodeIsSpot'
  | 'nodeInfo'
  | 'nodeCapacity'
  | 'nodeCreated'
  | 'nodeDisk'
  | 'managementPrice';

function nodeOf(inventory: Inventory, record: SeriesRecord): NodeFacts | undefined {
  const name = first(record, LABEL_NAMES.node);
  if (name === '') return undefined;
  const cluster = inventory.clusterOf(record);
  const facts = at(inventory.nodes, joined(cluster, name), () => ({
    cluster,
    name,
    presence: new Presence(inventory.options.gapMs),
    createdSeconds: new Runs(),
    capacity: noRuns(),
    accelerators: undefined,
    hasHami: false,
    gpuLabels: {},
    ...noRuns(),
    isSpot: new Runs(),
    providerId: '',
    type: '',
    region: '',
    zone: '',
    cloud: '',
    pool: '',
    isSpotByLabel: false,
    address: '',
    kubeletVersion: '',
    labels: undefined,
    lastMs: -Infinity,
  }));
  if (record.lastMs > facts.lastMs) facts.lastMs = record.lastMs;
  return facts;
}

function readNode(column: 'ram' | 'gpu' | 'isSpot'): Reader {
  return (inventory, record) => nodeOf(inventory, record)?.[column].add(record.pairs);
}

function readNodeKind(inventory: Inventory, record: SeriesRecord): void {
  const node = nodeOf(inventory, record);
  if (!node) return;
  node.type ||= first(record, NODE_TYPE_LABELS);
  node.region ||= first(record, NODE_REGION_LABELS);
  node.zone ||= first(record, NODE_ZONE_LABELS);
  readPool(node, record);
  readGpuLabels(node, record);
  node.isSpotByLabel ||= Object.entries(SPOT_LABELS).some(
    ([label, value]) => record.label(label).toLowerCase() === value,
  );
}

function readGpuLabels({ gpuLabels }: NodeFacts, record: SeriesRecord): void {
  for (const name of GPU_LABELS) {
    const value = first(record, NODE_GPU_LABELS[name]);
    if (value !== '') gpuLabels[name] = value;
  }
}

const GPU_LABELS = Object.keys(NODE_GPU_LABELS) as readonly GpuLabel[];

function readPool(node: NodeFacts, record: SeriesRecord): void {
  for (const [label, cloud] of Object.entries(CLOUD_LABELS))
    if (record.label(label) !== '') node.cloud ||= cloud;
  for (const [label, cloud] of Object.entries(NODE_POOL_LABELS)) {
    const pool = record.label(label);
    if (pool === '') continue;
    node.pool ||= pool;
    node.cloud ||= cloud;
  }
}

export const NODE_READERS: Readonly<Record<NodeFact & FactName, Reader>> = {
  nodeCpuPrice(inventory, record) {
    const node = nodeOf(inventory, record);
    if (!node) return;
    inventory.see(node, record);
    node.cpu.add(record.pairs);
    setProvider(node, record);
    readNodeKind(inventory, record);
  },
  nodeLabels(inventory, record) {
    readNodeKind(inventory, record);
    const node = nodeOf(inventory, record);
    if (node) node.labels = textsOf(record, 'label_', node.labels);
  },
  nodeRamPrice: readNode('ram'),
  nodeGpuPrice: readNode('gpu'),
  nodeIsSpot: readNode('isSpot'),
  nodeInfo(inventory, record) {
    const node = nodeOf(inventory, record);
    setProvider(node, record);
    if (node) {
      node.address ||= record.label('internal_ip');
      node.kubeletVersion = higherVersion(node.kubeletVersion, record.label('kubelet_version'));
    }
    node?.presence.add(record);
    inventory.addScrapes(record);
  },
  nodeCapacity(inventory, record) {
    const node = nodeOf(inventory, record);
    const label = record.label('resource');
    const resource = RESOURCE_OF_LABEL[label];
    if (resource) node?.capacity[resource].add(record.pairs);
    else if (acceleratorOf(label)) addAccelerator(node, label, record.pairs);
    else if (node && (record.pairs.at(-1) ?? 0) > 0) inventory.unknownAccelerators.add(label);
    node?.presence.add(record);
  },
  nodeCreated(inventory, record) {
    nodeOf(inventory, record)?.createdSeconds.add(record.pairs);
  },
  nodeDisk(inventory, record) {
    const host = first(record, NODE_DISK_HOST);
    if (host === '') return;
    const cluster = inventory.clusterOf(record);
    const key = joined(cluster, host, record.label('device'));
    const disk = at(inventory.nodeDisks, key, () => ({
      cluster,
      host,
      presence: new Presence(inventory.options.gapMs),
      bytes: new Runs(),
    }));
    disk.presence.add(record);
    disk.bytes.add(record.pairs);
  },
  managementPrice(inventory, record) {
    const cluster = inventory.clusterOf(record);
    const provisioner = record.label('provisioner_name');
    const management = at(inventory.managements, joined(cluster, provisioner), () => ({
      cluster,
      provisioner,
      presence: new Presence(inventory.options.gapMs),
      price: new Runs(),
    }));
    management.presence.add(record);
    management.price.add(record.pairs);
  },
};

export function setProvider(of: { providerId: string } | undefined, record: SeriesRecord): void {
  if (of) of.providerId ||= record.label('provider_id');
}
