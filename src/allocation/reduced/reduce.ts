/**
 * Rows added up before anyone asks. A reduced row has the columns of the rows that it stands for, so that a query
 * over reduced rows (reduction-of.ts tells which) gives the same as over all rows, bit by bit:
 *
 *   rows     cluster  namespace  container  cpuCost          reduced   cluster  namespace  container  cpuCost
 *            one      shop       web        0.1                        one      shop       web        0.6
 *            one      shop       db         0.2          ▶             one      shop       db         5.55e-17
 *            one      shop       web        0.3
 *
 *   numbers   sums are two rows that add up to the exact sum: it, rounded, and the rest. The kernels that sum
 *             rows keep their errors, so that sums of such sums are those of all rows. Extremes are in both rows
 *   texts     one of the group in each of the two rows: the same where all rows agree, else two that differ, as
 *             nobody shows a text that rows do not share
 *
 * A group whose sums have no rest and whose texts agree is one row.
 */
import {
  columnSpecs,
  createFrame,
  NOWHERE,
  textColumn,
  TupleIndex,
  type Frame,
  type Table,
  type Workspace,
} from '../../columnar/index.ts';
import { kindsIn, ROW_KINDS } from '../row/row-kinds.ts';
import { numberPairs } from './number-pairs.ts';
import type { Reduction } from './reduction-of.ts';
import { RowPlaces, type GroupedRows } from './row-pairs.ts';
import { textPairs, type CodedPairs } from './text-pairs.ts';

/**
 * @param table rows of one set
 * @returns reduced rows, in the arena but for texts, which are those of the table. Columns that the table lacks
 *   are left out
 * @throws {ArenaFull} when there is no room @throws {HeapFull}
 */
export function reduceRows(space: Workspace, table: Table, reduction: Reduction): Table {
  const grouped = groupRows(space, table, reduction);
  const texts = textPairs(space, table, grouped, reduction);
  const numbers = numberPairs(space, table, grouped, reduction.columns);
  const codes = [...texts.values()].map(({ pairs }) => pairs);
  const places = new RowPlaces(grouped.count, [...codes, ...numbers.values()]);
  const specs = columnSpecs({ texts: [...texts.keys()], numbers: [...numbers.keys()] });
  const frame = createFrame(space.engine.arena, specs, places.rows, space.owner);
  for (const [name, { pairs }] of texts) places.write(frame.u32(name), pairs);
  for (const [name, pairs] of numbers) places.write(frame.f64(name), pairs);
  return tableOf(frame, texts);
}

function groupRows(space: Workspace, table: Table, reduction: Reduction): GroupedRows {
  const { engine, owner } = space;
  const { apart, idleApart } = reduction;
  const kinds = kindsIn(space, table);
  const ofIdle = idleApart.filter((name) => !apart.includes(name));
  const columns = [
    kinds,
    ...apart.map((name) => textColumn(table, name).codes),
    ...ofIdle.map((name) => {
      const { codes } = textColumn(table, name);
      return Uint32Array.from(codes, (code, row) => (kinds[row] === ROW_KINDS.idle ? code : 0));
    }),
  ].map((codes) => ({ codes, by: null }));
  const index = new TupleIndex(engine, owner, columns.length);
  const numbers = index.assign(columns, table.rows, null, owner);
  if (numbers.includes(NOWHERE)) throw new Error('BUG: a row of no group');
  const count = index.size;
  index.free();
  return {
    groups: engine.arena.u32(engine.arena.addressAt(numbers.byteOffset), table.rows),
    count,
  };
}

function tableOf(frame: Frame, texts: ReadonlyMap<string, CodedPairs>): Table {
  return {
    rows: frame.rows,
    text(name) {
      const column = texts.get(name);
      return column && { codes: frame.u32(name), texts: column.texts };
    },
    numbers(name) {
      const column = frame.column(name);
      return column?.type === 'f64'
        ? { address: column.address, values: frame.f64(name) }
        : undefined;
    },
  };
}
