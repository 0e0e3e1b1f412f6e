/** What a node's resources cost by the default book, and what is taken off a node's prices. */
import type { PriceBook } from './book.ts';

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
 * What is left of a price of CPU or RAM: (1 - discount)(1 - negotiatedDiscount), as OpenCost's
 * applyNodeDiscount has it; a spot price is itself the discount.
 */
export function discountFactor(book: PriceBook, isSpot: boolean): number {
  return isSpot ? 1 : (1 - book.discount) * (1 - book.negotiatedDiscount);
}
