/**
 * A read-only table as stages of a query see it, whatever its source: a frame with one dictionary, or
 * columns of a stored file, each with its own dictionary.
 */
import type { Texts } from './dictionary.ts';
import type { Frame } from './frame.ts';

/** A column of texts: one code for each row, in [0, texts.size). */
export interface TextColumn {
  readonly codes: Uint32Array;
  readonly texts: Texts;
}

/** A column of f64 in the arena. */
export interface NumberColumn {
  readonly address: number;
  readonly values: Float64Array;
}

/** A column of bytes, in the arena or not: row i is bytes [offsets[i], offsets[i + 1]). */
export interface BytesColumn {
  /** One more than there are rows, the first 0. */
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

export interface Table {
  readonly rows: number;
  /** Undefined: all rows have the empty text. */
  text(name: string): TextColumn | undefined;
  /** Undefined: all rows have zero. */
  numbers(name: string): NumberColumn | undefined;
  /** Undefined: empty in every row. Absent: the table has no such columns. */
  readonly bytes?: (name: string) => BytesColumn | undefined;
}

/** The frame as a table; its u32 columns are codes of `texts`. */
export function frameTable(frame: Frame, texts: Texts): Table {
  const typed = (name: string, type: string): boolean => frame.column(name)?.type === type;
  return {
    rows: frame.rows,
    text: (name) => (typed(name, 'u32') ? { codes: frame.u32(name), texts } : undefined),
    numbers(name) {
      const column = frame.column(name);
      return column?.type === 'f64'
        ? { address: column.address, values: frame.f64(name) }
        : undefined;
    },
  };
}

/** Joins tables of the same rows: each column comes from the first table that has it. */
export function joinTables(tables: readonly Table[]): Table {
  const [first] = tables;
  if (first === undefined || tables.some(({ rows }) => rows !== first.rows)) {
    throw new Error(`BUG: tables of ${tables.map(({ rows }) => rows).join(', ')} rows`);
  }
  return {
    rows: first.rows,
    text: (name) => firstOf(tables, (table) => table.text(name)),
    numbers: (name) => firstOf(tables, (table) => table.numbers(name)),
    bytes: (name) => firstOf(tables, (table) => table.bytes?.(name)),
  };
}

/** The table with only the named columns. */
export function onlyColumns(table: Table, names: readonly string[]): Table {
  const named = new Set(names);
  return {
    rows: table.rows,
    text: (name) => (named.has(name) ? table.text(name) : undefined),
    numbers: (name) => (named.has(name) ? table.numbers(name) : undefined),
    bytes: (name) => (named.has(name) ? table.bytes?.(name) : undefined),
  };
}

/** Rows [from, to) of a table. */
export function sliceRows(table: Table, from: number, to: number): Table {
  return {
    rows: to - from,
    text(name) {
      const column = table.text(name);
      return column && { codes: column.codes.subarray(from, to), texts: column.texts };
    },
    numbers(name) {
      const column = table.numbers(name);
      if (column === undefined) return undefined;
      return { address: column.address + 8 * from, values: column.values.subarray(from, to) };
    },
  };
}

function firstOf<Column>(
  tables: readonly Table[],
  column: (table: Table) => Column | undefined,
): Column | undefined {
  for (const table of tables) {
    const found = column(table);
    if (found !== undefined) return found;
  }
  return undefined;
}
