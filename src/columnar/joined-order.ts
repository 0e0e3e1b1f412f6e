/** The order of rows by names that are joined of their texts, byte by byte. */
import type { Workspace } from './codes.ts';
import { SLACK_BYTES, storeColumns, type StoredTexts } from './whole-texts.ts';

/** As in workers/kernels/order.ts. */
const RECORD_BYTES = 16;

/**
 * @param parts columns of as many rows each, whose texts joined by `/` are the rows' names
 * @returns rows in the order of their names, in the arena; those of one name stay in the order in
 *   which they came. Undefined where each name is greater than the one before it
 * @throws {ArenaFull} when there is no room
 */
export function orderOfJoined(
  space: Workspace,
  parts: readonly StoredTexts[],
): Uint32Array | undefined {
  const { arena, kernels } = space.engine;
  const rows = parts[0]?.codes.length ?? 0;
  const columns = storeColumns(space, parts);
  const nameBytes = kernels.measureJoined(columns, parts.length, rows) >>> 0;
  const recordBytes = RECORD_BYTES * rows;
  const offsetBytes = 8 * Math.ceil((rows + 1) / 2);
  const size = 2 * recordBytes + offsetBytes + nameBytes + SLACK_BYTES;
  const records = arena.allocate(size, space.owner);
  const offsets = records + 2 * recordBytes;
  const bytes = offsets + offsetBytes;
  arena.u32(offsets, 1)[0] = 0;
  const isAscending = kernels.joinTexts(columns, parts.length, rows, offsets, bytes) === 1;
  let order: Uint32Array | undefined;
  if (!isAscending) {
    order = arena.u32(arena.allocate(4 * rows, space.owner), rows);
    kernels.orderTexts(offsets, bytes, rows, records, records + recordBytes, order.byteOffset);
  }
  arena.free(records, size);
  return order;
}
