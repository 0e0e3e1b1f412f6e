/**
 * The rows of a set that one page shows, where they are not aggregated: found by their names' order and the
 * column that sorts them, before anything is laid out. A set of 50,000 rows lays out twenty.
 *
 *   counted rows ▶ runs of one name ▶ a value each ▶ the first of the page ▶ their rows, and idle
 */
import {
  addressOf,
  createFrame,
  columnSpecs,
  firstNumbers,
  frameTable,
  isStored,
  mapNumbers,
  pickRows,
  REPEATS,
  repeatsOfJoined,
  sumColumns,
  type Table,
  type Texts,
  type Workspace,
} from '../../columnar/index.ts';
import { foldNumbers } from './fold-numbers.ts';
import { firstOf } from './first-of.ts';
import type { Paging } from './page.ts';
import { ROW_KINDS } from '../row/row-kinds.ts';
import { COST_COLUMNS, NAME_PARTS } from '../row/schema.ts';

/** A page of known length. */
export interface Page extends Paging {
  readonly limit: number;
}

export function isPage(paging: Paging | null): paging is Page {
  return paging !== null && paging.limit !== null;
}

interface PartRows {
  readonly table: Table;
  /** ROW_KINDS, a row. */
  readonly kinds: Uint32Array;
  /** 1 for rows that are in the answer; null: all. */
  readonly counted: Uint8Array | null;
}

/**
 * Rows of each part that the page shows, ascending, idle ones included.
 * @returns undefined where several parts have rows that are not idle, or where these are not in order of name
 */
export function rowsOfPage(
  space: Workspace,
  parts: readonly PartRows[],
  page: Page,
): readonly Uint32Array[] | undefined {
  const split = parts.map(splitRows);
  if (split.filter(({ others }) => others.length > 0).length > 1) return undefined;
  const rows: Uint32Array[] = [];
  for (const [i, { idle, others }] of split.entries()) {
    const table = parts[i]?.table;
    const first = table === undefined ? undefined : shownRows(space, table, others, page);
    if (first === undefined) return undefined;
    rows.push(Uint32Array.from([...idle, ...first]).sort());
  }
  return rows;
}

/** Rows of one name follow each other. */
interface Runs {
  /** The run of each row; null: each row is one. */
  readonly of: Uint32Array | null;
  readonly count: number;
}

/**
 * @param rows of the table, ascending
 * @returns undefined where a name is less than the one before it, or where texts are not in the arena
 */
function runsOf(space: Workspace, table: Table, rows: Uint32Array): Runs | undefined {
  const picked = pickRows(space, table, rows);
  const parts = NAME_PARTS.flatMap((name) => {
    const column = picked.text(name);
    return column !== undefined && isStored(column) ? [column] : [];
  });
  if (parts.length < NAME_PARTS.length) return undefined;
  const repeats = repeatsOfJoined(space, parts);
  if (repeats === undefined) return undefined;
  if (repeats.names === 0) return { of: null, count: rows.length };
  const of = new Uint32Array(rows.length);
  let count = 0;
  for (let place = 0; place < of.length; place++) {
    if (repeats.marks[place] !== REPEATS.other) count++;
    of[place] = count - 1;
  }
  return { of, count };
}

/**
 * The group of each row that is not idle, by its name.
 * @returns undefined as `runsOf`
 */
export function groupsByName(
  space: Workspace,
  part: Omit<PartRows, 'counted'>,
): Uint32Array | undefined {
  const { others } = splitRows({ ...part, counted: null });
  const runs = runsOf(space, part.table, others);
  if (runs === undefined) return undefined;
  const groups = new Uint32Array(part.kinds.length);
  others.forEach((row, place) => {
    groups[row] = runs.of?.[place] ?? place;
  });
  return groups;
}

function splitRows({ kinds, counted }: PartRows): Record<'idle' | 'others', Uint32Array> {
  const idle = new Uint32Array(kinds.length);
  const others = new Uint32Array(kinds.length);
  let [idleCount, otherCount] = [0, 0];
  for (let row = 0; row < kinds.length; row++) {
    if (counted !== null && counted[row] === 0) continue;
    if (kinds[row] === ROW_KINDS.idle) idle[idleCount++] = row;
    else others[otherCount++] = row;
  }
  return { idle: idle.subarray(0, idleCount), others: others.subarray(0, otherCount) };
}

/** @param rows those that the page may show, ascending */
function shownRows(
  space: Workspace,
  table: Table,
  rows: Uint32Array,
  { limit, offset, sortBy, isAscending }: Page,
): readonly number[] | undefined {
  if (rows.length === 0) return [];
  const runs = runsOf(space, table, rows);
  if (runs === undefined) return undefined;
  const values =
    sortBy === 'name' ? firstNumbers(runs.count) : valuesOf(space, table, rows, runs, sortBy);
  const first = firstOf(values, offset + limit, isAscending).subarray(offset);
  const { of } = runs;
  if (of === null) return Array.from(first, (place) => rows[place] ?? 0);
  const isShown = new Uint8Array(runs.count);
  for (const run of first) isShown[run] = 1;
  return [...rows].filter((_, place) => isShown[of[place] ?? 0] === 1);
}

/** What each run is sorted by: the sum of its rows as grouping adds them up. */
function valuesOf(
  space: Workspace,
  table: Table,
  rows: Uint32Array,
  { of, count }: Runs,
  sortBy: string,
): Float64Array {
  const columns = sortBy === 'totalCost' ? COST_COLUMNS : [sortBy];
  if (of === null) {
    const all = sumColumns(space, table, columns);
    return rows.length === table.rows ? all : pickNumbers(space, all, rows);
  }
  const picked = pickRows(space, table, rows);
  const numbers = [...columns, 'startMs', 'endMs', 'endUncertaintyMs'];
  const sums = createFrame(
    space.engine.arena,
    columnSpecs({ texts: [], numbers }),
    count,
    space.owner,
  );
  foldNumbers(space, [{ table: picked, groups: of, describing: of }], sums, []);
  return sumColumns(space, frameTable(sums, NO_TEXTS), columns);
}

/** Columns of numbers alone. */
const NO_TEXTS: Texts = { size: 1, text: () => '' };

function pickNumbers(space: Workspace, values: Float64Array, rows: Uint32Array): Float64Array {
  const { arena } = space.engine;
  const listed = arena.u32(addressOf(space, rows), rows.length);
  const picked = arena.f64(arena.allocate(8 * rows.length, space.owner), rows.length);
  mapNumbers(space, listed, values, picked);
  return picked;
}
