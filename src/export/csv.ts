/**
 * CSV as RFC 4180 has it (https://www.rfc-editor.org/rfc/rfc4180), but with `\n` at the end of a
 * line, as clients of the allocation query expect. UTF-8 without a mark.
 */
import type { RowPart } from '../columnar/index.ts';

/** What a spreadsheet would run as a formula (https://owasp.org/www-community/attacks/CSV_Injection). */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\n\r]/;
/** Beyond it `toFixed` answers in the form of an exponent. */
const FIXED_MAX = 1e21;

/** Cells that `csvText` and `csvNumber` made, as one line. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\n`;
}

/** A text's cell. One that begins as a formula does is led by `'`, so that it stays text. */
export function csvText(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/**
 * A number's cell: the shortest form that reads back, or with `decimals` places; NaN and infinities
 * are empty.
 * @param decimals in [0, 20]
 */
export function csvNumber(value: number, decimals?: number): string {
  if (!Number.isFinite(value)) return '';
  if (decimals === undefined || Math.abs(value) >= FIXED_MAX) return String(value);
  const text = value.toFixed(decimals);
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text;
}

/**
 * A column of cells as `csvNumber` writes them. Without one it is 0.
 * @param decimals in [0, 20]
 */
export function csvNumbers(column: number | undefined, decimals?: number): RowPart {
  if (column === undefined) return csvNumber(0, decimals);
  return { kind: 'number', column, decimals, missing: '' };
}

/** One line of cells. */
export function csvRow(cells: readonly RowPart[]): RowPart[] {
  return [...cells.flatMap((cell, i) => (i === 0 ? [cell] : [',', cell])), '\n'];
}
