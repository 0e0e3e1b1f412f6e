/**
 * Rows that are not aggregated, from a set stored in name order (name-order.ts): idle first, then each
 * row with a name of its own. Only idle, and several lives of a pod on one node, are grouped; other
 * rows are copied column by column, which takes a tenth of the time of grouping.
 */
import {
  REPEATS,
  repeatsOfJoined,
  createFrame,
  firstNumbers,
  gatherRows,
  isStored,
  numbersIn,
  pickRows,
  textColumn,
  wholeTexts,
  type StoredTexts,
  type Table,
  type WholeTexts,
  type Workspace,
} from '../../columnar/index.ts';
import { partColumn, type Grouped } from './aggregate.ts';
import { endSourceOf } from './fold-texts.ts';
import {
  IDENTITY_COLUMNS,
  NAME_PARTS,
  PAID_COLUMNS,
  PRICE_SOURCE,
  TEXT_COLUMNS,
} from '../row/schema.ts';

/** Text columns of a grouped frame. */
const TEXTS: readonly string[] = [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, PRICE_SOURCE, ...PAID_COLUMNS]; // prettier-ignore

/**
 * @param idle the grouped idle rows of the same table
 * @param rows the others
 * @returns undefined where they are not in name order, or where their texts are not in the arena
 */
function wholeRows(space: Workspace, idle: Grouped, rows: Table): Grouped | undefined {
  const { arena } = space.engine;
  const columns = storedColumns(rows);
  const parts = NAME_PARTS.flatMap((name) => columns?.get(name) ?? []);
  if (columns === undefined || parts.length < NAME_PARTS.length) return undefined;
  const idleTexts = idle.texts.store(arena, space.owner);
  const dictionaries = [idleTexts, ...[...columns.values()].map(({ texts }) => texts)];
  const whole = wholeTexts(space, dictionaries, parts);
  if (whole === undefined) return undefined;
  const specs = [...idle.frame.columns.values()].map(({ name, type }) => ({ name, type }));
  const first = idle.frame.rows;
  const frame = createFrame(arena, specs, first + rows.rows, space.owner);
  for (const { name, type } of specs) {
    if (type === 'f64') copyNumbers(frame.f64(name), idle.frame.f64(name), rows, name);
    else {
      const codes = frame.u32(name);
      codes.set(
        name === 'endSource'
          ? idle.frame.u32(name)
          : whole.codesOf(idleTexts, idle.frame.u32(name)),
      );
      codes.subarray(first).set(codesOf(space, whole, columns, rows, name));
    }
  }
  return { frame, texts: whole.texts };
}

/**
 * As `wholeRows`, where several rows may have one name: those are grouped like idle rows.
 * @param group groups idle rows and those given: idle first, then by name
 */
export function ungroupedRows(
  space: Workspace,
  rows: Table,
  group: (others: readonly Table[]) => Grouped,
): Grouped | undefined {
  const own = wholeRows(space, group([]), rows);
  if (own !== undefined) return own;
  const columns = storedColumns(rows);
  const parts = NAME_PARTS.flatMap((name) => columns?.get(name) ?? []);
  const repeats = parts.length < NAME_PARTS.length ? undefined : repeatsOfJoined(space, parts);
  if (repeats === undefined) return undefined;
  const alike = repeats.marks;
  const pick = (isAlike: boolean): Table => {
    const picked = firstNumbers(rows.rows);
    return pickRows(
      space,
      rows,
      picked.filter((row) => (alike[row] !== REPEATS.none) === isAlike),
    );
  };
  const grouped = group([pick(true)]);
  const whole = wholeRows(space, grouped, pick(false));
  if (whole === undefined) return undefined;
  const frame = gatherRows(space, whole.frame, mergedOrder(alike, grouped.frame.rows));
  return { ...whole, frame };
}

/** Idle rows, then the others; a grouped row is at the place of the first with its name. */
function mergedOrder(alike: Uint32Array, groupedRows: number): Uint32Array {
  const order: number[] = [];
  let grouped = groupedRows - alike.reduce((sum, kind) => sum + Number(kind === REPEATS.first), 0);
  for (let row = 0; row < grouped; row++) order.push(row);
  let single = groupedRows;
  for (const kind of alike) {
    if (kind === REPEATS.none) order.push(single++);
    else if (kind === REPEATS.first) order.push(grouped++);
  }
  return Uint32Array.from(order);
}

/** Columns by name; undefined where a dictionary is not in the arena. */
function storedColumns(rows: Table): ReadonlyMap<string, StoredTexts> | undefined {
  const columns = new Map<string, StoredTexts>();
  for (const name of TEXTS) {
    const column = rows.text(name);
    if (column === undefined) continue;
    if (!isStored(column)) return undefined;
    columns.set(name, column);
  }
  return columns;
}

function copyNumbers(target: Float64Array, idle: Float64Array, rows: Table, name: string): void {
  target.set(idle);
  const own = rows.numbers(name);
  if (own) target.set(own.values, idle.length);
  else target.fill(0, idle.length);
}

const PART_OF: ReadonlyMap<string, string> = new Map(
  NAME_PARTS.map((name, part) => [partColumn(part), name]),
);

/** What the rows have in a column of codes of the grouped frame. */
function codesOf(
  space: Workspace,
  whole: WholeTexts,
  columns: ReadonlyMap<string, StoredTexts>,
  rows: Table,
  name: string,
): Uint32Array {
  if (name === 'endSource') return numbersIn(space, textColumn(rows, name), endSourceOf);
  const column = columns.get(PART_OF.get(name) ?? name);
  if (column) return whole.codesOf(column.texts, column.codes);
  const codes = new Uint32Array(rows.rows);
  return name === 'name' ? codes.map((_, row) => whole.firstName + row) : codes;
}
