/**
 * One dictionary for several columns of a table, made of their own dictionaries: bytes are copied without
 * comparing texts, so a text of several columns is in it several times.
 */
import { addressOf, type Workspace } from './codes.ts';
import { JOINED_COLUMN } from './layout/text.ts';
import { fillStruct } from '../memory/struct.ts';
import {
  Dictionary,
  layDictionary,
  type LaidDictionary,
  type TextsAt,
} from '../table/dictionary.ts';
import type { TextColumn } from '../table/table.ts';

/** A column with its dictionary in the arena. */
export interface StoredTexts {
  readonly codes: Uint32Array;
  readonly texts: Dictionary;
}

/** Codes, and where their texts are. */
interface TextsInArena {
  readonly codes: Uint32Array;
  readonly texts: { readonly at: TextsAt };
}

export function isStored(column: TextColumn): column is StoredTexts {
  return column.texts instanceof Dictionary;
}

/** Bytes behind a text that the kernels may touch. */
export const SLACK_BYTES = 16;

export interface WholeTexts {
  readonly texts: Dictionary;
  /** The code of the first row's name; the other names follow. */
  readonly firstName: number;
  /** Translates codes of one of the dictionaries to codes of `texts`. */
  codesOf(dictionary: Dictionary, codes: Uint32Array): Uint32Array;
}

/**
 * @param dictionaries the dictionaries to join
 * @param parts columns of as many rows each; their texts joined by `/` are the rows' names
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
  const offsets = room.offsets + 4 * room.firstName;
  arena.u32(offsets, 1)[0] = room.nameBytesAt;
  if (kernels.joinTexts(partsAt, parts.length, rows, offsets, room.bytes) === 0) {
    arena.free(room.address, room.runBytes);
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

/** Writes the columns as the kernel reads them. */
export function storeColumns(
  { engine, owner }: Workspace,
  columns: readonly TextsInArena[],
): number {
  const { arena } = engine;
  const address = arena.allocate(JOINED_COLUMN.bytes * columns.length, owner);
  columns.forEach(({ codes, texts }, i) => {
    const { offsets, bytes } = texts.at;
    const at = address + JOINED_COLUMN.bytes * i;
    fillStruct(arena, at, JOINED_COLUMN, { codes: codes.byteOffset, offsets, bytes });
  });
  return address;
}

interface Room extends LaidDictionary {
  /** For each dictionary the number of codes before its code 1, less one. */
  readonly before: ReadonlyMap<number, number>;
  readonly firstName: number;
  readonly nameBytesAt: number;
}

/** Lays out the dictionaries one after the other, without their code 0, then room for names. */
function layOut(
  { engine: { arena, kernels }, owner }: Workspace,
  sources: readonly Dictionary[],
  names: number,
  nameBytes: number,
): Room {
  const count = sources.reduce((sum, { size }) => sum + size - 1, 1 + names);
  const textBytes = sources.reduce((sum, { bytes }) => sum + bytes.length, nameBytes);
  const laid = layDictionary(arena, owner, count, textBytes + SLACK_BYTES);
  const { offsets, bytes } = laid;
  arena.u32(offsets, 2).fill(0);
  const before = new Map<number, number>();
  let [code, at] = [1, 0];
  for (const { address: from, size: texts, at: places, bytes: own } of sources) {
    before.set(from, code - 1);
    arena.u8(bytes + at, own.length).set(own);
    kernels.addToAll(places.offsets + 4, texts - 1, at, offsets + 4 * code);
    code += texts - 1;
    at += own.length;
  }
  return { ...laid, before, firstName: code, nameBytesAt: at };
}
