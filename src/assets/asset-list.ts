/** Assets one by one, for reports of other capabilities: workers read them from stored sets. */
import type { Table } from '../columnar/index.ts';
import type { Filter } from '../query/index.ts';
import { ASSET_COLUMNS, withTypes } from './columns.ts';
import { AssetGroups, type AssetGroup } from './groups.ts';
import { DEFAULT_KEYS } from './keys.ts';

/** All columns of a stored set of assets. */
export const ALL_ASSET_COLUMNS: readonly string[] = [
  ...ASSET_COLUMNS.texts,
  ...ASSET_COLUMNS.numbers,
];

/**
 * The assets of all tables that the filter matches, each with its sums over the tables.
 * @throws {HeapFull}
 */
export function assetList(tables: readonly Table[], filter: Filter | null): AssetGroup[] {
  const groups = new AssetGroups({ keys: DEFAULT_KEYS, filter });
  for (const table of tables) groups.add(withTypes(table));
  return groups.all;
}
