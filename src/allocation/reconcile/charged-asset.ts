/**
 * Assets of a set that change what its rows cost: those that a bill tells of, and what tenants share.
 * They are few beside the rows, so that they travel as they are.
 */
import { withTypes } from '../../assets/columns.ts';
import { spendHeap, textColumn, type Table } from '../../columnar/index.ts';
import { joined } from '../row/joined.ts';

/** Columns of a stored set of assets that are read. */
export const CHARGED_COLUMNS: readonly string[] = [
  'type',
  'cluster',
  'name',
  'node',
  'providerID',
  'startMs',
  'endMs',
  'cpuCoreHours',
  'ramByteHours',
  'gpuHours',
  'cpuCost',
  'ramCost',
  'gpuCost',
  'cost',
  'isAttached',
];

/** What an asset takes of the heap, and again with what is billed. */
const ASSET_BYTES = 800;

/** CPU, RAM and GPU of a node. */
export type ByResource = readonly [cpu: number, ram: number, gpu: number];

export interface ChargedAsset {
  readonly type: string;
  readonly cluster: string;
  readonly name: string;
  /** Of nodes, and of what belongs to one. */
  readonly node: string;
  readonly providerId: string;
  /** A disk of a node, not a persistent volume. */
  readonly isAttached: boolean;
  readonly startMs: number;
  readonly endMs: number;
  /** Of nodes: USD, and core·h, byte·h and GPU·h. */
  readonly costs: ByResource;
  readonly hours: ByResource;
  /** USD, by the prices of the set. */
  readonly cost: number;
  /** USD; null where no bill tells of it. */
  readonly billed: number | null;
}

/**
 * @param table columns as CHARGED_COLUMNS; nothing is billed yet
 * @param isBilled else only what tenants share is read
 * @throws {HeapFull}
 */
export function readAssets(table: Table, isBilled: boolean): ChargedAsset[] {
  const assets = withTypes(table);
  const text = (name: string): ((row: number) => string) => {
    const { codes, texts } = textColumn(assets, name);
    const known: string[] = [];
    return (row) => {
      const code = codes[row] ?? 0;
      return (known[code] ??= texts.text(code));
    };
  };
  const number = (name: string): ((row: number) => number) => {
    const values = assets.numbers(name)?.values;
    return (row) => values?.[row] ?? 0;
  };
  const of = <T>(read: (name: string) => T, ...names: [string, string, string]): [T, T, T] => [
    read(names[0]),
    read(names[1]),
    read(names[2]),
  ];
  const [type, cluster, name] = of(text, 'type', 'cluster', 'name');
  const [node, providerId] = [text('node'), text('providerID')];
  const [startMs, endMs, isAttached] = of(number, 'startMs', 'endMs', 'isAttached');
  const costs = of(number, 'cpuCost', 'ramCost', 'gpuCost');
  const hours = of(number, 'cpuCoreHours', 'ramByteHours', 'gpuHours');
  const cost = number('cost');
  const at = ([cpu, ram, gpu]: typeof costs, row: number): ByResource => [cpu(row), ram(row), gpu(row)]; // prettier-ignore
  const rows = Array.from({ length: assets.rows }, (_, row) => row);
  const read = isBilled ? rows : rows.filter((row) => isTenancy({ type: type(row), isAttached: isAttached(row) === 1 })); // prettier-ignore
  return read.map((row): ChargedAsset => {
    spendHeap(ASSET_BYTES);
    return {
      type: type(row),
      cluster: cluster(row),
      name: name(row),
      node: node(row),
      providerId: providerId(row),
      isAttached: isAttached(row) === 1,
      startMs: startMs(row),
      endMs: endMs(row),
      costs: at(costs, row),
      hours: at(hours, row),
      cost: cost(row),
      billed: null,
    };
  });
}

/** What tenants share: overhead of a cluster that no row asked for. */
export function isTenancy({
  type,
  isAttached,
}: Pick<ChargedAsset, 'type' | 'isAttached'>): boolean {
  return type === 'ClusterManagement' || (type === 'Disk' && isAttached);
}

/** What is shared alike by those who ran beside it becomes one: most nodes are there all day. */
export function mergeTenancy(assets: readonly ChargedAsset[]): ChargedAsset[] {
  const merged = new Map<string, ChargedAsset>();
  for (const asset of assets) {
    const { type, cluster, startMs, endMs, cost, billed } = asset;
    const key = joined(type, cluster, String(startMs), String(endMs), String(billed === null));
    const before = merged.get(key);
    const both = before && { ...before, cost: before.cost + cost, billed: plus(before, billed) };
    merged.set(key, both ?? { ...asset, name: '', node: '', providerId: '' });
  }
  return [...merged.values()];
}

function plus({ billed }: ChargedAsset, more: number | null): number | null {
  return billed === null || more === null ? null : billed + more;
}
