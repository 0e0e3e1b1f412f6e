/** Rows of a Parquet file as columns. */
import type { Scratch } from '../columnar/index.ts';
import type { SourceNumber, SourceText } from './columns.ts';
import { parseNumber } from './numbers.ts';
import { ParquetTime, readParquet, type ParquetValues, type RowRange } from './parquet.ts';
import { isNull, shown, type BadCell, type SourceColumns, type SourceTexts } from './source-columns.ts'; // prettier-ignore

/** Names of the file's columns, by ours. */
export interface ParquetHeader {
  readonly texts: Readonly<Partial<Record<SourceText, string>>>;
  readonly numbers: Readonly<Partial<Record<SourceNumber, string>>>;
}

/** @throws {Fault} for damage @throws {ArenaFull} when there is no room */
export async function parquetColumns(
  scratch: Scratch,
  path: string,
  { texts, numbers }: ParquetHeader,
  range: RowRange,
): Promise<SourceColumns> {
  const rows = range.rowEnd - range.rowStart;
  const codes = new Map<string, SourceTexts>();
  const values = new Map<string, Float64Array>();
  const bad: BadCell[] = [];
  // One after the other: each is let go before the next is read.
  for (const [name, column] of Object.entries(texts)) {
    codes.set(name, codedTexts(scratch, rows, await readParquet(path, column, range)));
  }
  for (const [name, column] of Object.entries(numbers)) {
    const cells = await readParquet(path, column, range);
    const target = scratch.f64(rows);
    for (let row = 0; row < rows; row++) target[row] = numberOf(cells[row], { row, name, bad });
    values.set(name, target);
  }
  return {
    rows,
    bad,
    text: (name: SourceText) => codes.get(name),
    numbers: (name: SourceNumber) => values.get(name),
  };
}

function codedTexts(scratch: Scratch, rows: number, cells: ParquetValues): SourceTexts {
  const codes = scratch.u32(rows);
  const known = new Map<string, number>();
  for (let row = 0; row < rows; row++) {
    const text = textOf(cells[row]);
    const code = known.get(text) ?? known.size;
    if (code === known.size) known.set(text, code);
    codes[row] = code;
  }
  return { codes, texts: [...known.keys()] };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (value instanceof ParquetTime) return new Date(value.ms).toISOString();
  if (typeof value === 'object') return JSON.stringify(value, plainBig);
  return typeof value === 'bigint' || typeof value === 'number' ? `${value}` : `${value === true}`;
}

function plainBig(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

interface Cell {
  readonly row: number;
  readonly name: string;
  readonly bad: BadCell[];
}

/** NaN for nothing, and for what is told to be bad. */
function numberOf(value: unknown, { row, name, bad }: Cell): number {
  if (value === null || value === undefined) return NaN;
  const number = typeof value === 'number' ? value : parseNumber(textOf(value));
  if (number !== undefined && Number.isFinite(number)) return number;
  const text = textOf(value);
  if (!isNull(text)) bad.push({ row, column: name, reason: `${shown(text)} is not a number` });
  return NaN;
}
