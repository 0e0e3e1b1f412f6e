/** Rows of several tables one after the other, as one table. */
import type { Arena, Owner } from '../memory/arena.ts';
import { DictionaryBuilder } from './dictionary.ts';
import { createFrame, type ColumnSpec } from './frame.ts';
import { frameTable, type Table } from './table.ts';

/** Columns by kind. Rows of a table without one of the columns are zero or empty in it. */
export interface ColumnNames {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
}

/**
 * A copy in the arena, with one dictionary for all texts. Columns that no table has are left out.
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
  const specs = [
    ...numbers.map((name): ColumnSpec => ({ name, type: 'f64' })),
    ...texts.map((name): ColumnSpec => ({ name, type: 'u32' })),
  ];
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const frame = createFrame(arena, specs, rows, owner);
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
