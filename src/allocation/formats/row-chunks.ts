/**
 * The rows of one set as chunks of text. While one is written the next are encoded, those of the next
 * set among them, by rows whose number follows from the length of those before, so that several
 * workers can be at it. A reader that stands still gives back what was encoded ahead.
 */
import type { Chunk } from '../../columnar/index.ts';
import type { Compute } from '../../pool/index.ts';
import type { Pace } from './pace.ts';
import type { Slot, Slots } from './slots.ts';
import type { FormatTasks } from './tasks.ts';
import type { SetAt } from './set-at.ts';

/** A set whose rows are ready to be written. */
export interface WrittenRows {
  readonly rows: number;
  /** Runs `work` while the set is in the arena. */
  use<T>(work: (set: Omit<SetAt, 'holds'>) => Promise<T>): Promise<T>;
  /** It is not needed any more. May be called again. */
  release(): void;
}

/** Workers and memory that encode rows. */
export interface RowCompute<Tasks extends FormatTasks = FormatTasks> extends Compute<Tasks> {
  readonly slots: Slots;
}

export interface RowChunksOptions {
  readonly compute: RowCompute;
  readonly pace: Pace;
  readonly signal: AbortSignal;
  readonly after: After;
}

/** The sets after this one. */
export interface After {
  /** The reader takes all that it gets at once. @param units of rows that may be encoded already */
  begin(units: number): void;
  /** The reader stands still. */
  giveUp(): void;
}

export const NOTHING_AFTER: After = { begin: () => undefined, giveUp: () => undefined };

/** Rows that are encoded together. */
interface Unit {
  slot: Slot;
  readonly from: number;
  readonly to: number;
  encoded: Promise<Chunk>;
}

/** Units that are encoded while one is written, a thread: one runs, one is at hand. */
const AHEAD = 2;
/** A reader that takes nothing for so long stands still. */
const STILL_MS = 500;

/**
 * @returns chunks, each valid until the next is taken, by `next(true)` where the reader took the last
 * one at once, `next(false)` where it had to be waited for
 */
export function rowChunks(
  options: RowChunksOptions,
  rows: WrittenRows,
): AsyncGenerator<Uint8Array, void, boolean | undefined> {
  return new RowEncoder(options, rows).chunks();
}

export class RowEncoder {
  readonly #options: RowChunksOptions;
  readonly #rows: WrittenRows;
  /** Under way, in the order of their rows. */
  readonly #queue: Unit[] = [];
  /** Slots that are in use. */
  readonly #held: Set<Unit> = new Set();
  #nextRow = 0;
  #still: NodeJS.Timeout | undefined;

  constructor(options: RowChunksOptions, rows: WrittenRows) {
    this.#options = options;
    this.#rows = rows;
  }

  /** Can be taken once; units encoded ahead come first. */
  async *chunks(): AsyncGenerator<Uint8Array, void, boolean | undefined> {
    const { compute, pace } = this.#options;
    const { arena } = compute;
    try {
      for (let unit = await this.#next(); unit !== undefined; unit = await this.#next()) {
        for (;;) {
          const chunk = await unit.encoded;
          const isWhole = this.#isWhole(unit, chunk);
          this.#ahead();
          const { address, bytes } = unit.slot;
          if (chunk.bytes > 0) {
            this.#still = setTimeout(() => this.#giveUp(), STILL_MS).unref();
            pace.taken(yield arena.u8(address, chunk.bytes));
            clearTimeout(this.#still);
            // A slot that was freed meanwhile has broken the bytes sent.
            arena.placeOf(address, bytes);
          }
          if (isWhole) break;
          await this.#goOn(unit, chunk);
        }
        this.#done(unit);
      }
    } finally {
      await this.close();
    }
  }

  /** Encodes ahead, before the rows are taken. */
  begin(units: number): void {
    while (this.#queue.length < units && this.#beginAhead());
  }

  /** Gives back units encoded ahead: they are encoded anew when the reader goes on. */
  dropAhead(): void {
    const dropped = this.#queue.splice(0);
    this.#nextRow = dropped[0]?.from ?? this.#nextRow;
    for (const unit of dropped) {
      void Promise.allSettled([unit.encoded]).then(() => this.#done(unit));
    }
  }

  /** A slot that a worker writes to must not be freed. */
  async close(): Promise<void> {
    clearTimeout(this.#still);
    await Promise.allSettled(Array.from(this.#held, ({ encoded }) => encoded));
    for (const unit of this.#held) this.#done(unit);
  }

  /** The next unit, begun by now; undefined after the last. */
  async #next(): Promise<Unit | undefined> {
    const { compute, pace, signal } = this.#options;
    if (this.#queue.length === 0 && this.#nextRow < this.#rows.rows) {
      this.#begin(await compute.slots.take(pace.bytes, signal));
    }
    return this.#queue.shift();
  }

  /** Encodes ahead while a chunk is written. */
  #ahead(): void {
    const { compute, pace, after } = this.#options;
    if (!pace.isFast) return;
    const units = AHEAD * compute.pool.threads;
    this.begin(units);
    after.begin(this.#nextRow < this.#rows.rows ? 0 : units - this.#queue.length);
  }

  #giveUp(): void {
    this.dropAhead();
    this.#options.after.giveUp();
  }

  /** Whether a unit is done: rows that did not fit begin the next unit, where there is none yet. */
  #isWhole(unit: Unit, chunk: Chunk): boolean {
    if (chunk.nextRow >= unit.to) return true;
    if (chunk.bytes === 0 || this.#queue.length > 0) return false;
    this.#nextRow = chunk.nextRow;
    return true;
  }

  /** Encodes the rows of a unit that did not fit; where not one did, in a larger slot. */
  async #goOn(unit: Unit, chunk: Chunk): Promise<void> {
    const { compute, signal } = this.#options;
    if (chunk.bytes === 0) unit.slot = await compute.slots.grow(unit.slot, signal);
    unit.encoded = this.#encode(unit.slot, chunk.nextRow, unit.to);
  }

  #done(unit: Unit): void {
    if (this.#held.delete(unit)) this.#options.compute.slots.giveBack(unit.slot);
  }

  #beginAhead(): boolean {
    const { compute, pace } = this.#options;
    if (this.#nextRow >= this.#rows.rows) return false;
    const slot = compute.slots.takeAhead(pace.bytes);
    if (slot !== undefined) this.#begin(slot);
    return slot !== undefined;
  }

  #begin(slot: Slot): void {
    const { pace } = this.#options;
    const from = this.#nextRow;
    const to = Math.min(this.#rows.rows, from + pace.rowsIn(slot.bytes));
    this.#nextRow = to;
    const unit = { slot, from, to, encoded: this.#encode(slot, from, to) };
    this.#held.add(unit);
    this.#queue.push(unit);
  }

  #encode(slot: Slot, from: number, to: number): Promise<Chunk> {
    const { compute, pace, signal } = this.#options;
    const encoded = this.#rows.use(async ({ kind, address }) => {
      const input = { set: { kind, address, rows: to }, row: from, slot };
      const chunk = checked(await compute.pool.run('encode', input, signal), { from, to, slot });
      pace.encoded(chunk.bytes, chunk.nextRow - from);
      return chunk;
    });
    // It is awaited in its turn; until then its failure is not unhandled.
    encoded.catch(() => undefined);
    return encoded;
  }
}

/** Checks that a chunk is within its slot and its rows. @throws {Error} when it is not */
function checked(chunk: Chunk, { from, to, slot }: Pick<Unit, 'from' | 'to' | 'slot'>): Chunk {
  const { bytes, nextRow } = chunk;
  const isAny = nextRow > from;
  if (bytes <= slot.bytes && nextRow >= from && nextRow <= to && isAny === bytes > 0) return chunk;
  throw new Error(
    `BUG: rows ${from} to ${to} came to ${bytes} bytes of ${slot.bytes}, and row ${nextRow}`,
  );
}
