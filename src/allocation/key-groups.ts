/** Numbers for combinations of texts, in the order of their coming. */
import { type DictionaryBuilder, plainColumn, type Table } from '../columnar/index.ts';

/** The number of a row that is left out. */
export const NOWHERE = -1;
const CODES = 2 ** 26;

export class KeyGroups {
  readonly #keys: readonly string[];
  readonly #texts: DictionaryBuilder;
  /** Of each key the number of a combination of it and those before it. */
  readonly #numbers: readonly Map<number, number>[];

  /** @param keys columns of texts */
  constructor(keys: readonly string[], texts: DictionaryBuilder) {
    this.#keys = keys;
    this.#texts = texts;
    this.#numbers = keys.map(() => new Map<number, number>());
  }

  get size(): number {
    return this.#numbers.at(-1)?.size ?? 0;
  }

  /** @param kept rows that count; null: all @returns each row's number, or NOWHERE */
  assign(table: Table, kept: Uint8Array | null): Int32Array {
    const columns = this.#keys.map((name) => plainColumn(table, name, this.#texts));
    return new Int32Array(table.rows).map((_, row) => {
      if (kept !== null && kept[row] !== 1) return NOWHERE;
      return columns.reduce((before, codes, i) => this.#number(i, before, codes[row] ?? 0), 0);
    });
  }

  /** The codes of each number, by key. */
  combinations(): readonly (readonly number[])[] {
    return this.#numbers.reduce<readonly (readonly number[])[]>(
      (before, numbers) =>
        [...numbers.keys()].map((pair) => [
          ...(before[Math.floor(pair / CODES)] ?? []),
          pair % CODES,
        ]),
      [[]],
    );
  }

  #number(key: number, before: number, code: number): number {
    const numbers = this.#numbers[key];
    const pair = before * CODES + code;
    const known = numbers?.get(pair);
    if (known !== undefined) return known;
    const number = numbers?.size ?? 0;
    numbers?.set(pair, number);
    return number;
  }
}
