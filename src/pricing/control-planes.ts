/**
 * What control planes of managed clusters cost. EKS asks more once a version of Kubernetes is past its
 * standard support; tiers that no metric tells, such as those of AKS, are the operator's to name.
 */
import { listedRate } from './rate-list.ts';

/** The operator's word on the control plane of a cluster. */
export interface ControlPlane {
  /** '' every cluster of the tier's cloud that has no word of its own. */
  readonly cluster: string;
  /** One of `CONTROL_PLANE_TIERS`. */
  readonly tier: string;
}

export interface ManagedCluster {
  readonly cluster: string;
  /** The cloud that runs its control plane; '' unknown. */
  readonly cloud: string;
  /** The highest version of Kubernetes on its nodes, such as `v1.29.15-eks-473151a`; '' unknown. */
  readonly version: string;
}

export interface ControlPlanePrice {
  /** Such as EKS. */
  readonly provisioner: string;
  /** USD an hour, as pairs (fromMs, USD). */
  readonly prices: readonly number[];
}

/** What a cluster without a control plane to pay for is said to have. */
const NONE = 'none';

/** Clouds by their tiers' first words, and how they call what they run. */
const CLOUDS: Readonly<Record<string, readonly [cloud: string, provisioner: string]>> = {
  eks: ['AWS', 'EKS'],
  gke: ['GCP', 'GKE'],
  aks: ['Azure', 'AKS'],
};

/** As `src/pricing/list/rates.csv` names them. */
export const CONTROL_PLANE_TIERS: readonly string[] = [
  'eks-standard',
  'eks-extended-support',
  'gke-standard',
  'gke-autopilot',
  'gke-extended-channel',
  'aks-free',
  'aks-standard',
  'aks-premium-lts',
  NONE,
];

/** Tiers where nobody names one: AKS is free without its service level. */
const USUAL: ReadonlyMap<string, string> = new Map([
  ['AWS', 'eks-standard'],
  ['GCP', 'gke-standard'],
]);

/**
 * The first day of extended support by minor version of Kubernetes 1 (Amazon EKS user guide, "Kubernetes
 * release calendar"). It is billed since April 2024.
 */
const EKS_EXTENDED: Readonly<Record<string, string>> = {
  23: '2024-04-01', 24: '2024-04-01', 25: '2024-05-01', 26: '2024-06-11', 27: '2024-07-24', 28: '2024-11-26',
  29: '2025-03-23', 30: '2025-07-23', 31: '2025-11-26', 32: '2026-03-23', 33: '2026-07-29', 34: '2026-12-02',
  35: '2027-03-27',
}; // prettier-ignore

/** @returns undefined where nothing tells that it costs anything */
export function controlPlanePrice(
  { cluster, cloud, version }: ManagedCluster,
  named: readonly ControlPlane[],
): ControlPlanePrice | undefined {
  const own = named.find((one) => one.cluster !== '' && one.cluster === cluster);
  const ofCloud = named.find((one) => one.cluster === '' && cloudOf(one.tier) === cloud);
  const tier = (own ?? ofCloud)?.tier ?? USUAL.get(cloud) ?? NONE;
  const [, provisioner = ''] = CLOUDS[tier.split('-')[0] ?? ''] ?? [];
  const usd = priceOf(tier);
  if (!usd) return undefined;
  const extendedMs = own || ofCloud ? undefined : extendedFromMs(version);
  const extended = priceOf('eks-extended-support');
  if (cloud !== 'AWS' || extendedMs === undefined || extended === undefined)
    return { provisioner, prices: [0, usd] };
  return { provisioner, prices: [0, usd, extendedMs, extended] };
}

/** The cloud of whose control planes a version of Kubernetes speaks: `v1.30.5-gke.1014001`; '' of none. */
export function cloudOfVersion(version: string): string {
  if (version.includes('-eks-')) return 'AWS';
  return version.includes('-gke.') ? 'GCP' : '';
}

/** The higher of two versions by their minor number; '' is lower than any. */
export function higherVersion(some: string, other: string): string {
  return (minorOf(other) ?? -1) > (minorOf(some) ?? -1) ? other : some;
}

function extendedFromMs(version: string): number | undefined {
  const day = EKS_EXTENDED[minorOf(version) ?? ''];
  return day === undefined ? undefined : Date.parse(`${day}T00:00:00Z`);
}

function minorOf(version: string): number | undefined {
  const minor = /^v?1\.(\d+)\b/.exec(version)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

function cloudOf(tier: string): string {
  return CLOUDS[tier.split('-')[0] ?? '']?.[0] ?? '';
}

function priceOf(tier: string): number | undefined {
  return listedRate(cloudOf(tier), '*', 'control-plane', tier);
}
