/**
 * Labels as numbers: each pair of a name and a value of a column's texts has one, so that pairs are read, named
 * and compared once, however many texts have them. Texts as prorata writes them are read byte by byte where
 * they are; others are parsed.
 *
 *   {"app":"cart","tier":"web"} ▶ 0, 1     {"app":"cart","tier":"db"} ▶ 0, 2
 */
import { Dictionary, spendHeap, type Texts } from '../../columnar/index.ts';
import { parseLabels } from '../../query/index.ts';
import { ByteTexts } from './byte-texts.ts';

const [QUOTE = 0, COMMA = 0, COLON = 0, BACKSLASH = 0, OPEN = 0, CLOSE = 0] =
  Buffer.from('",:\\{}');
const [BLANK, DELETE, ZERO, NINE] = [32, 127, 48, 57];

export class LabelPairs {
  readonly #texts: Texts;
  /** JSON of each pair: `"name":"value"`. */
  readonly #pairs: ByteTexts = new ByteTexts();
  readonly #names: ByteTexts = new ByteTexts();
  /** Number of its name, by pair. */
  readonly #nameOf: number[] = [];
  /** Place of the list of a text's pairs + 1, by code. */
  readonly #byCode: Uint32Array;
  /** Lists, each its length and its pairs. */
  #lists: Uint32Array = new Uint32Array(4096);
  #end = 0;
  readonly #scanned: Scanned = { nameEnd: 0, end: 0 };

  constructor(texts: Texts) {
    this.#texts = texts;
    this.#byCode = new Uint32Array(texts.size);
  }

  /** The list of a text's pairs, in its order. @throws {HeapFull} */
  listOf(code: number): number {
    const known = this.#byCode[code] ?? 0;
    if (known > 0) return known - 1;
    const list = this.#begin();
    if (code > 0 && !this.#scan(code, list)) {
      this.#lists[list] = 0;
      this.#end = list + 1;
      this.#parse(code, list);
    }
    this.#byCode[code] = list + 1;
    return list;
  }

  lengthOf(list: number): number {
    return this.#lists[list] ?? 0;
  }

  /** The pair at a place of a list. */
  at(list: number, place: number): number {
    return this.#lists[list + 1 + place] ?? 0;
  }

  /** The pairs of a list that another has too: the list itself where these are all. */
  common(list: number, other: number): number {
    const left = this.#begin();
    for (let place = 0; place < this.lengthOf(list); place++) {
      const pair = this.at(list, place);
      if (this.#has(other, pair)) this.#push(left, pair);
    }
    if (this.lengthOf(left) < this.lengthOf(list)) return left;
    this.#end = left;
    return list;
  }

  name(pair: number): string {
    return this.#names.text(this.#nameOf[pair] ?? 0);
  }

  value(pair: number): string {
    const json = this.json(pair);
    if (!json.includes('\\')) return json.slice(this.name(pair).length + 4, -1);
    return parseLabels(`{${json}}`).get(this.name(pair)) ?? '';
  }

  /** `"name":"value"` */
  json(pair: number): string {
    return this.#pairs.text(pair);
  }

  #parse(code: number, list: number): void {
    for (const pair of parseLabels(this.#texts.text(code))) {
      const json = Buffer.from(pair.map((text) => JSON.stringify(text)).join(':'));
      const name = Buffer.from(pair[0]);
      this.#push(list, this.#number(json, 0, json.length, name, 0, name.length));
    }
  }

  /** False: the text is not plain, or has a name twice. */
  #scan(code: number, list: number): boolean {
    if (!(this.#texts instanceof Dictionary)) return false;
    const { bytes, offsets } = this.#texts;
    const [start, end] = [offsets[code] ?? 0, offsets[code + 1] ?? 0];
    const to = this.#scanned;
    for (let at = start; at < end && bytes[at] === (at === start ? OPEN : COMMA); at = to.end) {
      scanPair(bytes, at + 1, end, to);
      if (to.end === 0) return false;
      const pair = this.#number(bytes, at + 1, to.end, bytes, at + 2, to.nameEnd);
      if (this.#hasName(list, this.#nameOf[pair] ?? 0)) return false;
      this.#push(list, pair);
      if (to.end === end - 1 && bytes[to.end] === CLOSE) return true;
    }
    return false;
  }

  #number(
    bytes: Uint8Array,
    start: number,
    end: number,
    names: Uint8Array,
    nameStart: number,
    nameEnd: number,
  ): number {
    const pair = this.#pairs.number(bytes, start, end);
    if (pair === this.#nameOf.length)
      this.#nameOf.push(this.#names.number(names, nameStart, nameEnd));
    return pair;
  }

  #has(list: number, pair: number): boolean {
    for (let place = 0; place < this.lengthOf(list); place++) {
      if (this.at(list, place) === pair) return true;
    }
    return false;
  }

  #hasName(list: number, name: number): boolean {
    for (let place = 0; place < this.lengthOf(list); place++) {
      if (this.#nameOf[this.at(list, place)] === name) return true;
    }
    return false;
  }

  /** An empty list at the end, which `#push` may lengthen. */
  #begin(): number {
    this.#makeRoom();
    this.#lists[this.#end] = 0;
    return this.#end++;
  }

  #push(list: number, pair: number): void {
    this.#makeRoom();
    this.#lists[this.#end++] = pair;
    this.#lists[list] = this.lengthOf(list) + 1;
  }

  #makeRoom(): void {
    const { length } = this.#lists;
    if (this.#end < length) return;
    spendHeap(2 * this.#lists.byteLength);
    const larger = new Uint32Array(2 * length);
    larger.set(this.#lists);
    this.#lists = larger;
  }
}

/** Where a pair ends, and its name; 0: it is not plain. */
interface Scanned {
  end: number;
  nameEnd: number;
}

/**
 * Reads `"name":"value"`: ASCII without escapes, and no name that begins with a digit, as objects put such
 * names first.
 */
function scanPair(bytes: Uint8Array, start: number, end: number, to: Scanned): void {
  to.end = 0;
  const first = bytes[start + 1] ?? 0;
  if (bytes[start] !== QUOTE || (first >= ZERO && first <= NINE)) return;
  const nameEnd = closingQuote(bytes, start + 1, end);
  if (nameEnd === 0 || bytes[nameEnd + 1] !== COLON || bytes[nameEnd + 2] !== QUOTE) return;
  const valueEnd = closingQuote(bytes, nameEnd + 3, end);
  if (valueEnd === 0) return;
  to.nameEnd = nameEnd;
  to.end = valueEnd + 1;
}

/** 0 where there is none before `end`, or another byte than plain ASCII. */
function closingQuote(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at;
    if (byte < BLANK || byte >= DELETE || byte === BACKSLASH) return 0;
  }
  return 0;
}

const KNOWN = new WeakMap<Texts, LabelPairs>();

/** The pairs of a dictionary's texts: those that were read before are not read again. */
export function labelPairsOf(texts: Texts): LabelPairs {
  const known = KNOWN.get(texts) ?? new LabelPairs(texts);
  KNOWN.set(texts, known);
  return known;
}
