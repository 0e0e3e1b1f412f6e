/**
 * Who has which pages of the arena: the tables of the allocator, which lie in the memory itself behind a
 * spin lock, so that any thread may allocate.
 */
import {
  CANARIES,
  CANARY,
  END,
  FIRST_PAGE,
  FREE,
  GENERATION,
  GENERATION_MAX,
  GENERATION_MIN,
  GENERATIONS,
  GUARD,
  LOCK,
  OWNERS,
  PAGE_BYTES,
  PEAK,
  POISON,
  USED,
} from './arena-memory.ts';

export class PageTable {
  readonly #buffer: SharedArrayBuffer;
  readonly #isChecked: boolean;
  readonly #words: Int32Array;
  readonly #owners: Uint32Array;
  /** By page, for who looks at each address: 0 for a free page, above GUARD for a guard. */
  readonly generations: Uint32Array;

  constructor(buffer: SharedArrayBuffer, isChecked: boolean) {
    const pages = buffer.byteLength / PAGE_BYTES;
    this.#buffer = buffer;
    this.#isChecked = isChecked;
    this.#words = new Int32Array(buffer);
    this.#owners = new Uint32Array(buffer, OWNERS, pages);
    this.generations = new Uint32Array(buffer, GENERATIONS, pages);
  }

  /** Pages handed out now, and the most that ever were; guards are not counted. */
  get used(): number {
    return Atomics.load(this.#words, USED);
  }

  get peak(): number {
    return Atomics.load(this.#words, PEAK);
  }

  /** Generation of the run that a page is of; 0 for a free one, above GUARD for a guard. */
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

  /** @returns the first page of a run of `pages`, undefined where none is free. In the lock */
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

  /** Frees what a run of `pages` has beyond its first `kept`. In the lock @throws {Error} where it is none */
  free(first: number, pages: number, kept: number): void {
    const end = first + pages;
    const generation = this.generationOf(first);
    // Pages of one run lie together, and no other has its generation.
    const isRun = this.generationOf(end - 1) === generation;
    if (generation === 0 || !isRun) {
      throw this.stale(first * PAGE_BYTES, pages * PAGE_BYTES, generation);
    }
    const isGuarded = this.generationOf(end) === GUARD + generation;
    if (!isGuarded) return this.#freePages(first + kept, end);
    if (kept === 0) return this.#freePages(first, end + 1);
    this.#guard(first + kept, generation);
    this.#words[USED] -= 1;
    this.#freePages(first + kept + 1, end + 1);
  }

  /** Frees all that `owner` has. In the lock */
  freeAll(owner: number): void {
    if (owner === FREE) throw new Error('BUG: nobody is to be released');
    this.#eachRun(owner, (first, end) => this.#freePages(first, end));
  }

  /** Runs `work` while no other thread changes the tables. */
  locked<T>(work: () => T): T {
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

  /** What is said of bytes that are not, or no more, of the run of a generation. */
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
      for (let page = first; page < end; page++) this.#checkCanaries(page);
      new Uint32Array(this.#buffer, first * PAGE_BYTES, ((end - first) * PAGE_BYTES) / 4).fill(
        POISON,
      );
    }
    this.#owners.fill(FREE, first, end);
    this.generations.fill(0, first, end);
  }

  #pagesIn(first: number, end: number): number {
    if (!this.#isChecked) return end - first;
    let pages = 0;
    for (let page = first; page < end; page++) if (this.generationOf(page) < GUARD) pages++;
    return pages;
  }

  #guard(page: number, generation: number): void {
    this.generations[page] = GUARD + generation;
    Buffer.from(this.#buffer, page * PAGE_BYTES, PAGE_BYTES).set(CANARIES);
  }

  #checkCanaries(page: number): void {
    if (this.generationOf(page) < GUARD) return;
    const found = Buffer.from(this.#buffer, page * PAGE_BYTES, PAGE_BYTES);
    if (found.equals(CANARIES)) return;
    const at = found.findIndex((byte) => byte !== CANARY);
    throw new Error(
      `BUG: byte ${at} behind a run of owner ${this.ownerOf(page)} was written, page ${page}`,
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
