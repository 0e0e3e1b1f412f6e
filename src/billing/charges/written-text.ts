/** Texts that a worker made, in the arena. */
import { storePieces, type Engine, type Owner, type TextPiece } from '../../columnar/index.ts';
import { tooManyItems } from './charge-refusals.ts';

/** Pieces of a text, in order. */
export type WrittenText = readonly TextPiece[];

/** Items of one answer. */
const ITEMS_MAX = 500_000;

/**
 * One text a window.
 * @param pages the shown groups of each window
 * @param write the text in parts
 * @throws {Fault} 422 above 500,000 groups
 * @throws {ArenaFull}
 */
export function writeTexts(
  { arena }: Engine,
  owner: Owner,
  pages: readonly (readonly number[])[],
  write: (groups: readonly number[], window: number) => Iterable<string>,
): WrittenText[] {
  const items = pages.reduce((sum, { length }) => sum + length, 0);
  if (items > ITEMS_MAX) throw tooManyItems(items, ITEMS_MAX);
  return pages.map((groups, window) => storePieces(arena, owner, write(groups, window)));
}
