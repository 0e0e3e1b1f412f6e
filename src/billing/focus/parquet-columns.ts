/** Rows of a Parquet file, which another thread has decoded into the arena, as columns. */
import type { Arena, Scratch } from '../../columnar/index.ts';
import type { CellTexts, Spelling } from './cell-texts.ts';
import type { SourceNumber, SourceText } from './columns.ts';
import type { BadCell, SourceColumns } from './source-columns.ts';

/** Names of the file's columns, by ours. */
export interface ParquetHeader {
  readonly texts: Readonly<Partial<Record<SourceText, string>>>;
  readonly numbers: Readonly<Partial<Record<SourceNumber, string>>>;
}

export const PARQUET_SPELLING: Spelling = { read: (written) => written };

/** Bytes in the arena. */
export interface Run {
  readonly address: number;
  readonly bytes: number;
}

/** A `TextColumn` in the arena. */
export interface TextsAt {
  readonly numbers: Run;
  readonly texts: Run;
  readonly ends: Run;
}

/** A range of rows in the arena. */
export interface ParquetRows {
  readonly rows: number;
  readonly texts: Readonly<Record<string, TextsAt>>;
  readonly numbers: Readonly<Record<string, Run>>;
  readonly bad: readonly BadCell[];
}

/** @param texts in PARQUET_SPELLING @throws {ArenaFull} when there is no room */
export function parquetColumns(
  arena: Arena,
  scratch: Scratch,
  { rows, texts: textsAt, numbers, bad }: ParquetRows,
  texts: CellTexts,
): SourceColumns {
  texts.begin();
  const codes = new Map(
    Object.entries(textsAt).map(([name, at]) => [name, codesOf(arena, scratch, at, texts)]),
  );
  return {
    rows,
    bad,
    texts,
    codes: (name: SourceText) => codes.get(name),
    numbers: (name: SourceNumber) => {
      const run = numbers[name];
      return run && arena.f64(run.address, rows);
    },
  };
}

function codesOf(arena: Arena, scratch: Scratch, at: TextsAt, { cells }: CellTexts): Uint32Array {
  const numbers = arena.u32(at.numbers.address, at.numbers.bytes / 4);
  const ends = arena.u32(at.ends.address, Math.floor(at.ends.bytes / 4));
  const codes = new Uint32Array(ends.length);
  let start = 0;
  for (let number = 0; number < ends.length; number++) {
    const end = ends[number] ?? start;
    const bytes = arena.u8(at.texts.address + start, end - start);
    codes[number] = cells.code(Buffer.from(bytes).toString());
    start = end;
  }
  const target = scratch.u32(numbers.length);
  for (let row = 0; row < numbers.length; row++) target[row] = codes[numbers[row] ?? 0] ?? 0;
  return target;
}
