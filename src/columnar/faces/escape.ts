/** Texts of a dictionary, escaped as rows write them (workers/kernels/text/escape.ts). */
import type { Owner } from '../memory/arena.ts';
import { addressOf, type Workspace } from './codes.ts';
import type { Dictionary, TextsAt } from '../table/dictionary.ts';
import type { Engine } from '../kernels.ts';
import { FORM_CSV, FORM_JSON } from './layout/constants.ts';
import { RowSet } from '../table/row-set.ts';

/** A JSON string with its quotes, or a cell of CSV with quotes where it needs them. */
export type TextForm = 'json' | 'csv';

const FORMS: Readonly<Record<TextForm, number>> = { json: FORM_JSON, csv: FORM_CSV };

/** Bytes behind a text that the kernels may touch. */
const SLACK_BYTES = 16;

/**
 * Escapes the texts that rows of `columns` have, each once; other texts are empty.
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
