/** Prices of nodes, volumes, load balancers, traffic and cluster management, an hour. */
import { numberReader, textReader, type Table } from '../../columnar/index.ts';
import type { Family, Sample } from '../../export/index.ts';
import { BYTES_PER_GIB } from '../../pricing/index.ts';
import { HOUR_MS, type Window } from '../../query/index.ts';
import type { AssetText } from '../../assets/columns.ts';
import type { EgressNow } from '../ledger/network.ts';
import { family, labelled, type Labelling, type Labels } from './labelling.ts';

interface Asset {
  readonly labels: Labels;
  /** USD, in the whole set. */
  readonly cost: number;
  /** How long it was there. */
  readonly hours: number;
  readonly number: (column: string) => number;
}

type Value = (asset: Asset) => number;

const perHour: Value = ({ cost, hours }) => over(cost, hours);

/** What a unit costs an hour. @param units of the hours that are one unit of the price */
function unitPrice(cost: string, hours: string, units = 1): Value {
  return ({ number }) => over(number(cost), number(hours) / units);
}

const gpus: Value = ({ number, hours }) => over(number('gpuHours'), hours);
const isSpot: Value = ({ number }) => number('preemptible');
const cpuPrice = unitPrice('cpuCost', 'cpuCoreHours');
const ramPrice = unitPrice('ramCost', 'ramByteHours', BYTES_PER_GIB);
const gpuPrice = unitPrice('gpuCost', 'gpuHours');

/** Families of nodes; the labels of each are those of the node. */
const NODES: readonly (readonly [name: string, help: string, value: Value])[] = [
  ['node_cpu_hourly_cost', 'What a CPU of the node costs an hour, USD.', cpuPrice],
  ['node_ram_hourly_cost', 'What a GiB of RAM of the node costs an hour, USD.', ramPrice],
  ['node_gpu_hourly_cost', 'What a GPU of the node costs an hour, USD.', gpuPrice],
  ['node_gpu_count', 'GPUs of the node.', gpus],
  ['node_total_hourly_cost', 'What the node costs an hour, USD.', perHour],
  ['kubecost_node_is_spot', 'Whether the node is a spot node.', isSpot],
];

export function assetFamilies(
  table: Table,
  window: Window,
  egress: readonly EgressNow[],
  labelling: Labelling,
): Family[] {
  const read = assetReader(table, window, labelling);
  const nodes = labelling.bounded.most('nodes', read('Node', nodeLabels));
  const volumes = labelling.bounded.most('volumes', read('Disk', volumeLabels));
  const balancers = labelling.bounded.most('load balancers', read('LoadBalancer', balancerLabels));
  const managements = read('ClusterManagement', ({ name }) => ({ provisioner_name: name }));
  const samples = (assets: readonly Asset[], value: Value): Sample[] =>
    assets.map((asset) => ({ labels: asset.labels, value: value(asset) }));
  return [
    ...NODES.map(([name, help, value]) => family(name, help, samples(nodes, value))),
    family(
      'pv_hourly_cost',
      'What a GiB of the volume costs an hour, USD.',
      samples(volumes, unitPrice('cost', 'byteHours', BYTES_PER_GIB)),
    ),
    family(
      'kubecost_load_balancer_cost',
      'What the load balancer costs an hour, USD.',
      samples(balancers, perHour),
    ),
    family(
      'kubecost_cluster_management_cost',
      'What the management of the cluster costs an hour, USD.',
      samples(managements, perHour),
    ),
    ...(['zone', 'region', 'internet'] as const).map((kind) =>
      family(
        `kubecost_network_${kind}_egress_cost`,
        `What a GiB costs that leaves ${kind === 'internet' ? 'for the internet' : `its ${kind}`}, USD.`,
        egress.map((of) => ({ labels: labelled(labelling, of.cluster, {}), value: of[kind] })),
      ),
    ),
  ];
}

const TEXTS = ['name', 'address', 'providerID', 'nodeType', 'region', 'labels'] as const;
type Texts = Readonly<Record<(typeof TEXTS)[number], string>>;

function nodeLabels({ name, nodeType, region, providerID, labels }: Texts): Labels {
  return {
    instance: name,
    node: name,
    instance_type: nodeType,
    region,
    provider_id: providerID,
    arch: archOf(labels),
  };
}

function volumeLabels({ name, providerID }: Texts): Labels {
  return { volumename: name, persistentvolume: name, provider_id: providerID };
}

/** Its name is `namespace/service`. */
function balancerLabels({ name, address }: Texts): Labels {
  const at = name.indexOf('/');
  return { ingress_ip: address, namespace: name.slice(0, at), service_name: name.slice(at + 1) };
}

function archOf(labels: string): string {
  return /"kubernetes_io_arch":"([^"\\]*)"/.exec(labels)?.[1] ?? '';
}

function assetReader(
  table: Table,
  window: Window,
  labelling: Labelling,
): (type: string, labelsOf: (texts: Texts) => Labels) => Asset[] {
  const reader = (column: AssetText): ((row: number) => string) => textReader(table, column);
  const [type, cluster] = [reader('type'), reader('cluster')];
  const texts = TEXTS.map((name) => [name, reader(name)] as const);
  const [start, end, cost] = ['startMs', 'endMs', 'cost'].map((name) => numberReader(table, name));
  const isAttached = numberReader(table, 'isAttached');
  return (wanted, labelsOf) => {
    const assets: Asset[] = [];
    for (let row = 0; row < table.rows; row++) {
      // Disks of nodes are no persistent volumes.
      if (type(row) !== wanted || isAttached(row) === 1) continue;
      const own = Object.fromEntries(texts.map(([name, of]) => [name, of(row)])) as Texts;
      const fromMs = Math.max(window.startMs, start?.(row) ?? NaN);
      const toMs = Math.min(window.endMs, end?.(row) ?? NaN);
      assets.push({
        labels: labelled(labelling, cluster(row), labelsOf(own)),
        cost: cost?.(row) ?? NaN,
        hours: (toMs - fromMs) / HOUR_MS,
        number: (column) => numberReader(table, column)(row),
      });
    }
    return assets;
  };
}

/** 0 where there is nothing to divide by. */
function over(value: number, by: number): number {
  return by > 0 ? value / by : 0;
}
