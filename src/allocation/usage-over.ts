/** What containers of controllers used over days: what sizing their requests needs. */
import {
  createFrame,
  frameTable,
  joinTables,
  sketchQuantiles,
  type ColumnSpec,
  type Engine,
  type Owner,
  type Table,
} from '../columnar/index.ts';
import type { SetReader, StoredSet } from '../storage/index.ts';
import { mergeUsage } from './sum-usage.ts';
import { USAGE_COLUMNS, type UsageColumn } from './usage-columns.ts';

/** A quantile of a column: of usage, or of its averages or maxima by the hour. */
export interface UsageFigure {
  /** Of the table's column of numbers; no name twice. */
  readonly name: string;
  readonly of: UsageColumn;
  /** In [0, 1]: of n values in order the one of place ⌊q (n − 1)⌋, within 1 %. */
  readonly q: number;
}

/**
 * A row for each container of a controller: its names, `cpuCoreUsageMax` and `ramByteUsageMax`
 * (exact), and the figures asked for, in cores and bytes; NaN where nothing is known.
 * @param sets of kind `usage`
 * @returns a table in the arena, for `owner`
 * @throws {DamagedSet}, {ArenaFull}
 */
export function usageOver(
  engine: Engine,
  owner: Owner,
  reader: SetReader,
  sets: readonly StoredSet[],
  figures: readonly UsageFigure[],
): Table {
  const columns = [...new Set(figures.map((figure) => figure.of))];
  const wanted = [...USAGE_COLUMNS.texts, ...USAGE_COLUMNS.numbers, ...columns];
  const tables = sets.map((set) => reader.read(set, owner, wanted).table);
  const { table, sketches } = mergeUsage(engine, owner, tables, columns);
  const specs = figures.map(({ name }): ColumnSpec => ({ name, type: 'f64' }));
  const frame = createFrame(engine.arena, specs, table.rows, owner);
  for (const { name, of, q } of figures) {
    const merged = sketches.get(of);
    if (merged) frame.f64(name).set(sketchQuantiles(engine, owner, merged, q));
  }
  return joinTables([table, frameTable(frame, EMPTY)]);
}

const EMPTY = { size: 1, text: (): string => '' };
