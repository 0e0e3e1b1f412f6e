/** Texts of a dictionary in the form that rows are written in (workers/kernels/escape.ts). */
import type { Owner } from './arena.ts';
import { addressOf, type Workspace } from './codes.ts';
import type { Dictionary, TextsAt } from './dictionary.ts';
import type { Engine } from './kernels.ts';
import { RowSet } from './row-set.ts';

const FORMS = { json: 0, csv: 1 } as const;

/** A JSON string with its quotes, or a cell of CSV with those it needs. */
export type TextForm = keyof typeof FORMS;

/** What the kernels may touch after a text. */
const SLACK_BYTES = 16;

/**
 * The texts that `columns` have codes of, escaped once each; other texts are empty.
 * @param columns codes of `texts`
 * @throws {ArenaFull} when there is no room
 */
export function escapeTexts(
  engine: Engine,
  owner: Owner,
  texts: Dictionary,
  columns: readonly Uint32Array[],
  form: TextForm,
): TextsAt {
  const { arena, kernels } = engine;
  const { size, at } = texts;
  const used = markUsed({ engine, owner }, size, columns);
  const offsets = arena.allocate(4 * (size + 1), owner);
  const kind = FORMS[form];
  const total = kernels.measureTexts(kind, at.offsets, at.bytes, used.address, size, offsets);
  const bytes = arena.allocate(total + SLACK_BYTES, owner);
  kernels.escapeTexts(kind, at.offsets, at.bytes, size, offsets, bytes);
  arena.free(used.address, used.bytes);
  return { offsets, bytes, size, length: total };
}

function markUsed(
  space: Workspace,
  size: number,
  columns: readonly Uint32Array[],
): { address: number; bytes: number } {
  const { arena, kernels } = space.engine;
  const bytes = 4 * RowSet.wordsOf(size);
  const address = arena.allocateZeroed(bytes, space.owner);
  for (const codes of columns) kernels.markBits(addressOf(space, codes), codes.length, address);
  return { address, bytes };
}
