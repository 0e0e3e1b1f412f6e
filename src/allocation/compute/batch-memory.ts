/** Memory of the arena that a metrics source writes its batches to. */
import { BATCH_SLACK_BYTES, type Arena, type Owner } from '../../columnar/index.ts';

export class BatchMemory {
  readonly #arena: Arena;
  readonly #owner: Owner;
  constructor(arena: Arena, owner: Owner) {
    this.#arena = arena;
    this.#owner = owner;
  }

  /** @throws {ArenaFull} */
  readonly room = (bytes: number): Uint8Array => {
    const address = this.#arena.allocate(bytes + BATCH_SLACK_BYTES, this.#owner);
    return this.#arena.u8(address, bytes);
  };

  /** The batch's address; one that was not written to a room is copied. @throws {ArenaFull} */
  take(batch: Uint8Array): number {
    const isHere = batch.buffer === this.#arena.buffer;
    return this.#arena.addressAt((isHere ? batch : this.#copy(batch)).byteOffset);
  }

  #copy(batch: Uint8Array): Uint8Array {
    const copy = this.room(batch.length);
    copy.set(batch);
    return copy;
  }
}
