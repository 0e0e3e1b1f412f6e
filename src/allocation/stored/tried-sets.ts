/**
 * Sets of an answer that are made once before its first byte, so that one that does not fit the arena
 * breaks no answer that has begun. The size of a set is estimated from its rows.
 */
import type { Arena, Owner } from '../../columnar/index.ts';

/** A row takes no more as a rule, grouped and ready to be written, texts included. */
export const ROW_BYTES = 1500;
/** Columns take whole pages each, however few the rows are: so much where assets are reconciled. */
const SET_BYTES_MIN = 20 << 20;
/** Part of the arena: where a set may take more, the one with most rows is tried, */
const TRIED_SHARE = 1 / 16;
/** and must leave so much to those with as many. */
const MARGIN_SHARE = 1 / 6;
/** Where a set may take as much as this, each is tried, */
const SCARCE_SHARE = 1 / 4;
/** and must leave so much, to readers. */
const LEAST_MARGIN_BYTES = 1 << 20;
const PIECE_BYTES = 1 << 20;

export interface Tries {
  /** The sets' places, in their order. */
  readonly places: readonly number[];
  /** Bytes of the arena that the first set, too, must leave free. */
  readonly marginBytes: number;
}

/** @param rows of each set, in the answer's order */
export function toTry(rows: readonly number[], capacityBytes: number): Tries {
  const most = Math.max(0, ...rows);
  const mostBytes = Math.max(SET_BYTES_MIN, ROW_BYTES * most);
  // A single set that does not fit fails before the first byte anyway.
  const isSmall = mostBytes <= TRIED_SHARE * capacityBytes;
  if (rows.length < 2 || isSmall) return { places: [], marginBytes: 0 };
  const isScarce = mostBytes > SCARCE_SHARE * capacityBytes;
  if (isScarce) return { places: [...rows.keys()], marginBytes: LEAST_MARGIN_BYTES };
  return { places: [rows.indexOf(most)], marginBytes: Math.floor(MARGIN_SHARE * capacityBytes) };
}

/**
 * Works while `bytes` more are taken, in pieces: readers that stand still have theirs all over the arena.
 * @param owner the caller frees its memory after a failure
 */
export async function beside<T>(
  arena: Arena,
  owner: Owner,
  bytes: number,
  work: () => Promise<T>,
): Promise<T> {
  const pieces = Array.from({ length: Math.ceil(bytes / PIECE_BYTES) }, () =>
    arena.allocate(PIECE_BYTES, owner),
  );
  const made = await work();
  for (const piece of pieces) arena.free(piece, PIECE_BYTES);
  return made;
}
