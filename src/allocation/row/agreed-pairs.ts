/** Names and values that all rows of a group share. Each text is parsed once. */
import { parseLabels } from '../../query/index.ts';
import { spendHeap, type Texts } from '../../columnar/index.ts';

/** Heap that the pairs of a text take: a table, and for each character. */
const TABLE_BYTES = 300;
const CHARACTER_BYTES = 4;

export type Pairs = ReadonlyMap<string, string>;

export class AgreedPairs {
  readonly #texts: Texts;
  readonly #read: Map<number, Pairs> = new Map();
  readonly #common: Map<number, Pairs> = new Map();

  constructor(texts: Texts) {
    this.#texts = texts;
  }

  /** Adds a text that rows of `group` have. @throws {HeapFull} */
  add(group: number, code: number): void {
    const common = this.#common.get(group);
    if (common === undefined) this.#common.set(group, this.#pairs(code));
    else if (common.size > 0) this.#common.set(group, intersection(common, this.#pairs(code)));
  }

  /** The shared pairs as JSON; undefined for a group without texts. */
  textOf(group: number): string | undefined {
    const common = this.#common.get(group);
    return common && pairsJson(common);
  }

  #pairs(code: number): Pairs {
    let pairs = this.#read.get(code);
    if (pairs === undefined) {
      const text = this.#texts.text(code);
      pairs = parseLabels(text);
      this.#read.set(code, pairs);
      spendHeap(TABLE_BYTES + CHARACTER_BYTES * text.length);
    }
    return pairs;
  }
}

/** The pairs that both have. */
export function intersection(some: Pairs, others: Pairs): Pairs {
  let missing = 0;
  for (const [name, value] of some) if (others.get(name) !== value) missing++;
  if (missing === 0) return some;
  return new Map([...some].filter(([name, value]) => others.get(name) === value));
}

/** As members.ts writes it; '' without pairs. */
export function pairsJson(pairs: Pairs): string {
  if (pairs.size === 0) return '';
  const members = [...pairs].map((pair) => pair.map((text) => JSON.stringify(text)).join(':'));
  return `{${members.join(',')}}`;
}
