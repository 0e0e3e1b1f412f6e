/** Room for hash tables of kernels (workers/kernels/columns/tuples.ts). */
import type { Workspace } from './codes.ts';

/** Moves a run to a larger one and frees it. @returns the address of the larger one */
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

/** At least twice as many slots as `room`, with the numbers of the first `count` hashes entered. */
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
