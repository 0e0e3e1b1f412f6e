/** Rows of a Parquet file as columns. */
import type { Scratch } from '../../columnar/index.ts';
import type { CellTexts, Spelling } from './cell-texts.ts';
import type { SourceNumber, SourceText } from './columns.ts';
import { parseNumber } from './numbers.ts';
import { ParquetTime, readParquet, type ParquetValues, type RowRange } from './parquet.ts';
import { isNull, shown, type BadCell, type SourceColumns } from './source-columns.ts';

/** Names of the file's columns, by ours. */
export interface ParquetHeader {
  readonly texts: Readonly<Partial<Record<SourceText, string>>>;
  readonly numbers: Readonly<Partial<Record<SourceNumber, string>>>;
}

export const PARQUET_SPELLING: Spelling = { read: (written) => written };

/** Rows of one file. */
export interface ParquetOptions {
  readonly path: string;
  readonly header: ParquetHeader;
  readonly range: RowRange;
  /** Texts in PARQUET_SPELLING. */
  readonly texts: CellTexts;
}

/** @throws {Fault} for damage @throws {ArenaFull} when there is no room */
export async function parquetColumns(
  scratch: Scratch,
  { path, header, range, texts }: ParquetOptions,
): Promise<SourceColumns> {
  const rows = range.rowEnd - range.rowStart;
  const codes = new Map<string, Uint32Array>();
  const values = new Map<string, Float64Array>();
  const bad: BadCell[] = [];
  texts.begin();
  // One after the other: each is freed before the next is read.
  for (const [name, column] of Object.entries(header.texts)) {
    const cells = await readParquet(path, column, range);
    codes.set(name, codesOf(scratch.u32(rows), cells, texts));
  }
  for (const [name, column] of Object.entries(header.numbers)) {
    const cells = await readParquet(path, column, range);
    const target = scratch.f64(rows);
    for (let row = 0; row < rows; row++) target[row] = numberOf(cells[row], { row, name, bad });
    values.set(name, target);
  }
  return {
    rows,
    bad,
    texts,
    codes: (name: SourceText) => codes.get(name),
    numbers: (name: SourceNumber) => values.get(name),
  };
}

function codesOf(target: Uint32Array, cells: ParquetValues, texts: CellTexts): Uint32Array {
  const known = new Map<string, number>();
  for (let row = 0; row < target.length; row++) {
    const text = textOf(cells[row]);
    const code = known.get(text) ?? texts.cells.code(text);
    known.set(text, code);
    target[row] = code;
  }
  return target;
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

/** NaN for an empty cell, and for one that is reported as bad. */
function numberOf(value: unknown, { row, name, bad }: Cell): number {
  if (value === null || value === undefined) return NaN;
  const number = typeof value === 'number' ? value : parseNumber(textOf(value));
  if (number !== undefined && Number.isFinite(number)) return number;
  const text = textOf(value);
  if (!isNull(text)) bad.push({ row, column: name, reason: `${shown(text)} is not a number` });
  return NaN;
}
