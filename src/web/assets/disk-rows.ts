/** Disks by what they cost, and who holds them. */
import { own } from '../costs/own.ts';
import { clusterOf, filterOfAsset, nameOf, type Asset } from './asset.ts';

/** `none`: a volume that no claim holds. */
export type Holder = 'claim' | 'node' | 'none';

export interface DiskRow {
  readonly name: string;
  readonly cluster: string;
  readonly holder: Holder;
  /** `namespace/claim`, or '' without one. */
  readonly claim: string;
  readonly storageClass: string;
  readonly bytes: number;
  readonly hours: number;
  readonly cost: number;
  readonly adjustment: number;
  readonly filter: string;
}

/** Volumes without a claim first, then by cost. */
export function diskRows(disks: readonly Asset[]): readonly DiskRow[] {
  const rows = disks.map((disk): DiskRow => {
    const { claimName = '', claimNamespace = '', storageClass = '', bytes = 0 } = disk;
    return {
      name: nameOf(disk),
      cluster: clusterOf(disk),
      holder: holderOf(disk),
      claim: claimName === '' ? '' : `${claimNamespace}/${claimName}`,
      storageClass,
      bytes,
      hours: disk.minutes / 60,
      cost: disk.totalCost,
      adjustment: disk.adjustment,
      filter: filterOfAsset(disk),
    };
  });
  const rank = ({ holder }: DiskRow): number => (holder === 'none' ? 0 : 1);
  return rows.toSorted((a, b) => rank(a) - rank(b) || b.cost - a.cost || (a.name < b.name ? -1 : 1));
} // prettier-ignore

export function holderOf({ local, claimName = '' }: Asset): Holder {
  if (local === 1) return 'node';
  return claimName === '' ? 'none' : 'claim';
}

/** How many volumes nobody claims, and what they cost. */
export function unclaimed(rows: readonly DiskRow[]): {
  readonly count: number;
  readonly usd: number;
} {
  const free = rows.filter(({ holder }) => holder === 'none');
  return { count: free.length, usd: free.reduce((sum, { cost }) => sum + cost, 0) };
}

/** A pod as the API tells it, with its volumes by `cluster=…:name=…`. */
export interface PodVolumes {
  readonly pvs: Readonly<Record<string, { readonly cost: number }>> | null;
}

export interface Mount {
  /** '': no pod did, for that part of the cost. */
  readonly pod: string;
  readonly usd: number;
}

/** The row of a namespace that is charged for its claims while no pod mounts them. */
const NOBODY = /-unmounted-pvcs$/;

/** Pods that mount the volume, with what each is charged for it. */
export function mountsOf(
  volume: Asset,
  pods: Readonly<Record<string, PodVolumes>>,
): readonly Mount[] {
  const key = `cluster=${clusterOf(volume)}:name=${volume.volumeName ?? nameOf(volume)}`;
  const mounts = Object.entries(pods).flatMap(([pod, { pvs }]) => {
    const part = own(pvs ?? undefined, key);
    return part === undefined ? [] : [{ pod: NOBODY.test(pod) ? '' : pod, usd: part.cost }];
  });
  return mounts.toSorted((a, b) => b.usd - a.usd);
}
