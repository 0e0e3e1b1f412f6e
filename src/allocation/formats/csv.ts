/** Grouped rows as CSV: the columns clients know, or every field. */
import {
  compileRow,
  escapeTexts,
  type Engine,
  type Owner,
  type RowPart,
} from '../../columnar/index.ts';
import { csvLine, csvNumbers, csvRow, csvText, timestamp } from '../../export/index.ts';
import type { CodedFrame } from '../row/coded-frame.ts';
import type { AggregateKey } from '../../query/index.ts';
import type { Format, RowOptions } from '../params/format.ts';
import { evaluate } from '../row/formula.ts';
import {
  fullColumns,
  number,
  text,
  type Cell,
  type Column,
  type RowDetail,
} from './row-columns.ts';
import { END_SOURCES, SUMMARY } from '../row/schema.ts';

export type CsvFormat = Extract<Format, { kind: 'csv' }>;

export type CsvOptions = RowOptions & { readonly format: CsvFormat };

const SUMMARY_COLUMNS: readonly Column[] = [
  text('Name', 'name'),
  ...SUMMARY.map(({ csv, formula }) => number(csv, formula)),
];

/** The eleven columns clients know; in full every field. */
export function csvColumns(
  format: CsvFormat,
  keys: readonly AggregateKey[],
  detail: RowDetail,
): readonly Column[] {
  return format.isFull ? fullColumns(keys, detail) : SUMMARY_COLUMNS;
}

export function csvHeader(columns: readonly Column[]): string {
  return csvLine(columns.map(({ name }) => csvText(name)));
}

/**
 * Compiles the rows of a grouped set as lines.
 * @returns the program's address
 * @throws {ArenaFull} when there is no room
 */
export function csvRows(
  engine: Engine,
  owner: Owner,
  { frame, texts }: CodedFrame,
  columns: readonly Column[],
  options: CsvOptions,
): number {
  const cells = columns.map(({ cell }) => cell);
  const decimals = options.format.decimals ?? undefined;
  const coded = cells.flatMap((cell) => (cell.kind === 'text' ? [frame.u32(cell.column)] : []));
  const escaped = escapeTexts(engine, owner, texts, coded, 'csv');
  const formulas = cells.flatMap((cell) => (cell.kind === 'number' ? [cell.formula] : []));
  const numbers = evaluate({ engine, owner }, frame, formulas);
  const part = (cell: Cell): RowPart => {
    switch (cell.kind) {
      case 'number':
        return csvNumbers(numbers.get(cell.formula), decimals);
      case 'text':
        return { kind: 'text', codes: frame.u32(cell.column).byteOffset, texts: escaped };
      case 'moment':
        return { kind: 'moment', column: frame.f64(cell.column).byteOffset };
      case 'window':
        return timestamp(options.window[cell.edge]);
      case 'endSource':
        return { kind: 'word', codes: frame.u32('endSource').byteOffset, words: END_SOURCES };
    }
  };
  return compileRow(engine.arena, owner, frame.rows, csvRow(cells.map(part)));
}
