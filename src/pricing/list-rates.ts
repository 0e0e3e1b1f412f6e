/** What the list prices make of a node: its type's price divided among its resources. */
import type { PriceBook } from './book.ts';
import { euroPrice, LISTED_PROVIDERS, listPrice, type ListPrice } from './list-prices.ts';
import { attachedGpuPrice, isAttachable, partedPrice } from './parted-types.ts';
import { regionRates } from './rate-list.ts';
import { placeOfNode, type NodeClues } from './node-place.ts';
import type { NodeSize } from './node-types.ts';
import type { NodeRates } from './rates.ts';

export interface ListedNode extends NodeClues {
  /** Instance type; '' unknown. */
  readonly type: string;
  /** As list prices name it; '' unknown. */
  readonly gpuModel: string;
  readonly isSpot: boolean;
  /** Its operating system is licensed by the hour. */
  readonly isWindows: boolean;
}

export interface ListRates {
  /** USD for an hour of a core, a GiB and a GPU; undefined where the list has no price at all. */
  readonly rates: NodeRates | undefined;
  /**
   * `type`: the price of its type. `guessed-spot`: the price on demand of its type times the book's
   * ratio of spot. `region`: what a core and a GiB cost in its region. `none`: no price.
   */
  readonly basis: 'type' | 'guessed-spot' | 'region' | 'none';
  /** Whether the list prices its GPUs; else the book does. */
  readonly hasGpus: boolean;
  /** GPUs at the price of another region; '' where that of their own is known, or none at all. */
  readonly guessedGpus: string;
  /** USD an hour of Windows, within the rates; 0 without. */
  readonly licenceHour: number;
  /** Such as `AWS us-east-1 x9.large`. */
  readonly name: string;
}

/**
 * Prices a node by the price of its type, else by the rates of its region.
 * @returns undefined where neither a type nor a cloud is known
 * @param seen what Kubernetes shows of the machine; undefined where that is not known
 */
export function listRates(
  node: ListedNode,
  seen: NodeSize | undefined,
  book: PriceBook,
): ListRates | undefined {
  const { provider, region, isEdge } = placeOfNode(node);
  const named = [provider, region, node.type || 'of no known type'];
  const name = named.filter((text) => text !== '').join(' ');
  const { usdPerEuro } = book;
  const isTyped = !isEdge && node.type !== '';
  const price = isTyped ? listPriceOf(provider, region, node.type, usdPerEuro) : undefined;
  const base = regionRates(price?.provider ?? provider, region);
  const spot = book.cpuCoreHour > 0 ? book.spotCpuCoreHour / book.cpuCoreHour : 1;
  const cloud = price?.provider ?? provider;
  const licenceHour = node.isWindows
    ? windowsLicence(cloud, node.type, price?.cpuCores ?? seen?.cpuCores ?? 0)
    : 0;
  if (price) {
    const hasSpot = price.spotUsdPerHour === price.spotUsdPerHour;
    const part = node.isSpot ? (hasSpot ? price.spotUsdPerHour / price.usdPerHour : spot) : 1;
    // Spot lowers the price of the machine, not that of the licence.
    const whole = { ...price, usdPerHour: price.usdPerHour + licenceHour / part };
    return {
      ...priced(whole, node, seen ?? price, { ...book, ...base }, part),
      licenceHour,
      basis: node.isSpot && !hasSpot ? 'guessed-spot' : 'type',
      name,
    };
  }
  if (!base && node.type === '' && provider === '') return undefined;
  const none = { hasGpus: false, guessedGpus: '', licenceHour: base ? licenceHour : 0 };
  if (!base) return { rates: undefined, basis: 'none', ...none, name };
  const { ramGiBHour, cpuCoreHour } = times({ ...base, gpuHour: 0 }, node.isSpot ? spot : 1, false);
  const ofCore = licenceHour === 0 ? 0 : licenceHour / (seen?.cpuCores ?? Infinity);
  const rates = { cpuCoreHour: cpuCoreHour + ofCore, ramGiBHour, gpuHour: book.gpuHour };
  return { rates, basis: 'region', ...none, name };
}

/**
 * A machine of a known type with all that it has.
 * @param part what it costs of its price on demand
 */
function priced(
  price: ListPrice,
  node: ListedNode,
  size: NodeSize,
  base: NodeRates,
  part: number,
): Pick<ListRates, 'rates' | 'hasGpus' | 'guessedGpus'> {
  if (size.gpus === 0 || !isAttachable(price)) {
    const rates = times(divided(price.usdPerHour, size, base), part, size.gpus > 0);
    return { rates, hasGpus: size.gpus > 0, guessedGpus: '' };
  }
  const machine = times(divided(price.usdPerHour, { ...size, gpus: 0 }, base), part, false);
  const gpu = attachedGpuPrice(price, price.region, node.gpuModel);
  if (!gpu) return { rates: machine, hasGpus: false, guessedGpus: '' };
  const { usdPerHour, spotUsdPerHour, isOfRegion } = gpu;
  const gpuHour = node.isSpot ? spotUsdPerHour || usdPerHour * part : usdPerHour;
  const guessedGpus = isOfRegion ? '' : `${price.provider} ${price.region} ${node.gpuModel}`;
  return { rates: { ...machine, gpuHour }, hasGpus: true, guessedGpus };
}

/**
 * Types and regions of clouds have names of their own, so that both tell the cloud where nothing else does.
 * @param usdPerEuro 0: not known
 */
export function listPriceOf(
  provider: string,
  region: string,
  type: string,
  usdPerEuro: number,
): ListPrice | undefined {
  if (provider !== '') {
    return (
      listPrice(provider, region, type) ??
      partedPrice(provider, region, type) ??
      euroPrice(provider, region, type, usdPerEuro)
    );
  }
  if (region === '') return undefined;
  const [price, other] = LISTED_PROVIDERS.flatMap((one) => listPrice(one, region, type) ?? []);
  return other ? undefined : price;
}

/**
 * Divides the price of a machine, so that together its resources cost exactly that. With GPUs its cores
 * and GiB cost what they cost elsewhere and the GPUs the rest; without GPUs, and where nothing would be
 * left, the price is divided in the ratio of those prices.
 */
function divided(usdPerHour: number, size: NodeSize, base: NodeRates): NodeRates {
  const { cpuCores, ramGiB, gpus } = size;
  const { cpuCoreHour, ramGiBHour, gpuHour } = base;
  const host = cpuCores * cpuCoreHour + ramGiB * ramGiBHour;
  if (gpus > 0 && usdPerHour > host) {
    return { cpuCoreHour, ramGiBHour, gpuHour: (usdPerHour - host) / gpus };
  }
  const whole = host + gpus * gpuHour;
  // A book in which all is free gives no ratio.
  if (whole === 0) return { cpuCoreHour: usdPerHour / cpuCores, ramGiBHour: 0, gpuHour };
  const part = usdPerHour / whole;
  return times(base, part, gpus > 0);
}

function times(
  { cpuCoreHour, ramGiBHour, gpuHour }: NodeRates,
  part: number,
  hasGpus: boolean,
): NodeRates {
  return {
    cpuCoreHour: cpuCoreHour * part,
    ramGiBHour: ramGiBHour * part,
    gpuHour: hasGpus ? gpuHour * part : gpuHour,
  };
}

/** USD of Windows Server for a vCPU-hour: AWS, Azure and Google ask the same (2026-01). */
const WINDOWS_VCPU_HOUR: ReadonlyMap<string, number> = new Map(
  ['AWS', 'Azure', 'GCP'].map((provider) => [provider, 0.046]),
);
/** USD an hour by size of burstable machines, which have a licence of their own: T2, T3 and T3a (2026-01). */
const WINDOWS_BURSTABLE: Readonly<Record<string, number>> = {
  nano: 0.0046, micro: 0.0092, small: 0.0184, medium: 0.0184, large: 0.0276, xlarge: 0.0736, '2xlarge': 0.1472,
}; // prettier-ignore
/** USD of a vCPU-hour on burstable machines of Azure, its B series (2026-01). */
const WINDOWS_AZURE_BURSTABLE = 0.004;

/** What Windows costs an hour beside the machine, USD: list prices are those of Linux. */
function windowsLicence(provider: string, type: string, cpuCores: number): number {
  const burstable = /^t[23]a?\.(\w+)$/.exec(type)?.[1];
  if (provider === 'AWS' && burstable !== undefined) return WINDOWS_BURSTABLE[burstable] ?? 0;
  if (provider === 'Azure' && /^standard_b\d/i.test(type))
    return cpuCores * WINDOWS_AZURE_BURSTABLE;
  return cpuCores * (WINDOWS_VCPU_HOUR.get(provider) ?? 0);
}
