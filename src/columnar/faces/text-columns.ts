/** Operations on text columns that run once for each dictionary code, not for each row. */
import { codesIn, mapCodes, type Workspace } from './codes.ts';
import type { DictionaryBuilder, Texts } from '../table/dictionary.ts';
import type { Table, TextColumn } from '../table/table.ts';

const EMPTY: Texts = { size: 1, text: () => '' };

/** The column, or one of empty texts if the table lacks it. */
export function textColumn(table: Table, name: string): TextColumn {
  return table.text(name) ?? { codes: new Uint32Array(table.rows), texts: EMPTY };
}

/** The text of each row, decoded once for each code; '' if the table lacks the column. */
export function textReader(table: Table, name: string): (row: number) => string {
  const { codes, texts } = textColumn(table, name);
  const known: string[] = [];
  return (row) => {
    const code = codes[row] ?? 0;
    return (known[code] ??= texts.text(code));
  };
}

/** The number of each row; 0 if the table lacks the column. */
export function numberReader(table: Table, name: string): (row: number) => number {
  const values = table.numbers(name)?.values;
  return (row) => values?.[row] ?? 0;
}

/** A number in [0, 2^32 - 1) for each code that some row has; 0 for the others. */
export function numbersByCode(
  space: Workspace,
  { codes, texts }: TextColumn,
  number: (code: number) => number,
): Uint32Array {
  const used = codesIn(space, codes, texts.size);
  const numbers = new Uint32Array(texts.size);
  for (let code = 0; code < used.length; code++) {
    if (used[code] === 1) numbers[code] = number(code);
  }
  return numbers;
}

/** As `numbersOf`, by kernels: for tables of many rows. */
export function numbersIn(
  space: Workspace,
  column: TextColumn,
  number: (text: string) => number,
): Uint32Array {
  const numbers = numbersByCode(space, column, (code) => number(column.texts.text(code)));
  return mapCodes(space, column.codes, numbers);
}

/** A number in [0, 2^32 - 1) for the text of each row. */
export function numbersOf(
  { codes, texts }: TextColumn,
  number: (text: string) => number,
): Uint32Array {
  const plusOne = new Uint32Array(texts.size); // 0: the code has not appeared yet
  const rows = new Uint32Array(codes.length);
  for (let row = 0; row < rows.length; row++) {
    const code = codes[row] ?? 0;
    let known = plusOne[code] ?? 0;
    if (known === 0) known = plusOne[code] = number(texts.text(code)) + 1;
    rows[row] = known - 1;
  }
  return rows;
}

/** The column's texts as codes of `to`. */
export function plainColumn(table: Table, name: string, to: DictionaryBuilder): Uint32Array {
  return numbersOf(textColumn(table, name), (text) => to.code(text));
}
