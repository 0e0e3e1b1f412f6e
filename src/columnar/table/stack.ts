/** Rows of several tables one after the other, as one table. */
import type { Arena, Owner } from '../memory/arena.ts';
import { DictionaryBuilder } from './dictionary.ts';
import { columnSpecs, createFrame, type ColumnNames } from './frame.ts';
import { frameTable, type Table } from './table.ts';

/**
 * A copy in the arena, with one dictionary for all texts. Columns that no table has are left out;
 * rows of a table without one of the others are zero or empty in it.
 * @throws {ArenaFull} when there is no room
 */
export function stackTables(
  arena: Arena,
  owner: Owner,
  tables: readonly Table[],
  names: ColumnNames,
): Table {
  const numbers = names.numbers.filter((name) => tables.some((table) => table.numbers(name)));
  const texts = names.texts.filter((name) => tables.some((table) => table.text(name)));
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const frame = createFrame(arena, columnSpecs({ texts, numbers }), rows, owner);
  const dictionary = new DictionaryBuilder();
  let at = 0;
  for (const table of tables) {
    const own = (column: Float64Array | Uint32Array): Float64Array | Uint32Array =>
      column.subarray(at, at + table.rows).fill(0);
    for (const name of numbers) own(frame.f64(name)).set(table.numbers(name)?.values ?? []);
    for (const name of texts) stackTexts(table, name, own(frame.u32(name)), dictionary);
    at += table.rows;
  }
  return frameTable(frame, dictionary);
}

function stackTexts(
  table: Table,
  name: string,
  target: Float64Array | Uint32Array,
  dictionary: DictionaryBuilder,
): void {
  const column = table.text(name);
  if (column === undefined) return;
  const { codes, texts } = column;
  const known = new Int32Array(texts.size).fill(-1);
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row];
    if (known[code] < 0) known[code] = dictionary.code(texts.text(code));
    target[row] = known[code];
  }
}
