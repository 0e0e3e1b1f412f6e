/** Texts that are written one after the other, in the arena: of all of them the heap has a piece. */
import type { Arena, Owner } from './arena.ts';

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

/** What texts are joined by between them. */
export function* joinedBy(separator: string, texts: Iterable<string>): Generator<string> {
  let before = '';
  for (const text of texts) {
    yield before + text;
    before = separator;
  }
}
