/** The idle that each row bears: what it costs with idle shared, less what it costs without. */
import type { CostRows } from './rows.ts';

export interface Both {
  readonly shared: CostRows;
  readonly plain: CostRows;
}

/**
 * Rows with their share of idle, and its change.
 * @param rows with idle shared
 * @param now of the time that is compared, with the time before; undefined: nothing is compared
 */
export function withIdleShares(
  rows: CostRows,
  plain: CostRows,
  compared: { readonly now: Both; readonly before: Both } | undefined,
): CostRows {
  const idle = new Float64Array(rows.names.length);
  const idleChange = new Float64Array(rows.names.length);
  for (const [row, name] of rows.names.entries()) {
    idle[row] = idleOf({ shared: rows, plain }, name);
    if (compared === undefined) continue;
    idleChange[row] = idleOf(compared.now, name) - idleOf(compared.before, name);
  }
  return { ...rows, columns: { ...rows.columns, idle, idleChange } };
}

function idleOf({ shared, plain }: Both, name: string): number {
  return totalIn(shared, name) - totalIn(plain, name);
}

function totalIn({ at, columns }: CostRows, name: string): number {
  const row = at.get(name);
  return row === undefined ? 0 : (columns.total[row] ?? 0);
}
