/** What the list prices make of a node: its type's price divided among its resources. */
import type { PriceBook } from './book.ts';
import { LISTED_PROVIDERS, listPrice, type ListPrice } from './list-prices.ts';
import { regionRates } from './rate-list.ts';
import { placeOfNode, type NodeClues } from './node-place.ts';
import type { NodeSize } from './node-types.ts';
import type { NodeRates } from './rates.ts';

export interface ListedNode extends NodeClues {
  /** Instance type; '' unknown. */
  readonly type: string;
  readonly isSpot: boolean;
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
  const price = isEdge || node.type === '' ? undefined : listPriceOf(provider, region, node.type);
  const base = regionRates(price?.provider ?? provider, region);
  const spot = book.cpuCoreHour > 0 ? book.spotCpuCoreHour / book.cpuCoreHour : 1;
  if (price) {
    const size = seen ?? price;
    const onDemand = divided(price.usdPerHour, size, { ...book, ...base });
    const hasSpot = price.spotUsdPerHour === price.spotUsdPerHour;
    const part = !node.isSpot ? 1 : hasSpot ? price.spotUsdPerHour / price.usdPerHour : spot;
    return {
      rates: times(onDemand, part, size.gpus > 0),
      basis: node.isSpot && !hasSpot ? 'guessed-spot' : 'type',
      hasGpus: size.gpus > 0,
      name,
    };
  }
  const isCloud = LISTED_PROVIDERS.some((one) => one === provider);
  if (!base && node.type === '' && !isCloud) return undefined;
  if (!base) return { rates: undefined, basis: 'none', hasGpus: false, name };
  const rates = times({ ...base, gpuHour: book.gpuHour }, node.isSpot ? spot : 1, false);
  return { rates, basis: 'region', hasGpus: false, name };
}

/** Types and regions of clouds have names of their own, so that both tell the cloud where nothing else does. */
export function listPriceOf(provider: string, region: string, type: string): ListPrice | undefined {
  if (provider !== '') return listPrice(provider, region, type);
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
