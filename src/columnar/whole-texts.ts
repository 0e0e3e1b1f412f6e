/**
 * One dictionary for whole columns of a table, made of the dictionaries they have: bytes are copied,
 * no text is looked at. A text that several columns have stands in it several times.
 */
import { addressOf, type Workspace } from './codes.ts';
import { Dictionary } from './dictionary.ts';
import type { TextColumn } from './table.ts';

/** A column whose dictionary lies in the arena. */
export interface StoredTexts {
  readonly codes: Uint32Array;
  readonly texts: Dictionary;
}

export function isStored(column: TextColumn): column is StoredTexts {
  return column.texts instanceof Dictionary;
}

/** What the kernels may touch after a text. */
export const SLACK_BYTES = 16;
const COLUMN_WORDS = 3;

export interface WholeTexts {
  readonly texts: Dictionary;
  /** The code of the first row's name; those of the others follow. */
  readonly firstName: number;
  /** Codes of one of the dictionaries as codes of `texts`. */
  codesOf(dictionary: Dictionary, codes: Uint32Array): Uint32Array;
}

/**
 * @param dictionaries that are to be in it
 * @param parts columns of as many rows each, whose texts joined by `/` are the rows' names
 * @returns undefined where a row's name is not greater than that of the row before, byte by byte
 * @throws {ArenaFull} when there is no room
 */
export function wholeTexts(
  space: Workspace,
  dictionaries: readonly Dictionary[],
  parts: readonly StoredTexts[],
): WholeTexts | undefined {
  const { arena, kernels } = space.engine;
  const rows = parts[0]?.codes.length ?? 0;
  const partsAt = storeColumns(space, parts);
  const nameBytes = kernels.measureJoined(partsAt, parts.length, rows) >>> 0;
  const sources = [...new Map(dictionaries.map((each) => [each.address, each])).values()];
  const room = layOut(space, sources, rows, nameBytes);
  const offsets = room.address + 4 + 4 * room.firstName;
  arena.u32(offsets, 1)[0] = room.nameBytesAt;
  if (kernels.joinTexts(partsAt, parts.length, rows, offsets, room.bytes) === 0) {
    arena.free(room.address, room.size);
    return undefined;
  }
  return {
    texts: new Dictionary(arena, room.address),
    firstName: room.firstName,
    codesOf({ address }, codes) {
      const before = room.before.get(address);
      if (before === undefined) throw new Error(`BUG: no dictionary of ${address} is in it`);
      const out = arena.u32(arena.allocate(4 * codes.length, space.owner), codes.length);
      kernels.shiftCodes(addressOf(space, codes), codes.length, before, out.byteOffset);
      return out;
    },
  };
}

/** As the kernel reads them: codes, offsets, bytes. */
export function storeColumns(
  { engine, owner }: Workspace,
  columns: readonly StoredTexts[],
): number {
  const words = columns.flatMap(({ codes, texts }) => [
    codes.byteOffset,
    texts.at.offsets,
    texts.at.bytes,
  ]);
  const address = engine.arena.allocate(4 * COLUMN_WORDS * columns.length, owner);
  engine.arena.u32(address, words.length).set(words);
  return address;
}

interface Room {
  readonly address: number;
  readonly size: number;
  /** Where the texts' bytes are. */
  readonly bytes: number;
  /** Of each dictionary, how many codes stand before its code 1, less one. */
  readonly before: ReadonlyMap<number, number>;
  readonly firstName: number;
  readonly nameBytesAt: number;
}

/** The dictionaries one after the other, without their code 0, then room for names. */
function layOut(
  { engine: { arena, kernels }, owner }: Workspace,
  sources: readonly Dictionary[],
  names: number,
  nameBytes: number,
): Room {
  const count = sources.reduce((sum, { size }) => sum + size - 1, 1 + names);
  const textBytes = sources.reduce((sum, { bytes }) => sum + bytes.length, nameBytes);
  const size = 8 + 4 * count + textBytes + SLACK_BYTES;
  const address = arena.allocate(size, owner);
  const bytes = address + 8 + 4 * count;
  arena.u32(address, 3).set([count, 0, 0]);
  const before = new Map<number, number>();
  let [code, at] = [1, 0];
  for (const { address: from, size: texts, at: places, bytes: own } of sources) {
    before.set(from, code - 1);
    arena.u8(bytes + at, own.length).set(own);
    kernels.addToAll(places.offsets + 4, texts - 1, at, address + 4 + 4 * code);
    code += texts - 1;
    at += own.length;
  }
  return { address, size, bytes, before, firstName: code, nameBytesAt: at };
}
