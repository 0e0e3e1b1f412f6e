/**
 * What is known of the columns of a set when it is stored: a piece of it (set-rows.ts), as JSON. By this its rows
 * are added up where they are, and the sums are checked: numbers that somebody changes have another sum.
 */
import { crc32 } from 'node:zlib';
import { setImmediate } from 'node:timers/promises';
import type { DirectoryColumn } from '../arrow/directory.ts';
import type { EncodedSet } from '../arrow/encode-set.ts';
import { codesOf, copied, numbersOf, textsIn, viewed } from '../arrow/file-columns.ts';
import { partSums, rangeOf, splitsOf, type NumberRange } from './exact-sums.ts';
import { pieceOf, type SetPiece } from './set-rows.ts';

/** The name of the piece: no column has it. */
export const FACTS = '=facts';

export interface NumberFacts extends NumberRange {
  /** The sum of each part (exact-sums.ts) over all rows. */
  readonly sums: readonly number[];
  /** Whether a row has -0, of which extremes depend on the order of rows. */
  readonly hasMinusZero: boolean;
}

export interface TextFacts {
  /** How many different texts there are, '' among them. */
  readonly size: number;
  /** Sum over all rows of the text's crc32, modulo 2^32; null: there are too many texts to add up by them. */
  readonly sum: number | null;
}

/** Columns that the set has. A number of null is one that cannot be added up. */
export interface SetFacts {
  readonly rows: number;
  readonly numbers: Readonly<Record<string, NumberFacts | null>>;
  readonly texts: Readonly<Record<string, TextFacts>>;
}

/** Rows for which at most one text in a column makes adding up by it worth while. */
export const ROWS_A_GROUP = 16;
/** So many texts are always few. */
const FEW_TEXTS = 256;

/** The piece of a set that tells them. */
export async function factsPiece(
  set: Pick<EncodedSet, 'bytes' | 'rows'>,
  columns: readonly DirectoryColumn[],
): Promise<SetPiece> {
  return await pieceOf(FACTS, [Buffer.from(JSON.stringify(await factsOf(set, columns)))]);
}

async function factsOf(
  { bytes, rows }: Pick<EncodedSet, 'bytes' | 'rows'>,
  columns: readonly DirectoryColumn[],
): Promise<SetFacts> {
  const numbers: Record<string, NumberFacts | null> = {};
  const texts: Record<string, TextFacts> = {};
  for (const column of columns) {
    if ('number' in column) {
      numbers[column.name] = numberFacts(new Float64Array(rows).fill(column.number), rows);
    } else if ('text' in column) {
      texts[column.name] = { size: 2, sum: Math.imul(crc32(column.text), rows) >>> 0 };
    } else if ('codes' in column) {
      texts[column.name] = textFacts(bytes, column, rows);
    } else if ('values' in column) {
      const values = numbersOf(column.type, copied(bytes, column.values));
      numbers[column.name] = numberFacts(new Float64Array(values), rows);
    }
    // Others have their turn: a column of a million rows takes some 20 ms.
    await setImmediate();
  }
  return { rows, numbers, texts };
}

function numberFacts(values: Float64Array, rows: number): NumberFacts | null {
  const range = rangeOf(values);
  const splits = range && splitsOf(range, rows);
  if (range === undefined || splits === undefined) return null;
  return {
    ...range,
    sums: partSums(values, splits),
    hasMinusZero: values.some((value) => Object.is(value, -0)),
  };
}

function textFacts(
  file: Uint8Array,
  column: Extract<DirectoryColumn, { codes: unknown }>,
  rows: number,
): TextFacts {
  const { size } = column;
  if (size > Math.max(FEW_TEXTS, rows / ROWS_A_GROUP)) return { size, sum: null };
  const counts = new Uint32Array(size);
  const codes = codesOf(column.type, copied(file, column.codes));
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row] ?? 0;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  const texts = textsIn(copied(file, column.offsets), viewed(file, column.texts));
  let sum = 0;
  for (const [code, text] of texts.entries()) sum = added(sum, text, counts[code] ?? 0);
  return { size, sum };
}

/** The sum with further rows of a text. */
export function added(sum: number, text: Uint8Array | string, rows: number): number {
  return (sum + Math.imul(crc32(text), rows)) >>> 0;
}
