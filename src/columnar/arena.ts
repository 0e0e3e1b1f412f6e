/**
 * The column arena: one shared WebAssembly.Memory that every thread and every kernel sees.
 *
 *   0        statics of the kernels (read-only tables)
 *   512 KiB  allocator: [lock i32, pages i32, used i32, peak i32, end i32], then one u16 owner a page
 *   1 MiB    pages of 64 KiB, handed out in runs, first fit from the low end
 *
 * Each run belongs to an owner (a request, a stored set, a worker); `release(owner)` frees all of
 * an owner's runs at once, so that nothing a stopped or crashed task held can leak. First fit from
 * the low end keeps the touched part of the memory, and so the resident size, small.
 *
 * Any thread may allocate: the allocator's tables live in the memory itself, behind a spin lock.
 */
const PAGE_BYTES = 65536;
const HEADER = 512 * 1024;
const LOCK = HEADER >> 2;
const PAGES = LOCK + 1;
const USED = LOCK + 2;
const PEAK = LOCK + 3;
/** No page from here on was ever handed out. */
const END = LOCK + 4;
const OWNERS = HEADER + 64;
const FIRST_PAGE = 16;
const FREE = 0;

/** The arena's memory; can be posted to other threads. */
export type ArenaMemory = WebAssembly.Memory;

/** An owner's number, in [1, 65535]. */
export type Owner = number;

/** The arena has no free run of the size asked for. */
export class ArenaFull extends Error {
  readonly wantedBytes: number;
  readonly freeBytes: number;
  constructor(wantedBytes: number, freeBytes: number) {
    super(`the memory budget is spent: ${wantedBytes} bytes wanted, ${freeBytes} free`);
    this.name = 'ArenaFull';
    this.wantedBytes = wantedBytes;
    this.freeBytes = freeBytes;
  }
}

/** A shared memory of `bytes` (rounded up to 64 KiB, 2 MiB to 4 GiB). It costs nothing until touched. */
export function createMemory(bytes: number): WebAssembly.Memory {
  const pages = Math.min(65536, Math.max(32, Math.ceil(bytes / PAGE_BYTES)));
  return new WebAssembly.Memory({ initial: pages, maximum: 65536, shared: true });
}

export class Arena {
  readonly memory: WebAssembly.Memory;
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #owners: Uint16Array;

  /** Attaches to `memory`; the first thread to do so formats it. */
  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
    this.buffer = memory.buffer as SharedArrayBuffer;
    const pages = this.buffer.byteLength / PAGE_BYTES;
    this.#words = new Int32Array(this.buffer);
    this.#owners = new Uint16Array(this.buffer, OWNERS, pages);
    Atomics.compareExchange(this.#words, PAGES, 0, pages);
  }

  /** Bytes that can be handed out in all. */
  get capacityBytes(): number {
    return this.buffer.byteLength - FIRST_PAGE * PAGE_BYTES;
  }

  /** Bytes handed out now. */
  get usedBytes(): number {
    return Atomics.load(this.#words, USED) * PAGE_BYTES;
  }

  /** Bytes that `owner` holds. */
  bytesOf(owner: Owner): number {
    let pages = 0;
    this.#eachRun(owner, (first, end) => (pages += end - first));
    return pages * PAGE_BYTES;
  }

  /** The most bytes that were ever handed out at once. */
  get peakBytes(): number {
    return Atomics.load(this.#words, PEAK) * PAGE_BYTES;
  }

  /**
   * The address of a free run of at least `bytes`, 64 KiB aligned, not zeroed.
   * @throws {ArenaFull} when there is none
   */
  allocate(bytes: number, owner: Owner): number {
    const wanted = Math.max(1, Math.ceil(bytes / PAGE_BYTES));
    this.#lock();
    const first = this.#firstFit(wanted);
    if (first > 0) {
      this.#owners.fill(owner, first, first + wanted);
      const used = (this.#words[USED] += wanted);
      if (used > this.#words[PEAK]) this.#words[PEAK] = used;
      if (first + wanted > this.#words[END]) this.#words[END] = first + wanted;
    }
    this.#unlock();
    if (first === 0) throw new ArenaFull(bytes, this.capacityBytes - this.usedBytes);
    return first * PAGE_BYTES;
  }

  /** Like `allocate`, zeroed. */
  allocateZeroed(bytes: number, owner: Owner): number {
    const address = this.allocate(bytes, owner);
    // Runs are whole pages. Bytes of shared memory would be filled one by one: 1.5 GB/s, not 12.
    this.f64(address, Math.ceil(bytes / 8)).fill(0);
    return address;
  }

  /** Frees the run at `address` that `allocate(bytes, …)` gave. */
  free(address: number, bytes: number): void {
    const first = address / PAGE_BYTES;
    const pages = Math.max(1, Math.ceil(bytes / PAGE_BYTES));
    this.#lock();
    this.#owners.fill(FREE, first, first + pages);
    this.#words[USED] -= pages;
    this.#unlock();
  }

  /** Frees what a run of `bytes` has beyond its first `used` bytes. */
  shrink(address: number, bytes: number, used: number): void {
    const kept = Math.max(1, Math.ceil(used / PAGE_BYTES)) * PAGE_BYTES;
    if (kept < bytes) this.free(address + kept, bytes - kept);
  }

  /** Frees everything `owner` holds. */
  release(owner: Owner): void {
    this.#lock();
    let freed = 0;
    this.#eachRun(owner, (first, end) => {
      this.#owners.fill(FREE, first, end);
      freed += end - first;
    });
    this.#words[USED] -= freed;
    this.#unlock();
  }

  u8(address: number, length: number): Uint8Array {
    return new Uint8Array(this.buffer, address, length);
  }

  u32(address: number, length: number): Uint32Array {
    return new Uint32Array(this.buffer, address, length);
  }

  i32(address: number, length: number): Int32Array {
    return new Int32Array(this.buffer, address, length);
  }

  f64(address: number, length: number): Float64Array {
    return new Float64Array(this.buffer, address, length);
  }

  /** The first page of a free run of `wanted` pages, or 0. */
  #firstFit(wanted: number): number {
    for (
      let first = FIRST_PAGE, end;
      (first = this.#owners.indexOf(FREE, first)) > 0;
      first = end
    ) {
      end = this.#endOfRun(FREE, first, wanted);
      if (end - first === wanted) return first;
    }
    return 0;
  }

  /**
   * Visits the runs of pages that `owner` holds. `indexOf` goes over the pages in native code, where
   * a loop takes milliseconds before it is compiled; over all 65,536 it takes 40 µs.
   */
  #eachRun(owner: Owner, visit: (first: number, end: number) => void): void {
    const touched = this.#owners.subarray(0, Atomics.load(this.#words, END));
    for (let first = FIRST_PAGE, end; (first = touched.indexOf(owner, first)) > 0; first = end) {
      end = this.#endOfRun(owner, first, Infinity);
      visit(first, end);
    }
  }

  #endOfRun(owner: Owner, first: number, most: number): number {
    let end = first;
    while (end - first < most && this.#owners[end] === owner) end++;
    return end;
  }

  #lock(): void {
    while (Atomics.compareExchange(this.#words, LOCK, 0, 1) !== 0) {
      Atomics.wait(this.#words, LOCK, 1, 1);
    }
  }

  #unlock(): void {
    Atomics.store(this.#words, LOCK, 0);
    Atomics.notify(this.#words, LOCK, 1);
  }
}

/** Hands out owner numbers; one per process, on the main thread. */
export class Owners {
  readonly #taken: Set<Owner> = new Set();
  #next = 1;

  /** @throws {Error} when 65,535 owners are alive at once */
  take(): Owner {
    if (this.#taken.size >= 65535) throw new Error('BUG: 65,535 owners are alive');
    while (this.#taken.has(this.#next)) this.#next = (this.#next % 65535) + 1;
    this.#taken.add(this.#next);
    return this.#next;
  }

  giveBack(owner: Owner): void {
    this.#taken.delete(owner);
  }
}
