/** Rows as summaries: no properties, adjustments in the costs. */
import {
  compileRow,
  escapeTexts,
  type Engine,
  type Owner,
  type RowPart,
} from '../../columnar/index.ts';
import type { CodedFrame } from '../row/coded-frame.ts';
import type { AggregateKey } from '../../query/index.ts';
import type { CsvFormat } from './csv.ts';
import { windowJson } from './envelope.ts';
import type { RowOptions } from '../params/format.ts';
import { evaluate, type FormulaColumns } from '../row/formula.ts';
import { breakdown, timesAndMembers } from './json.ts';
import { fields, partColumns, text, TIMES, type Column } from './row-columns.ts';
import { SUMMARY_FIELDS, type Field } from '../row/schema.ts';

/** The columns of a script that clients run (kubecost-success), in their order, and shared cost. */
const KNOWN: readonly string[] = [
  'cpuCost',
  'ramCost',
  'gpuCost',
  'pvCost',
  'networkCost',
  'loadBalancerCost',
  'externalCost',
  'totalCost',
  'sharedCost',
];

const KNOWN_FIELDS: readonly Field[] = KNOWN.flatMap((name) =>
  SUMMARY_FIELDS.filter(({ json }) => json === name),
);

/** A column for each part of the name, then costs; in full windows, times and every field too. */
export function summaryCsvColumns(
  format: CsvFormat,
  keys: readonly AggregateKey[],
): readonly Column[] {
  return format.isFull ? summaryColumns(keys) : [...partColumns(keys), ...fields(KNOWN_FIELDS)];
}

/** Names, windows, times and every field. */
export function summaryColumns(keys: readonly AggregateKey[]): readonly Column[] {
  return [text('name'), ...partColumns(keys), ...TIMES, ...fields(SUMMARY_FIELDS)];
}

/**
 * Compiles the rows of a grouped set: members of the set's `allocations`, or lines of NDJSON with the
 * window beside each.
 * @returns the program's address
 * @throws {ArenaFull} when there is no room
 */
export function summaryRows(
  engine: Engine,
  owner: Owner,
  grouped: CodedFrame,
  { format, window }: RowOptions,
): number {
  const { frame, texts } = grouped;
  const numbers = evaluate({ engine, owner }, frame, formulasOf(SUMMARY_FIELDS));
  const names = escapeTexts(engine, owner, texts, [frame.u32('name')], 'json');
  const name: RowPart = { kind: 'text', codes: frame.u32('name').byteOffset, texts: names };
  const row = summaryParts(grouped, name, numbers);
  if (format.kind === 'json') {
    const member = [name, ':{', ...row, ...breakdown(grouped), '}'];
    return compileRow(engine.arena, owner, frame.rows, member, ',');
  }
  const line = ['{', ...row, ...breakdown(grouped), `,"window":${windowJson(window)}}\n`];
  return compileRow(engine.arena, owner, frame.rows, line);
}

/** The members of a summary. */
export function summaryParts(
  { frame }: Pick<CodedFrame, 'frame'>,
  name: RowPart,
  numbers: FormulaColumns,
): RowPart[] {
  return ['"name":', name, ...timesAndMembers(frame, SUMMARY_FIELDS, numbers)];
}

export function formulasOf(fieldsOf: readonly Field[]): Field['formula'][] {
  return fieldsOf.map(({ formula }) => formula);
}
