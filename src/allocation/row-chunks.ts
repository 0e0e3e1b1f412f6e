/**
 * The rows of one set as chunks of text. While one is written the next are encoded, by rows whose
 * number follows from the length of those before, so that several workers can be at it.
 */
import type { Chunk, Arena } from '../columnar/index.ts';
import type { Pool } from '../pool/index.ts';
import type { Pace } from './pace.ts';
import type { Slot, Slots } from './slots.ts';
import type { AllocationTasks } from './tasks.ts';
import type { SetAt } from './set-at.ts';

/** A set whose rows are ready to be written. */
export interface WrittenRows {
  readonly rows: number;
  /** Runs `work` while the set is in the arena. */
  use<T>(work: (set: SetAt) => Promise<T>): Promise<T>;
  /** It is not needed any more. May be called again. */
  release(): void;
}

export interface RowChunksOptions {
  readonly arena: Arena;
  readonly pool: Pool<AllocationTasks>;
  readonly slots: Slots;
  readonly pace: Pace;
  readonly signal: AbortSignal;
  /** Told while the reader takes all that it gets at once. */
  readonly onFast: () => void;
}

/** Rows that are encoded together. */
interface Unit {
  slot: Slot;
  readonly to: number;
  encoded: Promise<Chunk>;
}

/** Of a slot that rows fill as long as those before them. */
const FILL = 0.95;

/**
 * @returns each is valid until the next is asked for, by `next(true)` where the reader took the last
 * one at once, `next(false)` where it had to be waited for
 */
export async function* rowChunks(
  options: RowChunksOptions,
  rows: WrittenRows,
): AsyncGenerator<Uint8Array, void, boolean | undefined> {
  const encoder = new Encoder(options, rows);
  try {
    for (let unit = encoder.next(); unit !== undefined; unit = encoder.next()) {
      for (;;) {
        const chunk = await unit.encoded;
        const isWhole = encoder.isWhole(unit, chunk);
        encoder.ahead();
        const { address } = unit.slot;
        if (chunk.bytes > 0) options.pace.told(yield options.arena.u8(address, chunk.bytes));
        if (isWhole) break;
        encoder.goOn(unit, chunk);
      }
      encoder.done(unit);
    }
  } finally {
    await encoder.close();
  }
}

class Encoder {
  readonly #options: RowChunksOptions;
  readonly #rows: WrittenRows;
  /** Under way, in the order of their rows. */
  readonly #queue: Unit[] = [];
  /** Slots that are in use. */
  readonly #held: Set<Unit> = new Set();
  #nextRow = 0;
  /** Length of the rows so far. */
  #encodedBytes = 0;
  #encodedRows = 0;

  constructor(options: RowChunksOptions, rows: WrittenRows) {
    this.#options = options;
    this.#rows = rows;
  }

  /** The next unit, begun by now; undefined after the last. */
  next(): Unit | undefined {
    if (this.#queue.length === 0) this.#begin();
    return this.#queue.shift();
  }

  /** Begins what can be encoded while a chunk is written. */
  ahead(): void {
    const { pace, pool } = this.#options;
    if (!pace.isFast || this.#encodedRows === 0) return;
    while (this.#queue.length < pool.threads && this.#begin());
    this.#options.onFast();
  }

  /** Whether nothing is left of a unit: what did not fit is left to the next where there is none. */
  isWhole(unit: Unit, chunk: Chunk): boolean {
    if (chunk.nextRow >= unit.to) return true;
    if (chunk.bytes === 0 || this.#queue.length > 0) return false;
    this.#nextRow = chunk.nextRow;
    return true;
  }

  /** Encodes the rows of a unit that did not fit; where not one did, in a larger slot. */
  goOn(unit: Unit, chunk: Chunk): void {
    if (chunk.bytes === 0) unit.slot = this.#options.slots.grow(unit.slot);
    unit.encoded = this.#encode(unit.slot, chunk.nextRow, unit.to);
  }

  done(unit: Unit): void {
    this.#held.delete(unit);
    this.#options.slots.giveBack(unit.slot);
  }

  /** Nobody may free a slot that is written to. */
  async close(): Promise<void> {
    await Promise.allSettled(Array.from(this.#held, ({ encoded }) => encoded));
    for (const unit of this.#held) this.done(unit);
  }

  #begin(): boolean {
    const from = this.#nextRow;
    if (from >= this.#rows.rows) return false;
    const slot = this.#options.slots.take(this.#options.pace.bytes);
    const to = Math.min(this.#rows.rows, from + this.#rowsIn(slot.bytes));
    this.#nextRow = to;
    const unit = { slot, to, encoded: this.#encode(slot, from, to) };
    this.#held.add(unit);
    this.#queue.push(unit);
    return true;
  }

  /** Nobody knows how long the first rows are: they are told by what fits. */
  #rowsIn(bytes: number): number {
    if (this.#encodedRows === 0) return Infinity;
    return Math.max(1, Math.floor((FILL * bytes * this.#encodedRows) / this.#encodedBytes));
  }

  #encode(slot: Slot, from: number, to: number): Promise<Chunk> {
    const { pool, signal } = this.#options;
    const encoded = this.#rows.use(async ({ kind, address }) => {
      const input = { set: { kind, address, rows: to }, row: from, slot };
      const chunk = await pool.run('encode', input, signal);
      this.#encodedBytes += chunk.bytes;
      this.#encodedRows += chunk.nextRow - from;
      return chunk;
    });
    // It is awaited in its turn; until then its failure is nobody's.
    encoded.catch(() => undefined);
    return encoded;
  }
}
