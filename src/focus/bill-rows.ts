/** Rows of a file as rows that are kept: checked, of one currency, cut by day, apart by billing period. */
import {
  createFrame,
  DictionaryBuilder,
  frameTable,
  type Arena,
  type ColumnSpec,
  type Owner,
  type Table,
} from '../columnar/index.ts';
import type { Calendar } from '../query/index.ts';
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

/** @throws {ArenaFull} when there is no room */
export function readBillRows(
  { arena, owner }: { readonly arena: Arena; readonly owner: Owner },
  columns: SourceColumns,
  rules: BillRules,
  calendar: Calendar,
): BillRows {
  const checked = checkRows(columns, rules);
  const dictionary = new DictionaryBuilder();
  const texts = textsOf(columns, dictionary);
  const numbers = numbersOf(columns);
  const parts = [...rowsByPeriod(checked)].map(([periodMs, rows]) => {
    const pieces = cutByDay(checked, rows, calendar);
    const frame = createFrame(arena, SPECS, pieces.row.length, owner);
    for (const [name, codes] of texts) fill(frame.u32(name), pieces, codes);
    for (const [name, values] of numbers) shareOut(pieces, checked, values, frame.f64(name));
    frame.f64('startMs').set(pieces.startMs);
    frame.f64('endMs').set(pieces.endMs);
    fill(frame.f64('listUnitPrice'), pieces, pricesOf(columns));
    return { periodMs, ...hullOf(pieces), table: frameTable(frame, dictionary) };
  });
  return { parts, bad: checked.bad };
}

function rowsByPeriod({ isGood, periodMs }: Checked): Map<number, Uint32Array> {
  const rows = new Map<number, number[]>();
  isGood.forEach((is, row) => {
    if (is === 0) return;
    const period = periodMs[row] ?? NaN;
    const known = rows.get(period);
    if (known === undefined) rows.set(period, [row]);
    else known.push(row);
  });
  return new Map([...rows].map(([period, of]) => [period, Uint32Array.from(of)]));
}

/** By source row. */
function textsOf(columns: SourceColumns, dictionary: DictionaryBuilder): Map<string, Uint32Array> {
  const codes = new Map<string, Uint32Array>(
    Object.entries(TEXT_RULES).map(([name, rule]) => [name, codesOf(columns, rule, dictionary)]),
  );
  // A resource of no type is of its provider's.
  const [types, domains] = [codes.get('resourceType'), codes.get('domain')];
  types?.forEach((code, row) => {
    if (code === 0) types[row] = domains?.[row] ?? 0;
  });
  return codes.set('usageUnit', unitsOf(columns, dictionary));
}

/** A quantity and its unit go together: both as consumed, else both as priced. */
function unitsOf(columns: SourceColumns, dictionary: DictionaryBuilder): Uint32Array {
  const consumed = columns.numbers('ConsumedQuantity');
  const [own, priced] = (['ConsumedUnit', 'PricingUnit'] as const).map((name) =>
    codesOf(columns, { from: [name] }, dictionary),
  );
  return Uint32Array.from({ length: columns.rows }, (_, row) => {
    const isConsumed = consumed !== undefined && !Number.isNaN(consumed[row]);
    return (isConsumed ? own?.[row] : priced?.[row]) ?? 0;
  });
}

/** What is shared out among days, by source row. */
function numbersOf(columns: SourceColumns): Map<string, Float64Array> {
  const { rows } = columns;
  const orZero = (name: SourceNumber): Float64Array =>
    columns.numbers(name)?.map((value) => (Number.isNaN(value) ? 0 : value)) ??
    new Float64Array(rows);
  const consumed = columns.numbers('ConsumedQuantity');
  const quantities = orZero('PricingQuantity');
  consumed?.forEach((value, row) => {
    if (!Number.isNaN(value)) quantities[row] = value;
  });
  return new Map([
    ...COSTS.map(([name, from]) => [name, orZero(from)] as const),
    ['usageQuantity', quantities] as const,
  ]);
}

function pricesOf(columns: SourceColumns): Float64Array {
  return (
    columns.numbers('ListUnitPrice')?.map((price) => (Number.isNaN(price) ? 0 : price)) ??
    new Float64Array(columns.rows)
  );
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
