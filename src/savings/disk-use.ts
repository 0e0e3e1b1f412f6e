/** Disks that are larger than what is on them, and what a smaller one saves. */
import { rootDevices } from '../metrics/catalogue.ts';
import { byCost, type Disk } from './disks.ts';

/** A gauge of one thing: its labels, its largest and its newest value. */
export interface Gauge {
  readonly cluster: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly max: number;
  readonly last: number;
}

/** A disk whose use is known. */
export interface UsedDisk {
  readonly disk: Disk;
  readonly usedBytes: number;
  readonly recommendedBytes: number;
  readonly usdPerMonth: number;
}

const GIB = 2 ** 30;

/** Volumes whose claims are mounted somewhere. @param use by namespace and claim */
export function volumesWithUse(
  disks: readonly Disk[],
  use: readonly Gauge[],
): { readonly used: readonly (readonly [Disk, number])[]; readonly unknown: number } {
  const bytes = new Map(
    use.map(({ cluster, labels, max }) => {
      const namespace = labels['exported_namespace'] ?? labels['namespace'] ?? '';
      return [keyOf(cluster, namespace, labels['persistentvolumeclaim'] ?? ''), max];
    }),
  );
  const claimed = disks.filter(({ volume, claim }) => volume !== '' && claim !== '');
  const used = claimed.flatMap((disk) => {
    const known = bytes.get(keyOf(disk.cluster, disk.claimNamespace, disk.claim));
    return known === undefined ? [] : [[disk, known] as const];
  });
  return { used, unknown: claimed.length - used.length };
}

/** Nodes' own disks. @param use by node, by the label of its host, or by its address */
export function nodeDisksWithUse(
  disks: readonly Disk[],
  use: readonly Gauge[],
  addresses: readonly Gauge[],
): { readonly used: readonly (readonly [Disk, number])[]; readonly unknown: number } {
  const nodes = new Map(
    addresses.map(({ cluster, labels }) => [
      keyOf(cluster, labels['internal_ip'] ?? '', ''),
      labels['node'] ?? '',
    ]),
  );
  const byNode = new Map<string, { device: string; max: number }[]>();
  for (const { cluster, labels, max } of use) {
    const host =
      labels['exported_node'] ??
      labels['node'] ??
      labels['kubernetes_io_hostname'] ??
      labels['instance'] ??
      '';
    const bare = host.replace(/:\d+$/, '');
    const key = keyOf(cluster, nodes.get(keyOf(cluster, bare, '')) ?? bare, '');
    byNode.set(key, [...(byNode.get(key) ?? []), { device: labels['device'] ?? '', max }]);
  }
  // A node's disk is all of its root file systems.
  const bytes = new Map(
    [...byNode].map(([key, devices]) => {
      const roots = rootDevices(
        devices.map(({ device }) => device),
        '',
      );
      const own = devices.filter(({ device }) => roots.has(device));
      return [key, own.reduce((sum, { max }) => sum + max, 0)];
    }),
  );
  const local = disks.filter(({ volume }) => volume === '');
  const used = local.flatMap((disk) => {
    const known = bytes.get(keyOf(disk.cluster, disk.node, ''));
    return known === undefined ? [] : [[disk, known] as const];
  });
  return { used, unknown: local.length - used.length };
}

/**
 * A disk that holds what was on it at most, and a part of that more, in whole GiB. What it saves is the
 * part of its cost that it is smaller by: disks cost by their size.
 * @returns disks that may be smaller, highest savings first
 */
export function smallerDisks(
  used: readonly (readonly [Disk, number])[],
  headroom: number,
): UsedDisk[] {
  return used
    .map(([disk, usedBytes]) => {
      const recommendedBytes = Math.max(GIB, Math.ceil((usedBytes * (1 + headroom)) / GIB) * GIB);
      const part = disk.bytes > 0 ? 1 - recommendedBytes / disk.bytes : 0;
      return { disk, usedBytes, recommendedBytes, usdPerMonth: disk.usdPerMonth * part };
    })
    .filter(({ disk, recommendedBytes }) => recommendedBytes < disk.bytes)
    .sort((a, b) => b.usdPerMonth - a.usdPerMonth || byCost(a.disk, b.disk));
}

export function usedDiskJson({ disk, usedBytes, recommendedBytes, usdPerMonth }: UsedDisk): object {
  const of =
    disk.volume === ''
      ? { diskName: disk.name, node: disk.node }
      : {
          volumeName: disk.volume,
          claimName: disk.claim,
          claimNamespace: disk.claimNamespace,
          storageClass: disk.storageClass,
        };
  return {
    clusterId: disk.cluster,
    ...of,
    providerID: disk.providerID,
    capacityBytes: disk.bytes,
    maxUsedBytes: usedBytes,
    utilization: disk.bytes > 0 ? usedBytes / disk.bytes : null,
    recommendedCapacityBytes: recommendedBytes,
    monthlyCost: disk.usdPerMonth,
    monthlySavings: usdPerMonth,
  };
}

function keyOf(...parts: readonly string[]): string {
  return parts.join('\0');
}
