/**
 * The task that turns condensed facts into a ledger: reads the inventory, decides who lived when,
 * and lays the tables that usage is integrated over.
 */
import {
  checkHeap,
  DictionaryBuilder,
  RecordReader,
  type Arena,
  type Block,
  type Engine,
  type Owner,
  type SeriesRecord,
} from '../../columnar/index.ts';
import type { FactName } from '../../metrics/index.ts';
import type { NodePriceSources } from '../../pricing/index.ts';
import { assetLives } from './asset-lives.ts';
import { ASSET_ROW_BYTES, storeAssets, type AssetLife, type AssetsAt } from './asset-rows.ts';
import { settleMachines } from '../inventory/machines.ts';
import { settleDevices } from '../inventory/settle-devices.ts';
import { fillNodeGaps, nameNodes } from '../inventory/node-gaps.ts';
import {
  Inventory,
  type InventoryOptions,
  type Pod,
  type Resource,
} from '../inventory/inventory.ts';
import {
  clusterNamed,
  decideSparing,
  isRead,
  type ClusterFailure,
  type ReadLess,
} from './cluster-failures.ts';
import { containerLedger } from './containers.ts';
import { neededBytes, whatPasses, type Passing } from './fitting.ts';
import type { ChargeOptions } from './charge-options.ts';
import { chargeRows, type Charged } from './disks.ts';
import { NO_NODES, nodeAssets } from './node-assets.ts';
import type { Ledger, LedgerOptions } from './ledger.ts';
import type { ShownOptions } from './payers.ts';
import {
  NOTHING_OWNERLESS,
  anomaliesOf,
  gapsOf,
  outlivedNodes,
  type GapsOfSets,
  type Anomalies,
  type OwnerlessCharges,
} from './anomalies.ts';
import {
  networkAccount,
  type NetworkAccount,
  type Traffic,
  egressNow,
  type EgressNow,
} from './network.ts';
import { ClusterPrices } from '../inventory/cluster-prices.ts';
import { longestStep } from '../inventory/presence.ts';
import { CLOSE_MS, usualIntervals } from '../evidence/evidence-times.ts';
import { NodePricer, type UnpricedNodes } from '../inventory/node-prices.ts';
import { layRows, type RowRange } from './row-layout.ts';
import { unmountedWorkloads } from './unmounted.ts';
import { unmatchedIn, type Unmatched } from './unseen-usage.ts';
import { readFact } from '../inventory/readers.ts';
import { storeMembers, type MembersAt } from './members.ts';
import { keepUsage, type UsageAt } from './usage-slots.ts';
import {
  decideWorkloads,
  inOrder,
  type PodLife,
  type Workload,
  type WorkloadOptions,
  type Workloads,
} from './workloads.ts';

/** Ledgers and who is in them. */
export interface Account {
  readonly ledger: Ledger<Resource>;
  readonly members: MembersAt;
  /** Traffic of pods; null where only unmatched usage is decided. */
  readonly network: Ledger<Traffic> | null;
  /** Address of the frame of charges, a row a row of the ledger; 0 without one. */
  readonly charges: number;
  /** Where its usage is counted for sets of usage; null where none are built. */
  readonly usage: UsageAt | null;
}

export interface DecideInput {
  readonly owner: Owner;
  /** In the order in which sources are believed. */
  readonly facts: readonly { readonly fact: FactName; readonly blocks: readonly Block[] }[];
  /** Condensed usage of containers that the facts do not name: then only those are decided. */
  readonly unmatched: readonly Block[] | null;
  readonly inventory: InventoryOptions;
  readonly workloads: WorkloadOptions;
  readonly ledger: LedgerOptions & ShownOptions;
  /** Whether nodes are billed too, for idle. */
  readonly billsNodes: boolean;
  /** Whether sets are built of it: then usage is counted, and all assets are told. */
  readonly buildsSets: boolean;
  /** Bytes that the rows may take. */
  readonly budgetBytes: number;
}

export interface Decided extends Omit<Workloads, 'list' | 'pods'>, Unmatched {
  /** null when it would not fit the budget. */
  readonly account: Account | null;
  /** What nodes cost, as rows of container `__idle__`; null when they are not billed. */
  readonly nodes: Account | null;
  /** What all assets but networks are; null where no sets are built. */
  readonly assets: AssetsAt | null;
  /** Prices of traffic; empty where no sets are built. */
  readonly egress: readonly EgressNow[];
  /** Nodes that are not billed because the store does not tell their capacity, as `cluster/node`. */
  readonly unknownNodes: readonly string[];
  /** Resources of nodes that look like accelerators, as kube-state-metrics writes them. */
  readonly unknownAccelerators: readonly string[];
  /** Pods that claim devices of nodes with GPUs, where no metric tells which. */
  readonly untoldClaims: number;
  /** Clusters with pods of which no series shows a request. */
  readonly unrequested: readonly string[];
  readonly workloads: number;
  /** Nodes only where they are billed. */
  readonly gaps: { readonly pods: GapsOfSets; readonly nodes: GapsOfSets };
  readonly neededBytes: number;
  /** What would fit; null when this does. */
  readonly passing: Passing | null;
  /** Nodes without a price series that the book or a guess priced. */
  readonly unpriced: UnpricedNodes;
  /** Volumes that the book priced in clouds with list prices: how many by storage class. */
  readonly unlistedClasses: ClusterPrices['unlisted'];
  /** Volumes whose capacity is not billed: how many by storage class. */
  readonly unbilledVolumes: ClusterPrices['unbilled'];
  readonly anomalies: Anomalies;
  /** Clusters of which an invariant failed. */
  readonly failures: readonly ClusterFailure[];
  /** The earliest and latest sample of any pod; Infinity, -Infinity when there is none. */
  readonly firstMs: number;
  readonly lastMs: number;
}

const NOTHING_LAID = {
  account: null,
  nodes: null,
  assets: null,
  egress: [],
  unlistedClasses: [],
  unbilledVolumes: { unsized: [], local: [] },
};

/** Read between two looks at the heap: their texts may be long. */
const CHECKED_RECORDS = 64;
/** Sketches of CPU and RAM and the hour under way of a container of its own, generously. */
const USAGE_BYTES = 2048;

/** @throws {HeapFull} {ArenaFull} where there is more than a worker can hold */
export function decideInventory(
  engine: Engine,
  input: DecideInput,
  prices: NodePriceSources,
): Decided {
  return decideSparing(
    (less) => decideFacts(engine, input, prices, less),
    () => clustersIn(engine.arena, input),
  );
}

function decideFacts(
  engine: Engine,
  input: DecideInput,
  prices: NodePriceSources,
  less: ReadLess,
): Omit<Decided, 'failures'> {
  const { arena } = engine;
  const usualMs = intervalsIn(arena, input);
  const inventory = readInventory(arena, input, less, usualMs);
  const nodes = new NodePricer(inventory, input.workloads.book, prices);
  const others = new ClusterPrices(inventory.allMachines, input.workloads.book, prices);
  const { list, pods, ...counts } = decideWorkloads(inventory, nodes, input.workloads);
  const workloads = input.unmatched
    ? list.filter((workload) => workload.isUnmatched)
    : withUnmounted(list, inventory, input.workloads);
  const ran = workloads.filter(({ pod }) => !pod.mayHaveRun);
  const billsNodes = input.billsNodes && !input.unmatched;
  const assets = billsNodes ? nodeAssets(inventory, nodes, ran, input.workloads) : NO_NODES;
  const billed = [...workloads, ...assets.list];
  const { setsMs } = input.ledger;
  const bytes = neededBytes(billed, setsMs) + builtBytes(input, inventory, workloads);
  const fits = bytes <= input.budgetBytes;
  const told = {
    workloads: ran.length,
    neededBytes: bytes,
    gaps: { pods: gapsOf(ran, setsMs), nodes: gapsOf(assets.list, setsMs) },
    passing: fits ? null : whatPasses(billed, setsMs, input.budgetBytes),
    ...counts,
    unpriced: nodes.unpriced,
    ...unmatchedIn(workloads, input.workloads),
    unknownNodes: assets.unknown,
    unknownAccelerators: [...inventory.unknownAccelerators].sort(),
    untoldClaims: inventory.deviceClaims.untold,
    unrequested: unrequestedClusters(inventory),
    firstMs: inventory.firstMs,
    lastMs: inventory.lastMs,
  };
  const outlived = outlivedNodes(inventory, pods, input.workloads);
  const anomalies = (charges: OwnerlessCharges = NOTHING_OWNERLESS): Anomalies =>
    anomaliesOf(inventory, pods, charges, outlived);
  if (!fits) return { ...told, ...NOTHING_LAID, anomalies: anomalies() };
  const layout = layRows(workloads, setsMs);
  const options = ledgerOptions(input, usualMs);
  const ledger = containerLedger(engine, input.owner, workloads, layout, options);
  const texts = new DictionaryBuilder();
  const charges = input.unmatched
    ? NOT_CHARGED
    : chargesOf(engine, input, inventory, others, { workloads, layout, texts });
  const network = networkOf(engine, input, inventory, others, pods, options);
  const podRanges = new Map(pods.map((pod, i) => [pod, network?.ranges[i] ?? NO_ROWS]));
  const tables = { ranges: layout.ranges, podRanges, outliving: outlived.pods, texts };
  const members = storeMembers(arena, input.owner, workloads, tables);
  const assetsAt = (nodes: readonly Workload[], charged: readonly AssetLife[]): AssetsAt => {
    const lives = assetLives(inventory, nodes, charged, chargeOptions(input, inventory, others));
    return storeAssets(arena, input.owner, lives, setsMs);
  };
  const tellsAssets = input.buildsSets && !input.unmatched;
  const usage = input.buildsSets ? keepUsage(arena, input.owner, workloads, layout, ledger) : null;
  return {
    ...told,
    account: { ledger, members, network: network?.ledger ?? null, charges: charges.at, usage },
    nodes: assets.list.length === 0 ? null : nodeAccount(engine, input, assets.list),
    assets: tellsAssets ? assetsAt(assets.list, charges.assets()) : null,
    egress: tellsAssets ? egressNow(inventory, others) : [],
    anomalies: anomalies(charges.ownerless),
    ...volumePrices(others),
  };
}

/** By cluster, ms. */
type UsualIntervals = ReadonlyMap<string, number>;

function intervalsIn(arena: Arena, { facts, inventory }: DecideInput): UsualIntervals {
  return usualIntervals(arena, facts, (record) => clusterNamed(record, inventory));
}

function ledgerOptions(
  { ledger, inventory, workloads: { onGrid } }: DecideInput,
  usualMs: UsualIntervals = new Map(),
): LedgerOptions & InventoryOptions & { readonly onGrid: boolean } {
  const fewGapMs = (cluster: string): number =>
    longestStep(usualMs.get(cluster) ?? NaN, ledger.gapMs);
  return { ...ledger, ...inventory, fewGapMs, onGrid };
}

/** What answers tell of volumes that no list prices. */
function volumePrices({
  unlisted,
  unbilled,
}: ClusterPrices): Pick<Decided, 'unlistedClasses' | 'unbilledVolumes'> {
  return { unlistedClasses: unlisted, unbilledVolumes: unbilled };
}

/** @throws {HeapFull} where there is more than a worker can hold */
function readInventory(
  arena: Arena,
  { facts, unmatched, inventory: options, workloads }: DecideInput,
  less: ReadLess,
  usualMs: UsualIntervals,
): Inventory {
  const inventory = new Inventory(options, usualMs);
  const reader = new RecordReader(arena);
  let records = 0;
  const counts = (record: SeriesRecord, fact?: FactName): boolean => {
    if (++records % CHECKED_RECORDS === 0) checkHeap();
    return less.size === 0 || isRead(less, clusterNamed(record, options), fact);
  };
  const areFar = [...usualMs.values()].some((ms) => ms > CLOSE_MS);
  const intervalOf = (cluster: string): number => {
    const ms = usualMs.get(cluster) ?? NaN;
    return ms > CLOSE_MS ? ms : NaN;
  };
  for (const { fact, blocks } of facts) {
    for (const record of reader.read(blocks)) {
      if (areFar && record.intervalMs !== record.intervalMs)
        record.intervalMs = intervalOf(clusterNamed(record, options));
      if (counts(record, fact)) readFact(inventory, fact, record);
    }
  }
  for (const record of reader.read(unmatched ?? [])) {
    if (counts(record)) inventory.addUnmatched(record);
  }
  nameNodes(inventory);
  settleMachines(inventory, workloads);
  settleDevices(inventory);
  fillNodeGaps(inventory);
  return inventory;
}

/** All clusters that facts or usage name. */
function clustersIn(arena: Arena, { facts, unmatched, inventory }: DecideInput): string[] {
  const reader = new RecordReader(arena);
  const clusters = new Set<string>();
  for (const blocks of [...facts.map((fact) => fact.blocks), unmatched ?? []])
    for (const record of reader.read(blocks)) clusters.add(clusterNamed(record, inventory));
  return [...clusters].sort();
}

/** What sets need beside their allocations, generously: sketches of usage, and assets. */
function builtBytes(
  { buildsSets, ledger: { setsMs } }: DecideInput,
  { allMachines, volumes, claims, balancers, ingresses }: Inventory,
  workloads: readonly Workload[],
): number {
  if (!buildsSets) return 0;
  const assets =
    2 * allMachines.length + volumes.size + claims.size + balancers.size + ingresses.size;
  return workloads.length * USAGE_BYTES + 2 * assets * setsMs.length * ASSET_ROW_BYTES;
}

/** No usage is absorbed into it: its meters only integrate capacity. */
function nodeAccount(engine: Engine, input: DecideInput, list: readonly Workload[]): Account {
  const layout = layRows(list, input.ledger.setsMs);
  const options = ledgerOptions(input);
  const ledger = containerLedger(engine, input.owner, list, layout, options);
  const members = storeMembers(engine.arena, input.owner, list, {
    ranges: layout.ranges,
    podRanges: new Map(list.map(({ pod }) => [pod, NO_ROWS])),
    outliving: new Set(),
    texts: new DictionaryBuilder(),
  });
  return { ledger, members, network: null, charges: 0, usage: null };
}

interface ChargesAt {
  /** Address of the frame, or 0. */
  readonly at: number;
  readonly ownerless: OwnerlessCharges;
  readonly assets: () => AssetLife[];
}

const NOT_CHARGED: ChargesAt = { at: 0, ownerless: NOTHING_OWNERLESS, assets: () => [] };
const NO_ROWS: RowRange = { row: 0, firstSet: 0, sets: 0 };

function withUnmounted(
  list: readonly Workload[],
  inventory: Inventory,
  { windowStartMs, windowEndMs, readEndMs }: WorkloadOptions,
): readonly Workload[] {
  const stretch = { startMs: windowStartMs, endMs: Math.min(windowEndMs, readEndMs) };
  const unmounted = unmountedWorkloads(inventory, stretch);
  return unmounted.length === 0 ? list : [...list, ...unmounted].sort(inOrder);
}

function unrequestedClusters({ pods }: Inventory): string[] {
  const clusters = new Map<string, boolean>();
  for (const { cluster, byUid, requests } of pods) {
    for (const pod of clusters.get(cluster) === true ? [] : byUid.values()) {
      const isTold = clusters.get(cluster) === true || requests !== undefined || doesRequest(pod);
      if (!pod.isUnmatched) clusters.set(cluster, isTold);
    }
  }
  return [...clusters].flatMap(([cluster, isTold]) => (isTold ? [] : [cluster])).sort();
}

function doesRequest({ containers }: Pod): boolean {
  let isTold = false;
  containers.forEach(({ requests, granted, allocated, accelerators }) => {
    const { cpu, ram } = requests;
    isTold ||= !cpu.isEmpty || !ram.isEmpty || Boolean(granted ?? allocated ?? accelerators);
  });
  return isTold;
}

function chargesOf(
  { arena }: Engine,
  input: DecideInput,
  inventory: Inventory,
  prices: ClusterPrices,
  charged: Charged,
): ChargesAt {
  const { volumes, claims, balancers, ingresses } = inventory;
  if (volumes.size + claims.size + balancers.size + ingresses.size === 0) return NOT_CHARGED;
  const options = chargeOptions(input, inventory, prices);
  const { frame, ...rest } = chargeRows(arena, input.owner, inventory, charged, options);
  return { at: frame.address, ...rest };
}

function chargeOptions(
  { workloads, ledger }: DecideInput,
  inventory: Inventory,
  prices: ClusterPrices,
): ChargeOptions {
  const intervalMs = (cluster: string): number => inventory.typicalIntervalMs(cluster);
  return { ...ledger, limits: workloads, intervalMs, book: workloads.book, prices };
}

function networkOf(
  engine: Engine,
  input: DecideInput,
  inventory: Inventory,
  prices: ClusterPrices,
  pods: readonly PodLife[],
  options: LedgerOptions & InventoryOptions,
): NetworkAccount | null {
  if (input.unmatched) return null;
  return networkAccount(engine, input.owner, pods, inventory, { ...options, prices });
}
