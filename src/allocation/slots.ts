/**
 * Where chunks of answers are encoded. A reader has a slot only while a chunk is made and taken.
 * Anybody gets a small one; larger ones, and those for what is encoded ahead, share a budget, of
 * which each may have a quarter of what is left: readers that stand still do not take them all, and
 * memory does not grow with readers.
 */
import type { Arena, Owner, Owners } from '../columnar/index.ts';

export const SLOT_LEAST_BYTES: number = 64 << 10;
export const SLOT_MOST_BYTES: number = 1 << 20;
const SHARE = 1 / 4;

export interface Slot {
  readonly address: number;
  readonly bytes: number;
  /** Of them, those of the budget. */
  readonly sharedBytes: number;
}

export class Slots {
  readonly #arena: Arena;
  readonly #owner: Owner;
  #leftBytes: number;

  constructor(arena: Arena, owners: Owners, budgetBytes: number) {
    this.#arena = arena;
    this.#owner = owners.take();
    this.#leftBytes = budgetBytes;
  }

  /**
   * A slot of at most `wantedBytes`, and at least the least.
   * @throws {ArenaFull}
   */
  take(wantedBytes: number): Slot {
    const bytes = Math.max(SLOT_LEAST_BYTES, this.#fair(wantedBytes));
    return this.#allocate(bytes, bytes - SLOT_LEAST_BYTES);
  }

  /** One of the budget alone; undefined where too little is left. @throws {ArenaFull} */
  takeAhead(wantedBytes: number): Slot | undefined {
    const bytes = this.#fair(wantedBytes);
    return bytes === 0 ? undefined : this.#allocate(bytes, bytes);
  }

  /** A larger one in its place, whatever the budget: a single row must fit. */
  grow(slot: Slot): Slot {
    const bytes = 4 * slot.bytes;
    const larger = this.#allocate(bytes, bytes - SLOT_LEAST_BYTES);
    this.giveBack(slot);
    return larger;
  }

  giveBack({ address, bytes, sharedBytes }: Slot): void {
    this.#arena.free(address, bytes);
    this.#leftBytes += sharedBytes;
  }

  /** In multiples of the least. */
  #fair(wantedBytes: number): number {
    const fair = Math.max(0, Math.min(wantedBytes, this.#leftBytes * SHARE));
    return Math.floor(fair / SLOT_LEAST_BYTES) * SLOT_LEAST_BYTES;
  }

  #allocate(bytes: number, sharedBytes: number): Slot {
    const address = this.#arena.allocate(bytes, this.#owner);
    this.#leftBytes -= sharedBytes;
    return { address, bytes, sharedBytes };
  }
}
