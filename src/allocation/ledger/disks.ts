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
} from '../../columnar/index.ts';
import { isPrivateAddress, type BalancerPrice } from '../../pricing/index.ts';
import type { AssetLife } from './asset-rows.ts';
import { balancerAssets, volumeAssets } from './disk-assets.ts';
import { boundAt } from '../inventory/coverage.ts';
import type { Balancer, Inventory, Volume } from '../inventory/inventory.ts';
import { joined } from '../row/joined.ts';
import type { RowLayout } from './row-layout.ts';
import {
  chargeBalancers,
  mergeStretches,
  sharedPrices,
  type BalancerLife,
} from './load-balancers.ts';
import {
  ownerless,
  spend,
  type Ownerless,
  type OwnerlessCharges,
  type SpentBySet,
} from './anomalies.ts';
import { stretchesOf, type ChargeOptions } from './charge-options.ts';
import {
  bindingOf,
  classesOfClaims,
  classOf,
  isOfServer,
  volumeLives,
  volumesOf,
} from './volume-lives.ts';
import { Payers } from './payers.ts';
import type { Stretch } from '../inventory/presence.ts';
import { believedPrices } from '../inventory/price-runs.ts';
import { chargeVolumes, type ClaimLife, type MountLife } from './volumes.ts';
import type { Workload } from './workloads.ts';
import { PAID_COLUMNS } from '../row/schema.ts';
import { CHARGE_COLUMNS, CHARGED_TIMES } from '../row/set-columns.ts';

/** Whom charges go to, and where their texts do. */
export interface Charged {
  readonly workloads: readonly Workload[];
  readonly layout: RowLayout;
  readonly texts: DictionaryBuilder;
}

export interface Charges {
  /** A row for each of the ledger's rows, with codes of its texts. */
  readonly frame: Frame;
  readonly ownerless: OwnerlessCharges;
  /** What was charged for, made when it is asked for. */
  readonly assets: () => AssetLife[];
}

/** Charges of one kind of thing. */
interface Written<Name extends keyof OwnerlessCharges> {
  readonly ownerless: Pick<OwnerlessCharges, Name>;
  readonly assets: () => AssetLife[];
}

export function chargeRows(
  arena: Arena,
  owner: Owner,
  inventory: Inventory,
  { workloads, layout, texts }: Charged,
  options: ChargeOptions,
): Charges {
  const frame = createFrame(
    arena,
    [
      ...[...CHARGE_COLUMNS, ...CHARGED_TIMES].map((name) => ({ name, type: 'f64' as const })),
      ...PAID_COLUMNS.map((name) => ({ name, type: 'u32' as const })),
    ],
    layout.rowCount,
    owner,
  );
  for (const name of CHARGE_COLUMNS) frame.f64(name).fill(0);
  frame.f64('chargedStartMs').fill(Infinity);
  frame.f64('chargedEndMs').fill(-Infinity);
  for (const name of PAID_COLUMNS) frame.u32(name).fill(0);
  const payers = new Payers(workloads, layout, options);
  const volumes = writeVolumes(inventory, payers, texts, options, frame);
  const balancers = writeBalancers(inventory, { workloads, layout, texts }, payers, options, frame);
  return {
    frame,
    ownerless: { ...volumes.ownerless, ...balancers.ownerless },
    assets: () => [...volumes.assets(), ...balancers.assets()],
  };
}

function writeVolumes(
  inventory: Inventory,
  payers: Payers,
  texts: DictionaryBuilder,
  options: ChargeOptions,
  frame: Frame,
): Written<'unclaimedVolumes' | 'unmountedVolumes' | 'servedVolumes' | 'unlistedVolumes'> {
  const volumes = volumesOf(inventory);
  const placeOf = new Map(volumes.map((volume, i) => [joined(volume.cluster, volume.name), i]));
  const lives = volumeLives(inventory, volumes, payers, options);
  const claims = claimLives(inventory, payers, placeOf, options);
  const mounts = mountLives(inventory, payers, placeOf);
  const byteHours = frame.f64('pvByteHours');
  const costs = frame.f64('pvCost');
  const details = new Map<number, Map<number, { byteHours: number; cost: number }>>();
  const spent: SpentBySet = new Map();
  const charges = chargeVolumes(lives, mounts, claims, options.setsMs);
  for (const charge of charges) {
    const rows = payers.rowsOf(charge.payer, charge.set);
    spend(spent, charge.volume, charge.set, charge.cost);
    for (const row of rows) {
      const share = { byteHours: charge.byteHours / rows.length, cost: charge.cost / rows.length };
      widen(frame, row, charge);
      byteHours[row] = (byteHours[row] ?? 0) + share.byteHours;
      costs[row] = (costs[row] ?? 0) + share.cost;
      const ofRow = details.get(row) ?? new Map<number, typeof share>();
      details.set(row, ofRow);
      const before = ofRow.get(charge.volume) ?? { byteHours: 0, cost: 0 };
      ofRow.set(charge.volume, {
        byteHours: before.byteHours + share.byteHours,
        cost: before.cost + share.cost,
      });
    }
  }
  const pvs = frame.u32('pvs');
  for (const [row, ofRow] of details) {
    const list = [...ofRow].map(([place, share]) => detail(volumes[place], share));
    pvs[row] = texts.code(`{${list.join(',')}}`);
  }
  const mounted = new Set(mounts.map(({ volume }) => volume));
  const claimed = new Set(claims.map(({ volume }) => volume));
  const unmounted = [...spent].filter(([volume]) => !mounted.has(volume));
  const ownerlessOf = (isMeant: (volume: number) => boolean): Ownerless =>
    ownerless(new Map(unmounted.filter(([volume]) => isMeant(volume))), volumes, 'Disk');
  const classes = classesOfClaims(inventory);
  const spentOn = (isMeant: (volume: Volume) => boolean): Ownerless => {
    const own = [...spent].filter(([place]) => {
      const volume = volumes[place];
      return volume !== undefined && isMeant(volume);
    });
    return ownerless(new Map(own), volumes, 'Disk');
  };
  const unlisted = new Set(options.prices.unlisted.map(([storageClass]) => storageClass));
  const isUnlisted = (volume: Volume): boolean =>
    volume.price.isEmpty && unlisted.has(classOf(volume, classes));
  return {
    ownerless: {
      servedVolumes: spentOn((volume) => isOfServer(volume, classes)),
      unlistedVolumes: spentOn(isUnlisted),
      unclaimedVolumes: ownerlessOf((volume) => !claimed.has(volume)),
      unmountedVolumes: ownerlessOf((volume) => claimed.has(volume)),
    },
    assets: () => volumeAssets(inventory, volumes, lives, charges),
  };
}

/** Has the charged time of a row include the stretch. */
function widen(frame: Frame, row: number, { startMs, endMs }: Stretch): void {
  const [starts, ends] = [frame.f64('chargedStartMs'), frame.f64('chargedEndMs')];
  starts[row] = Math.min(starts[row] ?? Infinity, startMs);
  ends[row] = Math.max(ends[row] ?? -Infinity, endMs);
}

/** @param placeOf places of volumes, by `cluster\0volume` */
function claimLives(
  inventory: Inventory,
  payers: Payers,
  placeOf: ReadonlyMap<string, number>,
  options: ChargeOptions,
): ClaimLife[] {
  return [...inventory.claims.values()].flatMap((claim) =>
    [...claim.byVolume].flatMap(([name, presence]) => {
      const volume = placeOf.get(joined(claim.cluster, name));
      if (volume === undefined) return [];
      const payer = payers.unmounted(claim.cluster, claim.namespace);
      return [
        { volume, payer, stretches: stretchesOf({ cluster: claim.cluster, presence }, options) },
      ];
    }),
  );
}

function mountLives(
  inventory: Inventory,
  payers: Payers,
  placeOf: ReadonlyMap<string, number>,
): MountLife[] {
  return payers.pods.flatMap(([pod], payer) =>
    [...pod.claims].flatMap((key) => {
      const claim = inventory.claims.get(key);
      return [...(claim?.byVolume.keys() ?? [])].flatMap((name) => {
        const volume = placeOf.get(joined(pod.cluster, name));
        if (volume === undefined || claim === undefined) return [];
        const { startMs, endMs } = bindingOf(claim, name);
        const stretches = mergeStretches(pod.life.stretches, startMs, endMs);
        return stretches.length === 0 ? [] : [{ volume, payers: [payer], stretches }];
      });
    }),
  );
}

/** A member of `pvs`, as clients know it. */
function detail(
  volume: Volume | undefined,
  { byteHours, cost }: { readonly byteHours: number; readonly cost: number },
): string {
  if (!volume) throw new Error('BUG: a volume that is not there was charged');
  const key = JSON.stringify(`cluster=${volume.cluster}:name=${volume.name}`);
  const providerID = volume.providerId;
  return `${key}:${JSON.stringify({ byteHours, cost, providerID, adjustment: 0 })}`;
}

function writeBalancers(
  inventory: Inventory,
  { workloads, texts }: Charged,
  payers: Payers,
  options: ChargeOptions,
  frame: Frame,
): Written<'unservedBalancers'> {
  const balancers = balancersOf(inventory, options);
  const selected = selectedBy(payers, workloads);
  const lives: BalancerLife[] = balancers.map((balancer) => ({
    stretches: balancer.stretches,
    prices: balancer.prices,
    payers: selected.get(joined(balancer.cluster, balancer.namespace, balancer.service)) ?? [],
    orphanPayer: payers.orphanage(balancer.cluster),
  }));
  const costs = frame.f64('loadBalancerCost');
  const spent: SpentBySet = new Map();
  const details = new Map<number, string[]>();
  const charges = chargeBalancers(lives, options.setsMs);
  for (const { payer, balancer, set, cost } of charges) {
    const row = payers.rowOf(payer, set);
    costs[row] = (costs[row] ?? 0) + cost;
    const ofRow = details.get(row) ?? [];
    details.set(row, ofRow);
    ofRow.push(balancerDetail(balancers[balancer], cost));
    const { setsMs } = options;
    for (const there of mergeStretches(
      lives[balancer]?.stretches ?? [],
      setsMs[set],
      setsMs[set + 1],
    ))
      widen(frame, row, there);
    if (lives[balancer]?.payers.length === 0) spend(spent, balancer, set, cost);
  }
  const services = balancers.map(({ cluster, namespace, service }) => ({
    cluster,
    name: `${namespace}/${service}`,
  }));
  const shown = frame.u32('lbAllocations');
  for (const [row, list] of details) shown[row] = texts.code(`{${list.join(',')}}`);
  return {
    ownerless: { unservedBalancers: ownerless(spent, services, 'LoadBalancer') },
    assets: () => balancerAssets(balancers, lives, charges),
  };
}

/** A member of `lbAllocations`, as clients know it. */
function balancerDetail(balancer: Balancer | undefined, cost: number): string {
  if (!balancer) throw new Error('BUG: a load balancer that is not there was charged');
  const { cluster, namespace, service: name, address: ip } = balancer;
  const service = `${namespace}/${name}`;
  const key = JSON.stringify(`cluster=${cluster}:name=${service}${ip === '' ? '' : `:ip=${ip}`}`);
  return `${key}:${JSON.stringify({ service, cost, private: isPrivateAddress(ip), ip })}`;
}

interface PricedBalancer extends Balancer {
  readonly stretches: readonly Stretch[];
  /** USD an hour, as pairs (fromMs, value). */
  readonly prices: readonly number[];
}

/**
 * By series of their prices; where a cluster has none, by the list, if its cloud has a price. Services that are
 * billed as one share its price evenly while they are there.
 */
function balancersOf(
  { balancers, ingresses }: Inventory,
  options: ChargeOptions,
): readonly PricedBalancer[] {
  const priced = new Set<string>();
  const billed = new Map<string, BilledBalancer[]>();
  const add = (as: string, balancer: BilledBalancer): void => {
    const same = billed.get(as) ?? [];
    billed.set(as, same);
    same.push(balancer);
  };
  for (const one of balancers.values()) {
    const { cluster, address, price } = one;
    priced.add(cluster);
    const { pairs } = believedPrices(price);
    // Only an address tells that two services have one balancer.
    const as = address === '' ? `${one.namespace}/${one.service}` : address;
    add(joined(cluster, as), { ...one, stretches: stretchesOf(one, options), own: pairs });
  }
  for (const one of byAddress(ingresses.values())) {
    if (priced.has(one.cluster)) continue;
    const list = options.prices.balancer(one.cluster, one.address);
    if (list === undefined) continue;
    const stretches = stretchesOf(one, options);
    add(joined(one.cluster, list.billedAs), { ...one, stretches, own: list });
  }
  return [...billed.values()].flatMap(pricedTogether);
}

interface BilledBalancer extends Balancer {
  readonly stretches: readonly Stretch[];
  /** Pairs (fromMs, USD an hour) of a series, or what the list says. */
  readonly own: readonly number[] | BalancerPrice;
}

/** @param same all that are billed as one */
function pricedTogether(same: readonly BilledBalancer[]): PricedBalancer[] {
  const lives = same.map(({ stretches }) => stretches);
  const listed = same.find(({ own }) => 'usdPerHour' in own)?.own;
  if (listed !== undefined && 'usdPerHour' in listed) {
    const prices = sharedPrices(lives, (services) => listed.usdPerHour(services));
    return same.map((one) => ({ ...one, prices }));
  }
  return same.map((one) => {
    const own = 'usdPerHour' in one.own ? [] : one.own;
    return { ...one, prices: same.length === 1 ? own : sharedPrices(lives, ...stepsOf(own)) };
  });
}

/** A price by time, whatever the number of services, and when it changes. */
function stepsOf(
  pairs: readonly number[],
): [price: (services: number, atMs: number) => number, stepsMs: readonly number[]] {
  const stepsMs = pairs.filter((_, i) => i % 2 === 0);
  return [(_, atMs) => pairs[2 * Math.max(0, boundAt(stepsMs, atMs)) + 1] ?? 0, stepsMs];
}

/**
 * The balancers of each service. Several addresses at once are of one balancer, such as those of both IP
 * versions; an address that comes after another is of one that replaced it.
 */
function byAddress(ingresses: Iterable<Balancer>): Balancer[] {
  const ofServices = new Map<string, Balancer[]>();
  for (const one of [...ingresses].sort(byFirstSeen)) {
    const key = joined(one.cluster, one.namespace, one.service);
    const known = ofServices.get(key) ?? [];
    ofServices.set(key, known);
    const same = known.find(({ presence }) => presence.isAtOnceWith(one.presence));
    if (same === undefined) known.push(one);
    else same.presence.absorb(one.presence);
  }
  return [...ofServices.values()].flat();
}

/** Order of addresses by their first samples; names and IPv4 come before others of the same time. */
function byFirstSeen(
  { presence: a, address: one }: Balancer,
  { presence: b, address: other }: Balancer,
): number {
  const isV6 = (address: string): number => (address.includes(':') ? 1 : 0);
  return a.firstMs - b.firstMs || isV6(one) - isV6(other) || (one < other ? -1 : 1);
}

/** Containers, as places of workloads, by `cluster\0namespace\0service`. */
function selectedBy(
  payers: Payers,
  workloads: readonly Workload[],
): Map<string, { payer: number; stretches: readonly Stretch[] }[]> {
  const selected = new Map<string, { payer: number; stretches: readonly Stretch[] }[]>();
  for (const [pod, places] of payers.pods) {
    for (const service of pod.services) {
      const key = joined(pod.cluster, pod.namespace, service);
      const list = selected.get(key) ?? [];
      selected.set(key, list);
      for (const place of places) {
        list.push({ payer: place, stretches: workloads[place]?.stretches ?? [] });
      }
    }
  }
  return selected;
}
