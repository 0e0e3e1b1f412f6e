/** Numbers for combinations of texts, in the order of their coming. */
import { plainColumn, TupleIndex, type DictionaryBuilder, type Table } from '../columnar/index.ts';

export class KeyGroups {
  readonly #keys: readonly string[];
  readonly #texts: DictionaryBuilder;
  readonly #tuples: TupleIndex;

  /** @param keys columns of texts */
  constructor(keys: readonly string[], texts: DictionaryBuilder) {
    this.#keys = keys;
    this.#texts = texts;
    this.#tuples = new TupleIndex(keys.length);
  }

  get size(): number {
    return this.#tuples.size;
  }

  /** @param kept rows that count; null: all @returns each row's number, or NOWHERE */
  assign(table: Table, kept: Uint8Array | null): Int32Array {
    const columns = this.#keys.map((name) => plainColumn(table, name, this.#texts));
    return this.#tuples.assign(columns, table.rows, kept);
  }

  /** The code that each number has of a key, by its place. */
  codes(key: number): Uint32Array {
    return this.#tuples.codes(key);
  }
}
