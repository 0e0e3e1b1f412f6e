/**
 * Machines of Google that are sold in parts, so that its list has no line of them: custom machines,
 * slices of TPUs, and GPUs that are attached to N1.
 */
import { listPrice, type ListPrice } from './list-prices.ts';
import { listedRate } from './rate-list.ts';

const CLOUD = 'GCP';
/** Its rates count where a region's are not listed. */
const USUAL_REGION = 'us-central1';

/** USD of an hour of a device. */
export interface DevicePrice {
  readonly usdPerHour: number;
  /** NaN where it is not known. */
  readonly spotUsdPerHour: number;
  /** Whether the price is that of the region, and not that of us-central1. */
  readonly isOfRegion: boolean;
}

/** @returns undefined for what is not sold in parts, or not in the region as far as is known */
export function partedPrice(provider: string, region: string, name: string): ListPrice | undefined {
  if (provider !== CLOUD) return undefined;
  return customPrice(region, name.toLowerCase()) ?? tpuPrice(region, name.toLowerCase());
}

/** A GPU beside a machine that is sold without any: GCP attaches them to N1 alone. */
export function attachedGpuPrice(
  { provider, name, gpus }: Pick<ListPrice, 'provider' | 'name' | 'gpus'>,
  region: string,
  model: string,
): DevicePrice | undefined {
  if (!isAttachable({ provider, name, gpus })) return undefined;
  for (const place of [region, USUAL_REGION]) {
    const usdPerHour = listedRate(CLOUD, place, 'gpu', model);
    if (usdPerHour === undefined || model === '') continue;
    const spotUsdPerHour = listedRate(CLOUD, place, 'gpu-spot', model) ?? NaN;
    return { usdPerHour, spotUsdPerHour, isOfRegion: place === region };
  }
  return undefined;
}

export function isAttachable({
  provider,
  name,
  gpus,
}: Pick<ListPrice, 'provider' | 'name' | 'gpus'>): boolean {
  return provider === CLOUD && gpus === 0 && /^(n1|custom)-/.test(name);
}

/** `n2-custom-4-10240`: cores and MiB; those of N1 have no family. Extended memory has other prices. */
const CUSTOM = /^(?:(e2|n1|n2|n2d)-)?custom-(\d+)-(\d+)$/;

/**
 * Rates of custom machines are listed of us-central1 alone: elsewhere they differ as those of the
 * family's other machines do, which Google's own prices keep to.
 */
function customPrice(region: string, name: string): ListPrice | undefined {
  const [, family = 'n1', cores = '', mib = ''] = CUSTOM.exec(name) ?? [];
  if (cores === '') return undefined;
  const [here, usual] = [region, USUAL_REGION].map((place) => familyRates(place, family));
  const cpuUsd = listedRate(CLOUD, USUAL_REGION, 'custom-cpu', family);
  const ramUsd = listedRate(CLOUD, USUAL_REGION, 'custom-ram', family);
  if (!here || !usual || cpuUsd === undefined || ramUsd === undefined) return undefined;
  const [cpuCores, ramGiB] = [Number(cores), Number(mib) / 1024];
  const cpu = (cpuCores * cpuUsd * here.perCore) / usual.perCore;
  const ram = (ramGiB * ramUsd * here.perGiB) / usual.perGiB;
  return {
    ...here.machine,
    name,
    cpuCores,
    ramGiB,
    usdPerHour: cpu + ram,
    spotUsdPerHour: NaN,
    isComputed: region !== USUAL_REGION,
  };
}

interface FamilyRates {
  readonly machine: ListPrice;
  readonly perCore: number;
  readonly perGiB: number;
}

/** What a core and a GiB cost, of two machines with the same cores and other memory. */
function familyRates(region: string, family: string): FamilyRates | undefined {
  const machine = listPrice(CLOUD, region, `${family}-standard-4`);
  const larger = listPrice(CLOUD, region, `${family}-highmem-4`);
  if (!machine || !larger) return undefined;
  const perGiB = (larger.usdPerHour - machine.usdPerHour) / (larger.ramGiB - machine.ramGiB);
  return { machine, perGiB, perCore: (machine.usdPerHour - machine.ramGiB * perGiB) / 4 };
}

/** `ct5lp-hightpu-4t`: four chips. The price of a chip has that of its machine in it. */
const TPU = /^(ct4p|ct5lp|ct5p|ct6e)-[a-z]+-(\d+)t$/;

interface Chip {
  readonly model: string;
  readonly memoryGiB: number;
  /** What machines have by the number of chips: cores and GiB (GKE, "TPUs in GKE"). */
  readonly hosts: Readonly<Record<string, readonly [cpuCores: number, ramGiB: number]>>;
}

const CHIPS: Readonly<Record<string, Chip>> = {
  ct4p: { model: 'TPU-v4', memoryGiB: 32, hosts: { 4: [240, 407] } },
  ct5lp: { model: 'TPU-v5e', memoryGiB: 16, hosts: { 1: [24, 48], 4: [112, 192], 8: [224, 384] } },
  ct5p: { model: 'TPU-v5p', memoryGiB: 95, hosts: { 4: [208, 448] } },
  ct6e: { model: 'TPU-v6e', memoryGiB: 32, hosts: { 1: [44, 176], 4: [180, 720], 8: [180, 1440] } },
}; // prettier-ignore

function tpuPrice(region: string, name: string): ListPrice | undefined {
  const [, series = '', chips = ''] = TPU.exec(name) ?? [];
  const { model = '', memoryGiB = NaN, hosts } = CHIPS[series] ?? {};
  const [cpuCores, ramGiB] = hosts?.[chips] ?? [];
  const usd = model === '' ? undefined : listedRate(CLOUD, region, 'tpu', model);
  if (usd === undefined || cpuCores === undefined || ramGiB === undefined) return undefined;
  const gpus = Number(chips);
  return {
    provider: CLOUD,
    region,
    name,
    cpuCores,
    ramGiB,
    gpus,
    gpuModel: model,
    gpuMemoryGiB: memoryGiB,
    usdPerHour: gpus * usd,
    spotUsdPerHour: gpus * (listedRate(CLOUD, region, 'tpu-spot', model) ?? NaN),
    isComputed: false,
    isSharedCore: false,
    architecture: 'x86',
  };
}
