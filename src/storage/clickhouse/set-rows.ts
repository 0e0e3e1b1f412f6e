/**
 * A set's file as rows and pieces. The values of its columns go into rows, where anybody's SQL finds them;
 * all else of the file goes into pieces, so that it can be made again to the byte, and its checksums hold:
 *
 *   frame          the bytes between the columns, with the directory: `[[at, bytes], …]` and a line feed, then these
 *   dictionaries   offsets, then texts, of each column of texts: which text has which code
 */
import { deflateRaw, inflateRaw } from 'node:zlib';
import { promisify } from 'node:util';
import type { DirectoryColumn, Region } from '../arrow/directory.ts';
import type { EncodedSet } from '../arrow/encode-set.ts';
import { codesOf, copied, numbersOf, textsIn, viewed } from '../arrow/file-columns.ts';
import type { Pieces } from './client.ts';
import { CODED, nativeBlock, type NativeColumn } from './native-write.ts';
import { ROW, secondsOf, VERSION, type TableColumn } from './tables.ts';

const packed = promisify(deflateRaw);
const unpacked = promisify(inflateRaw);

/** The name of the frame among the pieces: no column has it. */
export const FRAME = '';

/** Rows of one block: some 64 MB of a set of allocations. */
const BLOCK_ROWS = 131_072;

export interface SetPiece {
  readonly piece: string;
  /** Packed by deflate. */
  readonly bytes: Uint8Array;
}

export function tableColumns(columns: readonly DirectoryColumn[]): TableColumn[] {
  return columns.map((column) => ({ name: column.name, type: typeOf(column) }));
}

function typeOf(column: DirectoryColumn): TableColumn['type'] {
  if ('bytes' in column) return 'String';
  return 'text' in column || 'codes' in column ? CODED : 'Float64';
}

/** All rows of the set, in blocks. */
export function* rowBlocks(
  set: EncodedSet,
  columns: readonly DirectoryColumn[],
  version: number,
): Generator<Uint8Array> {
  const makers = columns.map((column) => sliced(set.bytes, column));
  const [start, end] = [set.key.startMs, set.key.endMs].map(secondsOf);
  for (let from = 0; from < set.rows; from += BLOCK_ROWS) {
    const to = Math.min(from + BLOCK_ROWS, set.rows);
    const rows = to - from;
    yield* nativeBlock(rows, [
      { name: VERSION, type: 'UInt64', values: new BigUint64Array(rows).fill(BigInt(version)) },
      { name: 'windowStart', type: 'DateTime', values: new Uint32Array(rows).fill(start ?? 0) },
      { name: 'windowEnd', type: 'DateTime', values: new Uint32Array(rows).fill(end ?? 0) },
      { name: ROW, type: 'UInt32', values: Uint32Array.from({ length: rows }, (_, i) => from + i) },
      ...makers.map((make) => make(from, to)),
    ]);
  }
}

type Slice = (from: number, to: number) => NativeColumn;

function sliced(file: Uint8Array, column: DirectoryColumn): Slice {
  const { name } = column;
  if ('number' in column) {
    const { number } = column;
    return (from, to) => ({
      name,
      type: 'Float64',
      values: new Float64Array(to - from).fill(number),
    });
  }
  if ('text' in column) {
    const texts = [Buffer.alloc(0), Buffer.from(column.text)];
    return (from, to) => ({
      name,
      type: CODED,
      values: { codes: new Uint8Array(to - from).fill(1), texts },
    });
  }
  if ('bytes' in column) {
    const rows = textsIn(copied(file, column.offsets), viewed(file, column.bytes));
    return (from, to) => ({ name, type: 'String', values: rows.slice(from, to) });
  }
  if ('codes' in column) {
    const codes = codesOf(column.type, copied(file, column.codes));
    const texts = textsIn(copied(file, column.offsets), viewed(file, column.texts));
    return (from, to) => ({ name, type: CODED, values: { codes: codes.slice(from, to), texts } });
  }
  const values = numbersOf(column.type, copied(file, column.values));
  return (from, to) => ({
    name,
    type: 'Float64',
    values: Float64Array.from(values.subarray(from, to)),
  });
}

/** Regions of a column that a dictionary has, or none. */
function dictionaryRegions(column: DirectoryColumn): readonly Region[] {
  return 'codes' in column ? [column.offsets, column.texts] : [];
}

/** Regions of a column that rows have. */
function rowRegions(column: DirectoryColumn): readonly Region[] {
  if ('bytes' in column) return [column.offsets, column.bytes];
  if ('codes' in column) return [column.codes];
  return 'values' in column ? [column.values] : [];
}

export async function piecesOf(
  { bytes: file }: EncodedSet,
  columns: readonly DirectoryColumn[],
): Promise<SetPiece[]> {
  const cut = columns.flatMap((column) => [...rowRegions(column), ...dictionaryRegions(column)]);
  const gaps = gapsBetween(cut, file.length);
  const head = Buffer.from(`${JSON.stringify(gaps)}\n`);
  const frame = [head, ...gaps.map(([at, bytes]) => file.subarray(at, at + bytes))];
  const pieces = [await pieceOf(FRAME, frame)];
  for (const column of columns) {
    const regions = dictionaryRegions(column).map((region) => viewed(file, region));
    if (regions.length > 0) pieces.push(await pieceOf(column.name, regions));
  }
  return pieces;
}

export async function pieceOf(piece: string, parts: readonly Uint8Array[]): Promise<SetPiece> {
  return { piece, bytes: await packed(Buffer.concat(parts)) };
}

export async function pieceBytes(bytes: Uint8Array): Promise<Buffer> {
  return await unpacked(bytes);
}

export type Gap = readonly [at: number, bytes: number];

function gapsBetween(regions: readonly Region[], end: number): Gap[] {
  const gaps: Gap[] = [];
  let at = 0;
  for (const [start, bytes] of regions.toSorted((a, b) => a[0] - b[0] || a[1] - b[1])) {
    if (start > at) gaps.push([at, start - at]);
    at = Math.max(at, start + bytes);
  }
  if (end > at) gaps.push([at, end - at]);
  return gaps;
}

/** The body of an insert of pieces. */
export function pieceBlock(version: number, pieces: readonly SetPiece[]): Pieces {
  return nativeBlock(pieces.length, [
    {
      name: 'version',
      type: 'UInt64',
      values: new BigUint64Array(pieces.length).fill(BigInt(version)),
    },
    { name: 'piece', type: 'String', values: pieces.map(({ piece }) => Buffer.from(piece)) },
    { name: 'bytes', type: 'String', values: pieces.map(({ bytes }) => bytes) },
  ]);
}
