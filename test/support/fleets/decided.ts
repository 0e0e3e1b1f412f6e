/** Workloads decided from series of state metrics in words. Times are minutes. */
import { assetLives } from '../../../src/allocation/ledger/asset-lives.ts';
import type { AssetLife } from '../../../src/allocation/ledger/asset-rows.ts';
import { FACT_NAMES } from '../../../src/allocation/evidence/fact-names.ts';
import { Inventory } from '../../../src/allocation/inventory/inventory.ts';
import { nodeAssets, type NodeAssets } from '../../../src/allocation/ledger/node-assets.ts';
import { ClusterPrices } from '../../../src/allocation/inventory/cluster-prices.ts';
import { NodePricer } from '../../../src/allocation/inventory/node-prices.ts';
import { fillNodeGaps, nameNodes } from '../../../src/allocation/inventory/node-gaps.ts';
import { settleMachines } from '../../../src/allocation/inventory/machines.ts';
import { settleDevices } from '../../../src/allocation/inventory/settle-devices.ts';
import { readFact } from '../../../src/allocation/inventory/readers.ts';
import { decideWorkloads, type Workload } from '../../../src/allocation/ledger/workloads.ts';
import type { SeriesRecord } from '../../../src/columnar/index.ts';
import { FACTS } from '../../../src/metrics/catalogue.ts';
import type { FactName } from '../../../src/metrics/index.ts';
import {
  createCatalogue,
  type NodePriceSources,
  type NodeType,
  type PriceBook,
} from '../../../src/pricing/index.ts';
import { DISCOUNTS, PRICES } from '../../../src/settings/prices.ts';

export const MINUTE_MS = 60_000;
const GAP_MS = 10 * MINUTE_MS;

export interface Series {
  readonly fact: FactName;
  readonly labels?: Readonly<Record<string, string>>;
  /** First and last sample. */
  readonly seen?: readonly [number, number];
  /** Pairs (from, value). */
  readonly values?: readonly (readonly [number, number])[];
}

function recordOf({ labels = {}, seen = [0, 100], values = [] }: Series): SeriesRecord {
  const named = { namespace: 'team', pod: 'web', ...labels };
  return {
    label: (name) => new Map(Object.entries(named)).get(name) ?? '',
    labels: (prefix) =>
      Object.entries(named)
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, value]) => [name.slice(prefix.length), value]),
    identity: -1,
    firstMs: seen[0] * MINUTE_MS,
    lastMs: seen[1] * MINUTE_MS,
    staleMs: NaN,
    intervalMs: MINUTE_MS,
    runs: values.length,
    pairs: values.flatMap(([at, value]) => [at * MINUTE_MS, value]),
  };
}

/** At a time in minutes, as state metrics have it: seconds. */
export function seconds(from: number, minutes: number): readonly (readonly [number, number])[] {
  return [[from, minutes * 60]];
}

export const BOOK: PriceBook = Object.fromEntries(
  Object.entries({ ...PRICES, ...DISCOUNTS }).map(([name, row]) => [
    name,
    row.fallback({ cores: 1, memoryBytes: 1 }),
  ]),
) as unknown as PriceBook;

const OPTIONS = {
  book: BOOK,
  readStartMs: 0,
  readEndMs: 1000 * MINUTE_MS,
  windowStartMs: 0,
  windowEndMs: 1000 * MINUTE_MS,
  gapMs: GAP_MS,
  onGrid: false,
};

const NO_PRICES = { file: undefined, isListOn: false };
/** The list prices that come with the program. */
export const LISTED: NodePriceSources = { file: undefined, isListOn: true };

export function inventoryOf(series: readonly Series[]): Inventory {
  const inventory = new Inventory({ clusterLabels: ['cluster'], clusterId: 'c', gapMs: GAP_MS });
  for (const fact of FACT_NAMES.filter((name) => FACTS[name].isForGaps !== true))
    for (const one of series) if (one.fact === fact) readFact(inventory, fact, recordOf(one));
  nameNodes(inventory);
  settleMachines(inventory, OPTIONS);
  settleDevices(inventory);
  fillNodeGaps(inventory);
  return inventory;
}

export function decide(
  series: readonly Series[],
  changes: Partial<PriceBook> = {},
  types?: readonly NodeType[],
  sources: NodePriceSources = NO_PRICES,
): readonly Workload[] {
  const inventory = inventoryOf(series);
  const book = { ...BOOK, ...changes };
  const nodes = new NodePricer(inventory, book, {
    ...sources,
    ...(types ? { file: createCatalogue(types) } : {}),
  });
  return decideWorkloads(inventory, nodes, { ...OPTIONS, book }).list;
}

/** Prices of the nodes that the series tell of. */
export function pricerOf(
  series: readonly Series[],
  sources: NodePriceSources,
  changes: Partial<PriceBook> = {},
): NodePricer {
  return new NodePricer(inventoryOf(series), { ...BOOK, ...changes }, sources);
}

/** Nodes of the same window as assets. */
export function decideNodes(
  series: readonly Series[],
  sources: NodePriceSources = NO_PRICES,
): NodeAssets {
  const inventory = inventoryOf(series);
  const prices = new NodePricer(inventory, BOOK, sources);
  const { list } = decideWorkloads(inventory, prices, OPTIONS);
  return nodeAssets(inventory, prices, list, OPTIONS);
}

/** What is paid beside nodes, volumes and load balancers, in sets between the bounds, minutes. */
export function decideAssets(
  series: readonly Series[],
  bounds: readonly number[],
  changes: Partial<PriceBook> = {},
  sources: NodePriceSources = NO_PRICES,
): readonly AssetLife[] {
  const inventory = inventoryOf(series);
  const book = { ...BOOK, ...changes };
  const nodePrices = new NodePricer(inventory, book, NO_PRICES);
  const nodes = nodeAssets(inventory, nodePrices, [], OPTIONS).list;
  const prices = new ClusterPrices(inventory.allMachines, book, sources);
  const setsMs = bounds.map((minutes) => minutes * MINUTE_MS);
  const options = { setsMs, resolutionMs: 0, limits: OPTIONS, intervalMs: () => MINUTE_MS };
  return assetLives(inventory, nodes, [], { ...options, book, prices });
}

export function requests(labels: Readonly<Record<string, string>>, seen?: Series['seen']): Series {
  const container = { container: 'app', resource: 'cpu', ...labels };
  const values = [[seen?.[0] ?? 0, 0.5]] as const;
  return { fact: 'requests', labels: container, values, ...(seen ? { seen } : {}) };
}
