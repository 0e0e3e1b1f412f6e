/**
 * Assets of a set that change the cost of its rows: billed ones, and overhead that tenants share. They
 * are few beside the rows, so that they are sent as plain data.
 */
import {
  BILLABLE_COLUMNS,
  billableReader,
  type Billable,
  type Billed,
} from '../../assets/billed.ts';
import { NODE_COSTS, NODE_HOURS, withTypes } from '../../assets/columns.ts';
import { numberReader, spendHeap, textReader, type Table } from '../../columnar/index.ts';
import { joined } from '../row/joined.ts';

/** Columns of a stored set of assets that are read. */
export const CHARGED_COLUMNS: readonly string[] = [
  ...BILLABLE_COLUMNS,
  'name',
  'node',
  ...NODE_HOURS,
  ...NODE_COSTS,
  'isAttached',
];

/** Heap that an asset takes, and takes once more with its bill. */
const ASSET_BYTES = 800;

/** CPU, RAM and GPU of a node. */
export type ByResource = readonly [cpu: number, ram: number, gpu: number];

/** An asset of a set before a bill is read. */
export interface UnbilledAsset extends Billable {
  readonly name: string;
  /** The node, for nodes and for assets that belong to one. */
  readonly node: string;
  /** A disk of a node, not a persistent volume. */
  readonly isAttached: boolean;
  /** For nodes only: USD; and core·h, byte·h and GPU·h. */
  readonly costs: ByResource;
  readonly hours: ByResource;
}

export type ChargedAsset = Billed<UnbilledAsset>;

/**
 * @param table columns as CHARGED_COLUMNS; nothing is billed yet
 * @param isBilled false: only overhead that tenants share is read
 * @throws {HeapFull}
 */
export function readAssets(table: Table, isBilled: boolean): UnbilledAsset[] {
  const assets = withTypes(table);
  const read = billableReader(assets);
  const name = textReader(assets, 'name');
  const [node, attached] = [textReader(assets, 'node'), numberReader(assets, 'isAttached')];
  const [costs, hours] = [byResource(assets, NODE_COSTS), byResource(assets, NODE_HOURS)];
  const rows = Array.from({ length: assets.rows }, (_, row) => row);
  return rows.flatMap((row): UnbilledAsset[] => {
    const asset = read(row);
    const isAttached = attached(row) === 1;
    if (!isBilled && !isTenancy({ type: asset.type, isAttached })) return [];
    spendHeap(ASSET_BYTES);
    const names = { name: name(row), node: node(row) };
    return [{ ...asset, ...names, isAttached, costs: costs(row), hours: hours(row) }];
  });
}

function byResource(
  table: Table,
  [cpu, ram, gpu]: typeof NODE_COSTS | typeof NODE_HOURS,
): (row: number) => ByResource {
  const [ofCpu, ofRam, ofGpu] = [
    numberReader(table, cpu),
    numberReader(table, ram),
    numberReader(table, gpu),
  ];
  return (row) => [ofCpu(row), ofRam(row), ofGpu(row)];
}

/** Overhead that the tenants of a cluster share: no row requested it. */
export function isTenancy({
  type,
  isAttached,
}: Pick<ChargedAsset, 'type' | 'isAttached'>): boolean {
  return type === 'ClusterManagement' || (type === 'Disk' && isAttached);
}

/** Overheads of one cluster and one time become one: most nodes are there all day. */
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
