/**
 * The memory of the arena, and what stands where in it:
 *
 *   0        statics of the kernels (read-only tables)
 *   256 KiB  allocator: [lock, used, peak, end, generation, checked], an i32 each
 *   320 KiB  one u16 an owner's slot: the generation of the owner alive in it, 0 for none
 *   512 KiB  one u32 a page: its owner, 0 for a free one
 *   768 KiB  one u32 a page: the generation of the run that it is of
 *   1 MiB    pages of 64 KiB, handed out in runs, first fit from the low end
 */

/** Runs are whole pages. */
export const PAGE_BYTES: number = 65536;
export const LOCK: number = (256 * 1024) >> 2;
export const USED: number = LOCK + 1;
export const PEAK: number = LOCK + 2;
/** No page from here on was ever handed out. */
export const END: number = LOCK + 3;
export const GENERATION: number = LOCK + 4;
export const CHECKED: number = LOCK + 5;
export const SLOTS: number = 320 * 1024;
export const SLOTS_MAX: number = 65536;
export const OWNERS: number = 512 * 1024;
export const GENERATIONS: number = 768 * 1024;
export const FIRST_PAGE: number = 16;
export const FREE: number = 0;

/**
 * Addresses are whole numbers in [2^48, 2^53): 32 bits of place below 21 of generation. No time in ms is as
 * large, so that one that stands where an address should is seen.
 */
export const PLACES: number = 2 ** 32;
export const GENERATION_MIN: number = 2 ** 16;
export const GENERATION_MAX: number = 2 ** 21 - 1;
export const ADDRESS_MIN: number = GENERATION_MIN * PLACES;
/** Generations of owners, above 16 bits of slot: an owner is a small integer of V8. */
export const OWNER_GENERATION_MAX: number = 2 ** 14 - 1;
/** A page of CANARY bytes: what stands in the generations' table above a generation. */
export const GUARD: number = 2 ** 31;

/** As a count it is too many, as an address beyond most memories, as a number -3.2e134. */
export const POISON: number = 0xdbdbdbdb;
export const CANARY: number = 0xc5;
export const CANARIES: Buffer = Buffer.alloc(PAGE_BYTES, CANARY);

/** The arena's memory; can be posted to other threads. */
export type ArenaMemory = WebAssembly.Memory;

/**
 * A shared memory of `bytes` (rounded up to 64 KiB, 2 MiB to 4 GiB). It costs nothing until touched.
 * @param isChecked whether its arenas poison what is freed and put canaries between runs
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
