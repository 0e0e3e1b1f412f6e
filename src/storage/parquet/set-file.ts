/** The Parquet file of a set: all columns of its kind, in the same order in each file, whether a set has them or not. */
import { NARROW_BYTES, type ColumnNames, type NarrowType } from '../../columnar/index.ts';
import {
  GROUP_ROWS,
  ParquetFile,
  type ParquetColumn,
  type ParquetValues,
} from '../../export/index.ts';
import type { DirectoryColumn, Region } from '../arrow/directory.ts';
import { codesOf, columnsOf, copied, numbersOf, viewed } from '../arrow/file-columns.ts';
import type { EncodedSet } from '../arrow/encode-set.ts';
import { NOTE, type Note } from './layout.ts';

const WINDOW: readonly ParquetColumn[] = [
  { name: 'windowStart', kind: 'moment' },
  { name: 'windowEnd', kind: 'moment' },
];

/** In the order of the file. */
export function parquetColumns({ texts, numbers }: ColumnNames): ParquetColumn[] {
  return [
    ...WINDOW,
    ...texts.map((name) => ({ name, kind: 'text' as const })),
    ...numbers.map((name) => ({ name, kind: 'number' as const })),
  ];
}

/** @param columns as `parquetColumns` gives them */
export async function parquetOf(
  set: EncodedSet,
  columns: readonly ParquetColumn[],
  note: Note,
): Promise<Buffer<ArrayBuffer>> {
  const stored = new Map(columnsOf(set).map((column) => [column.name, column]));
  const slices = columns.map((column) => sliceOf(set, column, stored.get(column.name)));
  const file = new ParquetFile(columns);
  const pieces = [file.begin()];
  for (let from = 0; from < set.rows; from += GROUP_ROWS) {
    const rows = Math.min(GROUP_ROWS, set.rows - from);
    const values = slices.map((slice) => slice(from, rows));
    pieces.push(...(await file.group(rows, values)));
  }
  pieces.push(file.end({ [NOTE]: JSON.stringify(note) }));
  return Buffer.concat(pieces);
}

type Slice = (from: number, rows: number) => ParquetValues;

const EMPTY = new Uint8Array(0);

function sliceOf(
  { key, bytes: file }: EncodedSet,
  { name, kind }: ParquetColumn,
  column: DirectoryColumn | undefined,
): Slice {
  if (kind === 'moment') {
    const ms = name === 'windowStart' ? key.startMs : key.endMs;
    return (_, rows) => new Float64Array(rows).fill(ms);
  }
  if (kind === 'number') {
    if (column !== undefined && 'values' in column) {
      const { type, values } = column;
      return (from, rows) => widened(numbersOf(type, copied(file, part(values, type, from, rows))));
    }
    const number = column !== undefined && 'number' in column ? column.number : 0;
    return (_, rows) => new Float64Array(rows).fill(number);
  }
  if (column !== undefined && 'codes' in column) {
    const { type, codes } = column;
    const ends = new Uint32Array(copied(file, column.offsets));
    const texts = viewed(file, column.texts);
    const bytesOf = (code: number): Uint8Array => texts.subarray(ends[code], ends[code + 1]);
    return (from, rows) => {
      const own = codesOf(type, copied(file, part(codes, type, from, rows)));
      return { codes: own, size: ends.length - 1, bytesOf };
    };
  }
  const text = column !== undefined && 'text' in column ? Buffer.from(column.text) : EMPTY;
  return (_, rows) => ({ codes: new Uint8Array(rows), size: 1, bytesOf: () => text });
}

/** The values of some rows of a column. */
function part([at, , crc32]: Region, type: NarrowType, from: number, rows: number): Region {
  const bytes = NARROW_BYTES[type];
  return [at + from * bytes, rows * bytes, crc32];
}

function widened(values: ReturnType<typeof numbersOf>): Float64Array {
  return values instanceof Float64Array ? values : Float64Array.from(values);
}
