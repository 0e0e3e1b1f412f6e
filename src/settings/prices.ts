/** Settings of prices: the default book, and discounts. */
import { CONTROL_PLANE_TIERS, type ControlPlane, type PriceBook } from '../pricing/index.ts';
import type { Rows, Setting } from './settings.ts';

/** Discounts in [0, 1] on CPU and RAM of nodes that are not spot, applied one after the other. */
export type Discounts = Pick<PriceBook, 'discount' | 'negotiatedDiscount'>;

/** USD: for an hour of one core, GiB, GPU or cluster, and for a GiB that leaves a zone, a region, the cloud. */
export type Prices = Omit<PriceBook, keyof Discounts>;

/** List prices, used where neither the provider nor a bill has prices. */
export const PRICES: Rows<Prices> = {
  cpuCoreHour: price('cpuCoreHour', 'a CPU core', 0.031611),
  ramGiBHour: price('ramGiBHour', 'a GiB of RAM', 0.004237),
  gpuHour: price('gpuHour', 'a GPU', 0.95),
  spotCpuCoreHour: price('spotCpuCoreHour', 'a CPU core of a spot node', 0.006655),
  spotRamGiBHour: price('spotRamGiBHour', 'a GiB of RAM of a spot node', 0.000892),
  storageGiBHour: price('storageGiBHour', "a GiB of a volume or of a node's own disk", 0.04 / 730),
  zoneEgressGiB: priceOf('zoneEgressGiB', 'a GiB sent to another zone', 0.01),
  regionEgressGiB: priceOf('regionEgressGiB', 'a GiB sent to another region', 0.01),
  internetEgressGiB: priceOf('internetEgressGiB', 'a GiB sent to the internet', 0.12),
  clusterManagementHour: price('clusterManagementHour', "each cluster's management", 0),
  usdPerEuro: priceOf('usdPerEuro', 'a euro, by which list prices of OVH and Scaleway count', 0),
};

export interface ControlPlaneSettings {
  readonly controlPlanes: readonly ControlPlane[];
}

export const CONTROL_PLANES: Rows<ControlPlaneSettings> = {
  controlPlanes: {
    key: 'controlPlanes',
    env: 'CONTROL_PLANES',
    help: 'tiers of control planes by cluster, or of all clusters of a cloud, which no metric tells',
    accepted: `a list of tiers or cluster=tier, tiers ${CONTROL_PLANE_TIERS.join(', ')}`,
    example: 'aks-standard,legacy=eks-extended-support',
    otherwise: 'eks-standard or eks-extended-support by the version, gke-standard, aks-free',
    fallback: () => [],
    read: readControlPlanes,
  },
};

export const DISCOUNTS: Rows<Discounts> = {
  discount: part('discount', 'DISCOUNT', 'part off prices of CPU and RAM, but of spot nodes'),
  negotiatedDiscount: part(
    'negotiatedDiscount',
    'NEGOTIATED_DISCOUNT',
    'a further part off, of what the discount leaves',
  ),
};

function price(name: string, unit: string, usdPerHour: number): Setting<number> {
  return priceOf(name, `an hour of ${unit}`, usdPerHour);
}

function priceOf(name: string, of: string, usd: number): Setting<number> {
  return {
    key: `prices.${name}`,
    help: `USD for ${of}`,
    accepted: 'a price in USD, zero or more',
    example: '0.03',
    fallback: () => usd,
    read: (text) => finite(decimal(text)),
  };
}

function part(key: string, env: string, help: string): Setting<number> {
  return {
    key,
    env,
    help,
    accepted: 'a part in 0 to 1, or a percentage',
    example: '30%',
    otherwise: 'none',
    fallback: () => 0,
    read: readPart,
  };
}

/** Names of clusters may have an equals sign, tiers have none. */
function readControlPlanes(text: string): readonly ControlPlane[] | undefined {
  const found = text.split(',').map((item): ControlPlane => {
    const [, cluster = '', tier = ''] = /^(?:(.+)=)?([^=]+)$/.exec(item.trim()) ?? [];
    return { cluster: cluster.trim(), tier: tier.trim() };
  });
  const keys = found.map(({ cluster, tier }) => cluster || (tier.split('-')[0] ?? ''));
  const isKnown = found.every(({ tier }) => CONTROL_PLANE_TIERS.includes(tier));
  return isKnown && new Set(keys).size === keys.length ? found : undefined;
}

/** `0.3` or `30%` */
function readPart(text: string): number | undefined {
  const isPercentage = text.endsWith('%');
  const value = decimal(isPercentage ? text.slice(0, -1).trimEnd() : text);
  if (value === undefined) return undefined;
  const part = isPercentage ? value / 100 : value;
  return part <= 1 ? part : undefined;
}

/** Decimal, with or without a fraction and an exponent; not hexadecimal, not signed. */
function decimal(text: string): number | undefined {
  return /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

function finite(value: number | undefined): number | undefined {
  return value !== undefined && value < Infinity ? value : undefined;
}
