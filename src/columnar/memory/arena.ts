/**
 * The column arena: one shared WebAssembly.Memory that every thread and every kernel sees.
 *
 * Memory is handed out in runs of pages, each with an owner (a request, a stored set, a worker).
 * `release(owner)` frees all of an owner's runs at once, so that memory of a stopped or crashed task
 * cannot leak. First fit from the low end keeps the touched part of the memory, and so the resident
 * size, small.
 *
 * Each run has a generation, and an address carries the generation of its run above its 32 bits: so a
 * view by an address of a freed run is an error, also if its pages have been handed out again. Kernels
 * and columns of u32 take only the low 32 bits of an address.
 *
 * In checked memory, freed pages are also overwritten, and each run is followed by a page of canaries,
 * which is checked when the run is freed.
 */
import {
  ADDRESS_MIN,
  CHECKED,
  FIRST_PAGE,
  FREE,
  GUARD,
  PAGE_BYTES,
  PLACES,
  SLOTS,
  SLOTS_MAX,
} from './arena-memory.ts';
import { PageTable } from './page-table.ts';

/** An owner's number, in [1, 2^30). Owners below 65,536 are never handed out: they live for ever. */
export type Owner = number;

/** The arena has no free run of the requested size. */
export class ArenaFull extends Error {
  readonly wantedBytes: number;
  /** What one run could have if all that is free were in one piece. */
  readonly freeBytes: number;
  constructor(wantedBytes: number, freeBytes: number) {
    super(`the memory budget is spent: ${wantedBytes} bytes wanted, ${freeBytes} free`);
    this.name = 'ArenaFull';
    this.wantedBytes = wantedBytes;
    this.freeBytes = freeBytes;
  }
}

/** Whether `value` is an address with a generation, not a count, time or place. */
export function isAddress(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= ADDRESS_MIN;
}

export class Arena {
  readonly memory: WebAssembly.Memory;
  readonly buffer: SharedArrayBuffer;
  /** Freed pages are overwritten, and canaries are put between runs. */
  readonly isChecked: boolean;
  readonly #slots: Uint16Array;
  readonly #pages: PageTable;
  readonly #generations: Uint32Array;

  /** Attaches to `memory`, which is all zeros before the first run. */
  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
    this.buffer = memory.buffer as SharedArrayBuffer;
    this.isChecked = new Int32Array(this.buffer)[CHECKED] === 1;
    this.#slots = new Uint16Array(this.buffer, SLOTS, SLOTS_MAX);
    this.#pages = new PageTable(this.buffer, this.isChecked);
    this.#generations = this.#pages.generations;
  }

  /** Bytes that can be handed out in total. */
  get capacityBytes(): number {
    return this.buffer.byteLength - FIRST_PAGE * PAGE_BYTES;
  }

  /** Bytes that are handed out. */
  get usedBytes(): number {
    return this.#pages.used * PAGE_BYTES;
  }

  /** Bytes that `owner` holds. */
  bytesOf(owner: Owner): number {
    return this.#pages.pagesOf(owner) * PAGE_BYTES;
  }

  /** The maximum of bytes handed out at once. */
  get peakBytes(): number {
    return this.#pages.peak * PAGE_BYTES;
  }

  /**
   * The address of a free run of at least `bytes`, 64 KiB aligned, not zeroed.
   * @throws {ArenaFull} when there is none
   * @throws {Error} when `owner` was given back
   */
  allocate(bytes: number, owner: Owner): number {
    return this.#pages.locked(() => {
      this.#checkAlive(owner);
      const first = this.#pages.take(pagesOf(bytes), owner);
      if (first === undefined) throw new ArenaFull(bytes, this.#pages.available * PAGE_BYTES);
      return this.#pages.generationOf(first) * PLACES + first * PAGE_BYTES;
    });
  }

  /** Like `allocate`, zeroed. */
  allocateZeroed(bytes: number, owner: Owner): number {
    const address = this.allocate(bytes, owner);
    // Runs are whole pages. A view of bytes of shared memory would be filled one by one.
    this.f64(address, Math.ceil(bytes / 8)).fill(0);
    return address;
  }

  /**
   * Frees the run at `address` that `allocate(bytes, …)` gave.
   * @throws {Error} when it is not, or no longer, a run of that many bytes
   */
  free(address: number, bytes: number): void {
    const first = this.placeOf(address, bytes) / PAGE_BYTES;
    this.#pages.locked(() => this.#pages.free(first, pagesOf(bytes), 0));
  }

  /** Frees all but the first `used` bytes of a run of `bytes`. */
  shrink(address: number, bytes: number, used: number): void {
    const first = this.placeOf(address, bytes) / PAGE_BYTES;
    const [pages, left] = [pagesOf(bytes), pagesOf(used)];
    if (left < pages) this.#pages.locked(() => this.#pages.free(first, pages, left));
  }

  /** Frees everything `owner` holds. */
  release(owner: Owner): void {
    this.#pages.locked(() => this.#pages.freeAll(owner));
  }

  /**
   * The place of `address` in the memory: its low 32 bits.
   * @param bytes from there on, which must all be in one run
   * @throws {Error} when the run was freed, or ends earlier
   */
  placeOf(address: number, bytes: number = 1): number {
    // Called for each view, mostly by code that V8 has not compiled yet: so it takes few steps.
    const place = address >>> 0;
    if (address < ADDRESS_MIN || bytes === 0) return place;
    const generation = (address - place) / PLACES;
    const generations = this.#generations;
    const last = place + bytes - 1;
    if (generations[place >>> 16] === generation && generations[last >>> 16] === generation) {
      if (last < PLACES) return place;
    }
    throw this.#pages.stale(place, bytes, generation);
  }

  /** @throws {Error} when an address is no longer in its run or at the run's end */
  checkPointer(address: number): void {
    const before = this.#pages.generationOf(((address >>> 0) - 1) >>> 16);
    if (before !== Math.floor(address / PLACES)) this.placeOf(address);
  }

  /**
   * The current address of a place, which is a result of `placeOf` or a view's offset.
   * @throws {Error} when it is in no run
   */
  addressAt(place: number): number {
    const generation = this.#pages.generationOf(place >>> 16);
    if (generation === 0 || generation >= GUARD) throw this.#pages.stale(place, 1, 0);
    return generation * PLACES + (place >>> 0);
  }

  /**
   * @param runs pairs of a page of the run and the run's generation
   * @throws {Error} when one was freed
   */
  checkRuns(runs: Uint32Array): void {
    for (let i = 0; i < runs.length; i += 2) {
      const page = runs[i] ?? 0;
      const generation = runs[i + 1] ?? 0;
      if (this.#pages.generationOf(page) !== generation) {
        throw this.#pages.stale(page * PAGE_BYTES, PAGE_BYTES, generation);
      }
    }
  }

  /** The owner of the page at `address`; 0 for a free one. @throws {Error} when its run was freed */
  ownerOf(address: number): Owner {
    return this.#pages.ownerOf(this.placeOf(address) >>> 16);
  }

  /** Begins an owner of the next generation in `slot`. */
  begin(slot: number, generation: number): Owner {
    Atomics.store(this.#slots, slot, generation);
    return (generation << 16) | slot;
  }

  /** Afterwards nothing can be allocated for `owner`. @throws {Error} when it ended before */
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
}

function pagesOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / PAGE_BYTES));
}
