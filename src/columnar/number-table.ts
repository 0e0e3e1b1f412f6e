/** Room for tables that kernels enter numbers in (workers/kernels/tuples.ts). */
import type { Workspace } from './codes.ts';

/** @returns where a run of more bytes begins with what the old one has, which is freed */
export function growRun(
  { engine: { arena }, owner }: Workspace,
  address: number,
  bytes: number,
  room: number,
): number {
  const grown = arena.allocate(room, owner);
  if (bytes > 0) {
    arena.u8(grown, bytes).set(arena.u8(address, bytes));
    arena.free(address, bytes);
  }
  return grown;
}

/** Slots for `room` numbers, twice as many at least, with those of the first `count` hashes. */
export function slotsFor(
  { engine: { arena, kernels }, owner }: Workspace,
  hashes: number,
  count: number,
  room: number,
): { slots: number; mask: number } {
  const size = 2 ** Math.ceil(Math.log2(2 * room));
  const slots = arena.allocateZeroed(4 * size, owner);
  kernels.spreadNumbers(hashes, count, slots, size - 1);
  return { slots, mask: size - 1 };
}
