/**
 * Where chunks of answers are encoded. A reader has a slot only while a chunk is made and taken.
 * Every reader gets a small one; larger ones, and those for encoding ahead, share a budget, of which
 * each may have a quarter of the rest: readers that stand still do not take them all, and memory does
 * not grow with readers.
 */
import { ArenaFull, type Arena, type Owner, type Owners } from '../../columnar/index.ts';
import type { Room } from './room.ts';

export const SLOT_LEAST_BYTES: number = 64 << 10;
export const SLOT_MOST_BYTES: number = 1 << 20;
const SHARE = 1 / 4;

export interface Slot {
  readonly address: number;
  readonly bytes: number;
  /** Bytes that count against the budget. */
  readonly sharedBytes: number;
}

export class Slots {
  readonly #arena: Arena;
  readonly #owner: Owner;
  readonly #room: Room;
  #leftBytes: number;

  constructor(arena: Arena, owners: Owners, budgetBytes: number, room: Room) {
    this.#arena = arena;
    this.#owner = owners.take();
    this.#leftBytes = budgetBytes;
    this.#room = room;
  }

  /**
   * A slot of at most `wantedBytes`, and at least the least, which is waited for.
   * @throws {ArenaFull} when there was no room for long
   */
  async take(wantedBytes: number, signal: AbortSignal): Promise<Slot> {
    const bytes = this.#fair(wantedBytes);
    const large = bytes > SLOT_LEAST_BYTES ? this.#attempt(bytes, bytes - SLOT_LEAST_BYTES) : null;
    return large ?? (await this.#room.find(signal, () => this.#allocate(SLOT_LEAST_BYTES, 0)));
  }

  /** One of the budget alone; undefined where too little is left. */
  takeAhead(wantedBytes: number): Slot | undefined {
    const bytes = this.#fair(wantedBytes);
    return bytes === 0 ? undefined : this.#attempt(bytes, bytes);
  }

  /** A larger one in its place, whatever the budget: a single row must fit. @throws {ArenaFull} */
  async grow(slot: Slot, signal: AbortSignal): Promise<Slot> {
    const bytes = 4 * slot.bytes;
    const larger = (): Slot => this.#allocate(bytes, bytes - SLOT_LEAST_BYTES);
    const grown = await this.#room.find(signal, larger);
    this.giveBack(slot);
    return grown;
  }

  giveBack({ address, bytes, sharedBytes }: Slot): void {
    this.#arena.free(address, bytes);
    this.#leftBytes += sharedBytes;
  }

  /** A multiple of the least. */
  #fair(wantedBytes: number): number {
    const fair = Math.max(0, Math.min(wantedBytes, this.#leftBytes * SHARE));
    return Math.floor(fair / SLOT_LEAST_BYTES) * SLOT_LEAST_BYTES;
  }

  /** Undefined where there is no room. */
  #attempt(bytes: number, sharedBytes: number): Slot | undefined {
    try {
      return this.#allocate(bytes, sharedBytes);
    } catch (error) {
      if (error instanceof ArenaFull) return undefined;
      throw error;
    }
  }

  #allocate(bytes: number, sharedBytes: number): Slot {
    const address = this.#arena.allocate(bytes, this.#owner);
    this.#leftBytes -= sharedBytes;
    return { address, bytes, sharedBytes };
  }
}
