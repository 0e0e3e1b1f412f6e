/** Prices of a node's resources, from the book or its type, and the discount on them. */
import type { PriceBook } from './book.ts';
import type { CataloguedPrice } from './node-catalogue.ts';
import type { NodeSize, NodeType } from './node-types.ts';

/** USD for an hour of a core, a GiB and a GPU. */
export interface NodeRates {
  readonly cpuCoreHour: number;
  readonly ramGiBHour: number;
  readonly gpuHour: number;
}

export function bookRates(book: PriceBook, isSpot: boolean): NodeRates {
  return {
    cpuCoreHour: isSpot ? book.spotCpuCoreHour : book.cpuCoreHour,
    ramGiBHour: isSpot ? book.spotRamGiBHour : book.ramGiBHour,
    gpuHour: book.gpuHour,
  };
}

/**
 * The price of the whole machine, divided in the ratio of the book's prices: together its resources
 * cost what it costs (OpenCost, pkg/costmodel/costmodel.go, `ramMultiple`). A GPU added to
 * a type that has none costs the book's price.
 * @returns undefined for a spot node whose type has no spot price
 */
export function typeRates(type: NodeType, isSpot: boolean, book: PriceBook): NodeRates | undefined {
  const usd = isSpot ? type.spotUsdPerHour : type.usdPerHour;
  if (usd !== usd) return undefined;
  const { cpuCores, ramGiB, gpus } = type;
  const weight = cpuCores * book.cpuCoreHour + ramGiB * book.ramGiBHour + gpus * book.gpuHour;
  // A book in which all is free gives no ratio.
  if (weight === 0) return { cpuCoreHour: usd / cpuCores, ramGiBHour: 0, gpuHour: 0 };
  const ratio = usd / weight;
  return {
    cpuCoreHour: book.cpuCoreHour * ratio,
    ramGiBHour: book.ramGiBHour * ratio,
    gpuHour: gpus > 0 ? book.gpuHour * ratio : book.gpuHour,
  };
}

/**
 * The operator's price of a node: what a core and a GiB cost where the file says so, also on spot, else
 * the price of the machine divided.
 * @returns undefined for a spot node whose machine has no spot price
 */
export function ownRates(
  price: CataloguedPrice,
  size: NodeSize,
  isSpot: boolean,
  book: PriceBook,
): NodeRates | undefined {
  const { cpuCoreHour = NaN, ramGiBHour = NaN, gpuHour = NaN } = price;
  const rates =
    cpuCoreHour === cpuCoreHour
      ? { cpuCoreHour, ramGiBHour, gpuHour: book.gpuHour }
      : typeRates({ ...price, ...size }, isSpot, book);
  return rates && gpuHour === gpuHour ? { ...rates, gpuHour } : rates;
}

/**
 * The factor on prices of CPU and RAM: (1 - discount)(1 - negotiatedDiscount), as in OpenCost's
 * applyNodeDiscount; spot prices get no further discount.
 */
export function discountFactor(book: PriceBook, isSpot: boolean): number {
  return isSpot ? 1 : (1 - book.discount) * (1 - book.negotiatedDiscount);
}
