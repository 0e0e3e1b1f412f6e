/**
 * What rows pay of nodes, load balancers and volumes, in USD by resource, before idle and shared costs are distributed:
 * shares in assets follow from it once groups and days are added up.
 *
 *   rows ▶ USD of each asset ▶ groups ▶ days ▶ USD of the group ÷ USD of the asset
 *
 * An asset costs what all rows of the set pay of it, idle included. These totals stay apart from the rows, as filters,
 * pages and days leave rows out.
 */
import { spendHeap, textColumn, type GrowingTexts, type Table } from '../../columnar/index.ts';
import { shortProviderId } from '../../query/index.ts';
import { ROW_KINDS } from './row-kinds.ts';

/** Column of a grouped frame: codes of lists of what a row pays, by key of the asset. */
export const ASSET_COSTS = 'assetCosts';

/** Costs that rows pay for assets, each with its adjustment: those of nodes, then of what hangs on them. */
const RESOURCE_COSTS: readonly (readonly string[])[] = [
  'cpuCost',
  'gpuCost',
  'ramCost',
  'loadBalancerCost',
  'pvCost',
].map((cost) => [cost, `${cost}Adjustment`]);

/** CPU, GPU and RAM come first. */
export const OF_NODES = 3;

/** Kinds of assets; where two have one key, it is known as the first of them. */
const TYPES = ['Node', 'LoadBalancer', 'PV', ''] as const;

export interface Asset {
  /** `cluster,name`; of all assets of a cluster the cluster. */
  readonly key: string;
  readonly cluster: string;
  /** '' where it stands for all assets of a cluster, or for nodes that are not known. */
  readonly name: string;
  /** '' where it stands for all assets of a cluster. */
  readonly type: (typeof TYPES)[number];
  readonly providerID: string;
}

/** USD by RESOURCE_COSTS. */
type Usd = readonly number[];

/** Visits the assets that a row pays, each with what it pays of it. */
export type RowCosts = (row: number, visit: (asset: Pick<Asset, 'key'>, usd: Usd) => void) => void;
type RowAssets = (row: number, visit: (asset: Asset, usd: Usd) => void) => void;

/** Heap that an asset takes in a sum at least. */
const ASSET_BYTES = 300;

/** What assets cost: the sum of all rows. */
export class AssetTotals {
  readonly #all: Map<string, { asset: Asset; readonly usd: number[] }> = new Map();

  /** @param text as `text` gives it @throws {HeapFull} */
  addText(text: string): void {
    for (const [key, cluster, name, type, providerID, ...usd] of JSON.parse(text) as TotalText[])
      this.add({ key, cluster, name, type, providerID }, usd);
  }

  /** @throws {HeapFull} */
  add(asset: Asset, usd: Usd): void {
    const known = this.#all.get(asset.key);
    if (known === undefined) {
      spendHeap(ASSET_BYTES);
      this.#all.set(asset.key, { asset, usd: [...usd] });
      return;
    }
    addTo(known.usd, usd);
    const rank = ({ type }: Asset): number => TYPES.indexOf(type);
    if (rank(asset) < rank(known.asset)) known.asset = asset;
    else if (rank(asset) === rank(known.asset) && known.asset.providerID === '')
      known.asset = asset;
  }

  find(key: string): { readonly asset: Asset; readonly usd: Usd } | undefined {
    return this.#all.get(key);
  }

  get text(): string {
    const all = Array.from(this.#all.values(), ({ asset, usd }): TotalText => {
      const { key, cluster, name, type, providerID } = asset;
      return [key, cluster, name, type, providerID, ...usd];
    });
    return JSON.stringify(all);
  }
}

type TotalText = [string, string, string, Asset['type'], string, ...number[]];

/** What groups of rows pay, by asset. */
export class AssetSums {
  readonly #groups: Map<number, Map<string, number[]>> = new Map();

  /** @throws {HeapFull} */
  add(group: number, key: string, usd: Usd): void {
    const ofGroup = this.#groups.get(group) ?? new Map<string, number[]>();
    this.#groups.set(group, ofGroup);
    const known = ofGroup.get(key);
    if (known !== undefined) return addTo(known, usd);
    spendHeap(ASSET_BYTES);
    ofGroup.set(key, [...usd]);
  }

  /** Writes the list of each group as a code of `texts`, in order of the keys. @throws {HeapFull | ArenaFull} */
  fill(target: Uint32Array, texts: GrowingTexts): void {
    const all = [...this.#groups];
    const lists = all.map(([, ofGroup]) => {
      const sorted = [...ofGroup].sort(([a], [b]) => (a < b ? -1 : 1));
      return JSON.stringify(sorted.map(([key, usd]): CostText => [key, ...usd]));
    });
    const codes = texts.codes(lists);
    for (const [i, [group]] of all.entries()) target[group] = codes[i] ?? 0;
  }
}

type CostText = [string, ...number[]];

/** @param text of a grouped row, as `AssetSums` writes it */
export function costsInText(text: string): readonly (readonly [key: string, usd: Usd])[] {
  if (text === '') return [];
  return (JSON.parse(text) as CostText[]).map(([key, ...usd]) => [key, usd]);
}

/** What grouped rows pay. */
export function costsOfGroups(table: Table): RowCosts {
  const { codes, texts } = textColumn(table, ASSET_COSTS);
  return (row, visit) => {
    for (const [key, usd] of costsInText(texts.text(codes[row] ?? 0))) visit({ key }, usd);
  };
}

function addTo(sums: number[], usd: Usd): void {
  for (let i = 0; i < usd.length; i++) sums[i] = (sums[i] ?? 0) + (usd[i] ?? 0);
}

/**
 * What the rows of a set pay, which is not grouped yet. External rows pay no asset.
 *
 * @param kinds ROW_KINDS, a row
 * @param byNode each asset counts for itself, else all assets of a cluster as one
 */
export function costsOfRows(table: Table, kinds: Uint32Array, byNode: boolean): RowAssets {
  const columns = RESOURCE_COSTS.map((names) =>
    names.flatMap((name) => table.numbers(name)?.values ?? []),
  );
  const usdOf = (row: number): number[] =>
    columns.map((of) => {
      let sum = 0;
      for (const values of of) sum += values[row] ?? 0;
      return sum;
    });
  const assetOf = assetsOf(table, byNode);
  const paid = byNode ? [balancersOf(table, assetOf), volumesOf(table, assetOf)] : [];
  return (row, visit) => {
    if (kinds[row] === ROW_KINDS.external) return;
    const asset = assetOf(row);
    const usd = usdOf(row);
    if (byNode) usd.fill(0, OF_NODES);
    // Volumes of nobody are on no node.
    if (!byNode || asset.name !== '' || usd.some((each) => each !== 0)) visit(asset, usd);
    for (const visitPaid of paid) visitPaid(row, visit);
  };
}

/** The node of each row, or its cluster. */
function assetsOf(table: Table, byNode: boolean): (row: number) => Asset {
  const clusters = textColumn(table, 'cluster');
  const nodes = textColumn(table, byNode ? 'node' : '');
  const ids = textColumn(table, byNode ? 'providerID' : '');
  const known = new Map<number, Asset>();
  return (row) => {
    const [of, on] = [clusters.codes[row] ?? 0, nodes.codes[row] ?? 0];
    const id = ids.codes[row] ?? 0;
    const place = of * 2 ** 32 + on;
    const before = known.get(place);
    if (before !== undefined && (before.providerID !== '' || id === 0)) return before;
    const cluster = clusters.texts.text(of);
    const providerID = shortProviderId(ids.texts.text(id));
    const asset: Asset = byNode
      ? { ...keyed(cluster, nodes.texts.text(on)), type: 'Node', providerID }
      : { key: cluster, cluster, name: '', type: '', providerID };
    known.set(place, asset);
    return asset;
  };
}

function keyed(cluster: string, name: string): Pick<Asset, 'key' | 'cluster' | 'name'> {
  return { key: `${cluster},${name}`, cluster, name };
}

/** A member of `lbAllocations`, and what counts of one of `pvs`. */
interface Paid {
  readonly service?: string;
  readonly cost?: number;
  readonly adjustment?: number;
  readonly providerID?: string | null;
}

/** Members of a column of what rows pay for, each text read once. */
function paidOf(table: Table, name: string): (row: number) => readonly (readonly [string, Paid])[] {
  const { codes, texts } = textColumn(table, name);
  const known = new Map<number, [string, Paid][]>();
  return (row) => {
    const code = codes[row] ?? 0;
    if (code === 0) return [];
    const before = known.get(code);
    if (before !== undefined) return before;
    const text = texts.text(code);
    const members = text === '' ? [] : Object.entries(JSON.parse(text) as Record<string, Paid>);
    spendHeap(ASSET_BYTES * members.length);
    known.set(code, members);
    return members;
  };
}

/** Load balancers by their service; the adjustment of a row is divided among them by cost. */
function balancersOf(table: Table, assetOf: (row: number) => Asset): RowAssets {
  const listOf = paidOf(table, 'lbAllocations');
  const adjustments = table.numbers('loadBalancerCostAdjustment')?.values;
  return (row, visit) => {
    const list = listOf(row);
    const listed = list.reduce((sum, [, { cost = 0 }]) => sum + cost, 0);
    for (const [key, { service = key, cost = 0 }] of list) {
      const part = listed > 0 ? cost / listed : 1 / list.length;
      const usd = cost + (adjustments?.[row] ?? 0) * part;
      const asset = keyed(assetOf(row).cluster, service);
      visit({ ...asset, type: 'LoadBalancer', providerID: '' }, [0, 0, 0, usd, 0]);
    }
  };
}

/** As disks.ts writes the keys of `pvs`. */
const VOLUME_KEY = /^cluster=(.*?):name=(.*)$/s;

function volumesOf(table: Table, assetOf: (row: number) => Asset): RowAssets {
  const listOf = paidOf(table, 'pvs');
  return (row, visit) => {
    for (const [key, { cost = 0, adjustment = 0, providerID }] of listOf(row)) {
      const [, cluster = assetOf(row).cluster, name = key] = VOLUME_KEY.exec(key) ?? [];
      const asset = keyed(cluster, name);
      visit({ ...asset, type: 'PV', providerID: providerID ?? '' }, [
        0,
        0,
        0,
        0,
        cost + adjustment,
      ]);
    }
  };
}
