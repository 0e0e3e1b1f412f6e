/**
 * The page tables of the arena's allocator. They are in the shared memory itself, behind a lock, so
 * that any thread may allocate.
 */
import {
  CANARIES,
  CANARY,
  CANARY_FILL,
  END,
  FIRST_PAGE,
  FREE,
  GENERATION,
  GENERATION_MAX,
  GENERATION_MIN,
  GENERATIONS,
  GUARD,
  LOCK,
  LOW,
  OWNERS,
  PAGE_BYTES,
  PEAK,
  POISON,
  POISONED_BYTES,
  USED,
} from './arena-memory.ts';
import { Lock } from './lock.ts';

export class PageTable {
  readonly #buffer: SharedArrayBuffer;
  readonly #isChecked: boolean;
  readonly #words: Int32Array;
  readonly #owners: Uint32Array;
  readonly #lock: Lock;
  /** Generation of each page's run, for checks of addresses: 0 for a free page, above GUARD for a guard. */
  readonly generations: Uint32Array;

  constructor(buffer: SharedArrayBuffer, isChecked: boolean) {
    const pages = buffer.byteLength / PAGE_BYTES;
    this.#buffer = buffer;
    this.#isChecked = isChecked;
    this.#words = new Int32Array(buffer);
    this.#owners = new Uint32Array(buffer, OWNERS, pages);
    this.generations = new Uint32Array(buffer, GENERATIONS, pages);
    this.#lock = new Lock(this.#words, LOCK, () => this.#mend());
  }

  /** Pages handed out, and their maximum so far; guards are not counted. */
  get used(): number {
    return Atomics.load(this.#words, USED);
  }

  get peak(): number {
    return Atomics.load(this.#words, PEAK);
  }

  /** Pages that one run could have if all that are free were adjacent: guards take pages, too. */
  get available(): number {
    let free = this.#isChecked ? -1 : 0;
    for (let page = FIRST_PAGE; page < this.#owners.length; page++) {
      if (this.#owners[page] === FREE) free++;
    }
    return Math.max(0, free);
  }

  /** Generation of the page's run; 0 for a free page, above GUARD for a guard. */
  generationOf(page: number): number {
    return this.generations[page] ?? 0;
  }

  /** 0 for a free page. */
  ownerOf(page: number): number {
    return this.#owners[page] ?? FREE;
  }

  pagesOf(owner: number): number {
    let pages = 0;
    this.#eachRun(owner, (first, end) => (pages += this.#pagesIn(first, end)));
    return pages;
  }

  /** Needs the lock. @returns the first page of a run of `pages`, undefined where none is free */
  take(pages: number, owner: number): number | undefined {
    const wanted = this.#isChecked ? pages + 1 : pages;
    const first = this.#firstFit(wanted);
    if (first === 0) return undefined;
    const last = this.#words[GENERATION] ?? 0;
    const isOver = last < GENERATION_MIN || last >= GENERATION_MAX;
    const generation = isOver ? GENERATION_MIN : last + 1;
    this.#words[GENERATION] = generation;
    this.#owners.fill(owner, first, first + wanted);
    this.generations.fill(generation, first, first + pages);
    if (this.#isChecked) this.#guard(first + pages, generation);
    const used = (this.#words[USED] += pages);
    if (used > this.#words[PEAK]) this.#words[PEAK] = used;
    if (first + wanted > this.#words[END]) this.#words[END] = first + wanted;
    return first;
  }

  /** Frees all but the first `left` pages of a run. Needs the lock. @throws {Error} when it is no run */
  free(first: number, pages: number, left: number): void {
    const end = first + pages;
    const generation = this.generationOf(first);
    // Pages of a run are adjacent, and no other run has its generation.
    const isRun = this.generationOf(end - 1) === generation;
    if (generation === 0 || !isRun) {
      throw this.stale(first * PAGE_BYTES, pages * PAGE_BYTES, generation);
    }
    const isGuarded = this.generationOf(end) === GUARD + generation;
    if (!isGuarded) return this.#freePages(first + left, end);
    if (left === 0) return this.#freePages(first, end + 1);
    this.#guard(first + left, generation);
    this.#words[USED] -= 1;
    this.#freePages(first + left + 1, end + 1);
  }

  /** Frees all runs of `owner`. Needs the lock */
  freeAll(owner: number): void {
    if (owner === FREE) throw new Error('BUG: nobody is to be released');
    this.#eachRun(owner, (first, end) => this.#freePages(first, end));
  }

  /** Runs `work` while no other thread changes the tables. */
  locked<T>(work: () => T): T {
    return this.#lock.run(work);
  }

  /** The error for bytes that are not, or no longer, in the run of a generation. */
  stale(place: number, bytes: number, generation: number): Error {
    const [first, last] = [place, place + Math.max(1, bytes) - 1].map((at) => {
      const page = Math.floor(at / PAGE_BYTES);
      return `${this.generationOf(page)} of owner ${this.ownerOf(page)}`;
    });
    return new Error(
      `BUG: ${bytes} bytes at ${place} are not of run ${generation}: there are ${first} and ${last}`,
    );
  }

  #freePages(first: number, end: number): void {
    this.#words[USED] -= this.#pagesIn(first, end);
    if (this.#isChecked) {
      for (let page = first; page < end; page++) {
        if (this.generationOf(page) >= GUARD) this.#checkCanaries(page);
        else this.#poison(page);
      }
    }
    // Before the pages are free: a thread that dies in between leaves no free page before it.
    if (first < this.#low) this.#words[LOW] = first;
    this.#owners.fill(FREE, first, end);
    this.generations.fill(0, first, end);
  }

  /**
   * After any part of `take`, `free` or `freeAll`. The owners tell: what one has stays that owner's until
   * it is released.
   */
  #mend(): void {
    let [used, end] = [0, this.#words[END] ?? 0];
    for (let page = FIRST_PAGE; page < this.#owners.length; page++) {
      if (this.#owners[page] === FREE) this.generations[page] = 0;
      else {
        if (this.generationOf(page) < GUARD) used++;
        end = Math.max(end, page + 1);
      }
    }
    this.#words[USED] = used;
    this.#words[END] = end;
  }

  #pagesIn(first: number, end: number): number {
    if (!this.#isChecked) return end - first;
    let pages = 0;
    for (let page = first; page < end; page++) if (this.generationOf(page) < GUARD) pages++;
    return pages;
  }

  /** A buffer's fill is native: three times as fast as that of a typed array over shared memory. */
  #poison(page: number): void {
    Buffer.from(this.#buffer, page * PAGE_BYTES, POISONED_BYTES).fill(POISON);
  }

  #guard(page: number, generation: number): void {
    // In this order: a thread that dies in between leaves no guard without canaries.
    this.#canariesOf(page).fill(CANARY_FILL);
    this.generations[page] = GUARD + generation;
  }

  #checkCanaries(page: number): void {
    const found = this.#canariesOf(page);
    if (found.equals(CANARIES)) return;
    const at = found.findIndex((byte) => byte !== CANARY);
    throw new Error(
      `BUG: byte ${at} behind a run of owner ${this.ownerOf(page)} was written, page ${page}`,
    );
  }

  #canariesOf(page: number): Buffer {
    return Buffer.from(this.#buffer, page * PAGE_BYTES, CANARIES.length);
  }

  /** No page before this one is free. */
  get #low(): number {
    return Math.max(FIRST_PAGE, this.#words[LOW] ?? 0);
  }

  /**
   * The first page of a free run of `wanted` pages, or 0. Caches fill the low end with thousands of runs, and
   * every thread that allocates waits for this: so the search begins at the first page that can be free.
   */
  #firstFit(wanted: number): number {
    let first = this.#owners.indexOf(FREE, this.#low);
    if (first > 0) this.#words[LOW] = first;
    for (let end; first > 0; first = this.#owners.indexOf(FREE, end)) {
      end = this.#endOfRun(FREE, first, wanted);
      if (end - first === wanted) return first;
    }
    return 0;
  }

  /**
   * Visits the runs of pages that `owner` holds. `indexOf` searches the pages in native code; a loop would
   * be slow until it is compiled.
   */
  #eachRun(owner: number, visit: (first: number, end: number) => void): void {
    const touched = this.#owners.subarray(0, Atomics.load(this.#words, END));
    for (let first = FIRST_PAGE, end; (first = touched.indexOf(owner, first)) > 0; first = end) {
      end = this.#endOfRun(owner, first, Infinity);
      visit(first, end);
    }
  }

  #endOfRun(owner: number, first: number, most: number): number {
    let end = first;
    while (end - first < most && this.#owners[end] === owner) end++;
    return end;
  }
}
