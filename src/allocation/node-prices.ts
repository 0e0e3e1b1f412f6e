/** What the resources of a node cost over time. */
import { BYTES_PER_GIB, bookRates, discountFactor, type PriceBook } from '../pricing/index.ts';
import type { NodeFacts, Resource } from './inventory.ts';
import type { Runs } from './runs.ts';

/**
 * A node's prices over time; where it has none, the book's, by whether it is a spot node. The one
 * place where discounts are taken off, whatever gave the price.
 */
export function priceNode(
  node: NodeFacts | undefined,
  book: PriceBook,
): Readonly<Record<Resource, readonly number[]>> {
  const spot = node?.isSpot.merged() ?? [];
  const isSpot = spot.at(-1) === 1;
  const rates = bookRates(book, isSpot);
  const left = discountFactor(book, isSpot);
  const cpu = orDefault(node?.cpu, rates.cpuCoreHour, true);
  const ram = orDefault(node?.ram, rates.ramGiBHour, true);
  return {
    cpu: times(cpu, left),
    ram: times(ram, left / BYTES_PER_GIB),
    gpu: orDefault(node?.gpu, rates.gpuHour, false),
  };
}

function times(pairs: readonly number[], factor: number): readonly number[] {
  return pairs.map((v, i) => (i % 2 === 1 ? v * factor : v));
}

/** @param zeroIsUnknown a price of 0 means that the exporter had none (CPU and RAM are never free) */
function orDefault(
  runs: Runs | undefined,
  price: number,
  zeroIsUnknown: boolean,
): readonly number[] {
  const pairs = runs?.merged() ?? [];
  if (pairs.length === 0) return [0, price];
  return pairs.map((v, i) => (i % 2 === 1 && (v < 0 || (zeroIsUnknown && v === 0)) ? price : v));
}
