/** Groups of rows that have one name, in the order in which they came. */
import { DictionaryBuilder } from '../columnar/index.ts';
import { ROW_KINDS } from './row-kinds.ts';
import type { RowNames } from './row-names.ts';

export class Groups {
  readonly texts: DictionaryBuilder = new DictionaryBuilder();
  /** Code of the name, a group. */
  readonly names: number[] = [];
  /** Of how many parts a name is joined. */
  readonly partCount: number;
  /** Codes of the parts a name is joined of, a group. */
  readonly parts: number[][] = [];
  readonly #isIdle: boolean[] = [];
  /** Group + 1 by code of the name. */
  #byName: Uint32Array = new Uint32Array(1024);

  constructor(partCount: number) {
    this.partCount = partCount;
  }

  /**
   * @param kinds ROW_KINDS, a row
   * @param named with codes of `texts`
   * @returns the group of each row
   */
  assign(kinds: Uint32Array, { names, parts }: RowNames): Uint32Array {
    this.#makeRoom();
    return names.map((name, row) => {
      const known = this.#byName[name] ?? 0;
      if (known > 0) return known - 1;
      this.parts.push(parts.map((column) => column[row] ?? 0));
      this.#isIdle.push(kinds[row] === ROW_KINDS.idle);
      return (this.#byName[name] = this.names.push(name)) - 1;
    });
  }

  /** The groups that `isUsed`: idle first, then by name. */
  ordered(isUsed: Uint8Array): number[] {
    return this.names
      .map((name, group) => ({
        group,
        text: this.texts.text(name),
        rank: this.#isIdle[group] ? 0 : 1,
      }))
      .filter(({ group }) => isUsed[group] === 1)
      .sort((a, b) => a.rank - b.rank || (a.text < b.text ? -1 : 1))
      .map(({ group }) => group);
  }

  #makeRoom(): void {
    if (this.texts.size <= this.#byName.length) return;
    const larger = new Uint32Array(2 * this.texts.size);
    larger.set(this.#byName);
    this.#byName = larger;
  }
}
