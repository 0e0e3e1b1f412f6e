/** Numbers for combinations of texts, in order of first appearance. */
import {
  plainColumn,
  TupleIndex,
  type DictionaryBuilder,
  type Engine,
  type Owner,
  type Table,
} from '../../columnar/index.ts';

export class KeyGroups {
  readonly #keys: readonly string[];
  readonly #texts: DictionaryBuilder;
  readonly #owner: Owner;
  readonly #tuples: TupleIndex;

  /** @param keys columns of texts */
  constructor(engine: Engine, owner: Owner, keys: readonly string[], texts: DictionaryBuilder) {
    this.#keys = keys;
    this.#texts = texts;
    this.#owner = owner;
    this.#tuples = new TupleIndex(engine, owner, keys.length);
  }

  get size(): number {
    return this.#tuples.size;
  }

  /** @param kept rows that count; null: all @returns each row's number, or NOWHERE */
  assign(table: Table, kept: Uint8Array | null): Int32Array {
    const columns = this.#keys.map((name) => ({
      codes: plainColumn(table, name, this.#texts),
      by: null,
    }));
    const without = kept && Uint32Array.from(kept, (isKept) => 1 - isKept);
    return this.#tuples.assign(columns, table.rows, without, this.#owner);
  }

  /** The code of each number in the key at that place. */
  codes(key: number): Uint32Array {
    return this.#tuples.codes(key);
  }
}
