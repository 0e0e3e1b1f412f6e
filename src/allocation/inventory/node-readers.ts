/** How facts about nodes, their disks and their clusters are read into the inventory. */
import type { SeriesRecord } from '../../columnar/index.ts';
import {
  acceleratorOf,
  CLOUD_LABELS,
  COMPUTE_CLASS_LABELS,
  NODE_DISK_HOST,
  LABEL_NAMES,
  MACHINE_LABELS,
  NODE_GPU_LABELS,
  NODE_OS_LABELS,
  NODE_POOL_LABELS,
  NODE_REGION_LABELS,
  NODE_TYPE_LABELS,
  NODE_ZONE_LABELS,
  RESOURCE_OF_LABEL,
  SPOT_LABELS,
  type FactName,
  type GpuLabel,
} from '../../metrics/catalogue.ts';
import { at, first, noRuns, type Inventory, type NodeFacts } from './inventory.ts';
import { addAccelerator } from './accelerator-runs.ts';
import { addTraits, noTraits } from './machines.ts';
import type { NodeSighting, NodeTraits } from './nodes-and-volumes.ts';
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
    ...noRuns(),
    isSpot: new Runs(),
    ...noTraits(name),
    sightings: [],
    sinceMs: -Infinity,
    untilMs: Infinity,
    lastMs: -Infinity,
  }));
  if (record.lastMs > facts.lastMs) facts.lastMs = record.lastMs;
  return facts;
}

function readPrice(column: 'ram' | 'gpu'): Reader {
  return (inventory, record) => nodeOf(inventory, record)?.[column].addSeries(record);
}

/** Notes what a series says that its node is, which is of the machine that had the name then. */
function sight(
  node: NodeFacts,
  fact: NodeSighting['fact'],
  record: SeriesRecord,
  traits: Partial<NodeTraits>,
): void {
  const { firstMs, lastMs } = record;
  const sighting = { fact, traits: { ...noTraits(), ...traits }, firstMs, lastMs };
  node.sightings.push(sighting);
  addTraits(node, sighting.traits);
}

function kindIn(record: SeriesRecord): Partial<NodeTraits> {
  return {
    type: first(record, NODE_TYPE_LABELS),
    region: first(record, NODE_REGION_LABELS),
    zone: first(record, NODE_ZONE_LABELS),
    ...poolIn(record),
    gpuLabels: gpuLabelsIn(record),
    kind: machineKindIn(record),
    isMachineClass: MACHINE_CLASSES.test(first(record, COMPUTE_CLASS_LABELS)),
    isWindows: NODE_OS_LABELS.some((label) => /^windows/i.test(record.label(label))),
    isSpotByLabel: Object.entries(SPOT_LABELS).some(
      ([label, value]) => record.label(label).toLowerCase() === value,
    ),
  };
}

/** Classes of Autopilot that are billed as machines. */
const MACHINE_CLASSES = /^(performance|accelerator)$/i;

function machineKindIn(record: SeriesRecord): NodeTraits['kind'] {
  const labelled = MACHINE_LABELS.find(([label, value]) => value.test(record.label(label)))?.[2];
  return labelled ?? (first(record, NODE_TYPE_LABELS).startsWith('ek-') ? 'autopilot' : '');
}

function kindOfProvider(providerId: string): NodeTraits['kind'] {
  if (providerId.startsWith('kwok:')) return 'kwok';
  return /\/fargate-[^/]*$/.test(providerId) ? 'fargate' : '';
}

function gpuLabelsIn(record: SeriesRecord): NodeTraits['gpuLabels'] {
  const labels: Partial<Record<GpuLabel, string>> = {};
  for (const name of GPU_LABELS) {
    const value = first(record, NODE_GPU_LABELS[name]);
    if (value !== '') labels[name] = value;
  }
  return labels;
}

const GPU_LABELS = Object.keys(NODE_GPU_LABELS) as readonly GpuLabel[];

function poolIn(record: SeriesRecord): Pick<NodeTraits, 'cloud' | 'pool'> {
  let [found, of] = ['', ''];
  for (const [label, cloud] of Object.entries(CLOUD_LABELS))
    if (record.label(label) !== '') of ||= cloud;
  for (const [label, cloud] of Object.entries(NODE_POOL_LABELS)) {
    const pool = record.label(label);
    if (pool === '') continue;
    found ||= pool;
    of ||= cloud;
  }
  return { cloud: of, pool: found };
}

export const NODE_READERS: Readonly<Record<NodeFact & FactName, Reader>> = {
  nodeCpuPrice(inventory, record) {
    const node = nodeOf(inventory, record);
    if (!node) return;
    inventory.see(node, record);
    node.cpu.addSeries(record);
    const providerId = record.label('provider_id');
    sight(node, 'nodeCpuPrice', record, { providerId, ...kindIn(record) });
  },
  nodeLabels(inventory, record) {
    const node = nodeOf(inventory, record);
    if (!node) return;
    const labels = textsOf(record, 'label_', undefined);
    sight(node, 'nodeLabels', record, { labels, hasLabels: true, ...kindIn(record) });
  },
  nodeRamPrice: readPrice('ram'),
  nodeGpuPrice: readPrice('gpu'),
  nodeIsSpot(inventory, record) {
    nodeOf(inventory, record)?.isSpot.add(record.pairs);
  },
  nodeInfo(inventory, record) {
    const node = nodeOf(inventory, record);
    inventory.addScrapes(record);
    if (!node) return;
    node.presence.add(record);
    const providerId = record.label('provider_id');
    sight(node, 'nodeInfo', record, {
      providerId,
      systemUuid: record.label('system_uuid'),
      kind: kindOfProvider(providerId),
      isWindows: /^windows/i.test(record.label('os_image')),
      address: record.label('internal_ip'),
      kubeletVersion: record.label('kubelet_version'),
    });
  },
  nodeCapacity(inventory, record) {
    const node = nodeOf(inventory, record);
    const label = record.label('resource');
    const resource = RESOURCE_OF_LABEL[label];
    if (resource) node?.capacity[resource].addSeries(record);
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
    const device = record.label('device');
    const key = joined(cluster, host, device);
    const disk = at(inventory.nodeDisks, key, () => ({
      cluster,
      host,
      device,
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
