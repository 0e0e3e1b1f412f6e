/** A grouped set as one line: how many rows it has, and the summary of all of them. */
import {
  columnSpecs,
  compileRow,
  createFrame,
  type Engine,
  type Frame,
  type Owner,
} from '../../columnar/index.ts';
import { groupedTable } from '../query/aggregate.ts';
import { windowJson } from './envelope.ts';
import { foldNumbers } from '../query/fold-numbers.ts';
import type { CodedFrame } from '../row/coded-frame.ts';
import type { RowOptions } from '../params/format.ts';
import { evaluate } from '../row/formula.ts';
import { kindsOf, ROW_KINDS } from '../row/row-kinds.ts';
import { MEASURES, SUMMARY_FIELDS } from '../row/schema.ts';
import { formulasOf, summaryParts } from './summary.ts';

/** The row that rows are added to, and the one past it for rows that are left out. */
const KEPT = 0;
const LEFT_OUT = 1;

/**
 * Compiles the members of `data`: `"numResults":N,"combined":{"allocations":{"total":{…}},"window"}`.
 * Idle is in the costs, but it is no result and does not change efficiency.
 * @returns the program's address; it writes one row
 * @throws {ArenaFull} when there is no room
 */
export function toplineRow(
  engine: Engine,
  owner: Owner,
  grouped: CodedFrame,
  { window }: RowOptions,
): number {
  const kinds = kindsOf(groupedTable(grouped.frame, grouped.texts));
  const isIdle = kinds.map((kind) => (kind === ROW_KINDS.idle ? LEFT_OUT : KEPT));
  const total = totalOf(engine, owner, grouped, isIdle.slice().fill(KEPT));
  const others = totalOf(engine, owner, grouped, isIdle);
  if (grouped.frame.rows === 0) {
    total.f64('startMs')[0] = window.startMs;
    total.f64('endMs')[0] = window.endMs;
  }
  const formulas = formulasOf(SUMMARY_FIELDS);
  const efficiencies = formulas.filter(({ kind }) => kind === 'meanEfficiency');
  const numbers = new Map([
    ...evaluate({ engine, owner }, total, formulas),
    ...evaluate({ engine, owner }, others, efficiencies),
  ]);
  const results = kinds.length - isIdle.reduce((sum, idle) => sum + idle, 0);
  return compileRow(engine.arena, owner, total.rows, [
    `"numResults":${results},"combined":{"allocations":{"total":{`,
    ...summaryParts({ frame: total }, '"total"', numbers),
    `}},"window":${windowJson(window)}}`,
  ]);
}

/** The sum of the counted rows, as one row. */
function totalOf(
  engine: Engine,
  owner: Owner,
  { frame, texts }: CodedFrame,
  groups: Uint32Array,
): Frame {
  const table = groupedTable(frame, texts);
  const measures = MEASURES.map(({ column }) => column).filter((name) => frame.has(name));
  const numbers = ['startMs', 'endMs', 'endUncertaintyMs', ...measures];
  const total = createFrame(engine.arena, columnSpecs({ numbers }), 1, owner);
  foldNumbers({ engine, owner }, [{ table, groups, describing: groups }], total, []);
  return total;
}
