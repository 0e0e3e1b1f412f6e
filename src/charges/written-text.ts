/** Texts that a worker made, in the arena. */
import type { Engine, Owner } from '../columnar/index.ts';
import { tooManyItems } from './charge-refusals.ts';

/** UTF-8. */
export interface WrittenText {
  readonly address: number;
  readonly bytes: number;
}

/** Items of one answer. */
const ITEMS_MAX = 500_000;

/**
 * One text a window.
 * @param pages of each window the groups that are shown
 * @throws {Fault} 422 above 500,000 groups
 * @throws {ArenaFull}
 */
export function writeTexts(
  engine: Engine,
  owner: Owner,
  pages: readonly (readonly number[])[],
  write: (groups: readonly number[], window: number) => string,
): WrittenText[] {
  const items = pages.reduce((sum, { length }) => sum + length, 0);
  if (items > ITEMS_MAX) throw tooManyItems(items, ITEMS_MAX);
  return pages.map((groups, window) => storeText(engine, owner, write(groups, window)));
}

/** @throws {ArenaFull} */
export function storeText({ arena }: Engine, owner: Owner, text: string): WrittenText {
  const bytes = Buffer.byteLength(text);
  const address = arena.allocate(bytes, owner);
  Buffer.from(arena.buffer, address, bytes).write(text);
  return { address, bytes };
}
