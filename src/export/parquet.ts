/** Batches of columns as a Parquet file. */
import type { ParquetColumn, ParquetValues } from './parquet/column-values.ts';
import { GROUP_ROWS, ParquetFile } from './parquet/parquet-file.ts';

/** A column, with the same name and kind in each batch. */
export type BatchColumn = { readonly name: string } & (
  | { readonly kind: 'number'; readonly values: Float64Array }
  /** Unix milliseconds. */
  | { readonly kind: 'moment'; readonly values: Float64Array }
  | { readonly kind: 'text'; readonly codes: Int32Array; readonly texts: readonly string[] }
);

export interface ParquetBatch {
  readonly rows: number;
  readonly columns: readonly BatchColumn[];
}

/** Numbers are doubles, NaN is null; moments are UTC timestamps; texts are UTF-8. */
export async function* parquetChunks(
  batches: AsyncIterable<ParquetBatch>,
): AsyncGenerator<Uint8Array> {
  let file: ParquetFile | undefined;
  for await (const { rows, columns } of batches) {
    if (file === undefined) {
      file = new ParquetFile(columns.map(columnOf));
      yield file.begin();
    }
    for (let from = 0; from < rows; from += GROUP_ROWS) {
      const to = Math.min(rows, from + GROUP_ROWS);
      const values = columns.map((column) => valuesOf(column, from, to));
      yield* await file.group(to - from, values);
    }
  }
  if (file === undefined) {
    file = new ParquetFile([]);
    yield file.begin();
  }
  yield file.end();
}

function columnOf({ name, kind }: BatchColumn): ParquetColumn {
  return { name, kind, isNullable: kind === 'number' };
}

function valuesOf(column: BatchColumn, from: number, to: number): ParquetValues {
  if (column.kind !== 'text') return column.values.subarray(from, to);
  const { codes, texts } = column;
  const bytesOf = (code: number): Uint8Array => Buffer.from(texts[code] ?? '');
  return { codes: codes.subarray(from, to), size: texts.length, bytesOf };
}
