/**
 * Columns as an Arrow IPC file or stream: one record batch, a dictionary of its own for each column
 * of texts, no nulls, nothing compressed. The only file that knows the apache-arrow package, which is loaded
 * with it: it is imported when a set is first written.
 * https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
 */
import {
  Binary,
  type Data,
  DataType,
  Dictionary,
  Field,
  Float64,
  Int32,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  RecordBatchReader,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  tableFromIPC,
  TimestampMillisecond,
  Uint16,
  Uint32,
  Uint8,
  Utf8,
  Vector,
} from 'apache-arrow';
import {
  narrowType,
  type BytesColumn,
  type NarrowArray,
  type NarrowType,
} from '../columnar/index.ts';

export interface NarrowColumn {
  readonly name: string;
  /** Numbers, or codes where there are texts. */
  readonly values: NarrowArray;
  readonly texts?: readonly string[];
}

export type ArrowColumn = NarrowColumn | (BytesColumn & { readonly name: string });

/** Of a type that does not depend on what they are: of the same schema in every batch. */
export type StreamValues =
  | { readonly kind: 'number'; readonly values: Float64Array }
  /** Unix milliseconds. */
  | { readonly kind: 'moment'; readonly values: Float64Array }
  | { readonly kind: 'text'; readonly codes: Int32Array; readonly texts: readonly string[] };

export type StreamColumn = { readonly name: string } & StreamValues;

/** A set of a stream. */
export interface StreamBatch {
  readonly rows: number;
  readonly columns: readonly StreamColumn[];
}

/** Views on a file's bytes: what it has of one column. */
export interface ArrowViews {
  readonly values: Uint8Array;
  /** Of the dictionary: offsets of texts, then the texts; of bytes: theirs. */
  readonly offsets: Uint8Array;
  readonly texts: Uint8Array;
}

const NUMBERS: Readonly<Record<NarrowType, () => DataType>> = {
  f64: () => new Float64(),
  i32: () => new Int32(),
  u32: () => new Uint32(),
  u16: () => new Uint16(),
  u8: () => new Uint8(),
};

/** @param metadata of the schema, kept as it is in the footer */
export function arrowFile(
  rows: number,
  columns: readonly ArrowColumn[],
  metadata: ReadonlyMap<string, string>,
): Uint8Array {
  const batch = batchOf(rows, columns, columns.map(dataOf), metadata);
  const writer = new RecordBatchFileWriter();
  writer.write(batch);
  writer.finish();
  return writer.toUint8Array(true);
}

/**
 * A whole stream of one batch.
 * https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
 */
export function arrowStream(rows: number, columns: readonly StreamColumn[]): Uint8Array {
  const writer = new RecordBatchStreamWriter();
  writer.write(batchOf(rows, columns, columns.map(streamDataOf), new Map()));
  writer.finish();
  return writer.toUint8Array(true);
}

function batchOf(
  rows: number,
  columns: readonly { readonly name: string }[],
  children: readonly Data[],
  metadata: ReadonlyMap<string, string>,
): RecordBatch {
  const fields = columns.map(({ name }, i) => new Field(name, typeOf(children[i]), false));
  const type = new Struct(fields);
  const data = makeData({ type, length: rows, nullCount: 0, children: [...children] });
  return new RecordBatch(new Schema(fields, new Map(metadata)), data);
}

/** The batches of a stream that `arrowStream` made, one at a time. */
export async function* readStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamBatch> {
  const reader = await RecordBatchReader.from(chunks);
  for await (const batch of reader) {
    const columns = batch.schema.fields.map(({ name }, i) => ({ name, ...read(batch.data.children[i]) })); // prettier-ignore
    yield { rows: batch.numRows, columns };
  }
}

function read(data: Data | undefined): StreamValues {
  if (data === undefined) throw new Error('BUG: a column without data');
  const { values, dictionary, length } = data;
  if (dictionary !== undefined) {
    const codes = (values as Int32Array).subarray(0, length);
    return { kind: 'text', codes, texts: Array.from(dictionary, String) };
  }
  if (values instanceof Float64Array) return { kind: 'number', values: values.subarray(0, length) };
  const moments = (values as BigInt64Array).subarray(0, length);
  return { kind: 'moment', values: Float64Array.from(moments, Number) };
}

/** Opens a file as any reader of Arrow would: views by column, nothing copied. */
export function arrowViews(file: Uint8Array): ReadonlyMap<string, ArrowViews> {
  const table = tableFromIPC(file);
  const views = table.schema.fields.map(({ name }): [string, ArrowViews] => {
    const data = table.getChild(name)?.data[0];
    const isBytes = DataType.isBinary(data?.type);
    const texts = isBytes ? data : data?.dictionary?.data[0];
    return [
      name,
      {
        values: ownBytes(file, data?.values, isBytes ? 0 : table.numRows),
        offsets: ownBytes(file, texts?.valueOffsets, (texts?.length ?? -1) + 1),
        texts: ownBytes(file, texts?.values, texts?.valueOffsets.at(texts.length) ?? 0),
      },
    ];
  });
  return new Map(views);
}

function dataOf(column: ArrowColumn, id: number): Data {
  return 'values' in column ? narrowOf(column, id) : binaryOf(column);
}

function binaryOf({ offsets, bytes }: BytesColumn): Data {
  const shape = { length: offsets.length - 1, nullCount: 0 };
  // Not in shared memory: Arrow's writer takes only what it can hand on.
  const data = Uint8Array.from(bytes);
  return makeData({ ...shape, type: new Binary(), valueOffsets: Int32Array.from(offsets), data });
}

function narrowOf({ values, texts }: NarrowColumn, id: number): Data {
  const type = NUMBERS[narrowType(values)]();
  const shape = { length: values.length, nullCount: 0 };
  if (texts === undefined) return makeData({ ...shape, type, data: values } as never);
  const dictionary = new Dictionary(new Utf8(), type as Uint32, id);
  const vector = new Vector([utf8Of(texts)]);
  return makeData({ ...shape, type: dictionary, data: values as never, dictionary: vector });
}

function streamDataOf(column: StreamColumn, id: number): Data {
  if (column.kind === 'text') {
    const { codes, texts } = column;
    const type = new Dictionary(new Utf8(), new Int32(), id);
    const dictionary = new Vector([utf8Of(texts)]);
    return makeData({ type, length: codes.length, nullCount: 0, data: codes, dictionary });
  }
  const shape = { length: column.values.length, nullCount: 0 };
  if (column.kind === 'number') {
    return makeData({ ...shape, type: new Float64(), data: column.values });
  }
  const data = BigInt64Array.from(column.values, (ms) => BigInt(Math.round(ms)));
  return makeData({ ...shape, type: new TimestampMillisecond('UTC'), data });
}

function utf8Of(texts: readonly string[]): Data<Utf8> {
  const data = Buffer.alloc(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  const valueOffsets = new Int32Array(texts.length + 1);
  let at = 0;
  texts.forEach((text, i) => (valueOffsets[i + 1] = at += data.write(text, at)));
  return makeData({ type: new Utf8(), length: texts.length, nullCount: 0, valueOffsets, data });
}

function typeOf(data: Data | undefined): DataType {
  if (data === undefined) throw new Error('BUG: a column without data');
  return data.type;
}

/** The first `length` values as bytes: Arrow's views may be longer, by padding. */
function ownBytes(file: Uint8Array, values: NarrowArray | undefined, length: number): Uint8Array {
  if (values === undefined || length === 0) return file.subarray(0, 0);
  if (values.buffer !== file.buffer) throw new Error('BUG: the reader of Arrow copied a column');
  return new Uint8Array(values.buffer, values.byteOffset, length * values.BYTES_PER_ELEMENT);
}
