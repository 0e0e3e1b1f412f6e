/**
 * Texts of columns as codes of an index (text-index.ts), by kernels: only texts that some row has are looked
 * up, each once, and none becomes a string.
 */
import { addressOf, codesIn, mapCodes, numberPairs, splitPairs, type Workspace } from './codes.ts';
import { ORDER_RECORD } from './layout/text.ts';
import { SLACK_BYTES, storeColumns, type StoredTexts } from './whole-texts.ts';
import { Dictionary, DictionaryBuilder, type TextsAt } from '../table/dictionary.ts';
import type { TextColumn } from '../table/table.ts';
import type { TextIndex } from './text-index.ts';

/** A column by numbers that rows of one text share. */
export interface NumberedTexts {
  /** A number a row, in the arena. */
  readonly rows: Uint32Array;
  /** The code of each number's text. */
  readonly codes: Uint32Array;
}

/** @returns numbers in the order in which texts first appear, after 0 for the empty text */
export function numberTexts(
  space: Workspace,
  { codes, texts }: TextColumn,
  index: TextIndex,
): NumberedTexts {
  const { arena, kernels } = space.engine;
  const { length } = codes;
  const rows = arena.u32(arena.allocate(4 * length, space.owner), length);
  const seen = arena.allocateZeroed(4 * texts.size, space.owner);
  const listed = arena.allocate(4 * (length + 1), space.owner);
  const from = addressOf(space, codes);
  const count = kernels.numberCodes(from, length, seen, listed, rows.byteOffset) >>> 0;
  arena.free(seen, 4 * texts.size);
  const known = arena.u32(listed, count);
  const found =
    texts instanceof Dictionary
      ? withListed(space, texts.at, known, (at) => index.mergeAt(at, space.owner))
      : index.codes(Array.from(known, (code) => texts.text(code)));
  arena.free(listed, 4 * (length + 1));
  return { rows, codes: found };
}

/** The code in the index of each text that some row has, in the order of the texts; 0 for others. */
export function codesByText(
  space: Workspace,
  { codes, texts }: TextColumn,
  index: TextIndex,
): Uint32Array {
  const { arena, kernels } = space.engine;
  const { size } = texts;
  const found = arena.u32(arena.allocateZeroed(4 * size, space.owner), size);
  const used = codesIn(space, codes, size);
  if (texts instanceof Dictionary) {
    const { offsets, bytes } = texts.at;
    const [marks, out] = [used.byteOffset, found.byteOffset];
    index.addAll(size, (from) =>
      kernels.addUsed(index.state, offsets, bytes, marks, size, from, out),
    );
    return found;
  }
  const listed = Array.from(used.keys()).filter((code) => used[code] === 1);
  const added = index.codes(listed.map((code) => texts.text(code)));
  for (const [i, code] of listed.entries()) found[code] = added[i] ?? 0;
  return found;
}

/** The column's texts as codes of the index. */
export function codesOfTexts(space: Workspace, column: TextColumn, index: TextIndex): Uint32Array {
  if (column.texts === index) return column.codes;
  const { rows, codes } = numberTexts(space, column, index);
  return mapCodes(space, rows, codes);
}

/**
 * Texts of two columns joined by `separator`; the second's alone where the first's is empty, and `other` where the
 * second's is.
 * @param other ASCII
 */
export function numberJoined(
  space: Workspace,
  columns: readonly [TextColumn, TextColumn],
  { separator, other }: { readonly separator: string; readonly other: string },
  index: TextIndex,
): NumberedTexts {
  const { arena, kernels } = space.engine;
  const [left, right] = columns;
  const { rows, pairs } = numberPairs(space, left.codes, right.codes);
  const [lefts, rights] = splitPairs(space, pairs);
  const parts = [
    inArena(space, { codes: lefts, texts: left.texts }),
    inArena(space, { codes: rights, texts: right.texts }),
  ];
  const count = pairs.length / 2;
  const at = storeColumns(space, parts);
  const length = (kernels.measureJoined(at, 2, count) >>> 0) + count * other.length;
  const names = room(space, count, length);
  const otherAt = arena.allocate(other.length, space.owner);
  arena.text(otherAt, other.length).write(other, 'latin1');
  const byte = separator.charCodeAt(0);
  kernels.joinPairs(at, count, byte, otherAt, other.length, names.offsets, names.bytes);
  arena.free(otherAt, other.length);
  const found = index.mergeAt({ ...names, size: count, length }, space.owner);
  arena.free(names.offsets, names.runBytes);
  return { rows, codes: found };
}

/** Codes of the texts of columns of codes of the index, joined by `/`. */
export function joinCodes(
  space: Workspace,
  parts: readonly Uint32Array[],
  index: TextIndex,
): Uint32Array {
  const { arena, kernels } = space.engine;
  const count = parts[0]?.length ?? 0;
  const at = storeColumns(
    space,
    parts.map((codes) => ({ codes: arena.u32(addressOf(space, codes), count), texts: index })),
  );
  const length = kernels.measureJoined(at, parts.length, count) >>> 0;
  const names = room(space, count, length);
  arena.u32(names.offsets, 1)[0] = 0;
  kernels.joinTexts(at, parts.length, count, names.offsets, names.bytes);
  const found = index.mergeAt({ ...names, size: count, length }, space.owner);
  arena.free(names.offsets, names.runBytes);
  return found;
}

/** Places of `codes` in the order of their texts, as strings are compared. */
export function orderOfTexts(
  space: Workspace,
  codes: Uint32Array,
  index: TextIndex,
): readonly number[] | Uint32Array {
  const { arena, kernels } = space.engine;
  const bytes = 2 * ORDER_RECORD.bytes * codes.length;
  return withListed(space, index.at, codes, (at) => {
    // Beyond ASCII, strings are not in the order of their bytes.
    if (kernels.isPlain(at.bytes, at.length, NO_BYTE) === 0) return orderOfStrings(codes, index);
    const records = arena.allocate(bytes, space.owner);
    const order = arena.u32(arena.allocate(4 * codes.length, space.owner), codes.length);
    const spare = records + bytes / 2;
    kernels.orderTexts(at.offsets, at.bytes, codes.length, records, spare, order.byteOffset);
    arena.free(records, bytes);
    return order;
  });
}

const NO_BYTE = 256;

function orderOfStrings(codes: Uint32Array, index: TextIndex): number[] {
  const texts = Array.from(codes, (code) => index.text(code));
  return [...texts.keys()].sort((a, b) => ((texts[a] ?? '') < (texts[b] ?? '') ? -1 : 1));
}

/** Does work with a copy of the listed texts, one after the other. @param listed codes, in the arena */
function withListed<Result>(
  space: Workspace,
  from: TextsAt,
  listed: Uint32Array,
  work: (texts: TextsAt) => Result,
): Result {
  const { arena, kernels } = space.engine;
  const [size, codes] = [listed.length, addressOf(space, listed)];
  const offsetBytes = 4 * (size + 1);
  const offsets = arena.allocate(offsetBytes, space.owner);
  const length = kernels.placeTexts(from.offsets, codes, size, offsets) >>> 0;
  const bytes = arena.allocate(length + SLACK_BYTES, space.owner);
  kernels.copyTexts(from.offsets, from.bytes, codes, size, bytes);
  const result = work({ offsets, bytes, size, length });
  arena.free(offsets, offsetBytes);
  arena.free(bytes, length + SLACK_BYTES);
  return result;
}

interface TextRoom extends Pick<TextsAt, 'offsets' | 'bytes'> {
  readonly runBytes: number;
}

/** Room for so many texts of so many bytes, in a run of its own. */
function room({ engine, owner }: Workspace, size: number, length: number): TextRoom {
  const offsetBytes = 4 * (size + 1);
  const runBytes = offsetBytes + length + SLACK_BYTES;
  const offsets = engine.arena.allocate(runBytes, owner);
  return { offsets, bytes: offsets + offsetBytes, runBytes };
}

function inArena(space: Workspace, { codes, texts }: TextColumn): StoredTexts {
  if (texts instanceof Dictionary) return { codes, texts };
  const copy = new DictionaryBuilder();
  const by = copy.merge(texts);
  return { codes: mapCodes(space, codes, by), texts: copy.store(space.engine.arena, space.owner) };
}
