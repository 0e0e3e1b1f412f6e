/**
 * Numbers for tuples of codes, in the order in which they first appear, by kernels
 * (workers/kernels/columns/tuples.ts): rows of several tables with the same subject get the same number.
 */
import type { Owner } from '../memory/arena.ts';
import { addressOf, type Workspace } from './codes.ts';
import type { Engine } from '../kernels.ts';
import { fillStruct, structAt, type Struct } from '../memory/struct.ts';
import { TUPLE_COLUMN, TUPLE_TABLE } from './layout/columns.ts';
import { growRun, slotsFor } from './number-table.ts';

const ROOM_LEAST = 4096;

/** The number of rows that are left out. */
export const NOWHERE = -1;

/** Codes of rows; for another dictionary, the code that replaces each. */
export interface TupleColumn {
  readonly codes: Uint32Array;
  readonly by: Uint32Array | null;
}

export class TupleIndex {
  readonly #space: Workspace;
  readonly #state: number;
  readonly #width: number;
  #room = 0;

  /**
   * @param owner of the index's memory, until `free`
   * @param width codes of a tuple
   */
  constructor(engine: Engine, owner: Owner, width: number) {
    this.#space = { engine, owner };
    this.#width = width;
    this.#state = engine.arena.allocateZeroed(TUPLE_TABLE.bytes, owner);
    this.#fields.width = width;
    this.#reserve(ROOM_LEAST);
  }

  get size(): number {
    return this.#fields.count;
  }

  /** The tuples, one after the other; in the arena, valid until more are added. */
  get tuples(): Uint32Array {
    const { count, width, tuples } = this.#fields;
    return this.#space.engine.arena.u32(tuples, count * width);
  }

  /** The code at a place of each number. */
  codes(place: number): Uint32Array {
    return codesAt(this.tuples, this.#width, place);
  }

  /**
   * @param columns one for each place of a tuple, each with `rows` codes
   * @param without 0 for rows that count; null: all count
   * @param owner of the result
   * @returns each row's number, or NOWHERE; in the arena
   */
  assign(
    columns: readonly TupleColumn[],
    rows: number,
    without: Uint32Array | null,
    owner: Owner,
  ): Int32Array {
    const { engine } = this.#space;
    const { arena, kernels } = engine;
    this.#reserve(this.size + rows);
    const space = { engine, owner };
    const columnBytes = TUPLE_COLUMN.bytes * columns.length;
    const bytes = columnBytes + 4 * this.#width;
    const scratch = arena.allocate(bytes, owner);
    columns.forEach(({ codes, by }, i) => {
      const at = by === null ? 0 : addressOf(space, by);
      const column = { codes: addressOf(space, codes), by: at };
      fillStruct(arena, scratch + TUPLE_COLUMN.bytes * i, TUPLE_COLUMN, column);
    });
    const out = arena.allocate(4 * rows, owner);
    const left = without === null ? 0 : addressOf(space, without);
    kernels.numberTuples(this.#state, scratch, rows, left, scratch + columnBytes, out);
    arena.free(scratch, bytes);
    return arena.i32(out, rows);
  }

  /** Frees the index, which must not be used afterwards. */
  free(): void {
    const { arena } = this.#space.engine;
    const { slots, mask, tuples, hashes } = this.#fields;
    arena.free(slots, 4 * (mask + 1));
    arena.free(tuples, 4 * this.#width * this.#room);
    arena.free(hashes, 4 * this.#room);
    arena.free(this.#state, TUPLE_TABLE.bytes);
  }

  get #fields(): Struct<typeof TUPLE_TABLE> {
    return structAt(this.#space.engine.arena, this.#state, TUPLE_TABLE);
  }

  #reserve(tuples: number): void {
    if (tuples <= this.#room) return;
    const fields = this.#fields;
    const room = Math.max(tuples, 2 * this.#room);
    const bytes = 4 * this.#width;
    fields.tuples = growRun(this.#space, fields.tuples, bytes * this.#room, bytes * room);
    fields.hashes = growRun(this.#space, fields.hashes, 4 * this.#room, 4 * room);
    if (this.#room > 0) this.#space.engine.arena.free(fields.slots, 4 * (fields.mask + 1));
    const { slots, mask } = slotsFor(this.#space, fields.hashes, fields.count, room);
    fields.slots = slots;
    fields.mask = mask;
    this.#room = room;
  }
}

/** One column of tuples. */
export function codesAt(tuples: Uint32Array, width: number, place: number): Uint32Array {
  const codes = new Uint32Array(tuples.length / width);
  for (let i = 0, at = place; i < codes.length; i++, at += width) codes[i] = tuples[at];
  return codes;
}
