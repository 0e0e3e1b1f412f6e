/**
 * Short-lived columns, one after the other in runs of the arena. JavaScript's own typed arrays would be
 * collected late, as their memory is outside of its heap.
 */
import type { Arena, Owner } from './arena.ts';

const RUN_BYTES = 2 ** 20;
const ALIGNED_BYTES = 16;

/** Gives zeroed room until the owner is released. */
export class Scratch {
  readonly arena: Arena;
  readonly owner: Owner;
  #next = 0;
  #end = 0;

  constructor(arena: Arena, owner: Owner) {
    this.arena = arena;
    this.owner = owner;
  }

  f64(length: number): Float64Array {
    return this.arena.f64(this.take(8 * length), length).fill(0);
  }

  u32(length: number): Uint32Array {
    return this.arena.u32(this.take(4 * length), length).fill(0);
  }

  u8(length: number): Uint8Array {
    return this.arena.u8(this.take(length), length).fill(0);
  }

  /** The address of room with any content. @throws {ArenaFull} when there is none */
  take(bytes: number): number {
    const aligned = Math.ceil(bytes / ALIGNED_BYTES) * ALIGNED_BYTES;
    if (aligned > RUN_BYTES / 4) return this.arena.allocate(bytes, this.owner);
    if (this.#next + aligned > this.#end) {
      this.#next = this.arena.allocate(RUN_BYTES, this.owner);
      this.#end = this.#next + RUN_BYTES;
    }
    const at = this.#next;
    this.#next += aligned;
    return at;
  }
}
