/** Memory of the arena that a metrics source writes its batches to. */
import { BATCH_SLACK_BYTES, type Arena, type Owner } from '../columnar/index.ts';

export class Rooms {
  readonly #arena: Arena;
  readonly #owner: Owner;
  /** Sizes of runs that were handed out, by address. */
  readonly #open: Map<number, number> = new Map();

  constructor(arena: Arena, owner: Owner) {
    this.#arena = arena;
    this.#owner = owner;
  }

  /** @throws {ArenaFull} */
  readonly room = (bytes: number): Uint8Array => {
    const run = bytes + BATCH_SLACK_BYTES;
    const address = this.#arena.allocate(run, this.#owner);
    this.#open.set(address, run);
    return this.#arena.u8(address, bytes);
  };

  /** The batch's address; one that was not written to a room is copied. @throws {ArenaFull} */
  take(batch: Uint8Array): number {
    const used = batch.length + BATCH_SLACK_BYTES;
    const isHere = batch.buffer === this.#arena.buffer;
    const { byteOffset: address } = isHere ? batch : this.#copy(batch);
    this.#arena.shrink(address, this.#open.get(address) ?? used, used);
    this.#open.delete(address);
    return address;
  }

  #copy(batch: Uint8Array): Uint8Array {
    const copy = this.room(batch.length);
    copy.set(batch);
    return copy;
  }
}
