/**
 * Shared memory that batches are laid out in. A read has two of these in turn: one is filled while the other one is
 * worked on; they come back when nobody looks at them any more, so that a query of many batches touches few pages.
 */

/** As long as a batch is, but for one long span. */
const MEMORY_BYTES = 1 << 20;
/** More are not kept for later reads. */
const FREE_MAX = 16;

export class BatchMemories {
  readonly #free: SharedArrayBuffer[] = [];

  /** Two memories of one read. */
  begin(): BatchMemory {
    return new BatchMemory((bytes) => {
      const free = bytes > MEMORY_BYTES ? undefined : this.#free.pop();
      return free ?? new SharedArrayBuffer(Math.max(bytes, MEMORY_BYTES));
    });
  }

  /** Nobody reads or writes them any more. */
  end(memory: BatchMemory): void {
    for (const buffer of memory.taken())
      if (buffer.byteLength === MEMORY_BYTES && this.#free.length < FREE_MAX)
        this.#free.push(buffer);
  }
}

export class BatchMemory {
  readonly #take: (bytes: number) => SharedArrayBuffer;
  readonly #two: (SharedArrayBuffer | undefined)[] = [undefined, undefined];
  #turn = 0;

  constructor(take: (bytes: number) => SharedArrayBuffer) {
    this.#take = take;
  }

  /** Memory of the next batch: not that of the one before it. At least so many bytes, of any content. */
  next(bytes: number): Uint8Array<SharedArrayBuffer> {
    this.#turn = 1 - this.#turn;
    const known = this.#two[this.#turn];
    const buffer = known !== undefined && known.byteLength >= bytes ? known : this.#take(bytes);
    this.#two[this.#turn] = buffer;
    return new Uint8Array(buffer);
  }

  taken(): SharedArrayBuffer[] {
    return this.#two.splice(0).filter((buffer) => buffer !== undefined);
  }
}
