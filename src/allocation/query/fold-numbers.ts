/** Sums and extremes of the rows of each group. */
import {
  addressOf,
  extremesBytes,
  groupedExtremes,
  groupedSums,
  groupLayout,
  sumsOfColumn,
  type Frame,
  type GroupInput,
  type Table,
  type Workspace,
} from '../../columnar/index.ts';
import type { RowCosts } from '../row/asset-costs.ts';
import { MEASURES } from '../row/schema.ts';

/** Rows, and the group that each is added to. */
export interface Keyed {
  readonly table: Table;
  /** Row of the grouped frame, or its number of rows for a row that is left out. */
  readonly groups: Uint32Array;
  /** The same, without rows that do not describe their group. */
  readonly describing: Uint32Array;
  /** What its rows pay of assets, where shares in them are shown. */
  readonly assetCosts?: RowCosts | undefined;
}

/** Fills the measures, times and `others` (sums) of `to`, one row a group. */
export function foldNumbers(
  space: Workspace,
  parts: readonly Keyed[],
  to: Frame,
  others: readonly string[],
): void {
  const { engine, owner } = space;
  const folded = (fold: 'sum' | 'max'): string[] =>
    MEASURES.filter((m) => m.fold === fold && to.has(m.column)).map((m) => m.column);
  const sums = [...folded('sum'), ...others];
  const maxima = [...folded('max'), 'endMs', 'endUncertaintyMs'];
  for (const name of maxima) to.f64(name).fill(-Infinity);
  const least = to.f64('startMs').fill(Infinity);
  const extremes = [...maxima.map((name) => ({ greatest: to.f64(name) })), { least }];
  // The last group takes the rows that are left out.
  const groups = to.rows + 1;
  const layout = groupLayout(groups, sums.length, true);
  const table = engine.arena.allocateZeroed(layout.bytes, owner);
  const scratchBytes = extremesBytes(groups);
  const scratch = engine.arena.allocate(scratchBytes, owner);
  for (const part of parts) {
    withInput(space, part, (input) => {
      const { groups: all, describing } = part;
      groupedSums(engine, layout, input(all, sums), table);
      groupedExtremes(engine, groups, input(describing, [...maxima, 'startMs']), scratch, extremes);
    });
  }
  sums.forEach((name, column) => sumsOfColumn(engine, layout, table, column, to.f64(name)));
  engine.arena.free(table, layout.bytes);
  engine.arena.free(scratch, scratchBytes);
}

/** Lends the part's groups, and zeros for the columns that it leaves out. */
function withInput(
  space: Workspace,
  { table }: Keyed,
  work: (input: (groups: Uint32Array, columns: readonly string[]) => GroupInput) => void,
): void {
  const { rows } = table;
  if (rows === 0) return;
  const { owner } = space;
  const { arena } = space.engine;
  let zeros = 0;
  const zerosAt = (): number => (zeros ||= arena.allocateZeroed(8 * rows, owner));
  const columnAt = (name: string): number => table.numbers(name)?.address ?? zerosAt();
  work((groups, columns) => ({
    keys: addressOf(space, groups),
    columns: columns.map(columnAt),
    rows,
  }));
  if (zeros > 0) arena.free(zeros, 8 * rows);
}
