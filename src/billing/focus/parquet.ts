/** Parquet files, read by hyparquet: the only file that knows the package. */
import { stat } from 'node:fs/promises';
import type { AsyncBuffer, FileMetaData, ParquetParsers } from 'hyparquet';
import { Fault } from '../../query/index.ts';

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

/** Values as they are: texts, numbers, bigints, times as `ParquetTime`, objects, or nothing. */
export type ParquetValues = ArrayLike<unknown>;

/** Rows that are worked on at once. */
const RANGE_ROWS = 65_536;
/** A page is decompressed whole: one that says that it is larger was not made for us. */
const PAGE_BYTES_MAX = 256 * 2 ** 20;

/** @throws {Fault} naming the file */
export async function openParquet(path: string): Promise<ParquetFile> {
  const { metadata } = await openedFile(path);
  const [root] = metadata.schema;
  const { parquetSchema } = await import('hyparquet');
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  if (root === undefined) throw new Fault(`${path} is damaged, as Parquet: it has no schema`);
  const ranges: RowRange[] = [];
  let first = 0;
  for (const group of metadata.row_groups) {
    const end = first + Number(group.num_rows);
    for (let rowStart = first; rowStart < end; rowStart += RANGE_ROWS) {
      ranges.push({ rowStart, rowEnd: Math.min(end, rowStart + RANGE_ROWS) });
    }
    first = end;
  }
  return { columns, ranges };
}

/** One column of a range of rows. @throws {Fault} for damage */
export async function readParquet(
  path: string,
  column: string,
  range: RowRange,
): Promise<ParquetValues> {
  const { file, metadata } = await openedFile(path);
  return asParquet('it', async () => {
    const { parquetScan } = await import('hyparquet');
    const { compressors } = await limited();
    const options = { file, metadata, columns: [column], compressors, parsers: PARSERS };
    // A scan holds all that it has read: a scan for each column frees it.
    const scan = await parquetScan(options);
    return scan.readColumn({ column, ...range });
  });
}

/** A time or a date, Unix ms. */
export class ParquetTime {
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
  return asParquet(path, async () => {
    const { asyncBufferFromFile, parquetMetadataAsync } = await import('hyparquet');
    const file = await asyncBufferFromFile(path);
    return (last = { id, file, metadata: await parquetMetadataAsync(file) });
  });
}

type Unpack = (input: Uint8Array, bytes: number) => Uint8Array;

async function limited(): Promise<{ readonly compressors: Record<string, Unpack> }> {
  const { compressors } = await import('hyparquet-compressors');
  const bounded = Object.entries(compressors).map(([name, unpack]): [string, Unpack] => [
    name,
    (input, bytes) => {
      if (bytes > PAGE_BYTES_MAX) throw new Error(`a page of ${bytes} bytes`);
      return unpack(input, bytes);
    },
  ]);
  return { compressors: Object.fromEntries(bounded) };
}

async function asParquet<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(`${what} is damaged, as Parquet: ${reason}`, { cause });
  }
}
