/**
 * The file of a set, or parts of it, made again of rows and pieces (set-rows.ts): the same bytes at the same
 * places. Whether they are those written is for the checksums of the file to say.
 */
import type { DirectoryColumn } from '../arrow/directory.ts';
import { codesOf, numbersOf, textsIn } from '../arrow/file-columns.ts';
import { readSetName, setName } from '../folder/manifest.ts';
import { DamagedSet, type SetKey } from '../set-key.ts';
import { literal, quoted, type ClickHouse } from './client.ts';
import type { CodedTexts } from './native-write.ts';
import { nativeBlocks, type NativeValues, type ReadBlock } from './native-read.ts';
import { PIECES_TABLE, ROW, rowsTable, secondsOf, VERSION } from './tables.ts';
import { FRAME, pieceBytes, type Gap } from './set-rows.ts';

/** One version of a set, of which nothing ever changes. */
export interface SetVersion {
  readonly key: SetKey;
  readonly version: number;
}

/** The name of its file, from which all is known that finds it. */
export function fileName({ key, version }: SetVersion): string {
  return setName(key, version, 0);
}

/** @returns undefined for a name that no file of a set has */
export function readFileName(name: string): SetVersion | undefined {
  const read = readSetName(name);
  return read && { key: read.key, version: read.generation };
}

/** Bytes of the file, and where they are in it. */
export interface FilePart {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Columns that are read by one question: with a million rows some 100 MB are held. */
const COLUMNS_AT_ONCE = 12;

/** The file but for its columns. @throws {DamagedSet} where it is gone */
export async function frameParts(server: ClickHouse, set: SetVersion): Promise<FilePart[]> {
  const frame = (await pieces(server, set, [FRAME])).get(FRAME);
  if (frame === undefined) throw new DamagedSet(set.key, 'its frame is missing');
  const headEnd = frame.indexOf(0x0a);
  let from = headEnd + 1;
  const gaps = JSON.parse(frame.toString('latin1', 0, headEnd)) as Gap[];
  return gaps.map(([at, length]) => ({ at, bytes: frame.subarray(from, (from += length)) }));
}

/** All that the file has of these columns. @throws {DamagedSet} where rows are missing */
export async function* columnParts(
  server: ClickHouse,
  set: SetVersion,
  rows: number,
  columns: readonly DirectoryColumn[],
): AsyncGenerator<FilePart> {
  const stored = columns.filter((column) => 'type' in column);
  for (let i = 0; i < stored.length; i += COLUMNS_AT_ONCE) {
    yield* partsAtOnce(server, set, rows, stored.slice(i, i + COLUMNS_AT_ONCE));
  }
}

/** Only the texts of these columns, without the codes. @throws {DamagedSet} where they are gone */
export async function* dictionaryParts(
  server: ClickHouse,
  set: SetVersion,
  columns: readonly DirectoryColumn[],
): AsyncGenerator<FilePart> {
  const coded = columns.filter((column) => 'codes' in column);
  if (coded.length === 0) return;
  const found = await pieces(
    server,
    set,
    coded.map(({ name }) => name),
  );
  for (const column of coded) {
    const texts = found.get(column.name);
    if (texts === undefined)
      throw new DamagedSet(set.key, `the texts of ${column.name} are missing`);
    yield { at: column.offsets[0], bytes: texts.subarray(0, column.offsets[1]) };
    const end = column.offsets[1] + column.texts[1];
    yield { at: column.texts[0], bytes: texts.subarray(column.offsets[1], end) };
  }
}

async function* partsAtOnce(
  server: ClickHouse,
  set: SetVersion,
  rows: number,
  columns: readonly DirectoryColumn[],
): AsyncGenerator<FilePart> {
  const dictionaries = new Map<number, Uint8Array>();
  for await (const part of dictionaryParts(server, set, columns)) {
    dictionaries.set(part.at, part.bytes);
    yield part;
  }
  const gathered = columns.map((column) => gatherer(column, rows, dictionaries));
  let seen = 0;
  for await (const block of rowBlocks(server, set, columns)) {
    const [places, ...values] = block.columns;
    const at = placesOf(places);
    if (at.max >= rows) throw new DamagedSet(set.key, `it has more than its ${rows} rows`);
    gathered.forEach((each, i) => each.add(at, values[i]));
    seen += block.rows;
  }
  if (seen !== rows) throw new DamagedSet(set.key, `${seen} of its ${rows} rows are there`);
  for (const each of gathered) yield* each.parts();
}

/** Where rows of a block belong. */
interface Places {
  readonly rows: Uint32Array;
  readonly max: number;
  /** Whether each is one behind the one before, as long as the server has not merged them. */
  readonly isRun: boolean;
}

function placesOf(column: NativeValues | undefined): Places {
  const rows = column?.values;
  if (!(rows instanceof Uint32Array)) throw new Error('BUG: rows without their numbers');
  const first = rows[0] ?? 0;
  let [max, isRun] = [0, true];
  for (const [i, row] of rows.entries()) {
    if (row > max) max = row;
    if (row !== first + i) isRun = false;
  }
  return { rows, max, isRun };
}

/** The table that has the rows of a set, and the condition that chooses them. */
export function rowsOf(
  server: ClickHouse,
  { key, version }: SetVersion,
): { readonly table: string; readonly where: string } {
  const where = `windowStart = toDateTime(${secondsOf(key.startMs)}) AND ${VERSION} = ${version}`;
  return { table: server.table(rowsTable(key.kind)), where };
}

async function* rowBlocks(
  server: ClickHouse,
  { key, version }: SetVersion,
  columns: readonly DirectoryColumn[],
): AsyncGenerator<ReadBlock> {
  const names = [ROW, ...columns.map(({ name }) => name)].map(quoted).join(', ');
  const what = `read ${rowsTable(key.kind)}`;
  const { table, where } = rowsOf(server, { key, version });
  const sql = `SELECT ${names} FROM ${table} WHERE ${where}`;
  yield* nativeBlocks(await server.blocks(what, sql), what);
}

/** Pieces of a set by their names, as far as they are there. */
export async function pieces(
  server: ClickHouse,
  { version }: Pick<SetVersion, 'version'>,
  names: readonly string[],
): Promise<Map<string, Buffer>> {
  const what = 'read pieces of a set';
  const sql = `SELECT piece, bytes FROM ${server.table(PIECES_TABLE)}
    WHERE version = ${version} AND piece IN (${names.map(literal).join(', ')})`;
  const found = new Map<string, Buffer>();
  for await (const { columns } of nativeBlocks(await server.blocks(what, sql), what)) {
    const [keys, bytes] = columns.map(({ values }) => values as readonly Uint8Array[]);
    for (const [i, key] of (keys ?? []).entries()) {
      found.set(Buffer.from(key).toString(), await pieceBytes(bytes?.[i] ?? key));
    }
  }
  return found;
}

/** Puts values of rows, which come in any order, where the file has them. */
interface Gatherer {
  add(places: Places, values: NativeValues | undefined): void;
  parts(): Iterable<FilePart>;
}

function gatherer(
  column: DirectoryColumn,
  rows: number,
  dictionaries: ReadonlyMap<number, Uint8Array>,
): Gatherer {
  if ('codes' in column) return codeGatherer(column, dictionaries);
  if ('bytes' in column) return bytesGatherer(column, rows);
  if ('values' in column) return numberGatherer(column);
  throw new Error(`BUG: ${column.name} has no values in rows`);
}

function numberGatherer({
  type,
  values: [at, length],
}: Extract<DirectoryColumn, { values: unknown }>): Gatherer {
  const gathered = numbersOf(type, new ArrayBuffer(length));
  return {
    add(places, column) {
      const values = column?.values;
      if (!(values instanceof Float64Array)) throw notOf('numbers');
      scatter(values, places, gathered);
    },
    parts: () => [{ at, bytes: new Uint8Array(gathered.buffer) }],
  };
}

function codeGatherer(
  column: Extract<DirectoryColumn, { codes: unknown }>,
  dictionaries: ReadonlyMap<number, Uint8Array>,
): Gatherer {
  const gathered = codesOf(column.type, new ArrayBuffer(column.codes[1]));
  const texts = dictionaries.get(column.texts[0]) ?? new Uint8Array(0);
  const offsets = Uint8Array.from(dictionaries.get(column.offsets[0]) ?? []);
  const codeOf = new Map(textsIn(offsets.buffer, texts).map((text, code) => [keyOf(text), code]));
  return {
    add(places, found) {
      const values = found?.values;
      if (values === undefined || !('codes' in values)) throw notOf('texts');
      // A text that the dictionary does not have is none of the set: its checksum will tell.
      const own = Uint32Array.from(values.texts, (text) => codeOf.get(keyOf(text)) ?? 0);
      scatter(recoded(values.codes, own), places, gathered);
    },
    parts: () => [{ at: column.codes[0], bytes: new Uint8Array(gathered.buffer) }],
  };
}

function recoded(codes: CodedTexts['codes'], own: Uint32Array): Uint32Array {
  const recoded = new Uint32Array(codes.length);
  for (let i = 0; i < codes.length; i++) recoded[i] = own[codes[i] ?? 0] ?? 0;
  return recoded;
}

type Numbers = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

function scatter(values: Numbers, { rows, isRun }: Places, into: Numbers): void {
  if (isRun) return into.set(values, rows[0] ?? 0);
  for (let i = 0; i < values.length; i++) into[rows[i] ?? 0] = values[i] ?? 0;
}

function keyOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}

function bytesGatherer(
  { offsets, bytes }: Extract<DirectoryColumn, { bytes: unknown }>,
  rows: number,
): Gatherer {
  const gathered = Array<Uint8Array>(rows).fill(new Uint8Array(0));
  return {
    add(places, found) {
      const values = found?.values;
      if (!Array.isArray(values)) throw notOf('bytes');
      for (const [i, value] of (values as Uint8Array[]).entries())
        gathered[places.rows[i] ?? 0] = value;
    },
    *parts() {
      const ends = new Int32Array(rows + 1);
      gathered.forEach((value, row) => (ends[row + 1] = (ends[row] ?? 0) + value.length));
      const all = Buffer.concat(gathered);
      yield { at: offsets[0], bytes: new Uint8Array(ends.buffer) };
      yield { at: bytes[0], bytes: all.subarray(0, bytes[1]) };
    },
  };
}

function notOf(kind: string): Error {
  return new Error(`BUG: a column of ${kind} came as another type`);
}
