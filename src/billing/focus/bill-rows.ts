/** Rows of a file as rows to store: checked, of one currency, cut by day, separate by billing period. */
import type { Scratch, Table, Texts } from '../../columnar/index.ts';
import { Fault, type Calendar } from '../../query/index.ts';
import { codesOf, resourceIds, TEXT_RULES } from './bill-texts.ts';
import type { BillNumber, SourceNumber } from './columns.ts';
import { cutByDay, ofPieces, shareOut, type Pieces } from './pieces.ts';
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
  /** In the arena; `BILL_TEXTS`, of the stored texts, and `BILL_NUMBERS`, each row within one day. */
  readonly table: Table;
}

export interface BillRows {
  readonly parts: readonly BillPart[];
  readonly bad: readonly BadCell[];
  /** Costs that rows lack, in the order of COSTS. */
  readonly substitutes: readonly Substitute[];
}

/** A cost that FOCUS does not let be null and that rows lack: another cost of the row counts for it. */
export interface Substitute {
  readonly column: SourceNumber;
  readonly insteadOf: SourceNumber;
  readonly rows: number;
  /** Their sum, in the currency of the bill. */
  readonly amount: number;
}

/** Each cost, its column, and the column that counts in rows without it: one of a line before. */
const COSTS: readonly (readonly [BillNumber, SourceNumber, SourceNumber?])[] = [
  ['billedCost', 'BilledCost'],
  ['effectiveCost', 'EffectiveCost', 'BilledCost'],
  ['contractedCost', 'ContractedCost', 'BilledCost'],
  ['listCost', 'ListCost', 'ContractedCost'],
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
  const { costs, substitutes } = costsOf(scratch, columns, checked);
  const numbers = [...costs.values(), ['usageQuantity', quantitiesOf(scratch, columns)] as const];
  const prices = orZero(scratch, columns, 'ListUnitPrice');
  const parts = [...rowsByPeriod(scratch, checked)].map(([periodMs, rows]) => {
    const pieces = cutByDay(scratch, checked, rows, calendar);
    const own = new Map<string, Float64Array | Uint32Array>([
      ['startMs', pieces.startMs],
      ['endMs', pieces.endMs],
      ['listUnitPrice', ofPieces(scratch, pieces, prices)],
    ]);
    for (const [name, values] of numbers) own.set(name, shareOut(scratch, pieces, checked, values));
    for (const [name, codes] of texts) own.set(name, ofPieces(scratch, pieces, codes));
    const table = tableOf(pieces.row.length, own, columns.texts.stored);
    return { periodMs, ...hullOf(pieces), table };
  });
  return { parts, bad: checked.bad, substitutes };
}

function tableOf(
  rows: number,
  columns: ReadonlyMap<string, Float64Array | Uint32Array>,
  texts: Texts,
): Table {
  return {
    rows,
    numbers(name) {
      const values = columns.get(name);
      return values instanceof Float64Array ? { address: values.byteOffset, values } : undefined;
    },
    text(name) {
      const codes = columns.get(name);
      return codes instanceof Uint32Array ? { codes, texts } : undefined;
    },
  };
}

/** Periods are few, so that a linear search is enough. */
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

/** Codes of stored texts, by source row. */
function textsOf(scratch: Scratch, columns: SourceColumns): Map<string, Uint32Array> {
  const coded = Object.entries(TEXT_RULES).map(([name, choices]): [string, Uint32Array] => [
    name,
    codesOf(scratch, columns, choices),
  ]);
  return new Map(coded)
    .set('providerID', resourceIds(scratch, columns))
    .set('usageUnit', unitsOf(scratch, columns));
}

/** A quantity and its unit go together: both as consumed, else both as priced. */
function unitsOf(scratch: Scratch, columns: SourceColumns): Uint32Array {
  const consumed = columns.numbers('ConsumedQuantity');
  const codes = codesOf(scratch, columns, ['PricingUnit']);
  if (consumed === undefined) return codes;
  const own = codesOf(scratch, columns, ['ConsumedUnit']);
  for (let row = 0; row < codes.length; row++) {
    if (!Number.isNaN(consumed[row])) codes[row] = own[row] ?? 0;
  }
  return codes;
}

/** Costs by their columns, each with the name that it is stored by. */
type Costs = Map<SourceNumber, readonly [BillNumber, Float64Array]>;

function costsOf(
  scratch: Scratch,
  columns: SourceColumns,
  { isGood }: Checked,
): { readonly costs: Costs; readonly substitutes: Substitute[] } {
  const costs: Costs = new Map();
  const substitutes: Substitute[] = [];
  for (const [name, column, insteadOf] of COSTS) {
    const [own, values] = [columns.numbers(column), orZero(scratch, columns, column)];
    costs.set(column, [name, values]);
    const [, others] = (insteadOf && costs.get(insteadOf)) ?? [];
    if (insteadOf === undefined || others === undefined) continue;
    let [rows, amount] = [0, 0];
    for (let row = 0; row < values.length; row++) {
      if (isGood[row] !== 1 || !Number.isNaN(own?.[row] ?? NaN)) continue;
      values[row] = others[row] ?? 0;
      rows++;
      amount += values[row] ?? 0;
    }
    if (rows > 0) substitutes.push({ column, insteadOf, rows, amount });
  }
  return { costs, substitutes };
}

/** As consumed, else as priced. */
function quantitiesOf(scratch: Scratch, columns: SourceColumns): Float64Array {
  const consumed = columns.numbers('ConsumedQuantity');
  const quantities = orZero(scratch, columns, 'PricingQuantity');
  for (let row = 0; row < (consumed?.length ?? 0); row++) {
    const value = consumed?.[row] ?? NaN;
    if (!Number.isNaN(value)) quantities[row] = value;
  }
  return quantities;
}

/** A copy, 0 where the row has none. */
function orZero(scratch: Scratch, columns: SourceColumns, name: SourceNumber): Float64Array {
  const target = scratch.f64(columns.rows);
  const values = columns.numbers(name);
  if (values === undefined) return target;
  for (let row = 0; row < values.length; row++) target[row] = values[row] || 0;
  return target;
}

function hullOf({ startMs, endMs }: Pieces): { startMs: number; endMs: number } {
  let [first, last] = [Infinity, -Infinity];
  for (const ms of startMs) if (ms < first) first = ms;
  for (const ms of endMs) if (ms > last) last = ms;
  return { startMs: first, endMs: Math.max(last, first + 1) };
}
