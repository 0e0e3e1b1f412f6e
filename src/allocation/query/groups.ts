/** Groups of rows with the same name, in order of first appearance. */
import {
  codesIn,
  mapCodes,
  orderOfTexts,
  spendHeap,
  TextIndex,
  type Workspace,
} from '../../columnar/index.ts';
import type { RowNames } from './row-names.ts';

/** Heap that ordering takes for each group. */
const ORDERED_BYTES = 100;

export class Groups {
  /** With the workspace's owner. */
  readonly texts: TextIndex;
  /** Code of the name, a group. */
  readonly names: number[] = [];
  /** Codes of the parts that names are joined of, each a group. */
  readonly parts: readonly number[][];
  readonly #isIdle: boolean[] = [];
  /** Group + 1 by code of the name. */
  #byName: Uint32Array = new Uint32Array(1024);

  constructor({ engine, owner }: Workspace, partCount: number) {
    this.texts = new TextIndex(engine, owner);
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
  ordered(space: Workspace, isUsed: Uint8Array): Uint32Array {
    const { names } = this;
    spendHeap(ORDERED_BYTES * names.length);
    const groups = new Uint32Array(names.length);
    const codes = new Uint32Array(names.length);
    let count = 0;
    for (let group = 0; group < names.length; group++) {
      if (isUsed[group] !== 1) continue;
      groups[count] = group;
      codes[count++] = names[group] ?? 0;
    }
    const order = orderOfTexts(space, codes.subarray(0, count), this.texts);
    const ordered = new Uint32Array(count);
    let place = 0;
    for (const isIdle of this.#isIdle.includes(true) ? [true, false] : [false]) {
      for (let at = 0; at < count; at++) {
        const group = groups[order[at] ?? 0] ?? 0;
        if (this.#isIdle[group] === isIdle) ordered[place++] = group;
      }
    }
    return ordered;
  }

  #makeRoom(): void {
    if (this.texts.size <= this.#byName.length) return;
    const larger = new Uint32Array(2 * this.texts.size);
    larger.set(this.#byName);
    this.#byName = larger;
  }
}
