/** Grouped rows as CSV: the columns clients know, or every field. */
import {
  compileRow,
  escapeTexts,
  type Engine,
  type Owner,
  type RowPart,
} from '../columnar/index.ts';
import { csvLine, csvNumbers, csvRow, csvText, timestamp } from '../export/index.ts';
import type { AggregateKey } from '../query/index.ts';
import { partColumn } from './aggregate.ts';
import type { Format, GroupedAt, RowOptions } from './format.ts';
import { evaluate, type Formula } from './formula.ts';
import { NAME_PARTS } from './row-names.ts';

import {
  ACCURACY,
  END_SOURCES,
  END_UNCERTAINTY,
  FIELDS,
  RAW_FIELDS,
  SUMMARY,
  type Field,
} from './schema.ts';

export type CsvFormat = Extract<Format, { kind: 'csv' }>;

/** What stands in the cells of a column. */
type Cell =
  | { readonly kind: 'number'; readonly formula: Formula }
  | { readonly kind: 'text' | 'moment'; readonly column: string }
  | { readonly kind: 'window'; readonly edge: 'windowStartMs' | 'windowEndMs' }
  | { readonly kind: 'endSource' };

export interface CsvColumn {
  readonly name: string;
  readonly cell: Cell;
}

const number = (name: string, formula: Formula): CsvColumn => ({
  name,
  cell: { kind: 'number', formula },
});
export const text = (name: string, column: string = name): CsvColumn => ({
  name,
  cell: { kind: 'text', column },
});
export const fields = (of: readonly Field[]): CsvColumn[] =>
  of.map(({ json, formula }) => number(json, formula));

const SUMMARY_COLUMNS: readonly CsvColumn[] = [
  text('Name', 'name'),
  ...SUMMARY.map(({ csv, formula }) => number(csv, formula)),
];

export const TIMES: readonly CsvColumn[] = [
  { name: 'windowStart', cell: { kind: 'window', edge: 'windowStartMs' } },
  { name: 'windowEnd', cell: { kind: 'window', edge: 'windowEndMs' } },
  { name: 'start', cell: { kind: 'moment', column: 'startMs' } },
  { name: 'end', cell: { kind: 'moment', column: 'endMs' } },
];

const END: readonly CsvColumn[] = [
  { name: 'endSource', cell: { kind: 'endSource' } },
  number('endUncertaintySeconds', END_UNCERTAINTY),
];

const ACCURACY_COLUMNS: readonly CsvColumn[] = [
  number('accuracyLower', ACCURACY.lower),
  number('accuracyUpper', ACCURACY.upper),
];

export type CsvOptions = RowOptions & { readonly format: CsvFormat };

type Shape = Pick<RowOptions, 'resolutionMs' | 'isRaw'>;

function columnsOf(
  format: CsvFormat,
  keys: readonly AggregateKey[],
  shape: Shape,
): readonly CsvColumn[] {
  if (!format.isFull) return SUMMARY_COLUMNS;
  return [
    text('name'),
    ...partColumns(keys),
    ...TIMES,
    ...fields(FIELDS),
    ...(shape.isRaw ? fields(RAW_FIELDS) : []),
    ...END,
    ...(shape.resolutionMs > 0 ? ACCURACY_COLUMNS : []),
    text('labels'),
  ];
}

/** A column a part of the name: the keys as they were asked for, else the parts of a row's name. */
export function partColumns(keys: readonly AggregateKey[]): CsvColumn[] {
  const names = keys.map((key) =>
    key.kind === 'property' ? key.property : `${key.kind}:${key.name}`,
  );
  return (keys.length > 0 ? names : NAME_PARTS).map((name, i) => text(name, partColumn(i)));
}

export function csvHeader(format: CsvFormat, keys: readonly AggregateKey[], shape: Shape): string {
  return headerOf(columnsOf(format, keys, shape));
}

export function headerOf(columns: readonly CsvColumn[]): string {
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
  grouped: GroupedAt,
  keys: readonly AggregateKey[],
  options: CsvOptions,
): number {
  return csvLines(engine, owner, grouped, columnsOf(options.format, keys, options), options);
}

/** The same of columns that are given. */
export function csvLines(
  engine: Engine,
  owner: Owner,
  { frame, texts }: GroupedAt,
  columns: readonly CsvColumn[],
  options: CsvOptions,
): number {
  const cells = columns.map(({ cell }) => cell);
  const decimals = options.format.decimals ?? undefined;
  const coded = cells.flatMap((cell) => (cell.kind === 'text' ? [frame.u32(cell.column)] : []));
  const escaped = escapeTexts(engine, owner, texts, coded, 'csv');
  const formulas = cells.flatMap((cell) => (cell.kind === 'number' ? [cell.formula] : []));
  const numbers = evaluate(frame, owner, formulas);
  const part = (cell: Cell): RowPart => {
    switch (cell.kind) {
      case 'number':
        return csvNumbers(numbers.get(cell.formula), decimals);
      case 'text':
        return { kind: 'text', codes: frame.u32(cell.column).byteOffset, texts: escaped };
      case 'moment':
        return { kind: 'moment', column: frame.f64(cell.column).byteOffset };
      case 'window':
        return timestamp(options[cell.edge]);
      case 'endSource':
        return { kind: 'word', codes: frame.u32('endSource').byteOffset, words: END_SOURCES };
    }
  };
  return compileRow(engine.arena, owner, csvRow(cells.map(part)));
}
