/** What the rows of a group pay for: volumes and load balancers, each with the sum of what it costs them. */
import type { GrowingTexts, Frame } from '../../columnar/index.ts';
import { ASSET_COSTS, AssetSums } from '../row/asset-costs.ts';
import { PaidSums } from '../row/paid-sums.ts';
import { PAID_COLUMNS } from '../row/schema.ts';
import type { Keyed } from './fold-numbers.ts';

/** Columns that no part has are empty. */
export function foldPaid(parts: readonly Keyed[], to: Frame, texts: GrowingTexts): void {
  for (const name of PAID_COLUMNS) {
    const sums = new PaidSums();
    for (const { table, groups } of parts) {
      const column = table.text(name);
      if (column === undefined) continue;
      for (let row = 0; row < table.rows; row++) {
        const code = column.codes[row] ?? 0;
        const group = groups[row] ?? to.rows;
        if (code !== 0 && group < to.rows) sums.add(group, column.texts.text(code));
      }
    }
    sums.fill(to.u32(name).fill(0), texts);
  }
}

/** What the rows of a group pay of each asset. */
export function foldAssetCosts(parts: readonly Keyed[], to: Frame, texts: GrowingTexts): void {
  const sums = new AssetSums();
  for (const { table, groups, assetCosts } of parts) {
    if (assetCosts === undefined) continue;
    for (let row = 0; row < table.rows; row++) {
      const group = groups[row] ?? to.rows;
      if (group < to.rows) assetCosts(row, ({ key }, usd) => sums.add(group, key, usd));
    }
  }
  sums.fill(to.u32(ASSET_COSTS).fill(0), texts);
}
