/** Nodes, volumes and what else is charged beside pods, as facts tell of them. */
import type { GpuLabel, MachineKind } from '../../metrics/catalogue.ts';
import type { Resource } from './pods.ts';
import type { Presence } from './presence.ts';
import type { Runs } from './runs.ts';
import type { Accelerators } from './accelerator-runs.ts';
import type { Texts } from './texts.ts';

/** What series say that a machine is. */
export interface NodeTraits {
  providerId: string;
  /** UUID in its firmware; '' unknown. */
  systemUuid: string;
  /** Instance type, region and zone, as labels have them; '' unknown. */
  type: string;
  region: string;
  zone: string;
  /** The cloud that labels speak of, and the name of the node's pool; '' unknown. */
  cloud: string;
  pool: string;
  /** Its labels say so; of weight where no series of its own does. */
  isSpotByLabel: boolean;
  readonly gpuLabels: Partial<Record<GpuLabel, string>>;
  /** What it is where it is not billed by its size; '' a machine. */
  kind: MachineKind | '';
  /** A class of Autopilot that is billed as a machine. */
  isMachineClass: boolean;
  isWindows: boolean;
  /** kube_node_labels shows it. */
  hasLabels: boolean;
  /** Within its cluster; '' unknown. */
  address: string;
  /** Such as `v1.29.15-eks-473151a`; '' unknown, and where no sets are built. */
  kubeletVersion: string;
  /** All of them; undefined where no sets are built. */
  labels: Texts | undefined;
}

/** The traits that one series shows, and when. */
export interface NodeSighting {
  readonly fact: 'nodeInfo' | 'nodeLabels' | 'nodeCpuPrice';
  readonly traits: NodeTraits;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** A machine: one of those that had a node's name, one after another. */
export interface NodeFacts extends NodeTraits {
  readonly cluster: string;
  readonly name: string;
  /** By kube-state-metrics: what tells its prices may go on after it. */
  readonly presence: Presence;
  readonly createdSeconds: Runs;
  /** GPUs are its physical ones, once all facts are read. */
  readonly capacity: Readonly<Record<Resource, Runs>>;
  /** Units of extended resources; undefined without any. */
  accelerators: Accelerators | undefined;
  /** HAMi divides its devices, as containers request parts of them. */
  hasHami: boolean;
  /** Prices. */
  readonly cpu: Runs;
  readonly ram: Runs;
  readonly gpu: Runs;
  readonly isSpot: Runs;
  readonly sightings: NodeSighting[];
  /** From when to when the name was this machine's, Unix ms: all of the time where no other had it. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Its last sample. */
  lastMs: number;
}

/** A disk of a node's own. */
export interface NodeDisk {
  readonly cluster: string;
  /** The node's name or address, perhaps with a port. */
  readonly host: string;
  /** Such as `/dev/nvme0n1p1`. */
  readonly device: string;
  readonly presence: Presence;
  readonly bytes: Runs;
}

/** What a cluster's provider asks for running it. */
export interface Management {
  readonly cluster: string;
  /** As GKE; '' unknown. */
  readonly provisioner: string;
  readonly presence: Presence;
  readonly price: Runs;
}

/** A persistent volume. */
export interface Volume {
  readonly cluster: string;
  readonly name: string;
  readonly presence: Presence;
  readonly bytes: Runs;
  readonly price: Runs;
  providerId: string;
  storageClass: string;
  /** The CSI driver; for a volume without CSI the one that took its kind over. '' unknown. */
  driver: string;
  /** The NFS server that it is a directory of; '' none. */
  server: string;
  /** A directory or disk of its node. */
  isLocal: boolean;
}

/** A claim, and the volumes it was bound to. */
export interface Claim {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  storageClass: string;
  readonly bytes: Runs;
  /** Always empty: a volume that only a claim names has no price series. */
  readonly noPrice: Runs;
  readonly byVolume: Map<string, Presence>;
}

/** A load balancer: one address of one service. */
export interface Balancer {
  readonly cluster: string;
  readonly namespace: string;
  readonly service: string;
  readonly address: string;
  readonly presence: Presence;
  readonly price: Runs;
}

export interface NetworkPrices {
  readonly zoneEgress: Runs;
  readonly regionEgress: Runs;
  readonly internetEgress: Runs;
}
