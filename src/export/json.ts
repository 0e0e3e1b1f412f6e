/** Rows of an object, `"key":{…}`, with commas between them. */
import { writeRows, type Chunk } from './rows.ts';

/**
 * Writes rows [row, rows) as members of an object; see `writeRows`.
 *
 * @param write one row as `"key":{…}`
 */
export function writeJsonRows(
  target: Uint8Array,
  row: number,
  rows: number,
  write: (row: number) => string,
): Chunk {
  return writeRows(target, row, rows, (i) => `${i === 0 ? '' : ','}${write(i)}`);
}

/** A number as JSON has it: shortest form that reads back; NaN and infinities are null. */
export function jsonNumber(value: number): string {
  return Number.isFinite(value) ? String(value) : 'null';
}

/** RFC 3339 in UTC, milliseconds only where there are any. */
export function timestamp(ms: number): string {
  const text = new Date(ms).toISOString();
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text;
}
