/** What there was to pay for, as the API tells it, and how one is found again. */
import { allOf, quoted } from '../costs/fields.ts';

/** Parts of a capacity; usage outside of containers counts as idle. */
export interface Breakdown {
  readonly idle: number;
  readonly system: number;
  readonly user: number;
}

/** Members that not every type has may be absent. Costs in USD, sizes in bytes. */
export interface Asset {
  readonly type: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly start: string;
  readonly end: string;
  readonly minutes: number;
  readonly adjustment: number;
  readonly totalCost: number;
  readonly nodeType?: string;
  readonly region?: string;
  readonly cpuCores?: number;
  readonly ramBytes?: number;
  readonly gpuCount?: number;
  readonly cpuCoreHours?: number;
  readonly ramByteHours?: number;
  readonly GPUHours?: number;
  readonly cpuBreakdown?: Breakdown;
  readonly ramBreakdown?: Breakdown;
  readonly cpuCost?: number;
  readonly ramCost?: number;
  readonly gpuCost?: number;
  /** 0 to 1; null: it was not the same all the time. */
  readonly discount?: number | null;
  readonly preemptible?: number | null;
  readonly priceSource?: string | null;
  readonly byteHours?: number;
  readonly bytes?: number;
  /** 1: the disk of a node itself. */
  readonly local?: number | null;
  readonly storageClass?: string;
  readonly volumeName?: string;
  readonly claimName?: string;
  readonly claimNamespace?: string;
  readonly ip?: string;
}

/** One set: all of the window. */
export type AssetSet = Readonly<Record<string, Asset>>;

export function nameOf({ properties }: Asset): string {
  return properties['name'] ?? '';
}

export function clusterOf({ properties }: Asset): string {
  return properties['cluster'] ?? '';
}

/** USD an asset costs at list price less discounts. */
export function listCost({ totalCost, adjustment }: Asset): number {
  return totalCost - adjustment;
}

/** Provider ids of AWS begin with the zone, those of GCP name it after the project. */
const ZONE_IN_ID = /^(?:aws:\/\/\/|gce:\/\/[^/]+\/)([^/]+)\//;
const ZONE_LABELS = ['topology_kubernetes_io_zone', 'failure_domain_beta_kubernetes_io_zone'];

/** '' where it is not known. */
export function zoneOf({ labels, properties }: Asset): string {
  const labelled = ZONE_LABELS.map((label) => labels[label] ?? '').find((zone) => zone !== '');
  return labelled ?? ZONE_IN_ID.exec(properties['providerIDFull'] ?? '')?.[1] ?? '';
}

/** Region and zone in one; a zone mostly names its region. */
export function placeOf(asset: Asset): string {
  const [region, zone] = [asset.region ?? '', zoneOf(asset)];
  if (zone === '' || zone.startsWith(region)) return zone === '' ? region : zone;
  return `${region} ${zone}`;
}

/** Fields that an asset is found by; a group of several has those that all of them share. */
const FOUND_BY = ['cluster', 'name', 'providerID'] as const;

/** The filter that means one asset, or one group of a type. */
export function filterOfAsset({ type, properties }: Asset): string {
  const parts = FOUND_BY.flatMap((field) => {
    const value = properties[field] ?? '';
    return value === '' ? [] : [`${field}:${quoted(value)}`];
  });
  return allOf([`assetType:${quoted(type.toLowerCase())}`, ...parts]);
}

/** What a filter of `filterOfAsset` is about: the name, else the type and the cluster. */
export function titleOf(filter: string): string {
  const said = (field: string): string => {
    const found = new RegExp(`(?:^|[+(])${field}:"((?:[^"\\\\]|\\\\.)*)"`).exec(filter)?.[1] ?? '';
    return found.replace(/\\(.)/gs, '$1');
  };
  const type = Object.keys(TYPES).find((own) => own.toLowerCase() === said('assetType')) ?? '';
  const [name, cluster] = [said('name'), said('cluster')];
  if (name !== '') return name;
  return cluster === '' ? typeHeading(type) : `${typeHeading(type)} in ${cluster}`;
}

/** What the types are called: one, and several. */
const TYPES: Readonly<Record<string, readonly [one: string, several: string]>> = {
  Node: ['node', 'Nodes'],
  Disk: ['disk', 'Disks'],
  LoadBalancer: ['load balancer', 'Load balancers'],
  Network: ['network', 'Network'],
  ClusterManagement: ['management of the cluster', 'Management'],
};

export function typeWord(type: string): string {
  return TYPES[type]?.[0] ?? type;
}

export function typeHeading(type: string): string {
  return TYPES[type]?.[1] ?? type;
}
