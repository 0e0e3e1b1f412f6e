/**
 * Columns as a Parquet file, a batch at a time: the only file that knows the package, which is loaded
 * when a file is first written. https://parquet.apache.org/docs/file-format/
 */
import type { ParquetWriter as Writer, SchemaElement } from 'hyparquet-writer';

/** A column, with the same name and kind in each batch. */
export type ParquetColumn = { readonly name: string } & (
  | { readonly kind: 'number'; readonly values: Float64Array }
  /** Unix milliseconds. */
  | { readonly kind: 'moment'; readonly values: Float64Array }
  | { readonly kind: 'text'; readonly codes: Int32Array; readonly texts: readonly string[] }
);

export interface ParquetBatch {
  readonly rows: number;
  readonly columns: readonly ParquetColumn[];
}

/** Rows of a row group at most, as all values of a group are objects at once. */
const GROUP_ROWS = 32_768;

/** Numbers are doubles, NaN is null; moments are UTC timestamps; texts are UTF-8. */
export async function* parquetChunks(
  batches: AsyncIterable<ParquetBatch>,
): AsyncGenerator<Uint8Array> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const writer = new ByteWriter();
  let file: Writer | undefined;
  const taken = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    // The writer adds its own offset to places in the file.
    writer.index = 0;
    return bytes;
  };
  for await (const { rows, columns } of batches) {
    file ??= new ParquetWriter({ writer, schema: schemaOf(columns) });
    for (let from = 0; from < rows; from += GROUP_ROWS) {
      const to = Math.min(rows, from + GROUP_ROWS);
      const columnData = columns.map((column) => ({
        name: column.name,
        data: valuesOf(column, from, to),
      }));
      await file.write({ columnData, rowGroupSize: GROUP_ROWS });
      yield taken();
    }
  }
  file ??= new ParquetWriter({ writer, schema: schemaOf([]) });
  await file.finish();
  yield taken();
}

const ELEMENTS: Readonly<Record<ParquetColumn['kind'], Omit<SchemaElement, 'name'>>> = {
  number: { type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  moment: {
    type: 'INT64',
    repetition_type: 'REQUIRED',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  text: {
    type: 'BYTE_ARRAY',
    repetition_type: 'REQUIRED',
    converted_type: 'UTF8',
    logical_type: { type: 'STRING' },
  },
};

function schemaOf(columns: readonly ParquetColumn[]): SchemaElement[] {
  const root = { name: 'root', num_children: columns.length };
  return [root, ...columns.map(({ name, kind }) => ({ name, ...ELEMENTS[kind] }))];
}

function valuesOf(column: ParquetColumn, from: number, to: number): unknown[] {
  if (column.kind === 'text') {
    const { codes, texts } = column;
    return Array.from(codes.subarray(from, to), (code) => texts[code] ?? '');
  }
  const values = column.values.subarray(from, to);
  return column.kind === 'moment'
    ? Array.from(values, (ms) => new Date(ms))
    : Array.from(values, (value) => (Number.isNaN(value) ? null : value));
}
