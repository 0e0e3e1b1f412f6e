/** What a column of a row group has: its different values, or all of them, its nulls, and the least and the greatest. */
import {
  bitsOfCodes,
  codedWords,
  hybrid,
  plainTexts,
  recoded,
  wordsOf,
  wordsOfWhole,
  type Words,
} from './encodings.ts';

export interface ParquetColumn {
  readonly name: string;
  /** Numbers are doubles; moments Unix milliseconds, in whole ones, UTC; texts UTF-8. */
  readonly kind: 'number' | 'moment' | 'text';
  /** Whether numbers that are NaN are told as nulls. */
  readonly isNullable?: boolean;
}

/** Values of rows: numbers and moments as they are, texts by codes below `size`. */
export type ParquetValues = Float64Array | ParquetTexts;

export interface ParquetTexts {
  readonly codes: ArrayLike<number>;
  readonly size: number;
  bytesOf(code: number): Uint8Array;
}

/** Values, as pages have them. */
export interface EncodedValues {
  /** Nulls among them. */
  readonly nulls: number;
  /** The different values, where rows have codes of them. */
  readonly dictionary: { readonly count: number; readonly bytes: Uint8Array } | undefined;
  readonly bytes: Uint8Array;
  /** The least and the greatest; undefined where there is none, or it would be long. */
  readonly extremes: readonly [least: Uint8Array, greatest: Uint8Array] | undefined;
}

export function encodeValues(
  { name, kind, isNullable = false }: ParquetColumn,
  values: ParquetValues,
): EncodedValues {
  if ((kind === 'text') === values instanceof Float64Array)
    throw new Error(`BUG: ${name} has no ${kind}s`);
  if (!(values instanceof Float64Array)) return textsOf(values);
  return kind === 'moment' ? momentsOf(values) : numbersOf(values, isNullable);
}

function numbersOf(values: Float64Array, isNullable: boolean): EncodedValues {
  if (!isNullable) return ofWords(wordsOf(values), 0, extremesOf(values));
  const known = values.filter((value) => !Number.isNaN(value));
  const isKnown = Uint8Array.from(values, (value) => (Number.isNaN(value) ? 0 : 1));
  const levels = hybrid(isKnown, 1);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(levels.length);
  const encoded = ofWords(wordsOf(known), values.length - known.length, extremesOf(known));
  return { ...encoded, bytes: Buffer.concat([length, levels, encoded.bytes]) };
}

function momentsOf(values: Float64Array): EncodedValues {
  const whole = values.map(Math.round);
  const found = leastAndGreatest(whole);
  const told = (value: number): Uint8Array => bytesIn(wordsOfWhole(Float64Array.of(value)));
  return ofWords(wordsOfWhole(whole), 0, found && [told(found[0]), told(found[1])]);
}

function ofWords(words: Words, nulls: number, extremes: EncodedValues['extremes']): EncodedValues {
  const coded = codedWords(words);
  if (coded === undefined) return { nulls, dictionary: undefined, bytes: bytesIn(words), extremes };
  const count = coded.list.length / 2;
  const dictionary = { count, bytes: bytesIn(coded.list) };
  return { nulls, dictionary, bytes: codeBytes(coded.codes, count), extremes };
}

function bytesIn({ buffer }: Words): Uint8Array {
  return new Uint8Array(buffer);
}

/** Codes of a page, behind their width. */
function codeBytes(codes: Uint32Array, count: number): Uint8Array {
  const bits = bitsOfCodes(count);
  return Buffer.concat([Uint8Array.of(bits), hybrid(codes, bits)]);
}

/** As the format wants them: none beside NaN, and a zero is the lower or the greater one. */
function extremesOf(values: Float64Array): EncodedValues['extremes'] {
  const found = leastAndGreatest(values);
  if (found === undefined) return undefined;
  const told = (value: number): Uint8Array => bytesIn(wordsOf(Float64Array.of(value)));
  return [told(found[0] === 0 ? -0 : found[0]), told(found[1] === 0 ? 0 : found[1])];
}

function leastAndGreatest(values: Float64Array): [number, number] | undefined {
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of values) {
    if (Number.isNaN(value)) return undefined;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return values.length === 0 ? undefined : [least, greatest];
}

/** Longer texts are no help to who looks for one. */
const EXTREME_BYTES_MAX = 64;

function textsOf(values: ParquetTexts): EncodedValues {
  const { codes: own, list } = recoded(values.codes, values.size);
  const texts = list.map((code) => values.bytesOf(code));
  const [first] = texts;
  let extremes: [Uint8Array, Uint8Array] | undefined = first && [first, first];
  for (const text of texts) {
    if (extremes === undefined) break;
    if (text.length > EXTREME_BYTES_MAX) extremes = undefined;
    else if (Buffer.compare(text, extremes[0]) < 0) extremes[0] = text;
    else if (Buffer.compare(text, extremes[1]) > 0) extremes[1] = text;
  }
  if (first !== undefined && first.length > EXTREME_BYTES_MAX) extremes = undefined;
  const dictionary = { count: list.length, bytes: plainTexts(texts) };
  return { nulls: 0, dictionary, bytes: codeBytes(own, list.length), extremes };
}
