/** Rows of a stream of Arrow as an ordinary reader sees them. */
import { RecordBatchReader, Type } from 'apache-arrow';

export type ArrowRow = Readonly<Record<string, string | number>>;

/** Moments as Unix milliseconds; one list a batch. */
export function arrowBatches(stream: Uint8Array): ArrowRow[][] {
  const reader = RecordBatchReader.from(stream);
  return [...reader].map((batch) =>
    Array.from({ length: batch.numRows }, (_, row) =>
      Object.fromEntries(
        batch.schema.fields.map(({ name, typeId }) => {
          const value: unknown = batch.getChild(name)?.get(row);
          return [name, typeId === Type.Dictionary ? String(value) : Number(value)];
        }),
      ),
    ),
  );
}

/** Names of the columns, which a stream without batches has as well. */
export function arrowNames(stream: Uint8Array): string[] {
  return RecordBatchReader.from(stream)
    .open()
    .schema.fields.map(({ name }) => name);
}
