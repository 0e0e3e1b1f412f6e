/** Groups of rows with the same name, in order of first appearance. */
import {
  codesIn,
  DictionaryBuilder,
  mapCodes,
  spendHeap,
  type Workspace,
} from '../../columnar/index.ts';
import type { RowNames } from './row-names.ts';

/** Heap that ordering takes for each group. */
const ORDERED_BYTES = 100;

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
    const byName = this.#byName;
    for (let number = 0; number < names.length; number++) {
      if (used[number] === 0) continue;
      const name = names[number] ?? 0;
      if (byName[name] === 0) {
        byName[name] = this.names.push(name);
        this.#isIdle.push(isIdle(number));
        parts.forEach((part, i) => this.parts[i]?.push(part[number] ?? 0));
      }
      groups[number] = (byName[name] ?? 0) - 1;
    }
    return mapCodes(space, rows, groups);
  }

  /** The groups that `isUsed`: idle first, then by name. @throws {HeapFull} */
  ordered(isUsed: Uint8Array): number[] {
    return this.names
      .map((name, group) => {
        spendHeap(ORDERED_BYTES);
        return { group, text: this.texts.text(name), rank: this.#isIdle[group] ? 0 : 1 };
      })
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
