/**
 * Numbers for tuples of codes, in the order of their coming: rows of several tables that are of the
 * same thing get the same number. A table of open addresses over columns of codes, 25 ns a row of five.
 */

const ROOM_LEAST = 1024;
const MIX = 0x9e3779b1;

/** The number of a row that is left out. */
export const NOWHERE = -1;

export class TupleIndex {
  size = 0;
  /** Of each place in the tuple, the code of each number. */
  readonly #codes: Uint32Array[];
  #hashes: Int32Array = new Int32Array(ROOM_LEAST);
  /** Numbers + 1 by hash; 0: free. At least twice as many as tuples. */
  #slots: Int32Array = new Int32Array(2 * ROOM_LEAST);

  /** @param width codes of a tuple */
  constructor(width: number) {
    this.#codes = Array.from({ length: width }, () => new Uint32Array(ROOM_LEAST));
  }

  /** The code at a place of each number. */
  codes(place: number): Uint32Array {
    return this.#codes[place].subarray(0, this.size);
  }

  /**
   * @param columns one a place, each of at least `rows` codes
   * @param kept 1 where the row counts; null: all
   * @returns each row's number, or NOWHERE
   */
  assign(columns: readonly Uint32Array[], rows: number, kept: Uint8Array | null): Int32Array {
    const numbers = new Int32Array(rows);
    for (let row = 0; row < rows; row++) {
      numbers[row] = kept === null || kept[row] === 1 ? this.#number(columns, row) : NOWHERE;
    }
    return numbers;
  }

  #number(columns: readonly Uint32Array[], row: number): number {
    let hash = 0;
    for (let i = 0; i < columns.length; i++) {
      hash = Math.imul(hash ^ columns[i][row], MIX);
      hash ^= hash >>> 15;
    }
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] - 1;
      if (this.#hashes[number] === hash && this.#isTuple(number, columns, row)) return number;
    }
    this.#slots[slot] = this.size + 1;
    return this.#add(hash, columns, row);
  }

  #isTuple(number: number, columns: readonly Uint32Array[], row: number): boolean {
    for (let i = 0; i < columns.length; i++) {
      if (this.#codes[i][number] !== columns[i][row]) return false;
    }
    return true;
  }

  #add(hash: number, columns: readonly Uint32Array[], row: number): number {
    const number = this.size++;
    if (number === this.#hashes.length) this.#grow();
    this.#hashes[number] = hash;
    for (let i = 0; i < columns.length; i++) this.#codes[i][number] = columns[i][row];
    if (2 * this.size > this.#slots.length) this.#spread();
    return number;
  }

  #grow(): void {
    const room = 2 * this.#hashes.length;
    const hashes = new Int32Array(room);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    for (const [i, codes] of this.#codes.entries()) {
      this.#codes[i] = new Uint32Array(room);
      this.#codes[i].set(codes);
    }
  }

  #spread(): void {
    this.#slots = new Int32Array(2 * this.#slots.length);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.size; number++) {
      let slot = this.#hashes[number] & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}
