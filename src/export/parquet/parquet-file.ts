/**
 * A Parquet file, made a group of rows at a time (https://github.com/apache/parquet-format). Chosen of it is what each
 * reader knows: flat columns, data pages of version 1, one a column and group, dictionaries, gzip, checksums of pages,
 * the least and the greatest value of each column and group.
 */
import { crc32, gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { encodeValues, type ParquetColumn, type ParquetValues } from './column-values.ts';
import { compact, type Struct, type Value } from './compact.ts';

const packed = promisify(gzip);

const MAGIC = Buffer.from('PAR1');
/** Columns that are packed at the same time. */
const AT_ONCE = 4;
const [INT64, DOUBLE, BYTE_ARRAY] = [2, 5, 6];
const TYPES = { number: DOUBLE, moment: INT64, text: BYTE_ARRAY } as const;
const [PLAIN, RLE, RLE_DICTIONARY] = [0, 3, 8];
const [UNPACKED, GZIP] = [0, 2];
const [DATA_PAGE, DICTIONARY_PAGE] = [0, 2];
const NOTHING: Value = { struct: {} };
/** Application, version of what it writes, build: readers ask for this form. */
const CREATED_BY = 'prorata version 1.0.0 (build 1)';

/** Rows of a group at most: a page of doubles has a mebibyte. */
export const GROUP_ROWS = 131_072;

export class ParquetFile {
  readonly #columns: readonly ParquetColumn[];
  readonly #groups: Value[] = [];
  #at = 0;
  #rows = 0;

  constructor(columns: readonly ParquetColumn[]) {
    this.#columns = columns;
  }

  begin(): Uint8Array {
    this.#at = MAGIC.length;
    return MAGIC;
  }

  /**
   * @param values by column, each with so many rows
   * @returns what comes next in the file
   */
  async group(rows: number, values: readonly ParquetValues[]): Promise<Uint8Array[]> {
    const [from, pieces]: [number, Uint8Array[]] = [this.#at, []];
    const chunks: Struct[] = [];
    let unpacked = 0;
    for (let i = 0; i < this.#columns.length; i += AT_ONCE) {
      const columns = this.#columns.slice(i, i + AT_ONCE);
      const made = columns.map((column, j) => chunkOf(column, rows, values[i + j]));
      for (const chunk of await Promise.all(made)) {
        chunks.push(chunk.aboutAt(this.#at));
        pieces.push(...chunk.pieces);
        this.#at += chunk.bytes;
        unpacked += chunk.unpackedBytes;
      }
    }
    this.#rows += rows;
    this.#groups.push({
      struct: {
        1: { list: chunks.map((about) => ({ struct: { 2: { i64: 0 }, 3: { struct: about } } })) },
        2: { i64: unpacked },
        3: { i64: rows },
        5: { i64: from },
        6: { i64: this.#at - from },
      },
    });
    return pieces;
  }

  /** @param notes texts by their names, for whoever reads the file */
  end(notes: Readonly<Record<string, string>> = {}): Uint8Array {
    const columns = this.#columns;
    const root: Value = { struct: { 4: { text: 'root' }, 5: { i32: columns.length } } };
    const told = Object.entries(notes).map(([name, text]) => ({
      struct: { 1: { text: name }, 2: { text } },
    }));
    const footer = compact({
      1: { i32: 1 },
      2: { list: [root, ...columns.map(elementOf)] },
      3: { i64: this.#rows },
      4: { list: this.#groups },
      5: { list: told },
      6: { text: CREATED_BY },
      // Signed numbers, and bytes: what least and greatest mean.
      7: { list: columns.map(() => ({ struct: { 1: NOTHING } })) },
    });
    const length = Buffer.alloc(4);
    length.writeUInt32LE(footer.length);
    return Buffer.concat([footer, length, MAGIC]);
  }
}

const MEANINGS: Readonly<Record<ParquetColumn['kind'], Struct>> = {
  number: {},
  // Older readers know the former of each.
  moment: {
    6: { i32: 9 },
    10: { struct: { 8: { struct: { 1: { bool: true }, 2: { struct: { 1: NOTHING } } } } } },
  },
  text: { 6: { i32: 0 }, 10: { struct: { 1: NOTHING } } },
};

function elementOf({ name, kind, isNullable = false }: ParquetColumn): Value {
  const repetition = isNullable ? 1 : 0;
  const type: Value = { i32: TYPES[kind] };
  return { struct: { 1: type, 3: { i32: repetition }, 4: { text: name }, ...MEANINGS[kind] } };
}

/** A column of a group: its pages, one after the other. */
interface Chunk {
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  readonly unpackedBytes: number;
  /** What the footer says of it, where it begins there in the file. */
  aboutAt(at: number): Struct;
}

async function chunkOf(
  column: ParquetColumn,
  rows: number,
  values: ParquetValues | undefined,
): Promise<Chunk> {
  if (values === undefined) throw new Error(`BUG: ${column.name} has no values`);
  const { nulls, dictionary, bytes: own, extremes } = encodeValues(column, values);
  const coding = dictionary === undefined ? PLAIN : RLE_DICTIONARY;
  const parts = [
    ...(dictionary === undefined
      ? []
      : [{ bytes: dictionary.bytes, about: dictionaryPage(dictionary.count) }]),
    { bytes: own, about: dataPage(rows, coding) },
  ];
  const smaller = await Promise.all(parts.map(({ bytes }) => packed(bytes)));
  const isPacked = sizeOf(smaller) < sizeOf(parts.map(({ bytes }) => bytes));
  const pages = parts.map(({ bytes, about }, i) =>
    pageOf(bytes, isPacked ? (smaller[i] ?? bytes) : bytes, about),
  );
  const bytes = sizeOf(pages.flat());
  const heads = pages.map(([head]) => head);
  const unpackedBytes = sizeOf([...heads, ...parts.map((part) => part.bytes)]);
  const dataAt = bytes - sizeOf(pages.at(-1) ?? []);
  return {
    pieces: pages.flat(),
    bytes,
    unpackedBytes,
    aboutAt: (at) => ({
      1: { i32: TYPES[column.kind] },
      2: { list: [...new Set([PLAIN, RLE, coding])].map((i32) => ({ i32 })) },
      3: { list: [{ text: column.name }] },
      4: { i32: isPacked ? GZIP : UNPACKED },
      5: { i64: rows },
      6: { i64: unpackedBytes },
      7: { i64: bytes },
      9: { i64: at + dataAt },
      11: dictionary && { i64: at },
      12: {
        struct: {
          3: { i64: nulls },
          5: extremes && { text: extremes[1] },
          6: extremes && { text: extremes[0] },
        },
      },
    }),
  };
}

const dictionaryPage = (count: number): Struct => ({
  1: { i32: DICTIONARY_PAGE },
  7: { struct: { 1: { i32: count }, 2: { i32: PLAIN } } },
});

const dataPage = (rows: number, coding: number): Struct => ({
  1: { i32: DATA_PAGE },
  5: { struct: { 1: { i32: rows }, 2: { i32: coding }, 3: { i32: RLE }, 4: { i32: RLE } } },
});

function pageOf(bytes: Uint8Array, written: Uint8Array, about: Struct): [Uint8Array, Uint8Array] {
  const head = compact({
    ...about,
    2: { i32: bytes.length },
    3: { i32: written.length },
    4: { i32: crc32(written) | 0 },
  });
  return [head, written];
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
