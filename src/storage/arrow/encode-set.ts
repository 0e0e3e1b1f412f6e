/**
 * A table as the bytes of a set's file. Any thread may do it; a store takes the result. Columns that
 * are zero or empty in every row are left out, and those that are the same in every row stand in
 * the directory only.
 */
import { crc32 } from 'node:zlib';
import {
  constantNumber,
  narrowNumbers,
  narrowTexts,
  narrowType,
  utf8Of,
  type BytesColumn,
  type NarrowArray,
  type PackedTexts,
  type Table,
  type TextColumn,
} from '../../columnar/index.ts';
import type { ArrowColumn, ArrowViews } from './arrow.ts';
import {
  DIRECTORY_FORMAT,
  directoryText,
  UNKNOWN_REGION,
  type Directory,
  type DirectoryColumn,
  type Region,
} from './directory.ts';
import { checkKey, type SetKey, type SetMeta } from '../set-key.ts';

export interface SetContents {
  readonly key: SetKey;
  readonly meta: SetMeta;
  readonly table: Table;
  /** Names of the columns to store, of texts and of numbers; no name twice. */
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
  /** Columns of bytes; absent: none. */
  readonly bytes?: readonly string[];
}

/** A set ready to be stored. */
export interface EncodedSet {
  readonly key: SetKey;
  readonly meta: SetMeta;
  readonly rows: number;
  /** The whole Arrow file. */
  readonly bytes: Uint8Array;
  readonly crc32: number;
  /** The place of the directory in the file. */
  readonly directory: Region;
  /** Called once the bytes are no longer needed; absent: they are valid until the next set is requested. */
  readonly free?: () => void;
}

/** The memory and packing of an encoded set: by default on the heap. */
export interface Encoding {
  /** Gives room for at most so many bytes. */
  room(bytes: number): Uint8Array;
  /** The texts in use, each once, the empty one first whether in use or not. */
  pack(column: TextColumn): PackedTexts;
}

const ON_HEAP: Encoding = {
  room: (bytes) => new Uint8Array(bytes),
  pack(column) {
    const { codes, texts } = narrowTexts(column);
    return { codes, texts: utf8Of(texts) };
  },
};

/** Key of the schema's custom metadata. */
const METADATA_KEY = 'prorata';

/** A column whose values go into the file, or its one value. */
type Packed = ArrowColumn | Exclude<DirectoryColumn, { type: string }>;

/** @returns its bytes in the room of the encoding, at its beginning */
export async function encodeSet(
  contents: SetContents,
  encoding: Encoding = ON_HEAP,
): Promise<EncodedSet> {
  checkKey(contents.key);
  const { arrowFile, arrowViews } = await import('./arrow.ts');
  const packed = packColumns(contents, encoding);
  const columns = packed.filter((column) => 'values' in column || 'bytes' in column);
  const { key, meta, table } = contents;
  const about = { format: DIRECTORY_FORMAT, key, meta, rows: table.rows };
  const unknown = packed.map((column) => describe(column, () => UNKNOWN_REGION));
  const blank = directoryText({ ...about, columns: unknown });
  const metadata = new Map([[METADATA_KEY, blank]]);
  const bytes = arrowFile(table.rows, columns, metadata, (room) => encoding.room(room));
  const views = arrowViews(bytes);
  const region = (view: Uint8Array): Region => regionOf(bytes, view);
  const known = packed.map((column) => describe(column, region, views.get(column.name)));
  const directory = writeDirectory(bytes, blank, { ...about, columns: known });
  return { key, meta, rows: table.rows, bytes, crc32: crc32(bytes), directory };
}

/** Numbers first; in the order given. */
function packColumns(
  { table, texts, numbers, bytes = [] }: SetContents,
  encoding: Encoding,
): Packed[] {
  const names = [...numbers, ...texts, ...bytes];
  if (new Set(names).size < names.length) throw new Error(`BUG: a name twice in ${names.join()}`);
  if (table.rows === 0) return [];
  return [
    ...numbers.map((name) => packNumbers(table, name)),
    ...texts.map((name) => packTexts(table, name, encoding)),
    ...bytes.map((name) => packBytes(name, table.bytes?.(name))),
  ].filter((column) => column !== undefined);
}

function packNumbers(table: Table, name: string): Packed | undefined {
  const values = table.numbers(name)?.values;
  if (values === undefined) return undefined;
  const number = constantNumber(values);
  if (number === undefined) return { name, values: narrowNumbers(values) };
  return number === 0 ? undefined : { name, number };
}

function packTexts(table: Table, name: string, encoding: Encoding): Packed | undefined {
  const column = table.text(name);
  if (column === undefined) return undefined;
  const { codes, texts } = encoding.pack(column);
  const { offsets, bytes } = texts;
  if (offsets.length === 2) return undefined;
  const isConstant = offsets.length === 3 && codes.every((code: number) => code === 1);
  return isConstant ? { name, text: textOf(bytes) } : { name, values: codes, texts };
}

function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString();
}

function packBytes(name: string, column: BytesColumn | undefined): Packed | undefined {
  return column === undefined || column.bytes.length === 0 ? undefined : { name, ...column };
}

const NOWHERE: Uint8Array = new Uint8Array(0);
const NO_VIEWS: ArrowViews = { values: NOWHERE, offsets: NOWHERE, texts: NOWHERE };

function describe(
  column: Packed,
  region: (view: Uint8Array) => Region,
  views: ArrowViews = NO_VIEWS,
): DirectoryColumn {
  if ('bytes' in column) {
    const { offsets, texts: bytes } = views;
    return { name: column.name, type: 'bytes', offsets: region(offsets), bytes: region(bytes) };
  }
  if (!('values' in column)) return column;
  const { name, texts } = column;
  const own = { name, type: narrowType(column.values) };
  if (texts === undefined) return { ...own, values: region(written(views.values, column.values)) };
  return {
    ...own,
    size: texts.offsets.length - 1,
    codes: region(written(views.values, column.values)),
    offsets: region(views.offsets),
    texts: region(views.texts),
  };
}

/** Checks that a file with a known layout has all of the column. */
function written(view: Uint8Array, values: NarrowArray): Uint8Array {
  if (view === NOWHERE || view.length === values.byteLength) return view;
  throw new Error(`BUG: ${view.length} of ${values.byteLength} bytes were written`);
}

function regionOf(file: Uint8Array, view: Uint8Array): Region {
  return [view.byteOffset - file.byteOffset, view.length, crc32(view)];
}

/** Writes the directory over the blank one in the footer, which has the same length. */
function writeDirectory(file: Uint8Array, blank: string, directory: Directory): Region {
  const buffer = Buffer.from(file.buffer, file.byteOffset, file.length);
  const at = buffer.lastIndexOf(blank, undefined, 'latin1');
  const text = directoryText(directory, blank.length);
  if (at < 0 || text.length !== blank.length) throw new Error('BUG: no room for the directory');
  buffer.write(text, at, 'latin1');
  return regionOf(file, buffer.subarray(at, at + text.length));
}
