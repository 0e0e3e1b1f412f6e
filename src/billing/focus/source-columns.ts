/** Rows of a file by column, however the file spells them: what every reader of FOCUS gives. */
import type { CellTexts } from './cell-texts.ts';
import type { SourceNumber, SourceText } from './columns.ts';

export interface SourceColumns {
  readonly rows: number;
  /** Texts of all columns, and of the blocks before. */
  readonly texts: CellTexts;
  /** A code of a cell's text a row; undefined: the file has no such column. */
  codes(name: SourceText): Uint32Array | undefined;
  /** NaN where a cell is empty; undefined: the file has no such column. */
  numbers(name: SourceNumber): Float64Array | undefined;
  /** Mistakes of whole rows, by row; such rows are not used. */
  readonly bad: readonly BadCell[];
  /** False: some text is of another encoding. */
  readonly isUtf8?: boolean;
  /** Why the row after the last cannot be read, nor any behind it; absent: all were read. */
  readonly end?: string;
}

/** A mistake in a row. */
export interface BadCell {
  /** The row from 0, among those that were read together. */
  readonly row: number;
  /** A column's name, or '' for the row as a whole. */
  readonly column: string;
  /** As in `'abc' is not a number`. */
  readonly reason: string;
}

/** Texts of files for messages. */
export function shown(text: string): string {
  return text.length > 60 ? `'${text.slice(0, 60)}…'` : `'${text}'`;
}

/** Texts of files for an empty cell. */
export function isNull(text: string): boolean {
  return text === '' || text === 'NULL' || text === 'null';
}
