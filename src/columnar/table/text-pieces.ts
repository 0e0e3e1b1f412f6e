/** Texts that are written one after the other, in the arena: of all of them the heap has a piece. */
import { setImmediate } from 'node:timers/promises';
import type { Arena, Owner } from '../memory/arena.ts';

/** UTF-8. */
export interface TextPiece {
  readonly address: number;
  readonly bytes: number;
}

const PIECE_CHARS = 2 ** 20;

/**
 * The texts joined, in pieces of about 1 MiB.
 * @throws {ArenaFull} when there is no room
 */
export function storePieces(arena: Arena, owner: Owner, texts: Iterable<string>): TextPiece[] {
  const pieces: TextPiece[] = [];
  let text = '';
  for (const one of texts) {
    text += one;
    if (text.length < PIECE_CHARS) continue;
    pieces.push(storeText(arena, owner, text));
    text = '';
  }
  if (text !== '') pieces.push(storeText(arena, owner, text));
  return pieces;
}

/** @throws {ArenaFull} when there is no room */
export function storeText(arena: Arena, owner: Owner, text: string): TextPiece {
  const bytes = Buffer.byteLength(text);
  const address = arena.allocate(bytes, owner);
  arena.text(address, bytes).write(text);
  return { address, bytes };
}

/** @throws {ArenaFull} when there is no room */
export function storeBytes(arena: Arena, owner: Owner, bytes: Uint8Array): TextPiece {
  const address = arena.allocate(Math.max(1, bytes.length), owner);
  arena.u8(address, bytes.length).set(bytes);
  return { address, bytes: bytes.length };
}

/** A copy, made with pauses in which the thread serves others: what it is copied from may be released. */
export async function bytesOfPieces(
  arena: Arena,
  pieces: readonly TextPiece[],
): Promise<Uint8Array> {
  const total = pieces.reduce((sum, { bytes }) => sum + bytes, 0);
  const all = Buffer.allocUnsafeSlow(total);
  let at = 0;
  for (const { address, bytes } of pieces) {
    all.set(arena.u8(address, bytes), at);
    at += bytes;
    if (pieces.length > 1) await setImmediate();
  }
  return all;
}

/** Plain data, for another thread: as JSON, so that neither has more than a piece of it twice. */
export function storeValues(
  arena: Arena,
  owner: Owner,
  values: Iterable<unknown>,
  pieceChars: number = PIECE_CHARS,
): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let text = '';
  for (const value of values) {
    text += `${text === '' ? '[' : ','}${JSON.stringify(value)}`;
    if (text.length < pieceChars) continue;
    pieces.push(storeText(arena, owner, `${text}]`));
    text = '';
  }
  if (text !== '') pieces.push(storeText(arena, owner, `${text}]`));
  return pieces;
}

/** What `storeValues` stored, a piece at a time. */
export function* valuesIn<Value>(
  arena: Arena,
  pieces: readonly TextPiece[],
): Generator<readonly Value[], void> {
  for (const { address, bytes } of pieces) {
    yield JSON.parse(arena.text(address, bytes).toString()) as readonly Value[];
  }
}

/** What texts are joined by between them. */
export function* joinedBy(separator: string, texts: Iterable<string>): Generator<string> {
  let before = '';
  for (const text of texts) {
    yield before + text;
    before = separator;
  }
}
