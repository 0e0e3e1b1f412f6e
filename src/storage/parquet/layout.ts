/**
 * Where the Parquet file of a set lies, and how it is known which set it is of:
 *
 *   allocations/date=2026-11-27/20261127T000000Z-20261128T000000Z.parquet          a day
 *   allocations_hours/date=2026-11-27/20261127T130000Z-20261127T140000Z.parquet    an hour of it
 *
 * The name tells the window, so that a set that replaces another takes its place. Hours stand apart: who asks for all
 * files of a folder counts nothing twice. The date is that of the day in the time zone of the set.
 */
import { crc32 } from 'node:zlib';
import { HOUR_MS } from '../../query/index.ts';
import type { Region } from '../arrow/directory.ts';
import type { SetKey, SetMeta } from '../set-key.ts';

/** Days have 23 hours at least, where clocks change. */
const DAY_HOURS_MIN = 23;

export function parquetPath({ kind, startMs, endMs }: SetKey, timezone: string): string {
  const isDay = endMs - startMs >= DAY_HOURS_MIN * HOUR_MS;
  const date = dateOf(startMs, timezone);
  const name = `${minuteOf(startMs)}-${minuteOf(endMs)}.parquet`;
  return `${isDay ? kind : `${kind}_hours`}/date=${date}/${name}`;
}

/** `2026-11-27`: Swedes write dates so. */
function dateOf(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(ms);
}

/** `20261127T130000Z` */
function minuteOf(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
}

/** The name of the note in a file's footer. */
export const NOTE = 'prorata';

/** Another number where files of the same columns and the same set would be others. */
const LAYOUT = 1;

export interface Note {
  /** Equal for files of equal sets with the same columns only. */
  readonly content: string;
  readonly state: SetMeta['state'];
  readonly timezone: string;
}

/** @param directory which has the checksums of all columns of the set */
export function contentOf(
  directory: Region,
  columns: readonly { readonly name: string }[],
): string {
  const names = columns.map(({ name }) => name).join();
  return [LAYOUT, crc32(names), ...directory].join('-');
}

/** Bytes at the end of a file that have its note: what comes behind it is of a few bytes a column. */
export const TAIL_BYTES = 4096;

/** @returns the content that the end of a file tells; undefined where it tells none */
export function contentIn(tail: Uint8Array): string | undefined {
  const text = Buffer.from(tail.buffer, tail.byteOffset, tail.length).toString('latin1');
  if (!text.endsWith('PAR1')) return undefined;
  // Between name and note is a type and a length.
  return /prorata[^]{2,4}?\{"content":"([\d-]+)"/.exec(text)?.[1];
}
