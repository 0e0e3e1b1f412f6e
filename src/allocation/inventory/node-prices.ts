/** What the resources of nodes cost over time. */
import {
  BYTES_PER_GIB,
  bookRates,
  discountFactor,
  listRates,
  ownRates,
  placeOfNode,
  serverlessRates,
  sourceOfAll,
  type CataloguedPrice,
  type ListRates,
  type NodePriceSources,
  type NodeRates,
  type NodeSize,
  type NodeType,
  type PriceBook,
  type PriceSource,
} from '../../pricing/index.ts';
import { bitOfConcern, type ConcernedNodes, type NodeConcern } from './concerns.ts';
import type { Inventory, NodeFacts, Resource } from './inventory.ts';
import { modelOf } from './node-gpus.ts';
import { PairMap } from './pair-map.ts';
import { believedPrices } from './price-runs.ts';
import type { Stretch } from './presence.ts';
import { Runs } from './runs.ts';

/** USD an hour and unit (core, byte, GPU) as pairs (fromMs, value). */
export interface NodePrices extends Readonly<Record<Resource, readonly number[]>> {
  /** The source of all that the node has; '' where nothing is priced. */
  readonly source: PriceSource | '';
  /** Bits of CONCERNS; absent: none. */
  readonly concerns?: number;
}

/** Nodes without a price series that the book or a guess priced. */
export interface UnpricedNodes {
  /** Priced by the book although there is a file of node types; 0 where list prices count. */
  readonly uncatalogued: number;
  /** Without a list price, priced by their region or the book: nodes by type and place. */
  readonly unlisted: readonly (readonly [name: string, nodes: number])[];
  /** Nodes whose platform has no list price in their region: by place and platform. */
  readonly unlistedRegions: readonly (readonly [name: string, nodes: number])[];
  /** GPUs of nodes without a price of their own, by place and model. */
  readonly unlistedGpus: readonly (readonly [name: string, nodes: number])[];
  /** Spot nodes of types without a spot price. */
  readonly guessedSpot: readonly (readonly [name: string, nodes: number])[];
  /** Nodes with prices that are none between their others (`believedPrices`). */
  readonly doubted: number;
  /** Nodes of all of these, and those that are not billed as Linux machines, in order. */
  readonly nodes: ConcernedNodes;
}

/** Rates, and where those of CPU and RAM, and those of GPUs come from. */
interface Found {
  readonly rates: NodeRates;
  readonly source: PriceSource;
  readonly gpuSource: PriceSource;
  /** See `ListRates`. */
  readonly guessedGpus: string;
}

/** What nodes cost that are not machines. */
interface OtherTerms extends Found {
  readonly source: Exclude<NodeFacts['kind'], ''>;
  /** Place and platform where the price is that of another region; absent: it is not. */
  readonly unlistedRegion?: string;
}

/**
 * Prices nodes by, in this order: their price series, their type in the operator's file, the list
 * prices, the book. The one place where discounts are taken off, whatever gave the price.
 */
export class NodePricer {
  readonly #nodes: Pick<Inventory, 'machinesOf'>;
  readonly #book: PriceBook;
  readonly #sources: NodePriceSources;
  readonly #prices: Map<NodeFacts, NodePrices> = new Map();
  /** Prices by cluster and node, for nodes that only pods name. */
  readonly #unknown: PairMap<NodePrices> = new PairMap();
  readonly #unlisted: Map<string, number> = new Map();
  readonly #unlistedRegions: Map<string, number> = new Map();
  readonly #unlistedGpus: Map<string, number> = new Map();
  readonly #guessedSpot: Map<string, number> = new Map();
  readonly #concerned: Map<NodeConcern, string[]> = new Map();
  /** Bits of CONCERNS of the node that is being priced. */
  #concerns = 0;
  #uncatalogued = 0;
  #doubted = 0;

  constructor(nodes: Pick<Inventory, 'machinesOf'>, book: PriceBook, sources: NodePriceSources) {
    this.#nodes = nodes;
    this.#book = book;
    this.#sources = sources;
  }

  /** Counts nodes asked for so far. */
  get unpriced(): UnpricedNodes {
    return {
      uncatalogued: this.#uncatalogued,
      unlisted: [...this.#unlisted],
      unlistedRegions: [...this.#unlistedRegions],
      unlistedGpus: [...this.#unlistedGpus],
      guessedSpot: [...this.#guessedSpot],
      doubted: this.#doubted,
      nodes: Object.fromEntries(
        Array.from(this.#concerned, ([concern, nodes]) => [concern, nodes.toSorted()]),
      ),
    };
  }

  /**
   * @param node '' for a pod whose node is unknown: the book's prices
   * @param life of a pod, which may have been on several machines of that name
   */
  pricesOf(cluster: string, node: string, life?: Stretch): NodePrices {
    const machines = this.#nodes.machinesOf(cluster, node);
    const isOn = ({ sinceMs, untilMs }: NodeFacts): boolean =>
      life === undefined || (life.startMs < untilMs && life.endMs > sinceMs);
    const under = machines.length > 1 ? machines.filter(isOn) : machines;
    const [only = machines.at(-1)] = under;
    if (only === undefined) return this.#unknown.at(cluster, node, this.#priceOfUnknown);
    return under.length > 1 ? this.#inTurn(under) : this.pricesOfMachine(only);
  }

  pricesOfMachine(facts: NodeFacts): NodePrices {
    const known = this.#prices.get(facts) ?? this.#price(facts, true);
    this.#prices.set(facts, known);
    return known;
  }

  readonly #priceOfUnknown = (_: string, node: string): NodePrices =>
    this.#price(undefined, node !== '');

  /** Prices of machines that had one name, one after another. */
  #inTurn(machines: readonly NodeFacts[]): NodePrices {
    const all = machines.map((machine) => this.pricesOfMachine(machine));
    const joinedRuns = (name: Resource): readonly number[] =>
      machines.flatMap(({ sinceMs, untilMs }, i) => {
        const runs = new Runs();
        runs.add(all[i]?.[name] ?? []);
        const fromMs = Math.max(0, sinceMs);
        return runs.heldIn(fromMs, untilMs);
      });
    const sources = all.map(({ source }) => source);
    const concerns = all.reduce((bits, one) => bits | (one.concerns ?? 0), 0);
    return {
      cpu: joinedRuns('cpu'),
      ram: joinedRuns('ram'),
      gpu: joinedRuns('gpu'),
      source: sourceOfAll(sources),
      ...(concerns === 0 ? {} : { concerns }),
    };
  }

  #price(facts: NodeFacts | undefined, isNode: boolean): NodePrices {
    const isSpot = isSpotNode(facts);
    this.#concerns = 0;
    const { rates, source, gpuSource, guessedGpus } = this.#find(facts, isNode, isSpot);
    const left = discountFactor(this.#book, isSpot);
    const cpu = orDefault(facts?.cpu, rates.cpuCoreHour, true);
    const ram = orDefault(facts?.ram, rates.ramGiBHour, true);
    const gpu = orDefault(facts?.gpu, rates.gpuHour, false);
    if (cpu.isDoubted || ram.isDoubted || gpu.isDoubted) {
      this.#doubted++;
      this.#note(facts, 'doubtedPrice');
    }
    const sources: PriceSource[] = [cpu, ram].map(({ isOwn }) => (isOwn ? 'series' : source));
    if (facts && last(facts.capacity.gpu) > 0) {
      const own = gpu.isOwn ? 'series' : gpuSource;
      sources.push(own);
      if (own !== 'series') this.#countGpus(facts, own, guessedGpus);
    }
    const concerns = this.#concerns;
    return {
      cpu: times(cpu.pairs, left),
      ram: times(ram.pairs, left / BYTES_PER_GIB),
      gpu: gpu.pairs,
      source: sourceOfAll(sources),
      ...(concerns === 0 ? {} : { concerns }),
    };
  }

  /** What holds where the node has no price series. */
  #find(facts: NodeFacts | undefined, isNode: boolean, isSpot: boolean): Found {
    const { file, isListOn } = this.#sources;
    const type =
      facts && file?.find({ ...facts, gpuModel: gpuLabelOf(facts) || modelNameOf(facts) });
    const rates = type && ownRates(type, sizeOf(facts, type), isSpot, this.#book);
    const none = { guessedGpus: '' };
    if (rates) {
      return { rates, source: 'file', gpuSource: hasGpuPrice(type) ? 'file' : 'book', ...none };
    }
    const hasSeries = [facts?.cpu, facts?.ram].every(
      (runs) => believedPrices(runs, true).pairs.length > 0,
    );
    const terms = facts && this.#otherTerms(facts, isSpot);
    if (terms) {
      const { source, unlistedRegion } = terms;
      if (!hasSeries) this.#note(facts, source);
      if (!hasSeries && unlistedRegion !== undefined) {
        countIn(this.#unlistedRegions, unlistedRegion);
        this.#note(facts, 'unlistedRegion');
      }
      return terms;
    }
    const listed = isListOn && facts ? this.#listed(facts, isSpot) : undefined;
    if (isNode && !hasSeries) this.#count(facts, listed);
    const isBareMetal = facts?.hasLabels && placeOfNode(facts).provider === '' && facts.type === '';
    if (isBareMetal && !hasSeries && isListOn && !listed) this.#note(facts, 'book');
    if (listed?.rates) {
      const { guessedGpus, hasGpus } = listed;
      const isLicensed = listed.licenceHour > 0;
      if (isLicensed && facts && !hasSeries) this.#note(facts, 'windows');
      const gpuSource = hasGpus ? 'list' : 'book';
      const source = isLicensed ? 'windows' : 'list';
      return { rates: listed.rates, source, gpuSource, guessedGpus };
    }
    return { rates: bookRates(this.#book, isSpot), source: 'book', gpuSource: 'book', ...none };
  }

  /** Undefined for a machine, and for pods that nothing but the book prices. */
  #otherTerms(facts: NodeFacts, isSpot: boolean): OtherTerms | undefined {
    const { kind } = facts;
    if (kind === '') return undefined;
    const none = { gpuSource: kind, guessedGpus: '' } as const;
    if (kind === 'virtual' || kind === 'kwok')
      return { rates: { cpuCoreHour: 0, ramGiBHour: 0, gpuHour: 0 }, source: kind, ...none };
    const { isListOn } = this.#sources;
    const { provider, region } = placeOfNode(facts);
    const listed = isListOn ? serverlessRates(kind, region, isSpot) : undefined;
    if (listed === undefined) return undefined;
    const { isComputed, ...rates } = listed;
    const found = { rates: { ...rates, gpuHour: this.#book.gpuHour }, source: kind, ...none };
    return isComputed ? { ...found, unlistedRegion: [provider, region, kind].join(' ') } : found;
  }

  /** @param facts undefined for a node that only pods name */
  #note(facts: NodeFacts | undefined, concern: NodeConcern): void {
    this.#concerns |= bitOfConcern(concern);
    if (facts === undefined) return;
    const nodes = this.#concerned.get(concern) ?? [];
    this.#concerned.set(concern, nodes);
    nodes.push(`${facts.cluster}/${facts.name}`);
  }

  #listed(facts: NodeFacts, isSpot: boolean): ListRates | undefined {
    const gpuModel = modelNameOf(facts);
    return listRates({ ...facts, gpuModel, isSpot }, seenSize(facts), this.#book);
  }

  /** GPUs cost the most, and the book knows one price of them: whoever pays it is told. */
  #countGpus(facts: NodeFacts, source: PriceSource, guessed: string): void {
    if (!this.#sources.isListOn) return;
    if (guessed !== '' || source === 'book') this.#note(facts, 'unlistedGpus');
    if (guessed !== '') countIn(this.#unlistedGpus, guessed);
    else if (source === 'book') {
      const { provider, region } = placeOfNode(facts);
      const named = modelOf(facts)?.name ?? gpuLabelOf(facts);
      const model = named === '' ? 'of no known model' : named;
      countIn(
        this.#unlistedGpus,
        [provider, region, model].filter((text) => text !== '').join(' '),
      );
    }
  }

  #count(facts: NodeFacts | undefined, listed: ListRates | undefined): void {
    const { file, isListOn } = this.#sources;
    if (!isListOn) {
      this.#uncatalogued += file ? 1 : 0;
      if (file) this.#note(facts, 'uncatalogued');
    } else if (listed?.basis === 'guessed-spot') {
      countIn(this.#guessedSpot, listed.name);
      this.#note(facts, 'guessedSpot');
    }
    // Where nothing tells of a type or a cloud, the book is what the operator prices by.
    else if (listed?.basis !== 'type' && (listed ?? file)) {
      countIn(this.#unlisted, listed?.name ?? 'of no known type');
      this.#note(facts, 'unlisted');
    }
  }
}

/** As list prices name it; '' unknown, and without GPUs. */
function modelNameOf(facts: NodeFacts): string {
  return last(facts.capacity.gpu) > 0 ? (modelOf(facts)?.name ?? '') : '';
}

/** How a label names the GPUs' model; '' unknown. */
function gpuLabelOf({ gpuLabels }: NodeFacts): string {
  return gpuLabels.product ?? gpuLabels.accelerator ?? '';
}

/** By the series that says so, else by the node's labels. */
export function isSpotNode(facts: NodeFacts | undefined): boolean {
  const spot = facts?.isSpot.merged() ?? [];
  return spot.length > 0 ? spot.at(-1) === 1 : facts?.isSpotByLabel === true;
}

function hasGpuPrice({ gpus, gpuHour = NaN, cpuCoreHour = NaN }: CataloguedPrice): boolean {
  return gpuHour === gpuHour || (gpus > 0 && cpuCoreHour !== cpuCoreHour);
}

/** What Kubernetes sees of a machine is a little less than what it is sold as. */
function sizeOf({ capacity }: NodeFacts, type: NodeType): NodeSize {
  return {
    cpuCores: last(capacity.cpu) || type.cpuCores,
    ramGiB: last(capacity.ram) / BYTES_PER_GIB || type.ramGiB,
    gpus: last(capacity.gpu) || type.gpus,
  };
}

/** A machine's GPUs without a device plugin are none: then its cores and GiB cost all of its price. */
function seenSize({ capacity }: NodeFacts): NodeSize | undefined {
  const cpuCores = last(capacity.cpu);
  const ramGiB = last(capacity.ram) / BYTES_PER_GIB;
  return cpuCores > 0 && ramGiB > 0 ? { cpuCores, ramGiB, gpus: last(capacity.gpu) } : undefined;
}

function last(runs: Runs): number {
  return Math.max(0, runs.merged().at(-1) ?? 0);
}

function countIn(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function times(pairs: readonly number[], factor: number): readonly number[] {
  return pairs.map((v, i) => (i % 2 === 1 ? v * factor : v));
}

/** Prices by a series, or by what holds where it has none. */
interface Filled {
  readonly pairs: readonly number[];
  readonly isOwn: boolean;
  readonly isDoubted: boolean;
}

function orDefault(runs: Runs | undefined, price: number, zeroIsUnknown: boolean): Filled {
  const { pairs, isDoubted } = believedPrices(runs, zeroIsUnknown);
  const isOwn = pairs.length > 0;
  return { pairs: isOwn ? pairs : [0, price], isOwn, isDoubted };
}
