/**
 * What is charged beside nodes, where no series tells its price: by the operator's file, the list of the
 * cloud that the nodes of a cluster are in, the book.
 */
import {
  balancerPrice,
  cloudOfVersion,
  controlPlanePrice,
  egressUsdPerGiB,
  higherVersion,
  listPriceOf,
  placeOfNode,
  storageUsdPerGiBHour,
  unbilledVolume,
  BYTES_PER_GIB,
  type BalancerPrice,
  type ChargedPlace,
  type ControlPlane,
  type ControlPlanePrice,
  type NodePriceSources,
  type PriceBook,
  type UnbilledVolume,
  type VolumeKind,
} from '../../pricing/index.ts';
import type { NodeFacts } from './nodes-and-volumes.ts';

/** USD for a GiB that leaves its zone, its region, the cloud. */
export type EgressPrices = Pick<
  PriceBook,
  'zoneEgressGiB' | 'regionEgressGiB' | 'internetEgressGiB'
>;

interface ClusterPlace extends ChargedPlace {
  /** The cloud that runs the control plane, as labels of its pools or its version tell; '' unknown. */
  readonly managedBy: string;
  /** The highest version of Kubernetes on its nodes; '' unknown. */
  readonly version: string;
}

const NOWHERE: ClusterPlace = { provider: '', region: '', managedBy: '', version: '' };

export class ClusterPrices {
  readonly #book: PriceBook;
  readonly #file: NodePriceSources['file'];
  readonly #isListOn: boolean;
  readonly #controlPlanes: readonly ControlPlane[];
  readonly #places: ReadonlyMap<string, ClusterPlace>;
  readonly #unlisted: Map<string, number> = new Map();
  readonly #unbilled: Readonly<Record<UnbilledVolume, Map<string, number>>> = {
    unsized: new Map(),
    local: new Map(),
  };

  constructor(
    nodes: Iterable<NodeFacts>,
    book: PriceBook,
    { file, isListOn, controlPlanes = [] }: NodePriceSources,
  ) {
    this.#book = book;
    this.#file = file;
    this.#isListOn = isListOn;
    this.#controlPlanes = controlPlanes;
    this.#places = placesOf(nodes);
  }

  /** Volumes without a list price in clouds that have some, asked for so far: how many by storage class. */
  get unlisted(): readonly (readonly [storageClass: string, volumes: number])[] {
    return [...this.#unlisted];
  }

  /** Volumes whose capacity is not billed, asked for so far: how many by storage class, else by driver. */
  get unbilled(): Readonly<Record<UnbilledVolume, ClusterPrices['unlisted']>> {
    return { unsized: [...this.#unbilled.unsized], local: [...this.#unbilled.local] };
  }

  /**
   * What a byte of a volume costs an hour while it has so many.
   * @param bytes pairs (fromMs, bytes)
   * @returns pairs (fromMs, USD)
   */
  storage(
    cluster: string,
    kind: VolumeKind & { readonly isLocal: boolean },
    bytes: readonly number[],
  ): readonly number[] {
    const { provider, region } = this.#places.get(cluster) ?? NOWHERE;
    const own = this.#file?.storageGiBHour(provider, region, kind.storageClass);
    if (own !== undefined) return [0, own / BYTES_PER_GIB];
    const unbilled = kind.isLocal ? 'local' : unbilledVolume(kind);
    if (unbilled !== undefined) {
      countIn(this.#unbilled[unbilled], kind.storageClass || kind.driver || 'no class');
      return [0, 0];
    }
    const place = this.#listedPlaceOf(cluster);
    const pairs = bytes.length === 0 ? [0, BYTES_PER_GIB] : bytes;
    let isListed = true;
    const prices = pairs.map((v, i) => {
      if (i % 2 === 0) return v;
      const listed = storageUsdPerGiBHour(place, kind, v / BYTES_PER_GIB);
      isListed &&= listed !== undefined;
      return (listed ?? this.#book.storageGiBHour) / BYTES_PER_GIB;
    });
    if (!isListed && place.provider !== '' && kind.storageClass !== '')
      countIn(this.#unlisted, kind.storageClass);
    return prices;
  }

  /** Undefined if nothing shows that it costs anything. */
  balancer(cluster: string, address: string): BalancerPrice | undefined {
    return balancerPrice(this.#listedPlaceOf(cluster), address);
  }

  egress(cluster: string): EgressPrices {
    const listed = egressUsdPerGiB(this.#listedPlaceOf(cluster));
    return {
      zoneEgressGiB: listed.zoneGiB ?? this.#book.zoneEgressGiB,
      regionEgressGiB: listed.regionGiB ?? this.#book.regionEgressGiB,
      internetEgressGiB: listed.internetGiB ?? this.#book.internetEgressGiB,
    };
  }

  /** The operator's own price before the list's, as the book has none by itself. */
  management(cluster: string): ControlPlanePrice | undefined {
    const { clusterManagementHour: own } = this.#book;
    if (own > 0) return { provisioner: '', prices: [0, own] };
    if (!this.#isListOn) return undefined;
    const { managedBy, version } = this.#places.get(cluster) ?? NOWHERE;
    return controlPlanePrice({ cluster, cloud: managedBy, version }, this.#controlPlanes);
  }

  /** Nowhere is anything listed. */
  #listedPlaceOf(cluster: string): ClusterPlace {
    return (this.#isListOn ? this.#places.get(cluster) : undefined) ?? NOWHERE;
  }
}

/** Where a cluster's nodes are in several clouds or regions, none is its own. */
function placesOf(nodes: Iterable<NodeFacts>): ReadonlyMap<string, ClusterPlace> {
  const places = new Map<string, ClusterPlace>();
  for (const node of nodes) {
    const { provider: told, region } = placeOfNode(node);
    // The instance type identifies the cloud if there is no provider id, as in the price of the node.
    const provider = told || (listPriceOf('', region, node.type, 0)?.provider ?? '');
    const { kubeletVersion: version } = node;
    const managedBy = node.cloud || cloudOfVersion(version);
    const own = { provider, region, managedBy, version };
    const before = places.get(node.cluster);
    places.set(node.cluster, before === undefined ? own : shared(before, own));
  }
  return places;
}

function shared(some: ClusterPlace, other: ClusterPlace): ClusterPlace {
  const isOneCloud = some.provider === other.provider;
  return {
    provider: isOneCloud ? some.provider : '',
    region: isOneCloud && some.region === other.region ? some.region : '',
    managedBy: some.managedBy || other.managedBy,
    version: higherVersion(some.version, other.version),
  };
}

function countIn(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
