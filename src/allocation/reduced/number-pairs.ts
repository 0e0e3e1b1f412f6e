/** Sums and extremes of groups of rows, as the numbers of reduced rows. */
import {
  addressOf,
  extremesBytes,
  groupedExtremes,
  groupedSums,
  groupLayout,
  sumsAndRests,
  type GroupInput,
  type Table,
  type Workspace,
} from '../../columnar/index.ts';
import { MEASURES } from '../row/schema.ts';
import type { GroupedRows, Pairs } from './row-pairs.ts';

type NumberPairs = ReadonlyMap<string, Pairs<Float64Array>>;

/** `sharedCost` with the shares in overhead of clusters. */
export const CHARGED_SHARED_COST = 'chargedSharedCost';

const SUMS: ReadonlySet<string> = namesOf('sum').add(CHARGED_SHARED_COST);
const GREATEST: ReadonlySet<string> = new Set([...namesOf('max'), 'endMs', 'endUncertaintyMs']);

function namesOf(fold: 'sum' | 'max'): Set<string> {
  return new Set(MEASURES.filter((each) => each.fold === fold).map(({ column }) => column));
}

/** Those of the columns that the table has. */
export function numberPairs(
  space: Workspace,
  table: Table,
  grouped: GroupedRows,
  columns: readonly string[],
): NumberPairs {
  const there = columns.filter((name) => table.numbers(name) !== undefined);
  const sums = there.filter((name) => SUMS.has(name));
  const extremes = there.filter((name) => name === 'startMs' || GREATEST.has(name));
  return new Map([
    ...sumsOf(space, table, grouped, sums),
    ...extremesOf(space, table, grouped, extremes),
  ]);
}

function inputOf(
  space: Workspace,
  table: Table,
  { groups }: GroupedRows,
  names: readonly string[],
): GroupInput {
  const columns = names.map((name) => table.numbers(name)?.address ?? 0);
  return { keys: addressOf(space, groups), columns, rows: table.rows };
}

/** Sums, and what is left of the exact sums. */
function sumsOf(
  space: Workspace,
  table: Table,
  grouped: GroupedRows,
  names: readonly string[],
): NumberPairs {
  if (names.length === 0 || table.rows === 0) return new Map();
  const { engine, owner } = space;
  const layout = groupLayout(grouped.count, names.length, true);
  const out = engine.arena.allocateZeroed(layout.bytes, owner);
  groupedSums(engine, layout, inputOf(space, table, grouped, names), out);
  const found = names.map((name, column) => {
    const { sums, rests } = sumsAndRests(space, layout, out, column);
    return [name, { first: sums, second: rests, isRest: true }] as const;
  });
  engine.arena.free(out, layout.bytes);
  return new Map(found);
}

function extremesOf(
  space: Workspace,
  table: Table,
  grouped: GroupedRows,
  names: readonly string[],
): NumberPairs {
  if (names.length === 0 || table.rows === 0) return new Map();
  const { engine, owner } = space;
  const { arena } = engine;
  const isLeast = (name: string): boolean => name === 'startMs';
  const found = names.map((name) => {
    const values = arena.f64(arena.allocate(8 * grouped.count, owner), grouped.count);
    return [name, values.fill(isLeast(name) ? Infinity : -Infinity)] as const;
  });
  const bytes = extremesBytes(grouped.count);
  const scratch = arena.allocate(bytes, owner);
  groupedExtremes(
    engine,
    grouped.count,
    inputOf(space, table, grouped, names),
    scratch,
    found.map(([name, values]) => (isLeast(name) ? { least: values } : { greatest: values })),
  );
  arena.free(scratch, bytes);
  return new Map(
    found.map(([name, values]) => [name, { first: values, second: values, isRest: false }]),
  );
}
