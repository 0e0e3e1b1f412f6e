/**
 * Numbers for tuples of codes, in the order of their coming, by kernels (workers/kernels/tuples.ts):
 * rows of several tables that are of the same thing get the same number.
 *
 *   0   slots u32, mask u32, count u32, width u32, tuples u32, hashes u32
 */
import type { Owner } from './arena.ts';
import { addressOf, type Workspace } from './codes.ts';
import type { Engine } from './kernels.ts';
import { growRun, slotsFor } from './number-table.ts';

const STATE_BYTES = 24;
const ROOM_LEAST = 4096;

/** The number of a row that is left out. */
export const NOWHERE = -1;

/** Codes of rows; where they are of another dictionary, what stands for each. */
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
   * @param owner of what the index needs, until `free`
   * @param width codes of a tuple
   */
  constructor(engine: Engine, owner: Owner, width: number) {
    this.#space = { engine, owner };
    this.#width = width;
    this.#state = engine.arena.allocateZeroed(STATE_BYTES, owner);
    this.#fields[3] = width;
    this.#reserve(ROOM_LEAST);
  }

  get size(): number {
    return this.#fields[2];
  }

  /** The tuples, one after the other; in the arena, until more are added. */
  get tuples(): Uint32Array {
    const [, , count, width, tuples] = this.#fields;
    return this.#space.engine.arena.u32(tuples, count * width);
  }

  /** The code at a place of each number. */
  codes(place: number): Uint32Array {
    return codesAt(this.tuples, this.#width, place);
  }

  /**
   * @param columns one a place, each of `rows` codes
   * @param without 0 for rows that count; null: all
   * @param owner of what is returned
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
    const pairs = columns.flatMap(({ codes, by }) => [
      addressOf(space, codes),
      by === null ? 0 : addressOf(space, by),
    ]);
    const scratch = arena.allocate(4 * (pairs.length + columns.length), owner);
    arena.u32(scratch, pairs.length).set(pairs);
    const out = arena.allocate(4 * rows, owner);
    const left = without === null ? 0 : addressOf(space, without);
    kernels.numberTuples(this.#state, scratch, rows, left, scratch + 4 * pairs.length, out);
    arena.free(scratch, 4 * (pairs.length + columns.length));
    return arena.i32(out, rows);
  }

  /** Nothing may be called after it. */
  free(): void {
    const { arena } = this.#space.engine;
    const [slots, mask, , , tuples, hashes] = this.#fields;
    arena.free(slots, 4 * (mask + 1));
    arena.free(tuples, 4 * this.#width * this.#room);
    arena.free(hashes, 4 * this.#room);
    arena.free(this.#state, STATE_BYTES);
  }

  get #fields(): Uint32Array {
    return this.#space.engine.arena.u32(this.#state, STATE_BYTES / 4);
  }

  #reserve(tuples: number): void {
    if (tuples <= this.#room) return;
    const fields = this.#fields;
    const room = Math.max(tuples, 2 * this.#room);
    const bytes = 4 * this.#width;
    fields[4] = growRun(this.#space, fields[4], bytes * this.#room, bytes * room);
    fields[5] = growRun(this.#space, fields[5], 4 * this.#room, 4 * room);
    if (this.#room > 0) this.#space.engine.arena.free(fields[0], 4 * (fields[1] + 1));
    const { slots, mask } = slotsFor(this.#space, fields[5], fields[2], room);
    fields[0] = slots;
    fields[1] = mask;
    this.#room = room;
  }
}

/** A column of tuples that stand one after the other. */
export function codesAt(tuples: Uint32Array, width: number, place: number): Uint32Array {
  const codes = new Uint32Array(tuples.length / width);
  for (let i = 0, at = place; i < codes.length; i++, at += width) codes[i] = tuples[at];
  return codes;
}
