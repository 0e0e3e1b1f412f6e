/**
 * Devices by dynamic resource allocation (DRA), as kube-state-metrics tells them:
 *
 *   kube_pod_resourceclaim_info                  the claims that a pod names
 *   kube_resourceclaim_allocation_device_info    the devices of a claim
 *   kube_resourceslice_device_info               the devices of a node
 *
 * At each time a device is divided among the claims that have it, and a claim among the pods that name it.
 * Nothing tells which container has what: a pod's devices are divided among its containers.
 */
import {
  CLAIMED_DEVICES,
  isAcceleratorDriver,
  isLikelyAccelerator,
  partitionOfDevice,
  wholeDevice,
} from '../../metrics/catalogue.ts';
import type { SeriesRecord } from '../../columnar/index.ts';
import { joined } from '../row/joined.ts';
import { addAccelerator } from './accelerator-runs.ts';
import { combined, gpusOfType, modelOf, partOf } from './node-gpus.ts';
import type { NodeFacts } from './nodes-and-volumes.ts';
import type { Pod } from './pods.ts';

interface Seen {
  firstMs: number;
  lastMs: number;
}

interface Claim {
  /** When each has it. */
  readonly pods: Map<Pod, Seen>;
  readonly devices: Map<Device, Seen>;
}

interface Device {
  readonly driver: string;
  readonly name: string;
  readonly claims: Set<Claim>;
}

export class DeviceClaims {
  /** By `cluster\0namespace\0claim`. */
  readonly #claims: Map<string, Claim> = new Map();
  /** By `cluster\0pool\0driver\0device`. */
  readonly #devices: Map<string, Device> = new Map();
  /** Whole devices by `cluster\0node`. */
  readonly #ofNodes: Map<string, Set<string>> = new Map();
  /** Drivers that look like those of accelerators, and are none that is known. */
  readonly unknownDrivers: Set<string> = new Set();
  /** Pods on nodes with GPUs whose claims' devices no metric tells; known once all is settled. */
  untold = 0;

  addPod(key: string, pod: Pod, record: SeriesRecord): void {
    see(this.#claimOf(key).pods, pod, record);
  }

  /** @param pool with its cluster */
  addDevice(key: string, pool: string, record: SeriesRecord): void {
    const [driver, name] = [record.label('driver'), record.label('device')];
    if (!this.#isKnown(driver)) return;
    const place = joined(pool, driver, name);
    const device = this.#devices.get(place) ?? { driver, name, claims: new Set() };
    this.#devices.set(place, device);
    const claim = this.#claimOf(key);
    device.claims.add(claim);
    see(claim.devices, device, record);
  }

  /** @param node with its cluster */
  addNodeDevice(node: string, record: SeriesRecord): void {
    const driver = record.label('driver');
    if (!this.#isKnown(driver)) return;
    const name = record.label('device_name');
    const devices = this.#ofNodes.get(node) ?? new Set();
    this.#ofNodes.set(node, devices.add(wholeOf({ driver, name })));
  }

  /**
   * Makes what is claimed accelerators of nodes and containers. Called once, after all facts.
   * @param pods with their clusters
   */
  settle(inventory: Machines, pods: () => Iterable<readonly [cluster: string, pod: Pod]>): void {
    if (this.#claims.size === 0 && this.#ofNodes.size === 0) return;
    const devices = new Map<NodeFacts, ReadonlySet<string>>();
    const claimsOf = new Map<Pod, Claim[]>();
    for (const claim of this.#claims.values())
      for (const pod of claim.pods.keys()) claimsOf.set(pod, [...(claimsOf.get(pod) ?? []), claim]);
    for (const [cluster, pod] of pods()) {
      const node = inventory.machineUnder(cluster, pod);
      const claims = claimsOf.get(pod);
      if (!claims) continue;
      const claimed = claims.flatMap((claim) => [...claim.devices.keys()]);
      chargePod(pod, claims, node);
      if (!node) continue;
      const isUntold = claimed.length === 0 && this.#devices.size === 0;
      if (isUntold && gpusOfType(node) > 0) this.untold++;
      devices.set(node, new Set([...(devices.get(node) ?? []), ...claimed.map(wholeOf)]));
    }
    for (const [key, own] of this.#ofNodes) {
      const node = inventory.nodes.get(key);
      if (node) devices.set(node, own);
    }
    for (const [node, { size }] of devices)
      // What a device plugin shows is not counted twice.
      if (!hasUnits(node) && (size > 0 || gpusOfType(node) > 0))
        addAccelerator(node, CLAIMED_DEVICES, [0, size]);
  }

  #claimOf(key: string): Claim {
    const claim = this.#claims.get(key) ?? { pods: new Map(), devices: new Map() };
    this.#claims.set(key, claim);
    return claim;
  }

  #isKnown(driver: string): boolean {
    if (isAcceleratorDriver(driver)) return true;
    if (isLikelyAccelerator(driver)) this.unknownDrivers.add(driver);
    return false;
  }
}

/** Nodes by `cluster\0node`, and the machine of a pod. */
interface Machines {
  readonly nodes: ReadonlyMap<string, NodeFacts>;
  readonly machineUnder: (cluster: string, pod: Pod) => NodeFacts | undefined;
}

function chargePod(pod: Pod, claims: readonly Claim[], node: NodeFacts | undefined): void {
  const model = node && modelOf(node);
  const parts = claims.flatMap((claim) =>
    [...claim.devices.keys()].map((device) => {
      const partition = partitionOfDevice(device.name);
      const part = partition ? partOf(partition, model) : 1;
      const ofDevice = sharesOver(
        [...device.claims].flatMap((one) => one.devices.get(device) ?? []),
      );
      const ofClaim = sharesOver([...claim.pods.values()]);
      return combined([ofDevice, ofClaim], ([one = 0, other = 0]) => part * one * other);
    }),
  );
  const { size } = pod.containers;
  if (parts.length === 0 || size === 0) return;
  const each = combined(parts, (now) => now.reduce((sum, one) => sum + one, 0) / size);
  pod.containers.forEach((container) => addAccelerator(container, CLAIMED_DEVICES, each));
}

/** What each of several has of a thing while they have it at the same time, as pairs (fromMs, part). */
function sharesOver(all: readonly Seen[]): readonly number[] {
  const times = new Set(all.flatMap(({ firstMs, lastMs }) => [firstMs, lastMs]));
  const pairs: number[] = [];
  for (const atMs of [...times].sort((a, b) => a - b)) {
    // The last sample of one and the first of the next may be those of one scrape.
    const count = all.filter(({ firstMs, lastMs }) => firstMs <= atMs && atMs < lastMs).length;
    if (count > 0 && pairs.at(-1) !== 1 / count) pairs.push(atMs, 1 / count);
  }
  return pairs.length === 0 ? [0, 1] : pairs;
}

function see<Key>(seen: Map<Key, Seen>, key: Key, { firstMs, lastMs }: SeriesRecord): void {
  const before = seen.get(key);
  if (!before) return void seen.set(key, { firstMs, lastMs });
  before.firstMs = Math.min(before.firstMs, firstMs);
  before.lastMs = Math.max(before.lastMs, lastMs);
}

function wholeOf({ driver, name }: Pick<Device, 'driver' | 'name'>): string {
  return joined(driver, wholeDevice(name));
}

function hasUnits({ accelerators }: NodeFacts): boolean {
  return [...(accelerators?.values() ?? [])].some((runs) => runs.largest() > 0);
}
