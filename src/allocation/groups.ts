/** Groups of rows that have one name, in the order in which they came. */
import { codesIn, DictionaryBuilder, mapCodes, type Workspace } from '../columnar/index.ts';
import type { RowNames } from './row-names.ts';

export class Groups {
  readonly texts: DictionaryBuilder = new DictionaryBuilder();
  /** Code of the name, a group. */
  readonly names: number[] = [];
  /** Codes of the parts that names are joined of, each a group. */
  readonly parts: readonly number[][];
  readonly #isIdle: boolean[] = [];
  /** Group + 1 by code of the name. */
  #byName: Uint32Array = new Uint32Array(1024);

  constructor(partCount: number) {
    this.parts = Array.from({ length: partCount }, () => []);
  }

  /**
   * @param named with codes of `texts`
   * @returns the group of each row
   */
  assign(space: Workspace, { rows, names, parts, isIdle }: RowNames): Uint32Array {
    this.#makeRoom();
    const used = codesIn(space, rows, names.length);
    const groups = new Uint32Array(names.length);
    for (let number = used.indexOf(1); number >= 0; number = used.indexOf(1, number + 1)) {
      const name = names[number] ?? 0;
      const known = this.#byName[name] ?? 0;
      if (known === 0) {
        parts.forEach((part, i) => this.parts[i]?.push(part[number] ?? 0));
        this.#isIdle.push(isIdle(number));
        this.#byName[name] = this.names.push(name);
      }
      groups[number] = (this.#byName[name] ?? 0) - 1;
    }
    return mapCodes(space, rows, groups);
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
