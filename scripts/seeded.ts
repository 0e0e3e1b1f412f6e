/** Random numbers that a seed repeats: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
    // Seeds that stand side by side begin alike.
    for (let i = 0; i < 3; i++) this.below(2);
  }

  /** A whole number in [0, end). */
  below(end: number): number {
    return Math.floor(this.#next() * end);
  }

  is(share: number): boolean {
    return this.#next() < share;
  }

  /** @param list of one item or more */
  of<Item>(list: readonly Item[]): Item {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new Error('BUG: nothing to choose from');
    return item;
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
