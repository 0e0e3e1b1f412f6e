/** What the resources of a node cost over time. */
import { BYTES_PER_GIB, type PriceBook } from '../pricing/index.ts';
import type { NodeFacts, Resource } from './inventory.ts';
import type { Runs } from './runs.ts';

/** A node's prices over time; where it has none, the book's, by whether it is a spot node. */
export function priceNode(
  node: NodeFacts | undefined,
  book: PriceBook,
): Readonly<Record<Resource, readonly number[]>> {
  const spot = node?.isSpot.merged() ?? [];
  const isSpot = spot.at(-1) === 1;
  const cpu = isSpot ? book.spotCpuCoreHour : book.cpuCoreHour;
  const ram = isSpot ? book.spotRamGiBHour : book.ramGiBHour;
  return {
    cpu: orDefault(node?.cpu, cpu, true),
    ram: orDefault(node?.ram, ram, true).map((v, i) => (i % 2 === 1 ? v / BYTES_PER_GIB : v)),
    gpu: orDefault(node?.gpu, book.gpuHour, false),
  };
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
