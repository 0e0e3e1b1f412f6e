/** The one or two rows that stand for each group of rows. */

/** Rows by the group that they are added to, groups in the order of their first rows. */
export interface GroupedRows {
  /** A number a row. */
  readonly groups: Uint32Array;
  readonly count: number;
}

/** What the two rows of each group have in a column. */
export interface Pairs<Values> {
  readonly first: Values;
  readonly second: Values;
  /** Whether `second` is what is left of a sum, nothing where it is 0; else it is alike where it equals `first`. */
  readonly isRest: boolean;
}

type Numbers = Uint32Array | Float64Array;

/** The row of each group: groups of which both rows would be alike, or the second nothing, have one. */
export class RowPlaces {
  readonly rows: number;
  /** The first row of each group, and after the last group the number of rows. */
  readonly #starts: Uint32Array;

  constructor(count: number, columns: Iterable<Pairs<Numbers>>) {
    const isTwo = new Uint8Array(count);
    for (const { first, second, isRest } of columns) {
      for (let group = 0; group < count; group++) {
        if (second[group] !== (isRest ? 0 : first[group])) isTwo[group] = 1;
      }
    }
    this.#starts = new Uint32Array(count + 1);
    let rows = 0;
    isTwo.forEach((is, group) => {
      this.#starts[group] = rows;
      rows += 1 + is;
    });
    this.#starts[count] = this.rows = rows;
  }

  /** Fills a column of all rows. */
  write<Values extends Numbers>(target: Values, { first, second }: Pairs<Values>): void {
    const starts = this.#starts;
    for (let group = 0; group < first.length; group++) {
      const [start, next] = [starts[group] ?? 0, starts[group + 1] ?? 0];
      target[start] = first[group] ?? 0;
      if (next > start + 1) target[start + 1] = second[group] ?? 0;
    }
  }
}
