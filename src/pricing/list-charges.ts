/**
 * What volumes, load balancers and traffic cost by list. Where the list has no price of
 * a region, that of the provider's usual one counts: us-east-1, eastus, us-central1.
 */
import { listedRate, regionRates, type RegionRates } from './rate-list.ts';

/** Where a cluster is. */
export interface ChargedPlace {
  /** As list prices name it; '' unknown. */
  readonly provider: string;
  /** '' unknown, or in several. */
  readonly region: string;
}

/** What tells how a volume is billed. */
export interface VolumeKind {
  /** '' unknown. */
  readonly storageClass: string;
  /** The name of its CSI driver; '' unknown. */
  readonly driver: string;
}

/**
 * Volumes whose capacity is not billed: of stores that bill what is in them (buckets, EFS), and directories
 * of a node's own disk, which is billed with the node.
 */
export type UnbilledVolume = 'unsized' | 'local';

const UNSIZED_DRIVERS: ReadonlySet<string> = new Set([
  'blob.csi.azure.com', 'csi.juicefs.com', 's3.csi.aws.com', 'efs.csi.aws.com', 'gcsfuse.csi.storage.gke.io',
  's3.csi.scality.com', 'ru.yandex.s3.csi', 'ch.ctrox.csi.s3-driver', 'csi-rclone',
]); // prettier-ignore
const LOCAL_DRIVERS: ReadonlySet<string> = new Set([
  'rancher.io/local-path', 'hostpath.csi.k8s.io', 'kubernetes.io/host-path', 'microk8s.io/hostpath',
  'k8s.io/minikube-hostpath', 'openebs.io/local',
]); // prettier-ignore
/** Where no driver is known: words of storage classes. */
const UNSIZED_CLASS = /(^|-)(efs|juicefs|blobfuse|azureblob|gcsfuse|s3|s3fs)(-|$)/i;
const LOCAL_CLASS = /(^|-)(local-path|hostpath|host-path)(-|$)/i;

/** @returns undefined for a volume that is billed by its size */
export function unbilledVolume({ storageClass, driver }: VolumeKind): UnbilledVolume | undefined {
  if (UNSIZED_DRIVERS.has(driver)) return 'unsized';
  if (LOCAL_DRIVERS.has(driver)) return 'local';
  if (driver !== '') return undefined;
  if (UNSIZED_CLASS.test(storageClass)) return 'unsized';
  return LOCAL_CLASS.test(storageClass) ? 'local' : undefined;
}

/** USD for a GiB that leaves its zone, its region, the cloud. */
export interface Egress {
  readonly zoneGiB: number | undefined;
  readonly regionGiB: number | undefined;
  readonly internetGiB: number | undefined;
}

/** A month, as providers divide prices of storage. */
const HOURS_PER_MONTH = 730;

const USUAL_REGIONS: ReadonlyMap<string, string> = new Map([
  ['AWS', 'us-east-1'],
  ['Azure', 'eastus'],
  ['GCP', 'us-central1'],
]);
/** Sold by other companies, in another currency. */
const ELSEWHERE = /^(cn-|china)/i;

interface Storage {
  readonly provider: string;
  /** Types by the words that names of storage classes have; the first counts. */
  readonly words: readonly (readonly [word: string, type: string])[];
  /** What the driver makes where a class names no type; undefined: a class that names one must. */
  readonly byDefault: string;
}

/**
 * EBS: gp3 is the driver's own default (aws-ebs-csi-driver, docs/parameters.md). Persistent disks:
 * pd-standard (gcp-compute-persistent-disk-csi-driver, README.md), GKE's classes `standard-rwo` and
 * `premium-rwo` are balanced and SSD. Azure disks: StandardSSD_LRS (azuredisk-csi-driver,
 * docs/driver-parameters.md), as AKS's `default`, `managed` and `managed-csi`.
 */
const EBS: Storage = {
  provider: 'AWS',
  words: ['gp2', 'gp3', 'io1', 'io2', 'st1', 'sc1'].map((type) => [type, type]),
  byDefault: 'gp3',
};
const PERSISTENT_DISK: Storage = {
  provider: 'GCP',
  words: [
    ['standard-rwo', 'pd-balanced'],
    ['premium-rwo', 'pd-ssd'],
    ['extreme', 'pd-extreme'],
    ['balanced', 'pd-balanced'],
    ['ssd', 'pd-ssd'],
    ['premium', 'pd-ssd'],
    ['fast', 'pd-ssd'],
    ['standard', 'pd-standard'],
  ],
  byDefault: 'pd-standard',
};
const AZURE_DISK: Storage = {
  provider: 'Azure',
  words: [
    ['premium2', 'PremiumV2_LRS'],
    ['premiumv2', 'PremiumV2_LRS'],
    ['premium-v2', 'PremiumV2_LRS'],
    ['ultra', 'UltraSSD_LRS'],
    ['premium', 'Premium_LRS'],
    ['hdd', 'Standard_LRS'],
    ['managed', 'StandardSSD_LRS'],
    ['default', 'StandardSSD_LRS'],
    ['standard', 'StandardSSD_LRS'],
  ],
  byDefault: 'StandardSSD_LRS',
};
const DRIVERS: ReadonlyMap<string, Storage> = new Map([
  ['ebs.csi.aws.com', EBS],
  ['kubernetes.io/aws-ebs', { ...EBS, byDefault: 'gp2' }],
  ['ebs.csi.eks.amazonaws.com', EBS],
  ['pd.csi.storage.gke.io', PERSISTENT_DISK],
  ['kubernetes.io/gce-pd', PERSISTENT_DISK],
  ['disk.csi.azure.com', AZURE_DISK],
  ['kubernetes.io/azure-disk', AZURE_DISK],
]);
/** Where no driver is known: the disks of the cluster's cloud, if the class has one of their words. */
const DISKS: ReadonlyMap<string, Storage> = new Map([
  ['AWS', EBS],
  ['GCP', PERSISTENT_DISK],
  ['Azure', AZURE_DISK],
]);

/** Whole disks that Azure bills: the smallest that has room (`Premium_LRS/P10/128GiB`). */
const AZURE_TIERS: Readonly<Record<string, readonly (readonly [name: string, gib: number])[]>> = {
  Premium_LRS: tiers('P', [1, 4], [2, 8], [3, 16], [4, 32], [6, 64], [10, 128], [15, 256], [20, 512], [30, 1024], [40, 2048], [50, 4096]),
  StandardSSD_LRS: tiers('E', [1, 4], [2, 8], [3, 16], [4, 32], [6, 64], [10, 128], [15, 256], [20, 512], [30, 1024], [40, 2048], [50, 4096], [60, 8192], [70, 16384], [80, 32767]),
  Standard_LRS: tiers('S', [4, 32], [6, 64], [10, 128], [15, 256], [20, 512], [30, 1024], [40, 2048], [50, 4096]),
}; // prettier-ignore

/**
 * What a GiB of a volume costs an hour, USD.
 * @param gib its size: Azure bills the smallest disk that has room for it
 * @returns undefined where its class tells no disk of a cloud with list prices
 */
export function storageUsdPerGiBHour(
  { provider, region }: ChargedPlace,
  { storageClass, driver }: VolumeKind,
  gib: number,
): number | undefined {
  const storage = driver === '' ? DISKS.get(provider) : DRIVERS.get(driver);
  if (storage === undefined) return undefined;
  const type = typeOf(storage, storageClass) ?? (driver === '' ? undefined : storage.byDefault);
  if (type === undefined) return undefined;
  const place = { provider: storage.provider, region };
  const tier = AZURE_TIERS[type]?.find(([, most]) => gib <= most);
  if (tier !== undefined && gib > 0) {
    const [name, most] = tier;
    const disk = inPlace(place, 'block-storage-tier', `${type}/${name}/${most}GiB`);
    if (disk !== undefined) return disk / gib / HOURS_PER_MONTH;
  }
  const perMonth = inPlace(place, 'block-storage', type);
  return perMonth === undefined ? undefined : perMonth / HOURS_PER_MONTH;
}

/** Regional persistent disks have a copy in another zone. */
function typeOf({ provider, words }: Storage, storageClass: string): string | undefined {
  const parts = `-${storageClass.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-`;
  const type = words.find(([word]) => parts.includes(`-${word}-`))?.[1];
  const isRegional = provider === 'GCP' && parts.includes('-regional-') && type !== 'pd-extreme';
  return type !== undefined && isRegional ? `${type}-regional` : type;
}

/** What a cloud's load balancer costs, whatever goes through it. */
export interface BalancerPrice {
  /** Services of a cluster with the same text are billed as one: by its name, or its rules together. */
  readonly billedAs: string;
  /** USD an hour while it serves so many services, a rule each. */
  usdPerHour(services: number): number;
}

/** Rules that cost the same together as one. */
const RULES_INCLUDED = 5;
/** Variants of list prices of the first rules together, and of each further one. */
const RULES: Readonly<Record<string, readonly [first: string, further: string]>> = {
  GCP: ['forwarding-rules-first-5', 'forwarding-rule-additional'],
  Azure: ['standard-first-5-rules', 'standard-additional-rule'],
};

/**
 * GKE's services are rules of one project, billed together; AKS has one balancer for public and one for internal
 * addresses (cloud-provider-azure, `kubernetes` and `kubernetes-internal`).
 * @param address a host name or an IP address: one of AWS always has a name, which tells its kind
 * @returns undefined where the cloud has none by list
 */
export function balancerPrice(place: ChargedPlace, address: string): BalancerPrice | undefined {
  const { provider } = place;
  if (provider === 'AWS') {
    if (!/\.amazonaws\.com(\.cn)?$/i.test(address)) return undefined;
    const isNetwork = /\.elb\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/i.test(address);
    const usd = inPlace(place, 'load-balancer', isNetwork ? 'network' : 'classic');
    return usd === undefined
      ? undefined
      : { billedAs: address.toLowerCase(), usdPerHour: () => usd };
  }
  const rules = Object.hasOwn(RULES, provider) ? RULES[provider] : undefined;
  const [first, further = 0] = rules?.map((rule) => inPlace(place, 'load-balancer', rule)) ?? [];
  if (first === undefined) return undefined;
  return {
    billedAs: provider === 'Azure' && isPrivateAddress(address) ? 'internal rules' : 'rules',
    usdPerHour: (services) => first + further * Math.max(0, services - RULES_INCLUDED),
  };
}

/** Addresses that no one outside reaches (RFC 1918, RFC 4193), and names of AWS's internal balancers. */
export function isPrivateAddress(address: string): boolean {
  return /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|f[cd][0-9a-f]{2}:|internal-)/i.test(address);
}

/** Undefined where the cloud's prices are not listed. */
export function egressUsdPerGiB(place: ChargedPlace): Egress {
  return {
    zoneGiB: inPlace(place, 'egress-inter-zone'),
    regionGiB: inPlace(place, 'egress-inter-region'),
    internetGiB: inPlace(place, 'egress-internet'),
  };
}

/** Platforms that bill pods by their size, and not nodes. */
export type Serverless = 'fargate' | 'autopilot';

const SERVERLESS: Readonly<Record<Serverless, readonly [provider: string, variant: string]>> = {
  fargate: ['AWS', 'fargate'],
  autopilot: ['GCP', 'gke-autopilot'],
};
/** What spot pods of Autopilot cost of the price on demand: 0.0133 of 0.0445 USD in us-central1 (2026-09). */
const AUTOPILOT_SPOT = 0.3;

/** What a vCPU and a GiB of a pod cost an hour, USD. */
export interface ServerlessRates extends RegionRates {
  /** The list has no price for the region: it is that of the usual region times the ratio of core prices. */
  readonly isComputed: boolean;
}

/** @returns undefined without list prices, as in China */
export function serverlessRates(
  platform: Serverless,
  region: string,
  isSpot: boolean,
): ServerlessRates | undefined {
  const [provider, variant] = SERVERLESS[platform];
  if (ELSEWHERE.test(region)) return undefined;
  const part = isSpot && platform === 'autopilot' ? AUTOPILOT_SPOT : 1;
  const usual = USUAL_REGIONS.get(provider) ?? '';
  const ratesIn = (where: string): readonly (number | undefined)[] =>
    ['serverless-cpu', 'serverless-ram'].map((item) => listedRate(provider, where, item, variant));
  const own = ratesIn(region);
  const isComputed = own.includes(undefined);
  const [cpu, ram] = isComputed ? ratesIn(usual) : own;
  if (cpu === undefined || ram === undefined) return undefined;
  const [here, there] = [region, usual].map((one) => regionRates(provider, one)?.cpuCoreHour);
  const isKnown = isComputed && here !== undefined && there !== undefined;
  const factor = isKnown ? (here / there) * part : part;
  return { cpuCoreHour: cpu * factor, ramGiBHour: ram * factor, isComputed };
}

function inPlace(
  { provider, region }: ChargedPlace,
  item: string,
  variant?: string,
): number | undefined {
  if (ELSEWHERE.test(region)) return undefined;
  const regions = [region, '*', ...(region === '' ? [] : [USUAL_REGIONS.get(provider) ?? ''])];
  for (const one of regions) {
    const usd = listedRate(provider, one, item, variant);
    if (usd !== undefined) return usd;
  }
  return undefined;
}

function tiers(
  letter: string,
  ...sizes: readonly (readonly [number: number, gib: number])[]
): readonly (readonly [string, number])[] {
  return sizes.map(([number, gib]) => [`${letter}${number}`, gib]);
}
