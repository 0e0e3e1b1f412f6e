/**
 * The order of a stored set's rows: idle first, then by the name that a row has where it is not
 * aggregated, byte by byte. Answers have the same order, so that rows need only be copied (ungrouped-rows.ts).
 */
import {
  columnSpecs,
  createFrame,
  DictionaryBuilder,
  frameTable,
  gatherRows,
  orderOfJoined,
  plainColumn,
  type Arena,
  type ColumnNames,
  type Owner,
  type Table,
  type Workspace,
} from '../../columnar/index.ts';
import type { CodedFrame } from '../row/coded-frame.ts';
import { kindsOf, ROW_KINDS } from '../row/row-kinds.ts';
import { NAME_PARTS } from '../row/schema.ts';

/**
 * A copy in the arena of the columns named.
 * @throws {ArenaFull} when there is no room
 */
export function inNameOrder(
  arena: Arena,
  owner: Owner,
  table: Table,
  { texts, numbers }: ColumnNames,
): Table {
  const order = nameOrder(table);
  const dictionary = new DictionaryBuilder();
  const coded = texts.filter((name) => table.text(name));
  const measured = numbers.filter((name) => table.numbers(name));
  const specs = columnSpecs({ texts: coded, numbers: measured });
  const frame = createFrame(arena, specs, table.rows, owner);
  const gather = (from: ArrayLike<number>, to: Uint32Array | Float64Array): void =>
    order.forEach((row, place) => (to[place] = from[row] ?? 0));
  for (const name of coded) gather(plainColumn(table, name, dictionary), frame.u32(name));
  for (const name of measured) gather(table.numbers(name)?.values ?? [], frame.f64(name));
  return frameTable(frame, dictionary);
}

/**
 * The same rows in name order. Rows that were not in it are freed.
 * @throws {ArenaFull} when there is no room
 */
export function partByName(space: Workspace, part: CodedFrame): CodedFrame {
  const { arena } = space.engine;
  const { frame, texts } = part;
  const names = NAME_PARTS.map((name) => ({ codes: frame.u32(name), texts }));
  const order = orderOfJoined(space, names);
  if (order === undefined) return part;
  const ordered = gatherRows(space, frame, order);
  arena.free(order.byteOffset, order.byteLength);
  arena.free(frame.address, frame.bytes);
  return { frame: ordered, texts };
}

/** The rows of the table in name order. */
function nameOrder(table: Table): Uint32Array {
  const texts = new DictionaryBuilder();
  const kinds = kindsOf(table);
  const columns = NAME_PARTS.map((name) => plainColumn(table, name, texts));
  const names = Array.from(kinds, (_, row) =>
    Buffer.from(columns.map((codes) => texts.text(codes[row] ?? 0)).join('/')),
  );
  const rank = (row: number): number => (kinds[row] === ROW_KINDS.idle ? 0 : 1);
  return Uint32Array.from(names.keys()).sort(
    (a, b) =>
      rank(a) - rank(b) || Buffer.compare(names[a] ?? NO_NAME, names[b] ?? NO_NAME) || a - b,
  );
}

const NO_NAME: Buffer = Buffer.alloc(0);
