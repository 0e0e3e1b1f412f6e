/** Texts in the arena, for workers: one of some 100 KB that went along with each question would cost more. */
import type { Arena, Owner } from '../../columnar/index.ts';

export interface TextAt {
  readonly address: number;
  readonly bytes: number;
}

/** @throws {ArenaFull} when there is no room */
export function storeText(arena: Arena, text: string, owner: Owner): TextAt {
  const bytes = Buffer.byteLength(text);
  const address = arena.allocate(bytes, owner);
  arena.text(address, bytes).write(text);
  return { address, bytes };
}

/** In any thread. */
export function readText(arena: Arena, { address, bytes }: TextAt): string {
  return arena.text(address, bytes).toString();
}
