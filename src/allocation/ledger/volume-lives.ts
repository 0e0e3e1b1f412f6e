/** Volumes as they are charged: when they were there, how large, and at which price. */
import { BYTES_PER_GIB } from '../../pricing/index.ts';
import type { Claim, Inventory, Volume } from '../inventory/inventory.ts';
import type { Presence, Stretch } from '../inventory/presence.ts';
import { Runs } from '../inventory/runs.ts';
import { believedPrices } from '../inventory/price-runs.ts';
import { joined } from '../row/joined.ts';
import { stretchesOf, type ChargeOptions } from './charge-options.ts';
import type { Payers } from './payers.ts';
import type { VolumeLife } from './volumes.ts';

/** Volumes that have series of their own, and those that only a claim names. */
export function volumesOf(inventory: Inventory): Volume[] {
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
  const { cluster } = claim;
  const bytes = new Runs();
  const { endMs } = bindingOf(claim, name);
  bytes.add(
    claim.byVolume.size === 1 ? claim.bytes.merged() : claim.bytes.heldIn(presence.firstMs, endMs),
  );
  return known
    ? { ...known, presence, bytes }
    : {
        cluster,
        name,
        presence,
        bytes,
        price: claim.noPrice,
        providerId: '',
        storageClass: claim.storageClass,
        driver: '',
        server: '',
        isLocal: false,
      };
}

/**
 * When a claim held a volume: a claim that is made again under the same name holds another one, from
 * when it last held the one before. Volumes that it shows at the same time it holds for all of the time.
 */
export function bindingOf({ byVolume }: Claim, volume: string): Stretch {
  const own = byVolume.get(volume);
  const others = [...byVolume].flatMap(([name, presence]) => (name === volume ? [] : [presence]));
  if (!own) return { startMs: NaN, endMs: NaN };
  const before = others.filter(({ lastMs }) => lastMs <= own.firstMs);
  const after = others.filter(({ firstMs }) => firstMs >= own.lastMs);
  return {
    startMs: Math.max(-Infinity, ...before.map(({ lastMs }) => lastMs)),
    endMs: after.length === 0 ? Infinity : own.lastMs,
  };
}

/** Storage classes of volumes whose own series name none, by `cluster\0volume`. */
export function classesOfClaims({ claims }: Inventory): ReadonlyMap<string, string> {
  const classes = new Map<string, string>();
  for (const { cluster, storageClass, byVolume } of claims.values())
    for (const name of byVolume.keys()) classes.set(joined(cluster, name), storageClass);
  return classes;
}

/** The storage class of a volume, else that of its claim; '' unknown. */
export function classOf(
  { cluster, name, storageClass }: Volume,
  classes: ReadonlyMap<string, string>,
): string {
  return storageClass || (classes.get(joined(cluster, name)) ?? '');
}

function volumeLife(
  payers: Payers,
  volume: Volume,
  classes: ReadonlyMap<string, string>,
  part: number,
  options: ChargeOptions,
): VolumeLife {
  const { cluster, driver, isLocal } = volume;
  const storageClass = classOf(volume, classes);
  const bytes = volume.bytes.merged();
  const own = believedPrices(volume.price).pairs.map((v, i) =>
    i % 2 === 1 ? v / BYTES_PER_GIB : v,
  );
  return {
    stretches: stretchesOf(volume, options),
    bytes,
    prices:
      own.length > 0
        ? own
        : options.prices
            .storage(cluster, { storageClass, driver, isLocal }, bytes)
            .map((v, i) => (i % 2 === 1 ? v * part : v)),
    orphanPayer: payers.unmounted(volume.cluster, ''),
  };
}

/** @param volumes as `volumesOf` */
export function volumeLives(
  inventory: Inventory,
  volumes: readonly Volume[],
  payers: Payers,
  options: ChargeOptions,
): VolumeLife[] {
  const classes = classesOfClaims(inventory);
  const parts = partsOfServers(volumes, classes);
  return volumes.map((volume) =>
    volumeLife(payers, volume, classes, parts.get(volume) ?? 1, options),
  );
}

/** A directory of an NFS server that someone wrote down as a volume: its capacity is that of the server. */
export function isOfServer(volume: Volume, classes: ReadonlyMap<string, string>): boolean {
  return volume.server !== '' && classOf(volume, classes) === '';
}

/** What each directory is of its server, if the server is as large as its largest one. */
function partsOfServers(
  volumes: readonly Volume[],
  classes: ReadonlyMap<string, string>,
): ReadonlyMap<Volume, number> {
  const servers = new Map<string, Volume[]>();
  for (const volume of volumes) {
    if (!isOfServer(volume, classes)) continue;
    const key = joined(volume.cluster, volume.server);
    servers.set(key, [...(servers.get(key) ?? []), volume]);
  }
  const parts = new Map<Volume, number>();
  for (const own of servers.values()) {
    const sizes = own.map(({ bytes }) => bytes.largest() || 0);
    const all = sizes.reduce((sum, size) => sum + size, 0);
    for (const volume of own) parts.set(volume, all > 0 ? Math.max(...sizes) / all : 1);
  }
  return parts;
}
