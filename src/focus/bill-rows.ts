/** Rows of a file as rows that are kept: checked, of one currency, cut by day, apart by billing period. */
import {
  createFrame,
  DictionaryBuilder,
  frameTable,
  type ColumnSpec,
  type Frame,
  type Scratch,
  type Table,
  type TextColumn,
} from '../columnar/index.ts';
import { Fault, type Calendar } from '../query/index.ts';
import { codesOf, TEXT_RULES } from './bill-texts.ts';
import { BILL_NUMBERS, BILL_TEXTS, type BillNumber, type SourceNumber } from './columns.ts';
import { cutByDay, shareOut, type Pieces } from './pieces.ts';
import { checkRows, type Checked, type CheckRules } from './row-checks.ts';
import { type BadCell, type SourceColumns } from './source-columns.ts';

export type BillRules = CheckRules;

/** The rows of one billing period. */
export interface BillPart {
  /** Unix ms. */
  readonly periodMs: number;
  /** The hull of the rows' times. */
  readonly startMs: number;
  readonly endMs: number;
  /** In the arena; `BILL_TEXTS` and `BILL_NUMBERS`, each row within one day. */
  readonly table: Table;
}

export interface BillRows {
  readonly parts: readonly BillPart[];
  readonly bad: readonly BadCell[];
}

const SPECS: readonly ColumnSpec[] = [
  ...BILL_NUMBERS.map((name): ColumnSpec => ({ name, type: 'f64' })),
  ...BILL_TEXTS.map((name): ColumnSpec => ({ name, type: 'u32' })),
];

const COSTS: readonly (readonly [BillNumber, SourceNumber])[] = [
  ['billedCost', 'BilledCost'],
  ['contractedCost', 'ContractedCost'],
  ['effectiveCost', 'EffectiveCost'],
  ['listCost', 'ListCost'],
];

/** Ten years of months. */
const PERIODS_MAX = 120;

/** @throws {ArenaFull} when there is no room @throws {Fault} for more than PERIODS_MAX periods */
export function readBillRows(
  scratch: Scratch,
  columns: SourceColumns,
  rules: BillRules,
  calendar: Calendar,
): BillRows {
  const checked = checkRows(scratch, columns, rules);
  const texts = textsOf(scratch, columns);
  const numbers = numbersOf(scratch, columns);
  const parts = [...rowsByPeriod(scratch, checked)].map(([periodMs, rows]) => {
    const pieces = cutByDay(scratch, checked, rows, calendar);
    const frame = createFrame(scratch.arena, SPECS, pieces.row.length, scratch.owner);
    for (const [name, { codes }] of texts) fill(frame.u32(name), pieces, codes);
    for (const [name, values] of numbers) shareOut(pieces, checked, values, frame.f64(name));
    frame.f64('startMs').set(pieces.startMs);
    frame.f64('endMs').set(pieces.endMs);
    fill(frame.f64('listUnitPrice'), pieces, orZero(scratch, columns, 'ListUnitPrice'));
    return { periodMs, ...hullOf(pieces), table: tableOf(frame, texts) };
  });
  return { parts, bad: checked.bad };
}

function tableOf(frame: Frame, texts: ReadonlyMap<string, TextColumn>): Table {
  const plain = frameTable(frame, new DictionaryBuilder());
  return {
    rows: frame.rows,
    numbers: (name) => plain.numbers(name),
    text(name) {
      const own = texts.get(name);
      return own && { codes: frame.u32(name), texts: own.texts };
    },
  };
}

/** Few: each is looked for in turn. */
function rowsByPeriod(scratch: Scratch, { isGood, periodMs }: Checked): Map<number, Uint32Array> {
  const periods = new Set<number>();
  for (let row = 0; row < isGood.length; row++) {
    if (isGood[row] === 1) periods.add(periodMs[row] ?? NaN);
    if (periods.size > PERIODS_MAX)
      throw new Fault(`more than ${PERIODS_MAX} billing periods are in it`);
  }
  const rowsOf = (period: number): Uint32Array => {
    const rows = scratch.u32(isGood.length);
    let count = 0;
    for (let row = 0; row < isGood.length; row++) {
      if (isGood[row] === 1 && periodMs[row] === period) rows[count++] = row;
    }
    return rows.subarray(0, count);
  };
  return new Map(Array.from(periods, (period) => [period, rowsOf(period)]));
}

/** Codes by source row, and a dictionary for each column: few columns have many texts. */
function textsOf(scratch: Scratch, columns: SourceColumns): Map<string, TextColumn> {
  const coded = Object.entries(TEXT_RULES).map(([name, choices]): [string, TextColumn] => {
    const texts = new DictionaryBuilder();
    return [name, { codes: codesOf(scratch, columns, choices, texts), texts }];
  });
  return new Map(coded).set('usageUnit', unitsOf(scratch, columns));
}

/** A quantity and its unit go together: both as consumed, else both as priced. */
function unitsOf(scratch: Scratch, columns: SourceColumns): TextColumn {
  const texts = new DictionaryBuilder();
  const consumed = columns.numbers('ConsumedQuantity');
  const [own, priced] = (['ConsumedUnit', 'PricingUnit'] as const).map((name) =>
    codesOf(scratch, columns, [name], texts),
  );
  const codes = scratch.u32(columns.rows);
  for (let row = 0; row < codes.length; row++) {
    const isConsumed = consumed !== undefined && !Number.isNaN(consumed[row]);
    codes[row] = (isConsumed ? own?.[row] : priced?.[row]) ?? 0;
  }
  return { codes, texts };
}

/** What is shared out among days, by source row. */
function numbersOf(scratch: Scratch, columns: SourceColumns): Map<string, Float64Array> {
  const consumed = columns.numbers('ConsumedQuantity');
  const quantities = orZero(scratch, columns, 'PricingQuantity');
  consumed?.forEach((value, row) => {
    if (!Number.isNaN(value)) quantities[row] = value;
  });
  return new Map([
    ...COSTS.map(([name, from]) => [name, orZero(scratch, columns, from)] as const),
    ['usageQuantity', quantities] as const,
  ]);
}

/** A copy, 0 where the row has none. */
function orZero(scratch: Scratch, columns: SourceColumns, name: SourceNumber): Float64Array {
  const values = columns.numbers(name);
  const target = scratch.f64(columns.rows);
  for (let row = 0; row < (values?.length ?? 0); row++) target[row] = values?.[row] || 0;
  return target;
}

function fill<T extends Float64Array | Uint32Array>(target: T, { row }: Pieces, values: T): void {
  for (let piece = 0; piece < row.length; piece++) target[piece] = values[row[piece] ?? 0] ?? 0;
}

function hullOf({ startMs, endMs }: Pieces): { startMs: number; endMs: number } {
  let [first, last] = [Infinity, -Infinity];
  for (const ms of startMs) if (ms < first) first = ms;
  for (const ms of endMs) if (ms > last) last = ms;
  return { startMs: first, endMs: Math.max(last, first + 1) };
}
