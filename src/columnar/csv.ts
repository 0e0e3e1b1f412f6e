/**
 * Records of CSV as columns (workers/kernels/csv.ts): cells of texts become codes of an index that
 * many records share, numbers f64. Columns lie in the arena until the scratch's owner is released.
 */
import type { KernelExports } from './kernels.ts';
import type { Scratch } from './scratch.ts';
import type { TextIndex } from './text-index.ts';

/** Which cells of a record are read; places count from 0. */
export interface CsvPlan {
  /** Cells of a record. */
  readonly columns: number;
  readonly texts: readonly number[];
  readonly numbers: readonly number[];
  /** Has or gets the texts, without the quotes around them; quotes within stand twice. */
  readonly index: TextIndex;
}

export interface CsvColumns {
  readonly rows: number;
  /**
   * A code a row, in the order of the plan. Rows of another number of cells have any code and any
   * number.
   */
  readonly texts: readonly Uint32Array[];
  /** NaN where there is none (empty or NULL), and where it is odd. */
  readonly numbers: readonly Float64Array[];
  /** Cells that are no plain numbers. */
  readonly odd: readonly OddCell[];
  readonly uneven: readonly UnevenRow[];
  /** A quote stands where none can in the row after the last; nothing behind it was read. */
  readonly isMisquoted: boolean;
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

const TABLE_WORDS = 13;
const RESULT_WORDS = 3;
const STATUS = ['read', 'full', 'misquoted', 'crowded'] as const;
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
  const { arena } = scratch;
  const take = (size: number): number => scratch.take(size);
  const targets = take(4 * plan.columns);
  arena.i32(targets, plan.columns).fill(-1);
  plan.texts.forEach((place, k) => arena.i32(targets + 4 * place, 1).fill(2 * k));
  plan.numbers.forEach((place, k) => arena.i32(targets + 4 * place, 1).fill(2 * k + 1));
  const codes = plan.texts.map(() => take(4 * room));
  const texts = take(4 * codes.length);
  arena.u32(texts, codes.length).set(codes);
  const numbers = take(8 * room * plan.numbers.length);
  const [odd, uneven] = [take(16 * room * plan.numbers.length), take(8 * room)];
  const table = take(4 * TABLE_WORDS);
  const words = arena.u32(table, TABLE_WORDS);
  const { columns, index } = plan;
  words.set([address, bytes, columns, targets, texts, index.state, numbers, room, odd, uneven]);
  const status = readAll(kernels, words, index);
  if (status === 'full') return undefined;
  const [rows, odds, unevens] = words.subarray(TABLE_WORDS - RESULT_WORDS);
  return {
    rows,
    texts: codes.map((at) => arena.u32(at, rows)),
    numbers: plan.numbers.map((_, k) => arena.f64(numbers + 8 * room * k, rows)),
    odd: Array.from({ length: odds }, (_, i) => {
      const [row, number, at, size] = arena.u32(odd + 16 * i, 4);
      return { row, number, text: cellText(arena.text(at, size).toString()) };
    }),
    uneven: Array.from({ length: unevens }, (_, i) => {
      const [row, cells] = arena.u32(uneven + 8 * i, 2);
      return { row, cells };
    }),
    isMisquoted: status === 'misquoted',
  };
}

/** What a cell says that stands in a file as so: quotes within stand twice there. */
export function cellText(written: string): string {
  return written.includes('"') ? written.replaceAll('""', '"') : written;
}

/** From the start until the index has room for all texts: those that it has got stay. */
function readAll(
  kernels: KernelExports,
  words: Uint32Array,
  index: TextIndex,
): (typeof STATUS)[number] | undefined {
  for (;;) {
    words.fill(0, TABLE_WORDS - RESULT_WORDS);
    const status = STATUS[kernels.readCsv(words.byteOffset)];
    if (status !== 'crowded') return status;
    index.grow();
  }
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
