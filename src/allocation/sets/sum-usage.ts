/** The sum of sets of usage: sketches are merged by container of a controller. */
import {
  columnSpecs,
  createFrame,
  createSketches,
  DictionaryBuilder,
  encodeSketches,
  frameTable,
  mergeSketches,
  type BytesColumn,
  type Engine,
  type Owner,
  type Table,
} from '../../columnar/index.ts';
import { KeyGroups } from '../row/key-groups.ts';
import { USAGE_COLUMNS, USAGE_KEYS } from '../row/usage-columns.ts';

/**
 * @param tables of sets of kind `usage`, in the arena
 * @returns one of the same kind, for `owner`
 * @throws {ArenaFull} when there is no room
 */
export function sumUsage(engine: Engine, owner: Owner, tables: readonly Table[]): Table {
  const { arena } = engine;
  const texts = new DictionaryBuilder();
  const groups = new KeyGroups(engine, owner, USAGE_KEYS, texts);
  const parts = tables.map((table) => {
    const places = groups.assign(table, null);
    return { table, ids: places.byteOffset, places };
  });
  const frame = createFrame(arena, columnSpecs(USAGE_COLUMNS), groups.size, owner);
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
  const sketches = USAGE_COLUMNS.bytes.map((name): [string, BytesColumn] => {
    const merged = createSketches(arena, owner, groups.size);
    for (const { table, ids } of parts) {
      const column = table.bytes?.(name);
      if (column) mergeSketches(engine, owner, merged, column, ids);
    }
    return [name, encodeSketches(engine, owner, merged, { first: 0, stride: 1 })];
  });
  const encoded = new Map(sketches);
  return { ...frameTable(frame, texts), bytes: (name) => encoded.get(name) };
}
