/**
 * Sums of columns by group, several columns a pass, in one table of the arena:
 *
 *   0                     column addresses of the pass, 8 x u32 (scratch), 64 bytes
 *   64                    a block for each pass; the last one may have unused columns
 *     group x record      width sums, then width errors if compensated, f64 each
 *
 * A table may be added to again and again. A group's sum has the same bits however the groups, the
 * columns and the threads are divided, as long as its rows come in the same order: let one thread
 * sum one set into a table of its own, and bring the tables together in the order of the sets.
 */
import type { Workspace } from './codes.ts';
import type { Engine } from '../kernels.ts';
import { EXTREMES_BYTES, MAXIMA_AT } from './layout/constants.ts';

const SCRATCH_BYTES = 64;
/** While plain records stay in the first-level cache, narrow ones are a fifth faster … */
const NARROW_GROUPS_MAX = 512;
/** … and while the records of a pass stay in the second-level cache, wide ones are. */
const WIDE_BYTES_MAX = 1 << 20;

/** The shape of a table of sums: plain data that other threads may be sent. */
export interface GroupLayout {
  readonly groups: number;
  readonly columns: number;
  readonly compensated: boolean;
  /** Columns of a pass. */
  readonly width: 4 | 8;
  /** Size of the table. */
  readonly bytes: number;
}

/** Rows to add: for each row one i32 group in [0, groups) at `keys` and one f64 in each column. */
export interface GroupInput {
  readonly keys: number;
  /** Addresses of the columns. */
  readonly columns: readonly number[];
  readonly rows: number;
}

/** @param compensated sums of any length and magnitude are exact to about one unit in the last place */
export function groupLayout(groups: number, columns: number, compensated: boolean): GroupLayout {
  const width = widthOf(groups, columns, compensated);
  const passes = Math.ceil(columns / width);
  const bytes = SCRATCH_BYTES + passes * groups * recordBytes(width, compensated);
  return { groups, columns, compensated, width, bytes };
}

/** Adds rows to the table at `out`: `layout.bytes`, zeroed before the first rows. */
export function groupedSums(
  engine: Engine,
  layout: GroupLayout,
  input: GroupInput,
  out: number,
): void {
  if (input.columns.length !== layout.columns) {
    throw new Error(`BUG: ${input.columns.length} columns for a table of ${layout.columns}`);
  }
  const { keys, columns, rows } = input;
  const kernel = kernelOf(layout);
  for (let first = 0; first < columns.length; first += layout.width) {
    writeAddresses(engine, columns, first, layout.width, out);
    engine.kernels[kernel](keys, out, rows, blockAt(layout, first, out));
  }
}

/** Writes the sums of one column, errors included, to `target` in the arena: for its first groups. */
export function sumsOfColumn(
  engine: Engine,
  layout: GroupLayout,
  out: number,
  column: number,
  target: Float64Array,
): void {
  const { width, compensated } = layout;
  const first = blockAt(layout, column, out) + 8 * (column % width);
  const error = compensated ? 8 * width : 0;
  const stride = recordBytes(width, compensated);
  const to = addressIn(engine, target);
  engine.kernels.sumsOfRecords(first, stride, error, target.length, to);
}

/** Two numbers a group, which add up to the exact sum, but for what its errors lost. */
export interface SumsAndRests {
  /** As `sumsOfColumn` writes them. */
  readonly sums: Float64Array;
  /** What rounding took off them; 0 where they are exact. */
  readonly rests: Float64Array;
}

/** The sums of one column of a compensated table, with what is lost of them; in the arena, with the owner. */
export function sumsAndRests(
  { engine, owner }: Workspace,
  layout: GroupLayout,
  out: number,
  column: number,
): SumsAndRests {
  const { arena, kernels } = engine;
  const { width, compensated, groups } = layout;
  if (!compensated) throw new Error('BUG: plain sums have no rests');
  const numbers = (): Float64Array => arena.f64(arena.allocate(8 * groups, owner), groups);
  const [sums, rests] = [numbers(), numbers()];
  const first = blockAt(layout, column, out) + 8 * (column % width);
  const stride = recordBytes(width, true);
  kernels.sumsOfRecords(first, stride, 0, groups, addressIn(engine, sums));
  kernels.sumsOfRecords(first + 8 * width, stride, 0, groups, addressIn(engine, rests));
  for (let group = 0; group < groups; group++) {
    const [sum, error] = [sums[group], rests[group]];
    // The error of an infinite sum is NaN.
    const total = Number.isFinite(sum) ? sum + error : sum;
    const part = total - sum;
    sums[group] = total;
    rests[group] = Number.isFinite(total) ? sum - (total - part) + (error - part) : 0;
  }
  return { sums, rests };
}

/**
 * Extremes of a column, in the arena, one for each group: Infinity or -Infinity before the first rows.
 * Absent: not needed.
 */
export interface Extremes {
  readonly least?: Float64Array;
  readonly greatest?: Float64Array;
}

/** Bytes of scratch that `groupedExtremes` needs. */
export function extremesBytes(groups: number): number {
  return SCRATCH_BYTES + EXTREMES_BYTES * groups;
}

/**
 * Widens `extremes`, one for each column, by the least and greatest values of each group. NaN is ignored.
 * @param scratch address of `extremesBytes(groups)`
 */
export function groupedExtremes(
  engine: Engine,
  groups: number,
  input: GroupInput,
  scratch: number,
  extremes: readonly Extremes[],
): void {
  const { kernels } = engine;
  const records = scratch + SCRATCH_BYTES;
  for (let first = 0; first < input.columns.length; first += 4) {
    kernels.clearExtremes(records, groups);
    writeAddresses(engine, input.columns, first, 4, scratch);
    kernels.groupedExtremes4(input.keys, scratch, input.rows, records);
    extremes.slice(first, first + 4).forEach(({ least, greatest }, i) => {
      const field = records + 8 * i;
      const stride = EXTREMES_BYTES;
      if (least) kernels.leastOfRecords(field, stride, least.length, addressIn(engine, least));
      if (!greatest) return;
      const to = addressIn(engine, greatest);
      kernels.greatestOfRecords(field + MAXIMA_AT, stride, greatest.length, to);
    });
  }
}

/** Adds the number of rows of each group to the i32 counts at `out`. */
export function groupedCounts(engine: Engine, keys: number, rows: number, out: number): void {
  engine.kernels.groupedCounts(keys, rows, out);
}

function widthOf(groups: number, columns: number, compensated: boolean): 4 | 8 {
  if (columns <= 4 || (groups <= NARROW_GROUPS_MAX && !compensated)) return 4;
  return groups * recordBytes(8, compensated) <= WIDE_BYTES_MAX ? 8 : 4;
}

function recordBytes(width: number, compensated: boolean): number {
  return width * (compensated ? 16 : 8);
}

/** Address of the block of records that holds `column`. */
function blockAt(layout: GroupLayout, column: number, out: number): number {
  const pass = Math.floor(column / layout.width);
  const blockBytes = layout.groups * recordBytes(layout.width, layout.compensated);
  return out + SCRATCH_BYTES + pass * blockBytes;
}

type SumKernel =
  | 'groupedSums4'
  | 'groupedSums8'
  | 'groupedSumsCompensated4'
  | 'groupedSumsCompensated8';

function kernelOf({ width, compensated }: GroupLayout): SumKernel {
  return compensated ? `groupedSumsCompensated${width}` : `groupedSums${width}`;
}

/** A pass with too few columns repeats its last one: those sums are never read. */
function writeAddresses(
  engine: Engine,
  columns: readonly number[],
  first: number,
  width: number,
  out: number,
): void {
  const addresses = engine.arena.u32(out, width);
  for (let i = 0; i < width; i++) addresses[i] = columns[Math.min(first + i, columns.length - 1)];
}

function addressIn({ arena }: Engine, { buffer, byteOffset }: Float64Array): number {
  if (buffer !== arena.buffer) throw new Error('BUG: numbers of groups outside the arena');
  return arena.addressAt(byteOffset);
}
