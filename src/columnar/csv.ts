/**
 * Records of CSV as columns (workers/kernels/csv.ts): cells of texts become codes of a dictionary a
 * column, numbers f64. Everything lies in the arena until its owner is released.
 */
import type { KernelExports } from './kernels.ts';
import type { Scratch } from './scratch.ts';

/** Which cells of a record are read; places count from 0. */
export interface CsvPlan {
  /** Cells of a record. */
  readonly columns: number;
  readonly texts: readonly number[];
  readonly numbers: readonly number[];
}

export interface CsvColumns {
  readonly rows: number;
  /** In the order of the plan. Rows of another number of cells have any code and any number. */
  readonly texts: readonly CsvTexts[];
  /** NaN where there is none (empty or NULL), and where it is odd. */
  readonly numbers: readonly Float64Array[];
  /** Cells that are no plain numbers. */
  readonly odd: readonly OddCell[];
  readonly uneven: readonly UnevenRow[];
  /** A quote stands where none can in the row after the last; nothing behind it was read. */
  readonly isMisquoted: boolean;
}

export interface CsvTexts {
  /** One a row. */
  readonly codes: Uint32Array;
  /** By code, no text twice. */
  readonly texts: readonly string[];
}

export interface OddCell {
  readonly row: number;
  /** Index in the plan's numbers. */
  readonly number: number;
  readonly text: string;
}

export interface UnevenRow {
  readonly row: number;
  readonly cells: number;
}

/** Bytes behind records that kernels may read. */
export const CSV_SLACK_BYTES = 64;

const TABLE_WORDS = 12;
const TEXT_WORDS = 5;
const ENTRY_BYTES = 12;
const STATUS = ['read', 'full', 'misquoted'] as const;
const LINE_FEED = 10;

/** Records in the arena, with CSV_SLACK_BYTES behind them. */
export interface CsvBytes {
  readonly address: number;
  readonly bytes: number;
}

/**
 * @param rowsMax of them; more are a mistake in the file
 * @returns undefined when there are more
 * @throws {ArenaFull} when there is no room
 */
export function readCsv(
  kernels: KernelExports,
  scratch: Scratch,
  { address, bytes }: CsvBytes,
  plan: CsvPlan,
  rowsMax: number,
): CsvColumns | undefined {
  const room = Math.min(rowsMax, kernels.countByte(address, bytes, LINE_FEED) + 1);
  const slots = 2 ** Math.ceil(Math.log2(2 * room));
  const { arena } = scratch;
  const take = (size: number): number => scratch.take(size);
  const targets = take(4 * plan.columns);
  arena.i32(targets, plan.columns).fill(-1);
  plan.texts.forEach((place, k) => arena.i32(targets + 4 * place, 1).fill(2 * k));
  plan.numbers.forEach((place, k) => arena.i32(targets + 4 * place, 1).fill(2 * k + 1));
  const texts = take(4 * TEXT_WORDS * plan.texts.length);
  plan.texts.forEach((_, k) => {
    const own = [take(4 * room), take(ENTRY_BYTES * room), scratch.u32(slots).byteOffset];
    arena.u32(texts + 4 * TEXT_WORDS * k, TEXT_WORDS).set([...own, slots - 1, 0]);
  });
  const numbers = take(8 * room * plan.numbers.length);
  const [odd, uneven] = [take(16 * room * plan.numbers.length), take(8 * room)];
  const table = take(4 * TABLE_WORDS);
  const words = arena.u32(table, TABLE_WORDS);
  words.set([address, bytes, plan.columns, targets, texts, numbers, room, odd, uneven, 0, 0, 0]);
  const status = STATUS[kernels.readCsv(table)];
  if (status === 'full') return undefined;
  const [rows, odds, unevens] = words.subarray(TABLE_WORDS - 3);
  const text = textReader(arena.buffer);
  return {
    rows,
    texts: plan.texts.map((_, k) => {
      const [codes, entries, , , count] = arena.u32(texts + 4 * TEXT_WORDS * k, TEXT_WORDS);
      return {
        codes: arena.u32(codes, rows),
        texts: readTexts(arena.u32(entries, 3 * count), text),
      };
    }),
    numbers: plan.numbers.map((_, k) => arena.f64(numbers + 8 * room * k, rows)),
    odd: Array.from({ length: odds }, (_, i) => {
      const [row, number, at, size] = arena.u32(odd + 16 * i, 4);
      return { row, number, text: text(at, size) };
    }),
    uneven: Array.from({ length: unevens }, (_, i) => {
      const [row, cells] = arena.u32(uneven + 8 * i, 2);
      return { row, cells };
    }),
    isMisquoted: status === 'misquoted',
  };
}

/**
 * The end of the last whole record of bytes that begin with one.
 * @returns 0 where no record ends
 */
export function recordsEnd(kernels: KernelExports, bytes: Uint8Array): number {
  const [quote, feed] = [0x22, LINE_FEED];
  let isQuoted = kernels.countByte(bytes.byteOffset, bytes.length, quote) % 2 === 1;
  for (let at = bytes.length - 1; at >= 0; at--) {
    if (bytes[at] === quote) isQuoted = !isQuoted;
    else if (bytes[at] === feed && !isQuoted) return at + 1;
  }
  return 0;
}

type ReadText = (address: number, bytes: number) => string;

/** Cells of CSV without the quotes around them; those within stand twice. */
function textReader(buffer: SharedArrayBuffer): ReadText {
  const all = Buffer.from(buffer);
  return (address, bytes) => {
    const text = all.toString('utf8', address, address + bytes);
    return text.includes('"') ? text.replaceAll('""', '"') : text;
  };
}

function readTexts(entries: Uint32Array, text: ReadText): string[] {
  const texts: string[] = [];
  for (let at = 0; at < entries.length; at += 3) texts.push(text(entries[at], entries[at + 1]));
  return texts;
}
