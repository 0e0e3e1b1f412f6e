/** What a row must have to be a charge. Texts are looked at once each, however many rows have them. */
import type { Scratch } from '../columnar/index.ts';
import { CHARGE_CATEGORIES, type SourceNumber, type SourceText } from './columns.ts';
import { isNull, shown, type BadCell, type SourceColumns } from './source-columns.ts';
import { flatTags } from './tags.ts';
import { readTime } from './times.ts';

export interface CheckedTimes {
  /** Unix ms, one a row; NaN in bad rows. */
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
  readonly periodMs: Float64Array;
  readonly periodEndMs: Float64Array;
}

export interface Checked extends CheckedTimes {
  /** One a row: 1 where it is a charge. */
  readonly isGood: Uint8Array;
  /** The first mistake of each bad row, in the order of rows. */
  readonly bad: readonly BadCell[];
}

export interface CheckRules {
  /** ISO 4217, in capitals. */
  readonly currency: string;
}

const DAY_MS = 86_400_000;
/** The longest commitments are of five years. */
const CHARGE_DAYS_MAX = 5 * 366 + 1;
/** Some bill a quarter or a year at once. */
const PERIOD_DAYS_MAX = 366;
const TEXT_LENGTH_MAX = 65_536;
const NONE = { codes: new Uint32Array(), texts: [] };

export function checkRows(
  scratch: Scratch,
  columns: SourceColumns,
  { currency }: CheckRules,
): Checked {
  const checks = new Checks(scratch, columns);
  for (const cell of columns.bad) checks.refuse(cell.row, cell.column, cell.reason);
  const times = {
    periodMs: checks.times('BillingPeriodStart'),
    periodEndMs: checks.times('BillingPeriodEnd'),
    startMs: checks.times('ChargePeriodStart'),
    endMs: checks.times('ChargePeriodEnd'),
  };
  checks.lengths('BillingPeriodEnd', times.periodMs, times.periodEndMs, PERIOD_DAYS_MAX);
  checks.lengths('ChargePeriodEnd', times.startMs, times.endMs, CHARGE_DAYS_MAX);
  checks.texts('BillingCurrency', (text) =>
    text.toUpperCase() === currency ? undefined : `${shown(text)} is not ${currency}`,
  );
  checks.texts('ChargeCategory', (text) =>
    chargeCategory(text) === undefined
      ? `${shown(text)} is none of ${CHARGE_CATEGORIES.join(', ')}`
      : undefined,
  );
  checks.texts(
    'Tags',
    (text) => (flatTags(text) === undefined ? `${shown(text)} is no JSON object` : undefined),
    null,
  );
  checks.numbers('BilledCost');
  checks.tooLong();
  return { ...times, isGood: checks.isGood, bad: checks.found() };
}

/** As FOCUS writes it, in whatever case it came. */
export function chargeCategory(text: string): string | undefined {
  const lower = text.toLowerCase();
  return CHARGE_CATEGORIES.find((name) => name.toLowerCase() === lower);
}

class Checks {
  readonly isGood: Uint8Array;
  readonly #scratch: Scratch;
  readonly #columns: SourceColumns;
  readonly #bad: BadCell[] = [];

  constructor(scratch: Scratch, columns: SourceColumns) {
    this.#scratch = scratch;
    this.#columns = columns;
    this.isGood = scratch.u8(columns.rows).fill(1);
  }

  /** Of each row the first mistake counts. */
  refuse(row: number, column: string, reason: string): void {
    if (this.isGood[row] === 0) return;
    this.isGood[row] = 0;
    this.#bad.push({ row, column, reason });
  }

  found(): BadCell[] {
    return this.#bad.toSorted((a, b) => a.row - b.row);
  }

  /** @param ifNull the complaint where there is none */
  texts(
    column: SourceText,
    complaintOf: (text: string) => string | undefined,
    ifNull: string | null = 'it is empty',
  ): void {
    const { codes, texts } = this.#columns.text(column) ?? NONE;
    const complaints = texts.map((text) =>
      isNull(text) ? (ifNull ?? undefined) : complaintOf(text),
    );
    if (complaints.every((complaint) => complaint === undefined)) return;
    for (let row = 0; row < codes.length; row++) {
      const complaint = complaints[codes[row] ?? 0];
      if (complaint !== undefined) this.refuse(row, column, complaint);
    }
  }

  times(column: SourceText): Float64Array {
    this.texts(column, (text) =>
      readTime(text) === undefined
        ? `${shown(text)} is no time of the years 2000 to 2100`
        : undefined,
    );
    const { codes, texts } = this.#columns.text(column) ?? NONE;
    const known = Float64Array.from(texts, (text) => readTime(text) ?? NaN);
    const times = this.#scratch.f64(codes.length);
    for (let row = 0; row < codes.length; row++) times[row] = known[codes[row] ?? 0] ?? NaN;
    return times;
  }

  /** A charge may be of one moment. */
  lengths(column: SourceText, starts: Float64Array, ends: Float64Array, daysMax: number): void {
    for (let row = 0; row < starts.length; row++) {
      const days = ((ends[row] ?? 0) - (starts[row] ?? 0)) / DAY_MS;
      if (days < 0) this.refuse(row, column, 'it is before the start');
      else if (days > daysMax) this.refuse(row, column, `it is ${Math.round(days)} days long`);
    }
  }

  numbers(column: SourceNumber): void {
    const values = this.#columns.numbers(column);
    for (let row = 0; row < (values?.length ?? 0); row++) {
      if (Number.isNaN(values?.[row])) this.refuse(row, column, 'it is empty');
    }
  }

  tooLong(): void {
    for (const column of ['Tags', 'ChargeDescription', 'ResourceId'] as const) {
      const source = this.#columns.text(column);
      if (source?.texts.every(({ length }) => length <= TEXT_LENGTH_MAX) ?? true) continue;
      source?.codes.forEach((code, row) => {
        const length = source.texts[code]?.length ?? 0;
        if (length > TEXT_LENGTH_MAX) this.refuse(row, column, `it has ${length} characters`);
      });
    }
  }
}
