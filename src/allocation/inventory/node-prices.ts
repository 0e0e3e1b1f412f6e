/** What the resources of nodes cost over time. */
import {
  BYTES_PER_GIB,
  bookRates,
  discountFactor,
  sourceOfAll,
  typeRates,
  type NodeCatalogue,
  type NodeRates,
  type NodeSize,
  type NodeType,
  type PriceBook,
  type PriceSource,
} from '../../pricing/index.ts';
import type { NodeFacts, Resource } from './inventory.ts';
import { joined } from '../row/joined.ts';
import { PairMap } from './pair-map.ts';
import type { Runs } from './runs.ts';

/** USD an hour and unit (core, byte, GPU) as pairs (fromMs, value). */
export interface NodePrices extends Readonly<Record<Resource, readonly number[]>> {
  /** The source of all that the node has; '' where nothing is priced. */
  readonly source: PriceSource | '';
}

/**
 * Prices nodes by, in this order: their price series, their type in the catalogue, the book. The one
 * place where discounts are taken off, whatever gave the price.
 */
export class NodePricer {
  readonly #nodes: ReadonlyMap<string, NodeFacts>;
  readonly #book: PriceBook;
  readonly #catalogue: NodeCatalogue | undefined;
  readonly #prices: PairMap<NodePrices> = new PairMap();
  #uncatalogued = 0;

  /** @param nodes by `cluster\0node` */
  constructor(
    nodes: ReadonlyMap<string, NodeFacts>,
    book: PriceBook,
    catalogue: NodeCatalogue | undefined,
  ) {
    this.#nodes = nodes;
    this.#book = book;
    this.#catalogue = catalogue;
  }

  /** Nodes asked for so far that the book priced although there is a catalogue. */
  get uncatalogued(): number {
    return this.#uncatalogued;
  }

  /** @param node '' for a pod whose node is unknown: the book's prices */
  pricesOf(cluster: string, node: string): NodePrices {
    return this.#prices.at(cluster, node, this.#priceOf);
  }

  readonly #priceOf = (cluster: string, node: string): NodePrices =>
    this.#price(this.#nodes.get(joined(cluster, node)), node !== '');

  #price(facts: NodeFacts | undefined, isNode: boolean): NodePrices {
    const isSpot = isSpotNode(facts);
    const { rates, source } = this.#rates(facts, isNode, isSpot);
    const left = discountFactor(this.#book, isSpot);
    const cpu = orDefault(facts?.cpu, rates.cpuCoreHour, true);
    const ram = orDefault(facts?.ram, rates.ramGiBHour, true);
    return {
      cpu: times(cpu, left),
      ram: times(ram, left / BYTES_PER_GIB),
      gpu: orDefault(facts?.gpu, rates.gpuHour, false),
      source: sourceOfAll([
        hasPrices(facts?.cpu) ? 'series' : source,
        hasPrices(facts?.ram) ? 'series' : source,
        hasGpus(facts) ? (facts.gpu.isEmpty ? source : 'series') : '',
      ]),
    };
  }

  /** What holds where the node has no price series. */
  #rates(facts: NodeFacts | undefined, isNode: boolean, isSpot: boolean): Rated {
    const type = facts && this.#catalogue?.find(facts);
    const rates = type && typeRates({ ...type, ...sizeOf(facts, type) }, isSpot, this.#book);
    if (rates) return { rates, source: 'file' };
    const hasSeries = facts && facts.cpu.smallest() > 0 && facts.ram.smallest() > 0;
    if (this.#catalogue && isNode && !hasSeries) this.#uncatalogued++;
    return { rates: bookRates(this.#book, isSpot), source: 'book' };
  }
}

interface Rated {
  readonly rates: NodeRates;
  readonly source: PriceSource;
}

function hasGpus(facts: NodeFacts | undefined): facts is NodeFacts {
  return facts !== undefined && facts.capacity.gpu.largest() > 0;
}

function hasPrices(runs: Runs | undefined): boolean {
  return runs !== undefined && runs.smallest() > 0;
}

/** By the series that says so, else by the node's labels. */
export function isSpotNode(facts: NodeFacts | undefined): boolean {
  const spot = facts?.isSpot.merged() ?? [];
  return spot.length > 0 ? spot.at(-1) === 1 : facts?.isSpotByLabel === true;
}

/** What Kubernetes sees of a machine is a little less than what it is sold as. */
function sizeOf({ capacity }: NodeFacts, type: NodeType): NodeSize {
  const last = (runs: Runs): number => Math.max(0, runs.merged().at(-1) ?? 0);
  return {
    cpuCores: last(capacity.cpu) || type.cpuCores,
    ramGiB: last(capacity.ram) / BYTES_PER_GIB || type.ramGiB,
    gpus: last(capacity.gpu) || type.gpus,
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
