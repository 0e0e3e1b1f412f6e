/** Values as bytes: https://github.com/apache/parquet-format/blob/master/Encodings.md */
import { writeVarint } from './compact.ts';

/** Numbers of eight bytes, as two words each, the lower one first. */
export type Words = Uint32Array<ArrayBuffer>;

/** Values by their places in a list of different ones. */
export interface Coded<List> {
  readonly codes: Uint32Array;
  readonly list: List;
}

/** Bits of the codes below a number, at least one: not all readers know of codes without bits. */
export function bitsOfCodes(count: number): number {
  return Math.max(1, 32 - Math.clz32(count - 1));
}

const GROUP = 8;
/** The longest number before a run. */
const HEADER_BYTES = 5;

/**
 * Runs of a repeated number, and numbers packed in groups of eight, whichever is shorter ("RLE/bit-packing hybrid").
 * @param bits of a number: 1 to 24
 */
export function hybrid(codes: ArrayLike<number>, bits: number): Uint8Array {
  const groups = Math.ceil(codes.length / GROUP);
  const bytes = new Uint8Array(groups * (HEADER_BYTES + Math.max(bits, 4)));
  let [at, row] = [0, 0];
  const head = (value: number): void => {
    const varint: number[] = [];
    writeVarint(varint, value);
    for (const byte of varint) bytes[at++] = byte;
  };
  while (row < codes.length) {
    const run = runAt(codes, row);
    if (run >= GROUP) {
      const code = codes[row] ?? 0;
      head(2 * run);
      for (let bit = 0; bit < bits; bit += 8) bytes[at++] = code >>> bit;
      row += run;
      continue;
    }
    let end = row + GROUP;
    while (end < codes.length && runAt(codes, end) < GROUP) end += GROUP;
    head(2 * ((end - row) / GROUP) + 1);
    at = pack(codes, bits, { row, end }, bytes, at);
    row = end;
  }
  return bytes.subarray(0, at);
}

/** How often the number of a row comes, one behind the other. */
function runAt(codes: ArrayLike<number>, row: number): number {
  const code = codes[row];
  let end = row + 1;
  while (end < codes.length && codes[end] === code) end++;
  return end - row;
}

/** @returns the place behind what was written */
function pack(
  codes: ArrayLike<number>,
  bits: number,
  { row, end }: { readonly row: number; readonly end: number },
  bytes: Uint8Array,
  start: number,
): number {
  let [at, held, heldBits] = [start, 0, 0];
  for (let each = row; each < end; each++) {
    held |= (codes[each] ?? 0) << heldBits;
    heldBits += bits;
    for (; heldBits >= 8; heldBits -= 8) {
      bytes[at++] = held;
      held >>>= 8;
    }
  }
  return at;
}

/** Texts, or any bytes, each behind its length. */
export function plainTexts(texts: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, { length }) => sum + 4 + length, 0));
  let at = 0;
  for (const text of texts) {
    at = bytes.writeUInt32LE(text.length, at);
    bytes.set(text, at);
    at += text.length;
  }
  return bytes;
}

/** Numbers by their bits, as NaN and -0 are numbers, too. */
export function wordsOf(values: Float64Array): Words {
  return new Uint32Array(Float64Array.from(values).buffer);
}

/** Whole numbers as i64. */
export function wordsOfWhole(values: Float64Array): Words {
  const words = new Uint32Array(2 * values.length);
  values.forEach((value, i) => {
    const whole = Math.round(value);
    words[2 * i] = whole % 2 ** 32;
    words[2 * i + 1] = Math.floor(whole / 2 ** 32);
  });
  return words;
}

/** @returns undefined where codes would save little, as there are more different numbers than a quarter of all */
export function codedWords(words: Words): Coded<Words> | undefined {
  const rows = words.length / 2;
  if (rows === 0) return undefined;
  const max = Math.max(1, Math.floor(rows / 4));
  const slots = new Int32Array(2 ** (32 - Math.clz32(2 * max))).fill(-1);
  const list = new Uint32Array(2 * max);
  const codes = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const low = words[2 * row] ?? 0;
    const high = words[2 * row + 1] ?? 0;
    let slot = mixed(low, high) & (slots.length - 1);
    let code = slots[slot] ?? -1;
    while (code >= 0 && (list[2 * code] !== low || list[2 * code + 1] !== high)) {
      slot = (slot + 1) & (slots.length - 1);
      code = slots[slot] ?? -1;
    }
    if (code < 0) {
      if (count === max) return undefined;
      slots[slot] = code = count++;
      list[2 * code] = low;
      list[2 * code + 1] = high;
    }
    codes[row] = code;
  }
  return { codes, list: list.slice(0, 2 * count) };
}

function mixed(low: number, high: number): number {
  const once = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  return once ^ (once >>> 15);
}

/** The codes that rows have, numbered anew in the order of rows. @param size codes are below it */
export function recoded(codes: ArrayLike<number>, size: number): Coded<readonly number[]> {
  const known = new Int32Array(size).fill(-1);
  const list: number[] = [];
  const own = new Uint32Array(codes.length);
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row] ?? 0;
    let mine = known[code] ?? -1;
    if (mine < 0) known[code] = mine = list.push(code) - 1;
    own[row] = mine;
  }
  return { codes: own, list };
}
