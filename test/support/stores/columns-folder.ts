/** A folder of stored sets, made of rows in words. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALLOCATION_COLUMNS } from '../../../src/allocation/sets/set-files.ts';
import { Arena } from '../../../src/columnar/index.ts';
import { openArrowFiles, type EncodedSet, type SetMeta } from '../../../src/storage/index.ts';
import { dirtyMemory } from '../references/dirty-memory.ts';
import { encoded, type Columns } from './stored-sets.ts';

type Labels = Readonly<Record<string, string>>;

/** Texts by column, `labels` and their kin taken apart; costs and hours as numbers. */
export interface StoredRow {
  readonly texts: Readonly<Record<string, string>>;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly services?: readonly string[];
  readonly numbers?: Readonly<Record<string, number>>;
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** A set of rows that ran from its start to its end. */
export function rowSet(
  { startMs, endMs }: Span,
  rows: readonly StoredRow[],
  meta: Partial<SetMeta> = {},
): Promise<EncodedSet> {
  const json = (value: object | undefined): string =>
    value === undefined ? '' : JSON.stringify(value);
  const texts = rows.map((row): Readonly<Record<string, string>> => ({
    ...row.texts,
    endSource: 'running',
    labels: json(row.labels),
    annotations: json(row.annotations),
    services: json(row.services),
  }));
  const numbers = rows.map((row): Readonly<Record<string, number>> => ({
    ...row.numbers,
    startMs,
    endMs,
  }));
  const columns: Columns = {
    ...Object.fromEntries(
      ALLOCATION_COLUMNS.texts.map((name) => [name, texts.map((row) => row[name] ?? '')]),
    ),
    ...Object.fromEntries(
      ALLOCATION_COLUMNS.numbers.map((name) => [name, numbers.map((row) => row[name] ?? 0)]),
    ),
  };
  return encoded({ kind: 'allocations', startMs, endMs }, columns, meta);
}

/** @returns a new folder's path */
export async function folderOf(sets: readonly EncodedSet[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-columns-'));
  const arena = new Arena(dirtyMemory(64 << 20));
  const store = await openArrowFiles({ folder, arena, note: () => undefined });
  try {
    await store.write(sets);
  } finally {
    await store.close();
  }
  return folder;
}
