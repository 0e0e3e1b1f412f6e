/** Rows by their names, which are joined of texts: their order, and which have one name. */
import type { Workspace } from './codes.ts';
import { SLACK_BYTES, storeColumns, type StoredTexts } from './whole-texts.ts';

/** As in workers/kernels/order.ts. */
const RECORD_BYTES = 16;

/**
 * @param parts columns of as many rows each, whose texts joined by `/` are the rows' names
 * @returns rows in the order of their names, byte by byte, in the arena; those of one name stay in
 *   the order in which they came. Undefined where each name is greater than the one before it
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
    const size = 2 * RECORD_BYTES * rows;
    const records = arena.allocate(size, space.owner);
    kernels.orderTexts(offsets, bytes, rows, records, records + size / 2, order.byteOffset);
    arena.free(records, size);
  }
  names.free();
  return order;
}

/** What `alikeJoined` tells of a row. */
export const ALIKE = { none: 0, first: 1, other: 2 } as const;

/**
 * @param parts as above
 * @returns ALIKE of each row, in the arena: whether others have its name. Undefined where a name is
 *   less than the one before it
 * @throws {ArenaFull} when there is no room
 */
export function alikeJoined(
  space: Workspace,
  parts: readonly StoredTexts[],
): Uint32Array | undefined {
  const { arena, kernels } = space.engine;
  const { offsets, bytes, rows, free } = joinNames(space, parts);
  const alike = arena.u32(arena.allocate(4 * rows, space.owner), rows);
  const names = kernels.tellAlike(offsets, bytes, rows, alike.byteOffset);
  free();
  return names < 0 ? undefined : alike;
}

interface JoinedNames {
  /** u32 a row and one more, counted from `bytes`. */
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
