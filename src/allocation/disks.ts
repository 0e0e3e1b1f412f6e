/**
 * What volumes and load balancers cost whom: the inventory's facts brought into the form that
 * volumes.ts and load-balancers.ts divide, and their charges brought onto the ledger's rows.
 */
import {
  createFrame,
  type Arena,
  type DictionaryBuilder,
  type Frame,
  type Owner,
} from '../columnar/index.ts';
import { BYTES_PER_GIB, type PriceBook } from '../pricing/index.ts';
import { joined, type Claim, type Inventory, type Volume } from './inventory.ts';
import type { RowLayout } from './ledger.ts';
import { chargeBalancers, type BalancerLife } from './load-balancers.ts';
import type { Presence, Stretch } from './presence.ts';
import { chargeVolumes, type ClaimLife, type MountLife, type VolumeLife } from './volumes.ts';
import { UNMOUNTED, type Workload, type WorkloadOptions } from './workloads.ts';

/** The columns of a ledger's row that are not metered. */
export const CHARGE_COLUMNS = ['pvByteHours', 'pvCost', 'loadBalancerCost'] as const;

/** Whom charges go to, and where their texts do. */
export interface Charged {
  readonly workloads: readonly Workload[];
  readonly layout: RowLayout;
  readonly texts: DictionaryBuilder;
}

export interface ChargeOptions {
  readonly setsMs: readonly number[];
  readonly limits: Omit<WorkloadOptions, 'book' | 'onGrid'> & { readonly intervalMs: number };
  readonly book: PriceBook;
}

/** Stretches in which samples showed it. */
export function stretchesOf(
  presence: Presence,
  { limits }: Pick<ChargeOptions, 'limits'>,
): readonly Stretch[] {
  const life = presence.life({ ...limits, startMs: NaN, completionMs: NaN, onGrid: false });
  return life?.stretches ?? [];
}

/** @returns a frame with a row for each of the ledger's rows, `pvs` as codes of `texts` */
export function chargeRows(
  arena: Arena,
  owner: Owner,
  inventory: Inventory,
  { workloads, layout, texts }: Charged,
  options: ChargeOptions,
): Frame {
  const frame = createFrame(
    arena,
    [
      ...CHARGE_COLUMNS.map((name) => ({ name, type: 'f64' as const })),
      { name: 'pvs', type: 'u32' },
    ],
    layout.rowCount,
    owner,
  );
  for (const name of CHARGE_COLUMNS) frame.f64(name).fill(0);
  frame.u32('pvs').fill(0);
  const rowOf = (payer: number, set: number): number => {
    const range = layout.ranges[payer];
    if (!range) throw new Error(`BUG: payer ${payer} has no rows`);
    // A container that started in a later set than its pod pays in its first.
    const place = Math.min(Math.max(set - range.firstSet, 0), range.sets - 1);
    return range.row + place;
  };
  const payers = new Payers(workloads);
  writeVolumes(inventory, payers, texts, options, frame, rowOf);
  writeBalancers(inventory, payers, options, frame, rowOf);
  return frame;
}

/** Places of workloads in the list. */
class Payers {
  readonly #ofPod: Map<Workload['pod'], number[]> = new Map();
  readonly #byPodName: Map<string, number> = new Map();

  constructor(workloads: readonly Workload[]) {
    workloads.forEach(({ pod }, i) => {
      const places = this.#ofPod.get(pod) ?? [];
      this.#ofPod.set(pod, places);
      places.push(i);
      this.#byPodName.set(joined(pod.cluster, pod.namespace, pod.name), i);
    });
  }

  /** Pods with the places of their containers. */
  get pods(): Iterable<[Workload['pod'], readonly number[]]> {
    return this.#ofPod;
  }

  /** Who pays for what no pod mounts: the claims' namespace, or '' for the cluster. */
  unmounted(cluster: string, namespace: string): number {
    const name = namespace === '' ? UNMOUNTED : `${namespace}-unmounted-pvcs`;
    const place = this.#byPodName.get(joined(cluster, namespace || UNMOUNTED, name));
    if (place === undefined) throw new Error(`BUG: nobody pays for volumes of ${cluster}`);
    return place;
  }
}

type RowOf = (payer: number, set: number) => number;

function writeVolumes(
  inventory: Inventory,
  payers: Payers,
  texts: DictionaryBuilder,
  options: ChargeOptions,
  frame: Frame,
  rowOf: RowOf,
): void {
  const volumes = volumesOf(inventory);
  const placeOf = new Map(volumes.map((volume, i) => [joined(volume.cluster, volume.name), i]));
  const lives = volumes.map((volume) => volumeLife(payers, volume, options));
  const claims: ClaimLife[] = [];
  const mounts: MountLife[] = [];
  for (const claim of inventory.claims.values()) {
    for (const [name, presence] of claim.byVolume) {
      const volume = placeOf.get(joined(claim.cluster, name));
      if (volume === undefined) continue;
      const payer = payers.unmounted(claim.cluster, claim.namespace);
      claims.push({ volume, payer, stretches: stretchesOf(presence, options) });
    }
  }
  for (const [pod, places] of payers.pods) {
    for (const key of pod.claims) {
      for (const [name] of inventory.claims.get(key)?.byVolume ?? []) {
        const volume = placeOf.get(joined(pod.cluster, name));
        if (volume === undefined) continue;
        mounts.push({ volume, payers: places, stretches: pod.life.stretches });
      }
    }
  }
  const byteHours = frame.f64('pvByteHours');
  const costs = frame.f64('pvCost');
  const details = new Map<number, string[]>();
  for (const charge of chargeVolumes(lives, mounts, claims, options.setsMs)) {
    const row = rowOf(charge.payer, charge.set);
    byteHours[row] = (byteHours[row] ?? 0) + charge.byteHours;
    costs[row] = (costs[row] ?? 0) + charge.cost;
    const volume = volumes[charge.volume];
    const list = details.get(row) ?? [];
    details.set(row, list);
    if (volume) list.push(detail(volume, charge.byteHours, charge.cost));
  }
  const pvs = frame.u32('pvs');
  for (const [row, list] of details) pvs[row] = texts.code(`{${list.join(',')}}`);
}

/** A member of `pvs`, as clients know it. */
function detail(volume: Volume, byteHours: number, cost: number): string {
  const key = JSON.stringify(`cluster=${volume.cluster}:name=${volume.name}`);
  const providerID = volume.providerId;
  return `${key}:${JSON.stringify({ byteHours, cost, providerID, adjustment: 0 })}`;
}

/** Volumes that have series of their own, and those that only a claim names. */
function volumesOf(inventory: Inventory): Volume[] {
  const volumes = new Map(inventory.volumes);
  for (const claim of inventory.claims.values()) {
    for (const [name, presence] of claim.byVolume) {
      const key = joined(claim.cluster, name);
      const volume = volumes.get(key);
      if (volume && !volume.presence.isEmpty) continue;
      volumes.set(key, volumeOfClaim(claim, name, presence, volume));
    }
  }
  return [...volumes.values()].filter(({ presence }) => !presence.isEmpty);
}

function volumeOfClaim(
  claim: Claim,
  name: string,
  presence: Presence,
  known: Volume | undefined,
): Volume {
  const { cluster, bytes } = claim;
  return known
    ? { ...known, presence, bytes }
    : { cluster, name, presence, bytes, price: claim.noPrice, providerId: '' };
}

function volumeLife(payers: Payers, volume: Volume, options: ChargeOptions): VolumeLife {
  const prices = volume.price.merged();
  const perGiB = prices.length > 0 ? prices : [0, options.book.storageGiBHour];
  return {
    stretches: stretchesOf(volume.presence, options),
    bytes: volume.bytes.merged(),
    prices: perGiB.map((v, i) => (i % 2 === 1 ? v / BYTES_PER_GIB : v)),
    orphanPayer: payers.unmounted(volume.cluster, ''),
  };
}

function writeBalancers(
  inventory: Inventory,
  payers: Payers,
  options: ChargeOptions,
  frame: Frame,
  rowOf: RowOf,
): void {
  const balancers = [...inventory.balancers.values()];
  if (balancers.length === 0) return;
  const selected = new Map<string, { payer: number; stretches: readonly Stretch[] }[]>();
  for (const [pod, places] of payers.pods) {
    for (const service of pod.services) {
      const key = joined(pod.cluster, pod.namespace, service);
      const list = selected.get(key) ?? [];
      selected.set(key, list);
      for (const payer of places) list.push({ payer, stretches: pod.life.stretches });
    }
  }
  const lives: BalancerLife[] = balancers.map((balancer) => ({
    stretches: stretchesOf(balancer.presence, options),
    prices: balancer.price.merged(),
    payers: selected.get(joined(balancer.cluster, balancer.namespace, balancer.service)) ?? [],
    orphanPayer: payers.unmounted(balancer.cluster, ''),
  }));
  const costs = frame.f64('loadBalancerCost');
  for (const { payer, set, cost } of chargeBalancers(lives, options.setsMs)) {
    const row = rowOf(payer, set);
    costs[row] = (costs[row] ?? 0) + cost;
  }
}
