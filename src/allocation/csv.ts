/** Grouped rows as CSV: the columns clients know, or every field. */
import type { Frame, Texts } from '../columnar/index.ts';
import {
  csvLine,
  csvNumber,
  csvText,
  timestamp,
  writeCsvRows,
  type Chunk,
} from '../export/index.ts';
import type { AggregateKey } from '../query/index.ts';
import { partColumn } from './aggregate.ts';
import type { Format } from './format.ts';
import { FrameRow, type RowOptions } from './frame-row.ts';
import { NAME_PARTS } from './groups.ts';
import { accuracy, END_SOURCES, FIELDS, RAW_FIELDS, SUMMARY } from './schema.ts';

export type CsvFormat = Extract<Format, { kind: 'csv' }>;

/** What the writer of cells has at hand. */
interface Row {
  readonly index: number;
  readonly values: FrameRow;
  readonly text: (column: string) => string;
  readonly number: (value: number) => string;
  readonly options: RowOptions;
  readonly frame: Frame;
}

interface Column {
  readonly name: string;
  readonly cell: (row: Row) => string;
}

const SUMMARY_COLUMNS: readonly Column[] = [
  { name: 'Name', cell: ({ text }) => text('name') },
  ...SUMMARY.map(({ csv, value }): Column => ({
    name: csv,
    cell: ({ number, values }) => number(value(values)),
  })),
];

const fields = (of: typeof FIELDS): Column[] =>
  of.map(({ json, value }) => ({
    name: json,
    cell: ({ number, values }) => number(value(values)),
  }));

const WINDOW: readonly Column[] = [
  { name: 'windowStart', cell: ({ options }) => timestamp(options.windowStartMs) },
  { name: 'windowEnd', cell: ({ options }) => timestamp(options.windowEndMs) },
  { name: 'start', cell: ({ values }) => timestamp(values.startMs) },
  { name: 'end', cell: ({ values }) => timestamp(values.endMs) },
];

const END: readonly Column[] = [
  {
    name: 'endSource',
    cell: ({ frame, index }) => END_SOURCES[frame.u32('endSource')[index] ?? 0] ?? '',
  },
  {
    name: 'endUncertaintySeconds',
    cell: ({ frame, index, number }) => number((frame.f64('endUncertaintyMs')[index] ?? 0) / 1000),
  },
];

const ACCURACY: readonly Column[] = [
  { name: 'accuracyLower', cell: ({ number, values }) => number(accuracy(values).lower) },
  { name: 'accuracyUpper', cell: ({ number, values }) => number(accuracy(values).upper) },
];

const LABELS: Column = { name: 'labels', cell: ({ text }) => text('labels') };

type Shape = Pick<RowOptions, 'resolutionMs' | 'isRaw'>;

function columnsOf(format: CsvFormat, keys: readonly AggregateKey[], shape: Shape): Column[] {
  if (!format.isFull) return [...SUMMARY_COLUMNS];
  return [
    { name: 'name', cell: ({ text }) => text('name') },
    ...partNames(keys).map((name, i): Column => ({
      name,
      cell: ({ text }) => text(partColumn(i)),
    })),
    ...WINDOW,
    ...fields(FIELDS),
    ...(shape.isRaw ? fields(RAW_FIELDS) : []),
    ...END,
    ...(shape.resolutionMs > 0 ? ACCURACY : []),
    LABELS,
  ];
}

/** A column a part of the name: the keys as they were asked for, else the parts of a row's name. */
function partNames(keys: readonly AggregateKey[]): readonly string[] {
  if (keys.length === 0) return NAME_PARTS;
  return keys.map((key) => (key.kind === 'property' ? key.property : `${key.kind}:${key.name}`));
}

export function csvHeader(format: CsvFormat, keys: readonly AggregateKey[], shape: Shape): string {
  return csvLine(columnsOf(format, keys, shape).map(({ name }) => csvText(name)));
}

/** Writes rows of a grouped frame as lines. */
export function writeCsv(
  target: Uint8Array,
  row: number,
  { frame, texts, keys }: { frame: Frame; texts: Texts; keys: readonly AggregateKey[] },
  options: RowOptions & { readonly format: CsvFormat },
): Chunk {
  const columns = columnsOf(options.format, keys, options);
  const decimals = options.format.decimals ?? undefined;
  const codes = new Map<string, Uint32Array>();
  const values = new FrameRow(frame);
  const text = (name: string): string => {
    const column = codes.get(name) ?? frame.u32(name);
    codes.set(name, column);
    return csvText(texts.text(column[values.row] ?? 0));
  };
  const number = (value: number): string => csvNumber(value, decimals);
  return writeCsvRows(target, row, frame.rows, (index) => {
    values.row = index;
    return columns.map(({ cell }) => cell({ index, values, text, number, options, frame }));
  });
}
