/**
 * Parquet files, decoded by hyparquet: the only file that knows the package. It runs in a thread of its own
 * (workers/parquet.ts), since it believes what a file says of itself.
 */
import { stat } from 'node:fs/promises';
import {
  asyncBufferFromFile,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
  type AsyncBuffer,
  type ColumnMetaData,
  type FileMetaData,
  type ParquetParsers,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parseNumber } from './numbers.ts';
import { isNull } from './source-columns.ts';

export type ParquetCall =
  | { readonly open: string }
  | {
      readonly read: string;
      readonly column: string;
      readonly range: RowRange;
      readonly as: 'texts' | 'numbers';
    };

export type ParquetAnswer = ParquetFile | TextColumn | NumberColumn;

export interface ParquetFile {
  readonly columns: readonly string[];
  /** Stretches of rows that can be read apart; each within one row group. */
  readonly ranges: readonly RowRange[];
}

/** From 0; the end is exclusive. */
export interface RowRange {
  readonly rowStart: number;
  readonly rowEnd: number;
}

/** One text a row, each different one once. */
export interface TextColumn {
  /** A text's number a row. */
  readonly numbers: Uint32Array<ArrayBuffer>;
  /** UTF-8 of all texts, and where each ends. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
}

/** One number a row, NaN for an empty cell and for one that is no number. */
export interface NumberColumn {
  readonly values: Float64Array<ArrayBuffer>;
  /** Cells that are no numbers. */
  readonly bad: readonly (readonly [row: number, text: string])[];
}

/** Rows that are worked on at once. */
const RANGE_ROWS = 65_536;
/** A page is decompressed whole: writers make pages of a megabyte. */
const PAGE_BYTES_MAX = 64 * 2 ** 20;
/** Rows and bytes of a file for each of its bytes. Bills of equal rows have some 50 rows a byte. */
const ROWS_PER_BYTE_MAX = 1000;
const EXPANSION_MAX = 1000;
/** Texts of one column and range. */
const TEXT_BYTES_MAX = 64 * 2 ** 20;

/** What is answered, and its buffers, which are moved to who asked. */
interface Answered {
  readonly answer: ParquetAnswer;
  readonly buffers: readonly ArrayBuffer[];
}

export async function answerParquet(call: ParquetCall): Promise<Answered> {
  if ('open' in call) return { answer: await parquetFile(call.open), buffers: [] };
  const { read, column, range, as } = call;
  const values = await cellsOf(read, column, range);
  const rows = range.rowEnd - range.rowStart;
  if (values.length !== rows) throw new Error(`${column} has ${values.length} of ${rows} rows`);
  if (as === 'texts') {
    const answer = textColumn(values);
    return { answer, buffers: [answer.numbers, answer.bytes, answer.ends].map(bufferOf) };
  }
  const answer = numberColumn(values);
  return { answer, buffers: [answer.values.buffer] };
}

function bufferOf({ buffer }: { readonly buffer: ArrayBuffer }): ArrayBuffer {
  return buffer;
}

async function parquetFile(path: string): Promise<ParquetFile> {
  const { metadata } = await openedFile(path);
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  const ranges: RowRange[] = [];
  let first = 0;
  for (const group of metadata.row_groups) {
    const end = first + Number(group.num_rows);
    for (let rowStart = first; rowStart < end; rowStart += RANGE_ROWS)
      ranges.push({ rowStart, rowEnd: Math.min(end, rowStart + RANGE_ROWS) });
    first = end;
  }
  return { columns, ranges };
}

/** Values as they are: texts, numbers, bigints, times as `ParquetTime`, objects, or nothing. */
async function cellsOf(path: string, column: string, range: RowRange): Promise<ArrayLike<unknown>> {
  const { file, metadata } = await openedFile(path);
  // A scan holds all that it has read: a scan for each column frees it.
  const scan = await parquetScan({
    file,
    metadata,
    columns: [column],
    compressors: BOUNDED,
    parsers: PARSERS,
  });
  return scan.readColumn({ column, ...range });
}

function textColumn(values: ArrayLike<unknown>): TextColumn {
  const known = new Map<string, number>();
  const numbers = new Uint32Array(values.length);
  const texts: Buffer[] = [];
  let size = 0;
  for (let row = 0; row < values.length; row++) {
    const text = textOf(values[row]);
    let number = known.get(text);
    if (number === undefined) {
      number = known.size;
      known.set(text, number);
      const bytes = Buffer.from(text);
      size += bytes.length;
      if (size > TEXT_BYTES_MAX) throw new Error(`more than ${TEXT_BYTES_MAX} bytes of texts`);
      texts.push(bytes);
    }
    numbers[row] = number;
  }
  const bytes = new Uint8Array(size);
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (const [number, text] of texts.entries()) {
    bytes.set(text, end);
    end += text.length;
    ends[number] = end;
  }
  return { numbers, bytes, ends };
}

function numberColumn(cells: ArrayLike<unknown>): NumberColumn {
  const values = new Float64Array(cells.length).fill(NaN);
  const bad: (readonly [number, string])[] = [];
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row];
    if (cell === null || cell === undefined) continue;
    const number = typeof cell === 'number' ? cell : parseNumber(textOf(cell));
    if (number !== undefined && Number.isFinite(number)) {
      values[row] = number;
      continue;
    }
    const text = textOf(cell);
    if (!isNull(text)) bad.push([row, text.slice(0, 100)]);
  }
  return { values, bad };
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

/** A time or a date, Unix ms. */
class ParquetTime {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
}

const PARSERS: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (millis) => new ParquetTime(Number(millis)),
  timestampFromMicroseconds: (micros) => new ParquetTime(Number(micros / 1000n)),
  timestampFromNanoseconds: (nanos) => new ParquetTime(Number(nanos / 1_000_000n)),
  dateFromDays: (days) => new ParquetTime(days * 86_400_000),
};

type Unpack = (input: Uint8Array, bytes: number) => Uint8Array;

const BOUNDED: Record<string, Unpack> = Object.fromEntries(
  Object.entries(compressors).map(([name, unpack]): [string, Unpack] => [
    name,
    (input, bytes) => {
      if (bytes > PAGE_BYTES_MAX) throw new Error(`a page of ${bytes} bytes`);
      return unpack(input, bytes);
    },
  ]),
);

interface OpenedFile {
  readonly id: string;
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
}

/** The last one: a file's columns are read one after the other. */
let last: OpenedFile | undefined;

async function openedFile(path: string): Promise<OpenedFile> {
  const { size, mtimeMs, ino } = await stat(path);
  const id = [path, size, mtimeMs, ino].join();
  if (last?.id === id) return last;
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  checkSizes(metadata, size);
  return (last = { id, file, metadata });
}

/** @throws {Error} where a file says that it has more than its bytes can hold */
function checkSizes({ schema, row_groups: groups }: FileMetaData, size: number): void {
  if (schema.length === 0) throw new Error('it has no schema');
  let rows = 0;
  for (const { num_rows: groupRows, columns } of groups) {
    rows += countOf(groupRows, 'rows');
    if (rows > ROWS_PER_BYTE_MAX * size) throw new Error(`${rows} rows in ${size} bytes`);
    for (const { meta_data: chunk } of columns) if (chunk !== undefined) checkChunk(chunk, size);
  }
}

function checkChunk(chunk: ColumnMetaData, size: number): void {
  const bytes = countOf(chunk.total_compressed_size, 'bytes');
  const at = countOf(chunk.data_page_offset, 'bytes');
  if (at > size || bytes > size) throw new Error(`a column of ${bytes} bytes at ${at} of ${size}`);
  const unpacked = countOf(chunk.total_uncompressed_size, 'bytes');
  if (unpacked > EXPANSION_MAX * size) throw new Error(`a column of ${unpacked} bytes in ${size}`);
  const values = countOf(chunk.num_values, 'values');
  if (values > ROWS_PER_BYTE_MAX * size) throw new Error(`${values} values in ${size} bytes`);
}

function countOf(value: bigint, what: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`${value} ${what}`);
}
