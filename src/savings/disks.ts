/** Disks of the newest stored assets: volumes and nodes' own. */
import { assetList } from '../assets/asset-list.ts';
import type { Table } from '../columnar/index.ts';
import { HOUR_MS, HOURS_PER_MONTH, type Filter } from '../query/index.ts';

export interface Disk {
  readonly cluster: string;
  readonly name: string;
  /** The persistent volume; '' for a node's own disk. */
  readonly volume: string;
  readonly node: string;
  readonly claim: string;
  readonly claimNamespace: string;
  readonly storageClass: string;
  readonly providerID: string;
  readonly bytes: number;
  readonly usdPerMonth: number;
}

/**
 * @param tables of days, newest first
 * @returns disks of the newest day that has any; a claim of any day is the disk's
 */
export function disksOf(tables: readonly Table[], filter: Filter | null): Disk[] {
  const days = tables.map((table) =>
    assetList([table], filter).filter(({ texts }) => texts.type === 'Disk'),
  );
  const newest = days.find((day) => day.length > 0) ?? [];
  const claims = new Map<string, { claim: string; claimNamespace: string }>();
  for (const { texts } of days.flat().reverse()) {
    const { claim, claimNamespace } = texts;
    if (claim !== '') claims.set(keyOf(texts), { claim, claimNamespace });
  }
  return newest
    .filter(({ startMs, endMs }) => endMs > startMs)
    .map(({ texts, sums, startMs, endMs }) => {
      const hours = (endMs - startMs) / HOUR_MS;
      const { claim = '', claimNamespace = '' } = claims.get(keyOf(texts)) ?? {};
      return {
        cluster: texts.cluster,
        name: texts.name,
        volume: texts.volume,
        node: texts.node,
        claim,
        claimNamespace,
        storageClass: texts.storageClass,
        providerID: texts.providerID,
        bytes: sums.byteHours / hours,
        usdPerMonth: (sums.cost / hours) * HOURS_PER_MONTH,
      };
    });
}

function keyOf({ cluster, name }: { readonly cluster: string; readonly name: string }): string {
  return `${cluster}\0${name}`;
}

/** The dollars of a disk, as recommendations claim them. */
export function diskKey(disk: Disk): string {
  return ['disk', disk.cluster, disk.volume === '' ? 'node' : 'volume', disk.name].join('\0');
}

/** Volumes that no claim held in any of the days, the dearest first. */
export function unclaimedVolumes(disks: readonly Disk[]): Disk[] {
  return disks.filter(({ volume, claim }) => volume !== '' && claim === '').sort(byCost);
}

export function byCost(a: Disk, b: Disk): number {
  return b.usdPerMonth - a.usdPerMonth || (diskKey(a) < diskKey(b) ? -1 : 1);
}

export function unclaimedJson(disk: Disk): object {
  return {
    clusterId: disk.cluster,
    volumeName: disk.volume,
    storageClass: disk.storageClass,
    providerID: disk.providerID,
    capacityBytes: disk.bytes,
    monthlyCost: disk.usdPerMonth,
    monthlySavings: disk.usdPerMonth,
  };
}
