/**
 * Named columns of equal length in one run of the arena, so that any thread can open them by the
 * run's address alone. Offsets count from that address: a frame may be copied as bytes.
 *
 *   0     mark u32, rows u32, columns u32, bytes u32 (the used part of the run)
 *   16    bytes of names u32, 0 u32
 *   24    an entry for each column: type u32, data offset u32
 *         names, a JSON array
 *         data, each column aligned to 64 bytes, long ones staggered over the cache's sets:
 *           f64, i32, u32   one a row
 *           bits            one bit a row, in u32 words
 *
 * Missing values are up to the schema: as a rule NaN in f64 and code 0 in u32.
 */
import type { Arena, Owner } from '../memory/arena.ts';
import { RowSet } from './row-set.ts';

const MARK = 0x314d5246; // "FRM1"
const TYPES = ['f64', 'i32', 'u32', 'bits'] as const;
const HEADER_WORDS = 6;
const ENTRY_WORDS = 2;
const LINE_BYTES = 64;
/** Addresses that are equal modulo this share a set of the first-level cache. */
const SETS_BYTES = 4096;
const STAGGER_BYTES = 5 * LINE_BYTES;

export type ColumnType = (typeof TYPES)[number];

export interface ColumnSpec {
  readonly name: string;
  readonly type: ColumnType;
}

export interface Column extends ColumnSpec {
  /** Address of the column's data. */
  readonly address: number;
}

/** Views on the columns of one frame. */
export class Frame {
  readonly arena: Arena;
  readonly address: number;
  readonly bytes: number;
  readonly rows: number;
  readonly #names: Names;
  readonly #entries: Uint32Array;

  /**
   * Opens the frame at `address`.
   * @throws {Error} when there is none
   */
  constructor(arena: Arena, address: number) {
    const [mark, rows, columns, bytes, nameBytes] = arena.u32(address, HEADER_WORDS);
    if (mark !== MARK) throw new Error(`BUG: no frame at ${arena.placeOf(address)}`);
    this.arena = arena;
    this.address = address;
    this.bytes = bytes;
    this.rows = rows;
    this.#entries = arena.u32(address + HEADER_WORDS * 4, columns * ENTRY_WORDS);
    const namesAt = address + HEADER_WORDS * 4 + this.#entries.byteLength;
    this.#names = namesOf(arena.text(namesAt, nameBytes).toString());
    arena.placeOf(address, bytes);
  }

  /** All columns, in their order. */
  get columns(): ReadonlyMap<string, Column> {
    const { list } = this.#names;
    return new Map(list.map((name, place) => [name, this.#at(name, place)]));
  }

  /** Undefined where there is no column of that name. */
  column(name: string): Column | undefined {
    const place = this.#names.places.get(name);
    return place === undefined ? undefined : this.#at(name, place);
  }

  has(name: string): boolean {
    return this.#names.places.has(name);
  }

  f64(name: string): Float64Array {
    return this.arena.f64(this.#find(name, 'f64'), this.rows);
  }

  i32(name: string): Int32Array {
    return this.arena.i32(this.#find(name, 'i32'), this.rows);
  }

  u32(name: string): Uint32Array {
    return this.arena.u32(this.#find(name, 'u32'), this.rows);
  }

  bits(name: string): RowSet {
    const address = this.#find(name, 'bits');
    return new RowSet(this.rows, this.arena.u32(address, RowSet.wordsOf(this.rows)));
  }

  #at(name: string, place: number): Column {
    const [type, offset] = [ENTRY_WORDS * place, ENTRY_WORDS * place + 1];
    const address = this.address + this.#entries[offset];
    return { name, type: TYPES[this.#entries[type]], address };
  }

  #find(name: string, type: ColumnType): number {
    const column = this.column(name);
    if (column?.type === type) return column.address;
    const there = column ? `it is ${column.type}` : `there are ${this.#names.list.join(', ')}`;
    throw new Error(`BUG: no column '${name}' of ${type}: ${there}`);
  }
}

interface Names {
  readonly list: readonly string[];
  readonly places: ReadonlyMap<string, number>;
}

/** Parsed lists of names: there are many frames and few different lists. */
const NAMES: Map<string, Names> = new Map();
const NAMES_MAX = 1000;

function namesOf(json: string): Names {
  const known = NAMES.get(json);
  if (known !== undefined) return known;
  const list = JSON.parse(json) as readonly string[];
  const names = { list, places: new Map(list.map((name, place) => [name, place])) };
  if (NAMES.size >= NAMES_MAX) NAMES.clear();
  NAMES.set(json, names);
  return names;
}

/**
 * A new frame. Sets of bits start empty; other columns have any content until they are written.
 * @throws {ArenaFull} when there is no room
 */
export function createFrame(
  arena: Arena,
  columns: readonly ColumnSpec[],
  rows: number,
  owner: Owner,
): Frame {
  const { words, names, bytes } = layOut(columns, rows);
  const address = arena.allocate(bytes, owner);
  arena.u32(address, words.length).set(words);
  arena.u8(address + words.byteLength, names.length).set(names);
  const frame = new Frame(arena, address);
  for (const { name, type } of columns) if (type === 'bits') frame.bits(name).clear();
  return frame;
}

/** Columns by kind. */
export interface ColumnNames {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
}

/** Columns of codes for texts, then columns of f64 for numbers. */
export function columnSpecs({ texts = [], numbers = [] }: Partial<ColumnNames>): ColumnSpec[] {
  return [
    ...texts.map((name): ColumnSpec => ({ name, type: 'u32' })),
    ...numbers.map((name): ColumnSpec => ({ name, type: 'f64' })),
  ];
}

/** A copy in a run of its own. */
export function copyFrame(arena: Arena, { address, bytes }: Frame, owner: Owner): Frame {
  const copy = arena.allocate(bytes, owner);
  arena.u8(copy, bytes).set(arena.u8(address, bytes));
  return new Frame(arena, copy);
}

/** Bytes of the run that a frame of these columns takes. */
export function frameBytes(columns: readonly ColumnSpec[], rows: number): number {
  return layOut(columns, rows).bytes;
}

interface Layout {
  readonly words: Uint32Array;
  readonly names: Buffer;
  readonly bytes: number;
}

function layOut(columns: readonly ColumnSpec[], rows: number): Layout {
  const json = JSON.stringify(columns.map(({ name }) => name));
  const { list, places } = namesOf(json);
  if (places.size < list.length) throw new Error(`BUG: a name twice in ${list.join(', ')}`);
  const words = new Uint32Array(HEADER_WORDS + ENTRY_WORDS * columns.length);
  const names = Buffer.from(json);
  let offset = words.byteLength + names.length;
  columns.forEach(({ type }, i) => {
    offset = startOf(i, offset, dataBytes(type, rows));
    words.set([TYPES.indexOf(type), offset], HEADER_WORDS + i * ENTRY_WORDS);
    offset += dataBytes(type, rows);
  });
  words.set([MARK, rows, columns.length, offset, names.length]);
  return { words, names, bytes: offset };
}

/**
 * The start of column `i`, at `offset` or after it. Long columns that are read together must not all
 * start in the same set of the cache, or they would evict each other.
 */
function startOf(i: number, offset: number, bytes: number): number {
  if (bytes < SETS_BYTES) return Math.ceil(offset / LINE_BYTES) * LINE_BYTES;
  return Math.ceil(offset / SETS_BYTES) * SETS_BYTES + ((i * STAGGER_BYTES) % SETS_BYTES);
}

function dataBytes(type: ColumnType, rows: number): number {
  if (type === 'bits') return RowSet.wordsOf(rows) * 4;
  return rows * (type === 'f64' ? 8 : 4);
}
