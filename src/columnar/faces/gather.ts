/**
 * Gathers columns from rows of others, by kernels (workers/kernels/columns/gather.ts). Arguments and
 * results are in the arena.
 */
import { addressOf, mapCodes, type Workspace } from './codes.ts';
import { createFrame, type Frame } from '../table/frame.ts';
import type { Table } from '../table/table.ts';

/** Records of so many bytes a row, from `address` on. */
export interface NumberRecords {
  readonly address: number;
  readonly bytes: number;
}

/** Where a number begins in its record, and what it is divided by. */
export interface Field {
  readonly field: number;
  readonly divisor: number;
}

/** out[i] = values[rows[i]] */
export function mapNumbers(
  { engine: { kernels } }: Workspace,
  rows: Uint32Array,
  values: Float64Array,
  out: Float64Array,
): void {
  kernels.mapNumbers(rows.byteOffset, rows.length, values.byteOffset, out.byteOffset);
}

/** out[i] = a field of the record of rows[i], divided. */
export function mapField(
  { engine: { kernels } }: Workspace,
  rows: Uint32Array,
  { address, bytes }: NumberRecords,
  { field, divisor }: Field,
  out: Float64Array,
): void {
  const [at, to] = [rows.byteOffset, out.byteOffset];
  kernels.mapField(at, rows.length, address + field, bytes, divisor, to);
}

/** As `mapField`, for the sum of two fields. */
export function mapFieldSum(
  { engine: { kernels } }: Workspace,
  rows: Uint32Array,
  { address, bytes }: NumberRecords,
  { field, divisor, other }: Field & { readonly other: number },
  out: Float64Array,
): void {
  const [at, to] = [rows.byteOffset, out.byteOffset];
  kernels.mapFieldSum(at, rows.length, address + field, address + other, bytes, divisor, to);
}

/** Rows of records, -1 for none, and the share of each. */
export interface SharedRecords extends NumberRecords {
  readonly rows: Int32Array;
  readonly shares: Float64Array;
}

/** Adds to out[i] its share of a field, divided. */
export function addShared(
  { engine: { kernels } }: Workspace,
  { rows, shares, address, bytes }: SharedRecords,
  { field, divisor }: Field,
  out: Float64Array,
): void {
  const [at, by, to] = [rows.byteOffset, shares.byteOffset, out.byteOffset];
  kernels.addShared(at, rows.length, address + field, bytes, by, divisor, to);
}

/**
 * The listed rows, in their order, of a frame without sets of bits.
 * @throws {ArenaFull} when there is no room
 */
export function gatherRows(space: Workspace, frame: Frame, rows: Uint32Array): Frame {
  const specs = [...frame.columns.values()].map(({ name, type }) => ({ name, type }));
  const gathered = createFrame(space.engine.arena, specs, rows.length, space.owner);
  const at = addressOf(space, rows);
  for (const { name, type, address } of frame.columns.values()) {
    const to = gathered.column(name)?.address ?? 0;
    if (type === 'f64') space.engine.kernels.mapNumbers(at, rows.length, address, to);
    else if (type === 'bits') throw new Error(`BUG: rows of bits, '${name}'`);
    else space.engine.kernels.mapCodes(at, rows.length, address, to);
  }
  return gathered;
}

/** The sum of columns for each row, in the arena; a column that the table lacks is zero. */
export function sumColumns(
  { engine: { arena, kernels }, owner }: Workspace,
  table: Table,
  columns: readonly string[],
): Float64Array {
  const { rows } = table;
  const address = arena.allocateZeroed(8 * rows, owner);
  for (const name of columns) {
    const column = table.numbers(name);
    if (column !== undefined) kernels.addColumn(column.address, rows, address);
  }
  return arena.f64(address, rows);
}

/** The listed rows of a table, in their order: a column is gathered when it is first read. */
export function pickRows(space: Workspace, table: Table, rows: Uint32Array): Table {
  const { arena } = space.engine;
  const texts = once((name) => {
    const column = table.text(name);
    return column && { ...column, codes: mapCodes(space, rows, column.codes) };
  });
  const numbers = once((name) => {
    const column = table.numbers(name);
    if (column === undefined) return undefined;
    const address = arena.allocate(8 * rows.length, space.owner);
    const values = arena.f64(address, rows.length);
    space.engine.kernels.mapNumbers(at, rows.length, column.address, address);
    return { address, values };
  });
  const at = addressOf(space, rows);
  return { rows: rows.length, text: texts, numbers };
}

/** Caches each column. */
function once<Column>(make: (name: string) => Column): (name: string) => Column {
  const made = new Map<string, Column>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const column = make(name);
    made.set(name, column);
    return column;
  };
}
