/** Names and values that all rows of a group share. Each text is read once. */
import type { Texts } from '../../columnar/index.ts';
import { labelPairsOf, type LabelPairs } from './label-pairs.ts';

export class AgreedPairs {
  readonly #labels: LabelPairs;
  /** The list of pairs that are shared so far + 1, by group. */
  readonly #common: Uint32Array;

  /** @param groups how many there are */
  constructor(texts: Texts, groups: number) {
    this.#labels = labelPairsOf(texts);
    this.#common = new Uint32Array(groups);
  }

  /** Adds a text that rows of `group` have. @throws {HeapFull} */
  add(group: number, code: number): void {
    const list = this.#labels.listOf(code);
    const common = this.#common[group];
    this.#common[group] = 1 + (common ? this.#labels.common(common - 1, list) : list);
  }

  /** The shared pairs as JSON; undefined for a group without texts. */
  textOf(group: number): string | undefined {
    const list = this.#common[group];
    if (!list) return undefined;
    const length = this.#labels.lengthOf(list - 1);
    let json = '';
    for (let place = 0; place < length; place++) {
      json += `${place === 0 ? '{' : ','}${this.#labels.json(this.#labels.at(list - 1, place))}`;
    }
    return json && `${json}}`;
  }
}

/** As members.ts writes it; '' without pairs. */
export function pairsJson(pairs: ReadonlyMap<string, string>): string {
  if (pairs.size === 0) return '';
  const members = [...pairs].map((pair) => pair.map((text) => JSON.stringify(text)).join(':'));
  return `{${members.join(',')}}`;
}
