/** Sets of usage as one: of each container of a controller the sketches are merged. */
import {
  createFrame,
  createSketches,
  DictionaryBuilder,
  encodeSketches,
  frameTable,
  mergeSketches,
  type BytesColumn,
  type ColumnSpec,
  type Engine,
  type Owner,
  type Sketches,
  type Table,
} from '../columnar/index.ts';
import { KeyGroups } from './key-groups.ts';
import { USAGE_COLUMNS, USAGE_KEYS, type UsageColumn } from './usage-columns.ts';

/** Rows, and of each column asked for a sketch a row. */
export interface MergedUsage {
  /** Of keys and largest usage. */
  readonly table: Table;
  readonly sketches: ReadonlyMap<UsageColumn, Sketches>;
}

/**
 * @param tables of sets of kind `usage`, in the arena
 * @throws {ArenaFull} when there is no room
 */
export function mergeUsage(
  engine: Engine,
  owner: Owner,
  tables: readonly Table[],
  columns: readonly UsageColumn[],
): MergedUsage {
  const { arena } = engine;
  const texts = new DictionaryBuilder();
  const groups = new KeyGroups(USAGE_KEYS, texts);
  const parts = tables.map((table) => {
    const ids = arena.allocate(4 * Math.max(1, table.rows), owner);
    const places = arena.u32(ids, table.rows);
    places.set(groups.assign(table, null));
    return { table, ids, places };
  });
  const specs = [
    ...USAGE_KEYS.map((name): ColumnSpec => ({ name, type: 'u32' })),
    ...USAGE_COLUMNS.numbers.map((name): ColumnSpec => ({ name, type: 'f64' })),
  ];
  const frame = createFrame(arena, specs, groups.size, owner);
  USAGE_KEYS.forEach((name, i) => frame.u32(name).set(groups.codes(i)));
  for (const name of USAGE_COLUMNS.numbers) {
    const largest = frame.f64(name).fill(0);
    for (const { table, places } of parts) {
      const values = table.numbers(name)?.values;
      values?.forEach((value, row) => {
        const place = places[row] ?? 0;
        largest[place] = Math.max(largest[place] ?? 0, value);
      });
    }
  }
  const sketches = columns.map((name): [UsageColumn, Sketches] => {
    const merged = createSketches(arena, owner, groups.size);
    for (const { table, ids } of parts) {
      const column = table.bytes?.(name);
      if (column) mergeSketches(engine, owner, merged, column, ids);
    }
    return [name, merged];
  });
  return { table: frameTable(frame, texts), sketches: new Map(sketches) };
}

/** As a set of the same kind. */
export function sumUsage(engine: Engine, owner: Owner, tables: readonly Table[]): Table {
  const { table, sketches } = mergeUsage(engine, owner, tables, USAGE_COLUMNS.bytes);
  const encoded = new Map<string, BytesColumn>();
  for (const [name, merged] of sketches) {
    encoded.set(name, encodeSketches(engine, owner, merged, { first: 0, stride: 1 }));
  }
  return { ...table, bytes: (name) => encoded.get(name) };
}
