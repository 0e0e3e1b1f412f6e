/**
 * The ledger of pods: their network traffic. A pod's containers share one network, so that its bytes
 * and costs are divided evenly among those that ran in a set.
 */
import type { Engine, KeyLabels, Owner } from '../../columnar/index.ts';
import {
  EGRESS_VARIANTS,
  LABEL_NAMES,
  SCRAPE_LABELS,
  TRANSFER_VARIANTS,
} from '../../metrics/catalogue.ts';
import { BYTES_PER_GIB } from '../../pricing/index.ts';
import type { ClusterPrices, EgressPrices } from '../inventory/cluster-prices.ts';
import type { ClusterOptions, Inventory } from '../inventory/inventory.ts';
import { createLedger, type Ledger, type LedgerOptions, type MeterSpec } from './ledger.ts';
import { PairMap } from '../inventory/pair-map.ts';
import type { Stretch } from '../inventory/presence.ts';
import { layRows, type RowRange } from './row-layout.ts';
import type { Runs } from '../inventory/runs.ts';
import { believedPrices } from '../inventory/price-runs.ts';
import type { PodLife } from './workloads.ts';

export type Traffic = 'zoneEgress' | 'regionEgress' | 'internetEgress' | 'transmit' | 'receive';

/** What the network's own metrics tell. */
export const EGRESS: readonly Traffic[] = ['zoneEgress', 'regionEgress', 'internetEgress'];

/** What cAdvisor tells. */
const TRANSFER: readonly Traffic[] = ['transmit', 'receive'];

export const TRAFFIC: readonly Traffic[] = [...EGRESS, ...TRANSFER];

export interface NetworkAccount {
  readonly ledger: Ledger<Traffic>;
  /** Rows of each pod, in the order of the pods. */
  readonly ranges: readonly RowRange[];
}

/** A terabit a second: more is a fault of a counter. */
const BYTES: MeterSpec = { isCounter: true, maxRate: 1.25e11 };
const NONE: readonly number[] = [];
const NO_REQUESTS: Readonly<Record<Traffic, readonly number[]>> = {
  zoneEgress: NONE,
  regionEgress: NONE,
  internetEgress: NONE,
  transmit: NONE,
  receive: NONE,
};

/** The meter's hours are of rates a second: a price a byte counts 3,600 times an hour. */
const SECONDS_PER_HOUR = 3600;

export function networkAccount(
  engine: Engine,
  owner: Owner,
  pods: readonly PodLife[],
  inventory: Inventory,
  options: LedgerOptions & ClusterOptions & { readonly prices: ClusterPrices },
): NetworkAccount {
  const prices = new Map<string, Readonly<Record<Traffic, readonly number[]>>>();
  const pricesOf = (cluster: string): Readonly<Record<Traffic, readonly number[]>> => {
    const known =
      prices.get(cluster) ?? priceTraffic(inventory, cluster, options.prices.egress(cluster));
    prices.set(cluster, known);
    return known;
  };
  const subjects = pods.map(({ cluster, namespace, name, life }) => ({
    key: [cluster, namespace, name],
    stretches: life.stretches,
    zeroMs: life.zeroMs,
    requests: NO_REQUESTS,
    prices: pricesOf(cluster),
  }));
  const layout = layRows(subjects, options.setsMs);
  const keyLabels = podKey(options);
  const transfer = { ...BYTES, keyLabels: { ...keyLabels, variants: TRANSFER_VARIANTS } };
  const egress = {
    ...BYTES,
    keyLabels: { ...keyLabels, variants: EGRESS_VARIANTS, scrapes: SCRAPE_LABELS },
  };
  const meters: Readonly<Record<Traffic, MeterSpec>> = {
    zoneEgress: egress,
    regionEgress: egress,
    internetEgress: egress,
    transmit: transfer,
    receive: transfer,
  };
  const ledgerOf = (of: typeof subjects, metered: readonly Traffic[]): Ledger<Traffic> =>
    createLedger(engine, owner, of, layout, meters, { ...options, keyLabels, metered });
  if (!pods.some(({ isOnHostNetwork }) => isOnHostNetwork))
    return { ledger: ledgerOf(subjects, TRAFFIC), ranges: layout.ranges };
  const once = onceANode(pods);
  const transferred = subjects.map((subject, i) => ({
    ...subject,
    stretches: once[i] ?? subject.stretches,
  }));
  const ofEgress = ledgerOf(subjects, EGRESS);
  const ofTransfer = ledgerOf(transferred, TRANSFER);
  const ledger = {
    ...ofEgress,
    meters: { ...ofEgress.meters, ...ofTransfer.meters },
    rows: { ...ofEgress.rows, ...ofTransfer.rows },
  };
  return { ledger, ranges: layout.ranges };
}

/**
 * Stretches in which traffic of pods counts. cAdvisor shows for each pod on its node's network all of the
 * node's traffic: at each time it counts for one of them, the one that started first.
 */
function onceANode(pods: readonly PodLife[]): readonly (readonly Stretch[])[] {
  const firstMs = (i: number): number => pods[i]?.life.stretches[0]?.startMs ?? 0;
  const places = [...pods.keys()].sort((a, b) => firstMs(a) - firstMs(b) || a - b);
  const counted = new PairMap<Stretch[]>();
  const once = pods.map(({ life }) => life.stretches);
  for (const i of places) {
    const pod = pods[i];
    if (!pod?.isOnHostNetwork || pod.node === '') continue;
    const before = counted.at(pod.cluster, pod.node, () => []);
    const own = before.reduce<readonly Stretch[]>(without, pod.life.stretches);
    once[i] = own;
    before.push(...own);
  }
  return once;
}

function without(stretches: readonly Stretch[], { startMs, endMs }: Stretch): Stretch[] {
  return stretches.flatMap((one) =>
    [
      { startMs: one.startMs, endMs: Math.min(one.endMs, startMs) },
      { startMs: Math.max(one.startMs, endMs), endMs: one.endMs },
    ].filter((part) => part.startMs < part.endMs),
  );
}

function podKey(options: ClusterOptions): KeyLabels {
  return {
    parts: [
      options.clusterLabels,
      LABEL_NAMES.namespace,
      // The exporter of egress names the workload `pod_name`; `pod` is then the exporter's own.
      ['pod_name', ...LABEL_NAMES.pod],
    ],
    fallbacks: [options.clusterId, '', ''],
  };
}

/** What a GiB of a cluster's traffic costs at the end of what was read, USD. */
export interface EgressNow {
  readonly cluster: string;
  readonly zone: number;
  readonly region: number;
  readonly internet: number;
}

/** By cluster that has nodes. */
export function egressNow(inventory: Inventory, prices: ClusterPrices): EgressNow[] {
  const clusters = new Set([...inventory.nodes.values()].map(({ cluster }) => cluster));
  return Array.from(clusters, (cluster) => {
    const of = priceTraffic(inventory, cluster, prices.egress(cluster));
    const last = (pairs: readonly number[]): number =>
      ((pairs.at(-1) ?? 0) / SECONDS_PER_HOUR) * BYTES_PER_GIB;
    return {
      cluster,
      zone: last(of.zoneEgress),
      region: last(of.regionEgress),
      internet: last(of.internetEgress),
    };
  });
}

function priceTraffic(
  inventory: Inventory,
  cluster: string,
  others: EgressPrices,
): Readonly<Record<Traffic, readonly number[]>> {
  const of = inventory.networkPrices.get(cluster);
  return {
    zoneEgress: perByteSecond(of?.zoneEgress, others.zoneEgressGiB),
    regionEgress: perByteSecond(of?.regionEgress, others.regionEgressGiB),
    internetEgress: perByteSecond(of?.internetEgress, others.internetEgressGiB),
    transmit: NONE,
    receive: NONE,
  };
}

/** @param usdPerGiB where the store has no price */
function perByteSecond(runs: Runs | undefined, usdPerGiB: number): readonly number[] {
  const { pairs } = believedPrices(runs);
  const own = pairs.length > 0 ? pairs : [0, usdPerGiB];
  return own.map((v, i) => (i % 2 === 1 ? (v / BYTES_PER_GIB) * SECONDS_PER_HOUR : v));
}
