/**
 * The content of bills: a hash of all their rows. It is a sum over rows, so that it is the same however the
 * rows are ordered, packed, and cut into files and parts.
 */
import type { PackedTexts, Table } from '../../columnar/index.ts';
import { BILL_NUMBERS, BILL_TEXTS } from '../focus/index.ts';

/** Odd constants of MurmurHash3 (https://github.com/aappleby/smhasher/wiki/MurmurHash3). */
const [FIRST, SECOND, THIRD, FOURTH] = [0x85ebca6b, 0xc2b2ae35, 0xcc9e2d51, 0x1b873593];
/** FNV-1a (https://datatracker.ietf.org/doc/html/rfc9923). */
const [FNV_BASIS, FNV_PRIME] = [0x811c9dc5, 0x01000193];
const HEX = 16;

/**
 * @param packed columns of BILL_TEXTS by name; an absent one is empty in all rows, as an absent number is 0
 * @returns 64 bits
 */
export function contentOf(table: Table, packed: ReadonlyMap<string, PackedTexts>): string {
  const rows = new RowHashes(table.rows);
  BILL_NUMBERS.forEach((name, column) => {
    const values = table.numbers(name)?.values;
    if (values) rows.addNumbers(column, values);
  });
  BILL_TEXTS.forEach((name, column) => {
    const texts = packed.get(name);
    if (texts) rows.addTexts(BILL_NUMBERS.length + column, texts);
  });
  return hexOf(rows.sum);
}

/** The content of parts together. @returns undefined where that of a part is not known */
export function contentTogether(parts: readonly (string | undefined)[]): string | undefined {
  let sum = 0n;
  for (const part of parts) {
    if (part === undefined) return undefined;
    sum += BigInt(`0x${part}`);
  }
  return hexOf(sum);
}

function hexOf(sum: bigint): string {
  return BigInt.asUintN(64, sum).toString(16).padStart(HEX, '0');
}

class RowHashes {
  readonly #low: Uint32Array;
  readonly #high: Uint32Array;

  constructor(rows: number) {
    [this.#low, this.#high] = [new Uint32Array(rows), new Uint32Array(rows)];
  }

  /** The hash of all rows. */
  get sum(): bigint {
    // Exact for up to 2²¹ rows, far more than a part has.
    let [upper, lower] = [0, 0];
    for (let row = 0; row < this.#low.length; row++) {
      const [low, high] = [this.#low[row] ?? 0, this.#high[row] ?? 0];
      upper += mixed(low ^ Math.imul(high, THIRD));
      lower += mixed(high ^ Math.imul(low, FOURTH));
    }
    return (BigInt(upper) << 32n) + BigInt(lower);
  }

  addNumbers(column: number, values: Float64Array): void {
    const own = Float64Array.from(values);
    const words = new Uint32Array(own.buffer);
    for (let row = 0; row < own.length; row++) {
      if (own[row] !== 0) this.#add(row, column, words[2 * row] ?? 0, words[2 * row + 1] ?? 0);
    }
  }

  addTexts(column: number, { codes, texts }: PackedTexts): void {
    const hashes = Uint32Array.from({ length: texts.offsets.length - 1 }, (_, code) =>
      textHash(texts.bytes, texts.offsets[code] ?? 0, texts.offsets[code + 1] ?? 0),
    );
    for (let row = 0; row < codes.length; row++) {
      const code = codes[row] ?? 0;
      if (code !== 0) this.#add(row, column, hashes[code] ?? 0, 0);
    }
  }

  #add(row: number, column: number, a: number, b: number): void {
    const value = Math.imul(a ^ Math.imul(column + 1, FIRST), THIRD) ^ Math.imul(b, SECOND);
    this.#low[row] = (this.#low[row] ?? 0) + mixed(value);
    this.#high[row] = (this.#high[row] ?? 0) + mixed(value ^ FOURTH);
  }
}

/** Each bit of a word spread over all of its bits. */
function mixed(word: number): number {
  let hash = word ^ (word >>> 16);
  hash = Math.imul(hash, FIRST);
  hash = Math.imul(hash ^ (hash >>> 13), SECOND);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function textHash(bytes: Uint8Array, start: number, end: number): number {
  let hash = FNV_BASIS;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME);
  return hash;
}
