/**
 * The billed cost of a volume is divided by the byte-hours that rows have of it:
 *
 *   adjustment = billed · byteHours of the row / Σ byteHours − pvCost of the row
 */
import { DictionaryBuilder, textColumn, type Table } from '../../columnar/index.ts';
import type { ChargedAsset } from './charged-asset.ts';
import { overlayText, type Rewrite } from '../row/overlay.ts';

/** A member of a row's `pvs`, as disks.ts writes it. */
interface Share {
  readonly byteHours: number;
  readonly cost: number;
  readonly adjustment: number;
}
type Shares = Readonly<Record<string, Share>>;

interface Sums {
  byteHours: number;
  rows: number;
}

/**
 * @param table the rows, with `pvs`; `rewrite` gets the adjustments
 * @returns the same rows with the adjustment of each volume in `pvs`
 */
export function reconcileVolumes(
  table: Table,
  rewrite: Rewrite,
  disks: readonly ChargedAsset[],
): (shown: Table) => Table {
  const billed = new Map(
    disks.map(({ cluster, name, billed: usd }) => [`cluster=${cluster}:name=${name}`, usd ?? 0]),
  );
  const { codes, texts } = textColumn(table, 'pvs');
  const parsed = new Map<number, Shares>();
  const sums = new Map<string, Sums>();
  const eachShare = (visit: (row: number, key: string, share: Share) => void): void => {
    for (let row = 0; row < codes.length; row++) {
      const code = codes[row] ?? 0;
      const shares = parsed.get(code) ?? parseShares(texts.text(code));
      parsed.set(code, shares);
      for (const [key, share] of Object.entries(shares))
        if (billed.has(key)) visit(row, key, share);
    }
  };
  eachShare((_, key, { byteHours }) => {
    const sum = sums.get(key) ?? { byteHours: 0, rows: 0 };
    sums.set(key, { byteHours: sum.byteHours + byteHours, rows: sum.rows + 1 });
  });
  const adjustmentOf = (key: string, { byteHours, cost }: Share): number => {
    const sum = sums.get(key) ?? { byteHours: 0, rows: 0 };
    const part = sum.byteHours > 0 ? byteHours / sum.byteHours : 1 / sum.rows;
    return (billed.get(key) ?? 0) * part - cost;
  };
  if (sums.size === 0) return (shown) => shown;
  const adjustments = rewrite.column('pvCostAdjustment');
  eachShare((row, key, share) => {
    adjustments[row] = (adjustments[row] ?? 0) + adjustmentOf(key, share);
  });
  return (shown) => {
    if (shown.text('pvs') === undefined) return shown;
    const dictionary = new DictionaryBuilder();
    const rewritten = new Map(
      [...parsed].map(([code, shares]) => {
        const members = Object.entries(shares).map(([key, share]) =>
          billed.has(key)
            ? [key, { ...share, adjustment: share.adjustment + adjustmentOf(key, share) }]
            : [key, share],
        );
        const text = members.length === 0 ? '' : JSON.stringify(Object.fromEntries(members));
        return [code, dictionary.code(text)] as const;
      }),
    );
    const column = { codes: codes.map((code) => rewritten.get(code) ?? 0), texts: dictionary };
    return overlayText(shown, 'pvs', column);
  };
}

function parseShares(text: string): Shares {
  return text === '' ? {} : (JSON.parse(text) as Shares);
}
