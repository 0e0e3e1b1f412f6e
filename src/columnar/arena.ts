/**
 * The column arena: one shared WebAssembly.Memory that every thread and every kernel sees.
 *
 *   0        statics of the kernels (read-only tables)
 *   256 KiB  allocator: [lock, pages, used, peak, end, generation, checked], an i32 each
 *   320 KiB  one u16 an owner's slot: the generation of the owner alive in it, 0 for none
 *   512 KiB  one u32 a page: its owner, 0 for a free one
 *   768 KiB  one u32 a page: the generation of the run that it is of
 *   1 MiB    pages of 64 KiB, handed out in runs, first fit from the low end
 *
 * Each run belongs to an owner (a request, a stored set, a worker); `release(owner)` frees all of
 * an owner's runs at once, so that nothing a stopped or crashed task held can leak. First fit from
 * the low end keeps the touched part of the memory, and so the resident size, small.
 *
 * Each run has a generation, and an address carries that of its run above its 32 bits: so a view by an
 * address whose run was freed since is an error, also where the pages are another's by now. Kernels and
 * columns of u32 take the low 32 bits of an address by themselves.
 *
 * In checked memory, besides, freed pages are overwritten (POISON), a page of CANARY stands behind each
 * run and is looked at when the run is freed.
 *
 * Any thread may allocate: the allocator's tables live in the memory itself, behind a spin lock.
 */
/** Runs are whole pages. */
export const PAGE_BYTES: number = 65536;
const HEADER = 256 * 1024;
const LOCK = HEADER >> 2;
const PAGES = LOCK + 1;
const USED = LOCK + 2;
const PEAK = LOCK + 3;
/** No page from here on was ever handed out. */
const END = LOCK + 4;
const GENERATION = LOCK + 5;
const CHECKED = LOCK + 6;
const SLOTS = 320 * 1024;
const SLOTS_MAX = 65536;
const OWNERS = 512 * 1024;
const GENERATIONS = 768 * 1024;
const FIRST_PAGE = 16;
const FREE = 0;

/**
 * Addresses are whole numbers in [2^48, 2^53): 32 bits of place below 21 of generation. No time in ms is as
 * large, so that one that stands where an address should is seen.
 */
const PLACES = 2 ** 32;
const GENERATION_MIN = 2 ** 16;
const GENERATION_MAX = 2 ** 21 - 1;
const ADDRESS_MIN = GENERATION_MIN * PLACES;
/** Generations of owners, above 16 bits of slot: an owner is a small integer of V8. */
const OWNER_GENERATION_MAX = 2 ** 14 - 1;
/** A page of CANARY bytes: what stands in the generations' table above a generation. */
const GUARD = 2 ** 31;

/** As a count it is too many, as an address beyond most memories, as a number -1.5e131. */
const POISON = 0xdbdbdbdb;
const CANARY = 0xc5;
const CANARIES: Buffer = Buffer.alloc(PAGE_BYTES, CANARY);

/** The arena's memory; can be posted to other threads. */
export type ArenaMemory = WebAssembly.Memory;

/** An owner's number, in [1, 2^30). Those below 65,536 are nobody's to take: they live for ever. */
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

/** Whether `value` is an address with a generation, and no count, time or place. */
export function isAddress(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= ADDRESS_MIN;
}

export class Arena {
  readonly memory: WebAssembly.Memory;
  readonly buffer: SharedArrayBuffer;
  /** What is freed is overwritten, and canaries stand between runs. */
  readonly isChecked: boolean;
  readonly #words: Int32Array;
  readonly #slots: Uint16Array;
  readonly #owners: Uint32Array;
  readonly #generations: Uint32Array;

  /** Attaches to `memory`; the first thread to do so formats it. */
  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
    this.buffer = memory.buffer as SharedArrayBuffer;
    const pages = this.buffer.byteLength / PAGE_BYTES;
    this.#words = new Int32Array(this.buffer);
    this.#slots = new Uint16Array(this.buffer, SLOTS, SLOTS_MAX);
    this.#owners = new Uint32Array(this.buffer, OWNERS, pages);
    this.#generations = new Uint32Array(this.buffer, GENERATIONS, pages);
    this.isChecked = this.#words[CHECKED] === 1;
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
    this.#eachRun(owner, (first, end) => (pages += this.#pagesIn(first, end)));
    return pages * PAGE_BYTES;
  }

  /** The most bytes that were ever handed out at once. */
  get peakBytes(): number {
    return Atomics.load(this.#words, PEAK) * PAGE_BYTES;
  }

  /**
   * The address of a free run of at least `bytes`, 64 KiB aligned, not zeroed.
   * @throws {ArenaFull} when there is none
   * @throws {Error} when `owner` was given back
   */
  allocate(bytes: number, owner: Owner): number {
    const pages = pagesOf(bytes);
    const wanted = this.isChecked ? pages + 1 : pages;
    return this.#locked(() => {
      this.#checkAlive(owner);
      const first = this.#firstFit(wanted);
      if (first === 0) throw new ArenaFull(bytes, this.capacityBytes - this.usedBytes);
      const last = this.#words[GENERATION] ?? 0;
      const generation =
        last < GENERATION_MIN || last === GENERATION_MAX ? GENERATION_MIN : last + 1;
      this.#words[GENERATION] = generation;
      this.#owners.fill(owner, first, first + wanted);
      this.#generations.fill(generation, first, first + pages);
      if (this.isChecked) this.#guard(first + pages, generation);
      const used = (this.#words[USED] += pages);
      if (used > this.#words[PEAK]) this.#words[PEAK] = used;
      if (first + wanted > this.#words[END]) this.#words[END] = first + wanted;
      return generation * PLACES + first * PAGE_BYTES;
    });
  }

  /** Like `allocate`, zeroed. */
  allocateZeroed(bytes: number, owner: Owner): number {
    const address = this.allocate(bytes, owner);
    // Runs are whole pages. Bytes of shared memory would be filled one by one: 1.5 GB/s, not 12.
    this.f64(address, Math.ceil(bytes / 8)).fill(0);
    return address;
  }

  /**
   * Frees the run at `address` that `allocate(bytes, …)` gave.
   * @throws {Error} when it is not, or no more, a run of so many bytes
   */
  free(address: number, bytes: number): void {
    const first = this.placeOf(address, bytes) / PAGE_BYTES;
    this.#locked(() => this.#freePages(first, this.#checkedEnd(first, pagesOf(bytes))));
  }

  /** Frees what a run of `bytes` has beyond its first `used` bytes. */
  shrink(address: number, bytes: number, used: number): void {
    const first = this.placeOf(address, bytes) / PAGE_BYTES;
    const kept = first + pagesOf(used);
    if (kept >= first + pagesOf(bytes)) return;
    this.#locked(() => {
      const end = this.#checkedEnd(first, pagesOf(bytes));
      if (this.isChecked) this.#guard(kept, this.#generations[first] ?? 0);
      this.#freePages(this.isChecked ? kept + 1 : kept, end);
    });
  }

  /** Frees everything `owner` holds. */
  release(owner: Owner): void {
    this.#locked(() => {
      if (owner === FREE) throw new Error('BUG: nobody is to be released');
      this.#eachRun(owner, (first, end) => this.#freePages(first, end));
    });
  }

  /**
   * Where `address` is in the memory: its low 32 bits.
   * @param bytes from it on, all of which must be of one run
   * @throws {Error} when the run was freed, or ends before
   */
  placeOf(address: number, bytes: number = 1): number {
    const generation = Math.floor(address / PLACES);
    const place = address >>> 0;
    if (generation > 0 && bytes > 0) {
      const first = this.#generations[place >>> 16];
      const last = this.#generations[Math.floor((place + bytes - 1) / PAGE_BYTES)];
      if (first !== generation || last !== generation) throw this.#stale(place, bytes, generation);
    }
    return place;
  }

  /** @throws {Error} when an address is neither of its run any more nor that run's end */
  checkPointer(address: number): void {
    const page = this.#generations[((address >>> 0) - 1) >>> 16];
    if (page !== Math.floor(address / PLACES)) this.placeOf(address);
  }

  /**
   * The address that a place has now: what `placeOf` gave, or a view's offset.
   * @throws {Error} when it is of no run
   */
  addressAt(place: number): number {
    const generation = this.#generations[place >>> 16] ?? 0;
    if (generation === 0 || generation >= GUARD) throw this.#stale(place, 1, 0);
    return generation * PLACES + (place >>> 0);
  }

  /** @param runs of some of their pages, the page's number and the run's generation @throws {Error} where one was freed */
  checkRuns(runs: Uint32Array): void {
    for (let i = 0; i < runs.length; i += 2) {
      const page = runs[i] ?? 0;
      const generation = runs[i + 1] ?? 0;
      if (this.#generations[page] !== generation) {
        throw this.#stale(page * PAGE_BYTES, PAGE_BYTES, generation);
      }
    }
  }

  /** The owner of the page at `address`; 0 for a free one. @throws {Error} when its run was freed */
  ownerOf(address: number): Owner {
    return this.#owners[this.placeOf(address) >>> 16] ?? FREE;
  }

  /** Begins an owner of the next generation in `slot`. */
  begin(slot: number, generation: number): Owner {
    Atomics.store(this.#slots, slot, generation);
    return (generation << 16) | slot;
  }

  /** From now on nothing can be allocated for `owner`. @throws {Error} when it ended before */
  end(owner: Owner): void {
    this.#checkAlive(owner);
    Atomics.store(this.#slots, owner & 0xffff, 0);
  }

  u8(address: number, length: number): Uint8Array {
    return new Uint8Array(this.buffer, this.placeOf(address, length), length);
  }

  u16(address: number, length: number): Uint16Array {
    return new Uint16Array(this.buffer, this.placeOf(address, 2 * length), length);
  }

  u32(address: number, length: number): Uint32Array {
    return new Uint32Array(this.buffer, this.placeOf(address, 4 * length), length);
  }

  i32(address: number, length: number): Int32Array {
    return new Int32Array(this.buffer, this.placeOf(address, 4 * length), length);
  }

  f64(address: number, length: number): Float64Array {
    return new Float64Array(this.buffer, this.placeOf(address, 8 * length), length);
  }

  /** Bytes that can be read and written as text. */
  text(address: number, length: number): Buffer {
    return Buffer.from(this.buffer, this.placeOf(address, length), length);
  }

  #checkAlive(owner: Owner): void {
    const generation = owner >>> 16;
    if (owner === FREE || (generation > 0 && this.#slots[owner & 0xffff] !== generation)) {
      throw new Error(`BUG: owner ${owner} was given back`);
    }
  }

  /** @returns the end of the run, its guard included */
  #checkedEnd(first: number, pages: number): number {
    const end = first + pages;
    const generation = this.#generations[first] ?? 0;
    const isRun = this.#generations.subarray(first, end).every((each) => each === generation);
    if (generation === 0 || !isRun) {
      throw this.#stale(first * PAGE_BYTES, pages * PAGE_BYTES, generation);
    }
    return this.#generations[end] === GUARD + generation ? end + 1 : end;
  }

  #freePages(first: number, end: number): void {
    this.#words[USED] -= this.#pagesIn(first, end);
    if (this.isChecked) {
      for (let page = first; page < end; page++) this.#checkCanaries(page);
      new Uint32Array(this.buffer, first * PAGE_BYTES, ((end - first) * PAGE_BYTES) / 4).fill(
        POISON,
      );
    }
    this.#owners.fill(FREE, first, end);
    this.#generations.fill(0, first, end);
  }

  /** Without guards: they are not counted. */
  #pagesIn(first: number, end: number): number {
    let pages = 0;
    for (let page = first; page < end; page++) if ((this.#generations[page] ?? 0) < GUARD) pages++;
    return pages;
  }

  #guard(page: number, generation: number): void {
    this.#generations[page] = GUARD + generation;
    Buffer.from(this.buffer, page * PAGE_BYTES, PAGE_BYTES).set(CANARIES);
  }

  #checkCanaries(page: number): void {
    if ((this.#generations[page] ?? 0) < GUARD) return;
    const found = Buffer.from(this.buffer, page * PAGE_BYTES, PAGE_BYTES);
    if (found.equals(CANARIES)) return;
    const at = found.findIndex((byte) => byte !== CANARY);
    const owner = this.#owners[page];
    throw new Error(`BUG: owner ${owner} wrote ${at} bytes behind its run at page ${page}`);
  }

  #stale(place: number, bytes: number, generation: number): Error {
    const [first, last] = [place, place + Math.max(1, bytes) - 1].map((at) => {
      const page = Math.floor(at / PAGE_BYTES);
      return `${this.#generations[page]} of owner ${this.#owners[page]}`;
    });
    return new Error(
      `BUG: ${bytes} bytes at ${place} are not of run ${generation}: there are ${first} and ${last}`,
    );
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

  #locked<T>(work: () => T): T {
    while (Atomics.compareExchange(this.#words, LOCK, 0, 1) !== 0) {
      Atomics.wait(this.#words, LOCK, 1, 1);
    }
    try {
      return work();
    } finally {
      Atomics.store(this.#words, LOCK, 0);
      Atomics.notify(this.#words, LOCK, 1);
    }
  }
}

function pagesOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / PAGE_BYTES));
}

/**
 * Hands out owner numbers, and knows who addresses whose memory; one per process, on the main thread.
 * What an owner has is freed when the owner is, or, where others hold it, when the last of them is.
 */
export class Owners {
  readonly #arena: Arena;
  readonly #alive: Map<Owner, Alive> = new Map();
  /** By slot: how many owners it had. */
  readonly #generations: Uint16Array = new Uint16Array(SLOTS_MAX);
  readonly #slots: Set<number> = new Set();
  #next = 0;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** @throws {Error} when 65,536 owners are alive at once */
  take(): Owner {
    if (this.#slots.size >= SLOTS_MAX) throw new Error('BUG: 65,536 owners are alive');
    do this.#next = (this.#next + 1) % SLOTS_MAX;
    while (this.#slots.has(this.#next));
    const slot = this.#next;
    this.#slots.add(slot);
    const generation = ((this.#generations[slot] ?? 0) % OWNER_GENERATION_MAX) + 1;
    this.#generations[slot] = generation;
    const owner = this.#arena.begin(slot, generation);
    this.#alive.set(owner, { isFreed: false, holders: 0, held: new Set() });
    return owner;
  }

  /** What `held` has stays until `holder` is freed as well. */
  hold(holder: Owner, held: Owner): void {
    const { held: already } = this.#of(holder);
    if (holder === held || already.has(held)) return;
    this.#of(held).holders++;
    already.add(held);
  }

  /** The owners whose memory stays for `owner`'s sake. */
  heldBy(owner: Owner): readonly Owner[] {
    return [...this.#of(owner).held];
  }

  /**
   * Ends an owner: nothing more is allocated for it, and what it has is freed, with what it held, as
   * soon as nobody holds it.
   * @throws {Error} when it was freed before
   */
  free(owner: Owner): void {
    const alive = this.#of(owner);
    if (alive.isFreed) throw new Error(`BUG: owner ${owner} is freed twice`);
    alive.isFreed = true;
    this.#arena.end(owner);
    this.#settle(owner, alive);
  }

  /** Frees what an owner has and what it held, for what it is to have instead. */
  clear(owner: Owner): void {
    const alive = this.#of(owner);
    if (alive.isFreed || alive.holders > 0) throw new Error(`BUG: owner ${owner} is held`);
    this.#arena.release(owner);
    this.#letGo(alive.held);
  }

  #settle(owner: Owner, { isFreed, holders, held }: Alive): void {
    if (!isFreed || holders > 0) return;
    this.#arena.release(owner);
    this.#alive.delete(owner);
    this.#slots.delete(owner & 0xffff);
    this.#letGo(held);
  }

  #letGo(held: Set<Owner>): void {
    for (const each of held) {
      const of = this.#of(each);
      of.holders--;
      this.#settle(each, of);
    }
    held.clear();
  }

  #of(owner: Owner): Alive {
    const alive = this.#alive.get(owner);
    if (alive === undefined) throw new Error(`BUG: owner ${owner} was given back`);
    return alive;
  }
}

interface Alive {
  isFreed: boolean;
  /** Owners that hold it. */
  holders: number;
  readonly held: Set<Owner>;
}
