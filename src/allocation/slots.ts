/**
 * Where chunks of answers are encoded. A reader has a slot only while a chunk is made and taken.
 * Anybody gets a small one; larger ones share a budget, of which each may have a quarter of what is
 * left: readers that stand still do not take them all, and memory does not grow with readers.
 */
import type { Arena, Owner, Owners } from '../columnar/index.ts';

export const SLOT_LEAST_BYTES: number = 64 << 10;
export const SLOT_MOST_BYTES: number = 1 << 20;
const SHARE = 1 / 4;

export interface Slot {
  readonly address: number;
  readonly bytes: number;
}

export class Slots {
  readonly #arena: Arena;
  readonly #owner: Owner;
  /** Of what slots have beyond the least. */
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
    const fair = Math.min(wantedBytes, this.#leftBytes * SHARE);
    return this.#allocate(Math.max(1, Math.floor(fair / SLOT_LEAST_BYTES)) * SLOT_LEAST_BYTES);
  }

  /** A larger one in its place, whatever the budget: a single row must fit. */
  grow(slot: Slot): Slot {
    const larger = this.#allocate(4 * slot.bytes);
    this.giveBack(slot);
    return larger;
  }

  giveBack({ address, bytes }: Slot): void {
    this.#arena.free(address, bytes);
    this.#leftBytes += bytes - SLOT_LEAST_BYTES;
  }

  #allocate(bytes: number): Slot {
    const address = this.#arena.allocate(bytes, this.#owner);
    this.#leftBytes -= bytes - SLOT_LEAST_BYTES;
    return { address, bytes };
  }
}
