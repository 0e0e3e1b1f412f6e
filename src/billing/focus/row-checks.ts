/** Checks of rows: what a charge must have. Each text is read once, however many rows have it. */
import type { Scratch } from '../../columnar/index.ts';
import {
  CHARGE_CATEGORIES,
  NUMBERS_MAX,
  SOURCE_NUMBERS,
  SOURCE_TEXTS,
  type SourceNumber,
  type SourceText,
} from './columns.ts';
import type { CodeValues } from './code-values.ts';
import { shown, type BadCell, type SourceColumns } from './source-columns.ts';
import { flatTags } from './tags.ts';
import { readTime } from './times.ts';
import { DAY_MS } from '../../query/index.ts';

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

/** The longest commitments are of five years. */
const CHARGE_DAYS_MAX = 5 * 366 + 1;
/** Some bill a quarter or a year at once. */
const PERIOD_DAYS_MAX = 366;
const TEXT_LENGTH_MAX = 65_536;
const TO_UTF_8 =
  'if it is Windows-1252 or Latin-1, iconv -f WINDOWS-1252 -t UTF-8 FILE converts it';
const NO_CODES = new Uint32Array();

export function checkRows(
  scratch: Scratch,
  columns: SourceColumns,
  { currency }: CheckRules,
): Checked {
  const checks = new Checks(scratch, columns);
  for (const cell of columns.bad) checks.refuse(cell.row, cell.column, cell.reason);
  if (columns.isUtf8 === false) checks.encodings();
  const times = {
    periodMs: checks.times('BillingPeriodStart'),
    periodEndMs: checks.times('BillingPeriodEnd'),
    startMs: checks.times('ChargePeriodStart'),
    endMs: checks.times('ChargePeriodEnd'),
  };
  checks.lengths('BillingPeriodEnd', times.periodMs, times.periodEndMs, PERIOD_DAYS_MAX);
  checks.lengths('ChargePeriodEnd', times.startMs, times.endMs, CHARGE_DAYS_MAX);
  checks.texts('BillingCurrency', {
    values: columns.texts.valuesOf(`currency ${currency}`, (text) =>
      text.toUpperCase() === currency ? 1 : undefined,
    ),
    complaint: (text) => `${shown(text)} is not ${currency}`,
  });
  checks.texts('ChargeCategory', {
    values: columns.texts.storedAs('category', chargeCategory),
    complaint: (text) => `${shown(text)} is none of ${CHARGE_CATEGORIES.join(', ')}`,
  });
  checks.texts('Tags', {
    values: columns.texts.storedAs('tags', flatTags),
    complaint: (text) => `${shown(text)} is no JSON object`,
    mayBeNull: true,
  });
  checks.numbers('BilledCost');
  for (const column of SOURCE_NUMBERS) checks.amounts(column);
  checks.tooLong();
  return { ...times, isGood: checks.isGood, bad: checks.found() };
}

/** The category as FOCUS writes it, from any case. */
export function chargeCategory(text: string): string | undefined {
  const lower = text.toLowerCase();
  return CHARGE_CATEGORIES.find((name) => name.toLowerCase() === lower);
}

/** Values that texts must have. */
interface TextCheck {
  /** NaN for bad ones. */
  readonly values: CodeValues;
  readonly complaint: (text: string) => string;
  readonly mayBeNull?: boolean;
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

  /** The first mistake of each row counts. */
  refuse(row: number, column: string, reason: string): void {
    if (this.isGood[row] === 0) return;
    this.isGood[row] = 0;
    this.#bad.push({ row, column, reason });
  }

  found(): BadCell[] {
    return this.#bad.toSorted((a, b) => a.row - b.row);
  }

  texts(column: SourceText, { values, complaint, mayBeNull = false }: TextCheck): void {
    const { texts } = this.#columns;
    const codes = this.#columns.codes(column) ?? NO_CODES;
    for (let row = 0; row < codes.length; row++) {
      const code = codes[row] ?? 0;
      if (texts.isNull(code)) {
        if (!mayBeNull) this.refuse(row, column, 'it is empty');
      } else if (Number.isNaN(values.of(code))) {
        this.refuse(row, column, complaint(texts.text(code)));
      }
    }
  }

  times(column: SourceText): Float64Array {
    const values = this.#columns.texts.valuesOf('time', readTime);
    this.texts(column, {
      values,
      complaint: (text) => `${shown(text)} is no time of the years 2000 to 2100`,
    });
    const codes = this.#columns.codes(column) ?? NO_CODES;
    const times = this.#scratch.f64(codes.length);
    values.each(codes, times);
    return times;
  }

  /** A charge may have no length. */
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

  amounts(column: SourceNumber): void {
    const values = this.#columns.numbers(column);
    const most = NUMBERS_MAX[column];
    for (let row = 0; row < (values?.length ?? 0); row++) {
      const value = values?.[row] ?? 0;
      if (Math.abs(value) > most) this.refuse(row, column, `${value} is beyond ${most}`);
    }
  }

  /** Texts of unread columns do not matter. */
  encodings(): void {
    const { texts } = this.#columns;
    const values = texts.byCode('utf8', (code) => (texts.isUtf8(code) ? 1 : 0));
    for (const column of SOURCE_TEXTS) {
      const codes = this.#columns.codes(column) ?? NO_CODES;
      for (let row = 0; row < codes.length; row++) {
        const code = codes[row] ?? 0;
        if (values.of(code) === 0) {
          this.refuse(row, column, `${shown(texts.text(code))} is not UTF-8: ${TO_UTF_8}`);
        }
      }
    }
  }

  tooLong(): void {
    const { texts } = this.#columns;
    // Characters are at most as many as bytes.
    const lengths = texts.byCode('length', (code) =>
      texts.cells.place(code).length <= TEXT_LENGTH_MAX ? 0 : texts.text(code).length,
    );
    for (const column of ['Tags', 'ChargeDescription', 'ResourceId'] as const) {
      const codes = this.#columns.codes(column) ?? NO_CODES;
      for (let row = 0; row < codes.length; row++) {
        const length = lengths.of(codes[row] ?? 0);
        if (length > TEXT_LENGTH_MAX) this.refuse(row, column, `it has ${length} characters`);
      }
    }
  }
}
