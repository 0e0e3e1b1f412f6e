/** Order and repeats of rows by name, where names are joined texts. */
import type { Workspace } from './codes.ts';
import { NAME_FIRST, NAME_UNIQUE, NAME_REPEAT } from './layout/constants.ts';
import { ORDER_RECORD } from './layout/text.ts';
import { SLACK_BYTES, storeColumns, type StoredTexts } from './whole-texts.ts';

/**
 * @param parts columns of as many rows each; their texts joined by `/` are the rows' names
 * @returns rows in the order of their names, byte by byte, in the arena; rows of one name stay in the
 *   order in which they came. Undefined if the rows are in order already and no name repeats
 * @throws {ArenaFull} when there is no room
 */
export function orderOfJoined(
  space: Workspace,
  parts: readonly StoredTexts[],
): Uint32Array | undefined {
  const { arena, kernels } = space.engine;
  const names = joinNames(space, parts);
  const { offsets, bytes, rows } = names;
  let order: Uint32Array | undefined;
  if (!names.isAscending) {
    order = arena.u32(arena.allocate(4 * rows, space.owner), rows);
    const size = 2 * ORDER_RECORD.bytes * rows;
    const records = arena.allocate(size, space.owner);
    kernels.orderTexts(offsets, bytes, rows, records, records + size / 2, order.byteOffset);
    arena.free(records, size);
  }
  names.free();
  return order;
}

/** Marks of `repeatsOfJoined`: the name is unique, the row is the first with it, or a further one. */
export const REPEATS: Readonly<Record<'none' | 'first' | 'other', number>> = {
  none: NAME_UNIQUE,
  first: NAME_FIRST,
  other: NAME_REPEAT,
};

export interface Repeats {
  /** REPEATS, a row, in the arena. */
  readonly marks: Uint32Array;
  /** How many names several rows have. */
  readonly names: number;
}

/**
 * @param parts as above
 * @returns undefined where a name is less than the one before it
 * @throws {ArenaFull} when there is no room
 */
export function repeatsOfJoined(
  space: Workspace,
  parts: readonly StoredTexts[],
): Repeats | undefined {
  const { arena, kernels } = space.engine;
  const rows = parts[0]?.codes.length ?? 0;
  const marks = arena.u32(arena.allocate(4 * rows, space.owner), rows);
  const columns = storeColumns(space, parts);
  const names = kernels.markRepeats(columns, parts.length, rows, marks.byteOffset);
  return names < 0 ? undefined : { marks, names };
}

interface JoinedNames {
  /** One u32 for each row and one more, counted from `bytes`. */
  readonly offsets: number;
  readonly bytes: number;
  readonly rows: number;
  readonly isAscending: boolean;
  readonly free: () => void;
}

function joinNames(space: Workspace, parts: readonly StoredTexts[]): JoinedNames {
  const { arena, kernels } = space.engine;
  const rows = parts[0]?.codes.length ?? 0;
  const columns = storeColumns(space, parts);
  const nameBytes = kernels.measureJoined(columns, parts.length, rows) >>> 0;
  const offsetBytes = 8 * Math.ceil((rows + 1) / 2);
  const size = offsetBytes + nameBytes + SLACK_BYTES;
  const offsets = arena.allocate(size, space.owner);
  const bytes = offsets + offsetBytes;
  arena.u32(offsets, 1)[0] = 0;
  const isAscending = kernels.joinTexts(columns, parts.length, rows, offsets, bytes) === 1;
  return { offsets, bytes, rows, isAscending, free: () => arena.free(offsets, size) };
}
