/** Members of JSON objects, as parts of a row that kernels write. */
import type { RowPart } from '../columnar/index.ts';

/** A column of numbers in their shortest form; NaN and infinities are null. Without a column all are 0. */
export function jsonNumbers(column: number | undefined): RowPart {
  return column === undefined ? '0' : { kind: 'number', column, missing: 'null' };
}

/** `"name":`, in front of a value. */
export function jsonKey(name: string): string {
  return `${JSON.stringify(name)}:`;
}

/** RFC 3339 in UTC, with milliseconds only where they are not 0. */
export function timestamp(ms: number): string {
  const text = new Date(ms).toISOString();
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text;
}

/** A window as clients read it. */
export function windowOf({
  startMs,
  endMs,
}: {
  readonly startMs: number;
  readonly endMs: number;
}): {
  readonly start: string;
  readonly end: string;
} {
  return { start: timestamp(startMs), end: timestamp(endMs) };
}
