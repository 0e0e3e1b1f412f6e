/**
 * Records of CSV as columns (workers/kernels/decode/csv.ts): cells of text become codes of an index that
 * many records share, numbers become f64. Columns are in the arena until the scratch's owner is released.
 */
import type { KernelExports } from '../kernels.ts';
import type { Scratch } from '../memory/scratch.ts';
import { structAt, type Struct } from '../memory/struct.ts';
import { CSV_CROWDED, CSV_FULL, CSV_MISQUOTED } from './layout/constants.ts';
import { CSV_TABLE, ODD_CELL, UNEVEN_ROW } from './layout/decode.ts';
import type { TextIndex } from './text-index.ts';

/** The cells of a record that are read; places count from 0. */
export interface CsvPlan {
  /** Cells of a record. */
  readonly columns: number;
  readonly texts: readonly number[];
  readonly numbers: readonly number[];
  /** Takes the texts, without the quotes around them; quotes within stay doubled. */
  readonly index: TextIndex;
}

export interface CsvColumns {
  readonly rows: number;
  /**
   * One code for each row, in the order of the plan. Rows with another number of cells have arbitrary
   * codes and numbers.
   */
  readonly texts: readonly Uint32Array[];
  /** NaN for an empty cell or NULL, and for an odd cell. */
  readonly numbers: readonly Float64Array[];
  /** Cells that are no plain numbers. */
  readonly odd: readonly OddCell[];
  readonly uneven: readonly UnevenRow[];
  /** The row after the last one has a quote in a wrong place; nothing behind it was read. */
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

/** Readable bytes that kernels need behind records. */
export const CSV_SLACK_BYTES = 64;

const LINE_FEED = 10;

/** Records in the arena, with CSV_SLACK_BYTES behind them. */
export interface CsvBytes {
  readonly address: number;
  readonly bytes: number;
}

/**
 * @param rowsMax more rows are a mistake in the file
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
  const odd = take(ODD_CELL.bytes * room * plan.numbers.length);
  const uneven = take(UNEVEN_ROW.bytes * room);
  const { columns, index } = plan;
  const input = { bytes: address, length: bytes, columns, targets, texts, index: index.state };
  const at = take(CSV_TABLE.bytes);
  const table = structAt(arena, at, CSV_TABLE);
  Object.assign(table, { ...input, numbers, room, odd, uneven });
  const status = readAll(kernels, at, table, index);
  if (status === CSV_FULL) return undefined;
  const { rows, odds, unevens } = table;
  return {
    rows,
    texts: codes.map((at) => arena.u32(at, rows)),
    numbers: plan.numbers.map((_, k) => arena.f64(numbers + 8 * room * k, rows)),
    odd: Array.from({ length: odds }, (_, i) => {
      const cell = structAt(arena, odd + ODD_CELL.bytes * i, ODD_CELL);
      const text = cellText(arena.text(cell.address, cell.bytes).toString());
      return { row: cell.row, number: cell.number, text };
    }),
    uneven: Array.from({ length: unevens }, (_, i) => {
      const { row, cells } = structAt(arena, uneven + UNEVEN_ROW.bytes * i, UNEVEN_ROW);
      return { row, cells };
    }),
    isMisquoted: status === CSV_MISQUOTED,
  };
}

/** The text of a cell as written in a file, where quotes are doubled. */
export function cellText(written: string): string {
  return written.includes('"') ? written.replaceAll('""', '"') : written;
}

/** Starts again with a larger index until it has room for all texts; those that it has stay. */
function readAll(
  kernels: KernelExports,
  at: number,
  table: Struct<typeof CSV_TABLE>,
  index: TextIndex,
): number {
  for (;;) {
    Object.assign(table, { rows: 0, odds: 0, unevens: 0 });
    const status = kernels.readCsv(at);
    if (status !== CSV_CROWDED) return status;
    index.grow();
  }
}

/**
 * The end of the last complete record in bytes that start with a record.
 * @returns 0 without a complete record
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
