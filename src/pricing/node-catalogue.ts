/** Finds the operator's prices of nodes and storage classes. */
import type { ControlPlane } from './control-planes.ts';
import { gpuModelNamed, wholeModel } from './gpu-models.ts';
import { placeOfNode } from './node-place.ts';
import type { NodeType, OwnPrice } from './node-types.ts';

/** Labels of a node that identify its type and place; '' where one is missing. */
export interface NodeKind {
  /** Instance type, as the provider names it. */
  readonly type: string;
  readonly region: string;
  readonly zone: string;
  readonly pool: string;
  /** As a label has it. */
  readonly gpuModel: string;
  /** Such as `aws:///us-east-1a/i-0abc`. */
  readonly providerId: string;
}

/** A price of a machine; what it does not say holds anywhere. */
export type CataloguedPrice = NodeType & Partial<OwnPrice>;

export interface NodeCatalogue {
  /** Undefined where no type fits, or several do. */
  find(node: NodeKind): CataloguedPrice | undefined;
  /** USD an hour of a GiB, by the row of the region before one of any; undefined where none is for it. */
  storageGiBHour(provider: string, region: string, storageClass: string): number | undefined;
}

/** What prices a node beside its price series and the book. */
export interface NodePriceSources {
  /** The operator's own prices. */
  readonly file: NodeCatalogue | undefined;
  /** Whether the list prices that come with the program count. */
  readonly isListOn: boolean;
  /** The operator's word on control planes. */
  readonly controlPlanes?: readonly ControlPlane[];
}

/** What a price may be for; the earlier ones count for more than all that follow. */
const KEYS = ['pool', 'name', 'gpuModel', 'zone', 'region'] as const;

/**
 * The most specific price that is for a node counts: one of its pool before one of its type, then of
 * its GPUs, then its zone, then its region. Of several that are equally specific none counts, and the next less specific
 * does. Names are compared in lower case: Azure's own tools do not agree on theirs.
 */
export function createCatalogue(prices: readonly CataloguedPrice[]): NodeCatalogue {
  const byName = new Map<string, CataloguedPrice[]>();
  const ofStorage = prices.filter(({ storageClass = '' }) => storageClass !== '');
  for (const price of prices) {
    if (ofStorage.includes(price)) continue;
    const name = price.name.toLowerCase();
    const named = byName.get(name) ?? [];
    byName.set(name, named);
    named.push(price);
  }
  return {
    find(node) {
      const { provider, zone } = placeOfNode({ ...node, cloud: '' });
      const { region, pool, type: name } = node;
      const shown = { pool, name, zone, region, gpuModel: wholeModel(node.gpuModel) };
      const named = name === '' ? [] : (byName.get(name.toLowerCase()) ?? []);
      const inCloud = [...named, ...(byName.get('') ?? [])].filter(
        (price) => provider === '' || price.provider === '' || isSame(price.provider, provider),
      );
      const ours = ofModel(inCloud, shown.gpuModel);
      const fits = ours.filter((price) => isFor(price, shown));
      const ranks = [...new Set(fits.map(rankOf))].sort((a, b) => b - a);
      for (const rank of ranks) {
        const price = only(fits.filter((one) => rankOf(one) === rank));
        if (price) return price;
      }
      const anywhere = ours.filter((price) => isFor({ ...price, region: '' }, shown));
      return region === '' ? only(anywhere) : undefined;
    },
    storageGiBHour(provider, region, storageClass) {
      const fits = ofStorage.filter(
        (price) =>
          isSame(price.storageClass ?? '', storageClass) &&
          (price.provider === '' || isSame(price.provider, provider)) &&
          (price.region === '' || isSame(price.region, region)),
      );
      const [first] = fits.toSorted((a, b) => rankOf(b) - rankOf(a));
      return first?.storageGiBHour;
    },
  };
}

type Shown = Readonly<Record<(typeof KEYS)[number], string>>;

function isFor(price: CataloguedPrice, shown: Shown): boolean {
  return KEYS.every((key) => (price[key] ?? '') === '' || isSame(price[key] ?? '', shown[key]));
}

function rankOf(price: CataloguedPrice): number {
  return KEYS.reduce((rank, key) => 2 * rank + ((price[key] ?? '') === '' ? 0 : 1), 0);
}

/** Rows may name a model as list prices do; one that names it as the node's label does counts before. */
function ofModel(prices: readonly CataloguedPrice[], label: string): readonly CataloguedPrice[] {
  const name = gpuModelNamed(label)?.name ?? '';
  const isLabelled = prices.some(({ gpuModel = '' }) => gpuModel !== '' && isSame(gpuModel, label));
  if (name === '' || isLabelled) return prices;
  return prices.map((price) =>
    isSame(price.gpuModel ?? '', name) ? { ...price, gpuModel: label } : price,
  );
}

function isSame(some: string, other: string): boolean {
  return some.toLowerCase() === other.toLowerCase();
}

function only(types: readonly CataloguedPrice[]): CataloguedPrice | undefined {
  return types.length === 1 ? types[0] : undefined;
}
