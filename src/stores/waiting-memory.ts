/** Memory of batches that wait for their turn, used again and again: V8 would collect the whole heap for new ones. */
import type { Batch } from '../metrics/index.ts';

/** Batches have a MiB at most, but for single long series. */
const BATCH_BYTES = 1 << 20;
/** Smaller ones, of most metrics, take their own memory. */
const POOLED_BYTES_MIN = 1 << 16;

export class WaitingMemory {
  readonly #free: Uint8Array[] = [];

  /** For the batches of one read. */
  lend(): LentMemory {
    return new LentMemory(this.#free);
  }
}

export class LentMemory {
  readonly #free: Uint8Array[];
  readonly #lent: Map<ArrayBufferLike, Uint8Array> = new Map();

  constructor(free: Uint8Array[]) {
    this.#free = free;
  }

  readonly room = (bytes: number): Uint8Array => {
    if (bytes < POOLED_BYTES_MIN || bytes > BATCH_BYTES) return new Uint8Array(bytes);
    const memory = this.#free.pop() ?? new Uint8Array(BATCH_BYTES);
    this.#lent.set(memory.buffer, memory);
    return memory.subarray(0, bytes);
  };

  /** The batch was copied, and nobody looks at it any more. One that is of other memory is left alone. */
  give({ bytes: { buffer } }: Batch): void {
    const memory = this.#lent.get(buffer);
    if (memory === undefined) return;
    this.#lent.delete(buffer);
    this.#free.push(memory);
  }
}
