/**
 * Reads sets into the arena: the columns wanted and nothing else, straight from the file into their
 * place, each checked. Works on any thread.
 */
import { crc32 } from 'node:zlib';
import {
  createFrame,
  dictionaryBytes,
  dictionaryPlaces,
  NARROW_BYTES,
  narrowEnd,
  openTable,
  widen,
  type Arena,
  type Checksum,
  type ColumnSpec,
  type Frame,
  type Owner,
  spendHeap,
} from '../../columnar/index.ts';
import { DIRECTORY_FORMAT, readDirectory } from '../arrow/directory.ts';
import type { Directory, DirectoryColumn, Region } from '../arrow/directory.ts';
import { withPlace, type LocalPlace, type ReadInto } from '../place.ts';
import { BROUGHT_TIMES, broughtHere, tooSmall, type LocalSet } from '../remote/wish.ts';
import { DamagedSet, idOf, type SetKey } from '../set-key.ts';
import type { ReadTable, Sets, StoredSet } from '../sets.ts';

/** A set whose bytes are here. */
type Here = StoredSet & { readonly place: LocalPlace };
/** What is done with a set while it is open. */
type Work<Result> = (directory: Directory, checked: CheckedRead) => Result;

/** Cached directories: files never change, so that one is parsed once. */
const DIRECTORIES_MAX = 2000;

export class SetReader {
  readonly #arena: Arena;
  readonly #sumOf: Checksum;
  /** Directories by place and checksum, the one used longest ago first. */
  readonly #directories: Map<string, Directory> = new Map();

  /** @param sumOf the thread's fastest */
  constructor(arena: Arena, sumOf: Checksum = crc32) {
    this.#arena = arena;
    this.#sumOf = sumOf;
  }

  /**
   * @param columns names; absent: all
   * @returns a table of the columns that the set has
   * @throws {DamagedSet} when bytes are missing or not those written
   * @throws {ArenaFull} when there is no room, and holds nothing
   */
  read(stored: StoredSet, owner: Owner, columns?: readonly string[]): ReadTable {
    return this.#open(stored, columns, this.#columns(owner, columns));
  }

  /** Like `read`, of a set that was brought here. @returns undefined when its file is gone already */
  readBrought(
    key: SetKey,
    { path, directory }: LocalSet,
    owner: Owner,
    columns: readonly string[] | undefined,
  ): ReadTable | undefined {
    return this.#openHere({ key, place: { path }, directory }, this.#columns(owner, columns));
  }

  /**
   * The different texts of one column; nothing else of the set is read, and nothing of the arena used.
   * @returns none for a column that the set does not have
   * @throws {DamagedSet} when bytes are missing or not those written
   */
  readTexts(stored: StoredSet, name: string): string[] {
    return this.#open(stored, [name], ({ columns }, checked) => {
      const column = columns.find((each) => each.name === name);
      if (column === undefined) return [];
      return 'text' in column ? [column.text] : readColumnTexts(column, checked);
    });
  }

  #columns(owner: Owner, columns: readonly string[] | undefined): Work<ReadTable> {
    return (directory, checked) => {
      const wanted = directory.columns.filter(({ name }) => columns?.includes(name) ?? true);
      return readColumns(this.#arena, owner, { rows: directory.rows, columns: wanted }, checked);
    };
  }

  #open<Result>(
    { key, place, directory }: StoredSet,
    columns: readonly string[] | undefined,
    work: Work<Result>,
  ): Result {
    if (!('remote' in place)) {
      const read = this.#openHere({ key, place, directory }, work);
      if (read === undefined) throw new DamagedSet(key, 'its file is missing');
      return read;
    }
    for (let tried = 1; tried <= BROUGHT_TIMES; tried++) {
      const { path, directory: own } = broughtHere({ key, place, directory }, columns);
      const read = this.#openHere({ key, place: { path }, directory: own }, work);
      if (read !== undefined) return read;
    }
    throw tooSmall(key);
  }

  /** @returns undefined when there is no such file */
  #openHere<Result>(here: Here, work: Work<Result>): Result | undefined {
    return withPlace(this.#arena, here.place, (readInto) => {
      const checked = checkedRead(here, readInto, this.#sumOf);
      return work(this.#directory(here, checked), checked);
    });
  }

  #directory(stored: Here, read: CheckedRead): Directory {
    const id = JSON.stringify([stored.place, stored.directory]);
    const known = this.#directories.get(id) ?? loadDirectory(stored, read);
    this.#directories.delete(id);
    this.#directories.set(id, known);
    const [oldest] = this.#directories.keys();
    if (oldest !== undefined && this.#directories.size > DIRECTORIES_MAX) {
      this.#directories.delete(oldest);
    }
    return known;
  }
}

/**
 * Implements `Sets.read`: a damaged set is set aside, and what is then in its place is read: an older version,
 * what another process wrote, or the same where the damage was of one reading alone.
 * @throws {DamagedSet} when that is damaged, too
 */
export async function readOrSetAside(
  sets: Pick<Sets, 'locate' | 'setAside'>,
  key: SetKey,
  read: (stored: StoredSet) => ReadTable | Promise<ReadTable>,
): Promise<ReadTable | undefined> {
  const stored = sets.locate(key);
  if (stored === undefined) return undefined;
  try {
    return await read(stored);
  } catch (error) {
    if (!(error instanceof DamagedSet)) throw error;
    await sets.setAside(stored);
    const again = sets.locate(key);
    return again && (await read(again));
  }
}

/** Fills the target with a region of the set, the checksum of which is right. */
type CheckedRead = (what: string, region: Region, target: Uint8Array) => void;

function checkedRead({ key }: StoredSet, read: ReadInto, sumOf: Checksum): CheckedRead {
  return (what, [at, bytes, sum], target) => {
    if (target.length !== bytes) throw new Error(`BUG: room for ${target.length} of ${bytes}`);
    const got = read(at, target);
    if (got < bytes) throw new DamagedSet(key, `${what} ends after ${got} of ${bytes} bytes`);
    if (sumOf(target) !== sum) throw new DamagedSet(key, `${what} has not the bytes written`);
  };
}

function loadDirectory({ key, directory }: StoredSet, read: CheckedRead): Directory {
  const bytes = Buffer.alloc(directory[1]);
  read('its directory', directory, bytes);
  const found = readDirectory(bytes.toString('latin1'));
  if (found.format !== DIRECTORY_FORMAT) {
    throw new DamagedSet(key, `its format is ${found.format}, not ${DIRECTORY_FORMAT}`);
  }
  if (idOf(found.key) === idOf(key)) return found;
  throw new DamagedSet(key, `its file is that of ${idOf(found.key)}`);
}

/** Columns to read, with constant ones. */
interface Wanted {
  readonly rows: number;
  readonly columns: readonly DirectoryColumn[];
}

function readColumns(arena: Arena, owner: Owner, wanted: Wanted, read: CheckedRead): ReadTable {
  const specs = wanted.columns
    .filter((column) => !('bytes' in column))
    .map(({ name, ...column }): ColumnSpec => {
      return { name, type: 'text' in column || 'texts' in column ? 'u32' : 'f64' };
    });
  const places = placeBytes(wanted);
  const frame = createFrame(arena, specs, wanted.rows, owner);
  let texts = 0;
  try {
    if (places.bytes > 0) texts = arena.allocate(places.bytes, owner);
    for (const column of wanted.columns) {
      if (!('bytes' in column)) readColumn(arena, frame, column, read);
      const offset = places.offsets.get(column.name);
      if (offset !== undefined) readBytes(arena, texts + offset, column, read);
    }
  } catch (error) {
    arena.free(frame.address, frame.bytes);
    if (texts > 0) arena.free(texts, places.bytes);
    throw error;
  }
  const addressesOf = (columns: readonly DirectoryColumn[]): Record<string, number> =>
    Object.fromEntries(
      columns.flatMap(({ name }) => {
        const offset = places.offsets.get(name);
        return offset === undefined ? [] : [[name, texts + offset]];
      }),
    );
  const addresses = {
    frame: frame.address,
    dictionaries: addressesOf(wanted.columns.filter((column) => !('bytes' in column))),
    bytes: addressesOf(wanted.columns.filter((column) => 'bytes' in column)),
  };
  return { table: openTable(arena, addresses), addresses };
}

function readColumn(
  arena: Arena,
  frame: Frame,
  column: Exclude<DirectoryColumn, { type: 'bytes' }>,
  read: CheckedRead,
): void {
  const { name } = column;
  if ('number' in column) return void frame.f64(name).fill(column.number);
  if ('text' in column) return void frame.u32(name).fill(1);
  const wide = 'codes' in column ? frame.u32(name) : frame.f64(name);
  const types = { from: column.type, to: 'codes' in column ? 'u32' : 'f64' } as const;
  const narrow = narrowEnd(arena, wide.byteOffset, wide.length, types);
  read(`column ${name}`, 'codes' in column ? column.codes : column.values, narrow);
  widen(narrow, wide, types.from);
}

interface Places {
  /** Offsets from the start of the run, by the name of a column of texts or bytes. */
  readonly offsets: ReadonlyMap<string, number>;
  readonly bytes: number;
}

/** Dictionaries (columnar/dictionary.ts) and columns of bytes one after the other. */
function placeBytes({ rows, columns }: Wanted): Places {
  const offsets = new Map<string, number>();
  let bytes = 0;
  for (const column of columns) {
    const own = 'bytes' in column ? 4 * (rows + 1) + column.bytes[1] : textBytes(column);
    if (own === 0) continue;
    offsets.set(column.name, bytes);
    bytes += Math.ceil(own / NARROW_BYTES.u32) * NARROW_BYTES.u32;
  }
  return { offsets, bytes };
}

function textBytes(column: DirectoryColumn): number {
  if ('text' in column) return dictionaryBytes(2, Buffer.byteLength(column.text));
  return 'texts' in column ? dictionaryBytes(column.size, column.texts[1]) : 0;
}

/** Heap of a text, without its characters. */
const TEXT_BYTES = 32;

/** The texts as strings; none for a column of numbers. */
function readColumnTexts(column: DirectoryColumn, read: CheckedRead): string[] {
  if (!('texts' in column)) return [];
  const offsets = new Uint32Array(column.offsets[1] / 4);
  const texts = Buffer.alloc(column.texts[1]);
  read(`the dictionary of ${column.name}`, column.offsets, new Uint8Array(offsets.buffer));
  read(`the texts of ${column.name}`, column.texts, texts);
  return Array.from({ length: column.size }, (_, code) => {
    const [start = 0, end = 0] = [offsets[code], offsets[code + 1]];
    spendHeap(end - start + TEXT_BYTES);
    return texts.toString('utf8', start, end);
  });
}

/** Arrow's offsets and texts are a dictionary but for the count before them. */
function readBytes(
  arena: Arena,
  address: number,
  column: DirectoryColumn,
  read: CheckedRead,
): void {
  if ('text' in column) {
    const bytes = Buffer.from(column.text);
    const places = dictionaryPlaces(address, 2);
    arena.u32(address, 1).set([2]);
    arena.u32(places.offsets, 3).set([0, 0, bytes.length]);
    arena.u8(places.bytes, bytes.length).set(bytes);
  } else if ('bytes' in column) {
    const { name, offsets, bytes } = column;
    read(`the offsets of ${name}`, offsets, arena.u8(address, offsets[1]));
    read(`column ${name}`, bytes, arena.u8(address + offsets[1], bytes[1]));
  } else if ('texts' in column) {
    const { name, size, offsets, texts } = column;
    const places = dictionaryPlaces(address, size);
    arena.u32(address, 1).set([size]);
    read(`the dictionary of ${name}`, offsets, arena.u8(places.offsets, offsets[1]));
    read(`the texts of ${name}`, texts, arena.u8(places.bytes, texts[1]));
  }
}
