/**
 * CSV by RFC 4180 (https://www.rfc-editor.org/rfc/rfc4180), but lines end with `\n`, as clients of
 * the allocation query expect. UTF-8 without a byte order mark.
 */
import type { RowPart } from '../columnar/index.ts';

/** A spreadsheet would run such a text as a formula (https://owasp.org/www-community/attacks/CSV_Injection). */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\n\r]/;
/** Beyond it `toFixed` writes an exponent. */
const FIXED_MAX = 1e21;

/** @param cells as `csvText` and `csvNumber` write them */
export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\n`;
}

/** A text's cell. A `'` before what looks like a formula makes spreadsheets read it as text. */
export function csvText(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/**
 * A number's cell: the shortest text that reads back as the same number, or with `decimals` places; NaN
 * and infinities are empty.
 * @param decimals in [0, 20]
 */
export function csvNumber(value: number, decimals?: number): string {
  if (!Number.isFinite(value)) return '';
  if (decimals === undefined || Math.abs(value) >= FIXED_MAX) return String(value);
  const text = value.toFixed(decimals);
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text;
}

/**
 * A column of cells as `csvNumber` writes them. Without a column all cells are 0.
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
