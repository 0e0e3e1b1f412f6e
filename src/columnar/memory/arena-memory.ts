/**
 * The memory of the arena, and its layout:
 *
 *   0        statics of the kernels (read-only tables)
 *   256 KiB  allocator: [lock, used, peak, end, generation, checked, low], an i32 each
 *   320 KiB  one u16 for each slot of owners: the generation of its living owner, 0 for none
 *   512 KiB  one u32 for each page: its owner, 0 for a free one
 *   768 KiB  one u32 for each page: the generation of its run
 *   1 MiB    pages of 64 KiB, handed out in runs, first fit from the low end
 */

/** Runs are whole pages. */
export const PAGE_BYTES: number = 65536;
export const LOCK: number = (256 * 1024) >> 2;
export const USED: number = LOCK + 1;
export const PEAK: number = LOCK + 2;
/** The word with the first page that was never handed out. */
export const END: number = LOCK + 3;
export const GENERATION: number = LOCK + 4;
export const CHECKED: number = LOCK + 5;
/** The word with a page before which none is free; 0 before the first run. */
export const LOW: number = LOCK + 6;
export const SLOTS: number = 320 * 1024;
export const SLOTS_MAX: number = 65536;
export const OWNERS: number = 512 * 1024;
export const GENERATIONS: number = 768 * 1024;
export const FIRST_PAGE: number = 16;
export const FREE: number = 0;

/**
 * Addresses are whole numbers in [2^48, 2^53): 32 bits of place below 21 bits of generation. No time in
 * ms is that large, so a time in the place of an address is noticed.
 */
export const PLACES: number = 2 ** 32;
export const GENERATION_MIN: number = 2 ** 16;
export const GENERATION_MAX: number = 2 ** 21 - 1;
export const ADDRESS_MIN: number = GENERATION_MIN * PLACES;
/** Generations of owners, above 16 bits of slot: so an owner is a small integer of V8. */
export const OWNER_GENERATION_MAX: number = 2 ** 14 - 1;
/** Marks a page that begins with CANARY bytes: added to its generation in the table. */
export const GUARD: number = 2 ** 31;

/** Too many as a count, beyond most memories as an address, -3.2e134 as a number. */
export const POISON: Buffer = Buffer.alloc(4, 0xdb);
/** As much of each freed page is poisoned: small sets have a page for each of their columns. */
export const POISONED_BYTES: number = 4096;
export const CANARY: number = 0xc5;
/** They stand at the beginning of a guard, where what writes behind a run writes first. */
export const CANARIES: Buffer = Buffer.alloc(1024, CANARY);
/** Filling with it is native, and twice as fast as copying CANARIES to shared memory. */
export const CANARY_FILL: Buffer = CANARIES.subarray(0, 4);

/** The arena's memory; can be posted to other threads. */
export type ArenaMemory = WebAssembly.Memory;

/**
 * A shared memory of `bytes` (rounded up to 64 KiB, 2 MiB to 4 GiB). It takes no RAM until touched.
 * @param isChecked whether its arenas poison freed pages and put canaries between runs
 */
export function createMemory(
  bytes: number,
  isChecked: boolean = process.env['CHECK_MEMORY'] === 'true',
): WebAssembly.Memory {
  const pages = Math.min(65536, Math.max(32, Math.ceil(bytes / PAGE_BYTES)));
  const memory = new WebAssembly.Memory({ initial: pages, maximum: 65536, shared: true });
  if (isChecked) new Int32Array(memory.buffer)[CHECKED] = 1;
  return memory;
}
