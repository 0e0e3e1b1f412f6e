/**
 * A set of rows as bits: row r is bit r % 32 of word r / 32. Bits beyond the last row are zero.
 * The words may lie in the heap or in the arena.
 */
export class RowSet {
  readonly rows: number;
  readonly words: Uint32Array;

  /** @param words as many as `RowSet.wordsOf(rows)`: zeros, or those of another set of as many rows */
  constructor(rows: number, words: Uint32Array = new Uint32Array(RowSet.wordsOf(rows))) {
    if (words.length !== RowSet.wordsOf(rows)) {
      throw new Error(`BUG: ${words.length} words for ${rows} rows`);
    }
    this.rows = rows;
    this.words = words;
  }

  static wordsOf(rows: number): number {
    return (rows + 31) >>> 5;
  }

  /** @param row in [0, rows), like every row below */
  has(row: number): boolean {
    return ((this.words[row >>> 5] >>> (row & 31)) & 1) === 1;
  }

  add(row: number): void {
    this.words[row >>> 5] |= 1 << (row & 31);
  }

  delete(row: number): void {
    this.words[row >>> 5] &= ~(1 << (row & 31));
  }

  addAll(): this {
    this.words.fill(0xffffffff);
    return this.#clearBeyondRows();
  }

  clear(): this {
    this.words.fill(0);
    return this;
  }

  /** Removes the rows that are not in `other`. */
  and(other: RowSet): this {
    const { words } = this.#sameRows(other);
    for (let i = 0; i < words.length; i++) this.words[i] &= words[i];
    return this;
  }

  /** Adds the rows of `other`. */
  or(other: RowSet): this {
    const { words } = this.#sameRows(other);
    for (let i = 0; i < words.length; i++) this.words[i] |= words[i];
    return this;
  }

  /** Replaces the set by its complement. */
  not(): this {
    for (let i = 0; i < this.words.length; i++) this.words[i] = ~this.words[i];
    return this.#clearBeyondRows();
  }

  count(): number {
    let count = 0;
    for (let i = 0; i < this.words.length; i++) count += onesOf(this.words[i]);
    return count;
  }

  /** Visits the rows in ascending order. */
  forEach(visit: (row: number) => void): void {
    for (let i = 0; i < this.words.length; i++) {
      for (let word = this.words[i]; word !== 0; word &= word - 1) {
        visit((i << 5) + 31 - Math.clz32(word & -word));
      }
    }
  }

  /** The rows in ascending order. */
  indices(): Uint32Array {
    const indices = new Uint32Array(this.count());
    let at = 0;
    this.forEach((row) => (indices[at++] = row));
    return indices;
  }

  #sameRows(other: RowSet): RowSet {
    if (other.rows !== this.rows)
      throw new Error(`BUG: sets of ${this.rows} and ${other.rows} rows`);
    return other;
  }

  #clearBeyondRows(): this {
    const used = this.rows & 31;
    if (used > 0) this.words[this.words.length - 1] &= 2 ** used - 1;
    return this;
  }
}

/** The number of ones in 32 bits (Warren, Hacker's Delight, figure 5-2). */
function onesOf(word: number): number {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
