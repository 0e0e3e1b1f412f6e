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
  type RecordBatchWriter,
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
  utf8Of,
  type BytesColumn,
  type NarrowArray,
  type NarrowType,
  type Utf8Texts,
} from '../../columnar/index.ts';

export interface NarrowColumn {
  readonly name: string;
  /** Numbers, or codes where there are texts. */
  readonly values: NarrowArray;
  readonly texts?: Utf8Texts;
}

export type ArrowColumn = NarrowColumn | (BytesColumn & { readonly name: string });

/** Values of a type that does not depend on them, so that every batch has the same schema. */
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

/** Views on a file's bytes: the buffers of one column. */
export interface ArrowViews {
  readonly values: Uint8Array;
  /** Offsets of the dictionary's texts, then the texts; or those of a column of bytes. */
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

/**
 * @param metadata of the schema, copied into the footer
 * @param roomOf gives room for at most so many bytes, zeroed or not
 * @returns as much of the room as the file takes
 */
export function arrowFile(
  rows: number,
  columns: readonly ArrowColumn[],
  metadata: ReadonlyMap<string, string>,
  roomOf: (bytes: number) => Uint8Array,
): Uint8Array {
  const children = columns.map(dataOf);
  const room = roomOf(fileBytesMax(children, metadata));
  const batch = batchOf(rows, columns, children, metadata);
  return writtenInto(room, new RecordBatchFileWriter(), batch);
}

/** The protected members of a writer. */
interface WriterState {
  readonly _started: boolean;
  _position: number;
  _write(chunk: unknown): unknown;
}

/**
 * Writes each piece directly to its place; the queue of the writer would copy all pieces once more.
 * @returns as much of the room as is taken
 */
function writtenInto(room: Uint8Array, writer: RecordBatchWriter, batch: RecordBatch): Uint8Array {
  const state = writer as unknown as WriterState;
  let bytes = 0;
  state._write = (chunk) => {
    if (state._started) state._position = bytes = placed(chunk, room, bytes);
    return writer;
  };
  writer.write(batch);
  writer.finish();
  return room.subarray(0, bytes);
}

/** @returns where the chunk ends */
function placed(chunk: unknown, room: Uint8Array, at: number): number {
  if (!ArrayBuffer.isView(chunk)) throw new Error('BUG: Arrow writes what is no view');
  const { buffer, byteOffset, byteLength } = chunk;
  room.set(new Uint8Array(buffer, byteOffset, byteLength), at);
  return at + byteLength;
}

/** Bytes of the head and the foot, and of each column there without its name. */
const HEAD_BYTES = 4096;
const COLUMN_BYTES = 2048;
const ALIGNED_BYTES = 8;

function fileBytesMax(children: readonly Data[], metadata: ReadonlyMap<string, string>): number {
  let bytes = HEAD_BYTES + COLUMN_BYTES * children.length;
  for (const [key, text] of metadata) bytes += Buffer.byteLength(key) + Buffer.byteLength(text);
  const own = children.flatMap((data) => [data, ...(data.dictionary?.data ?? [])]);
  for (const { values, valueOffsets } of own) {
    for (const view of [values, valueOffsets]) bytes += (view?.byteLength ?? 0) + ALIGNED_BYTES;
  }
  return bytes;
}

/**
 * A whole stream of one batch.
 * https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
 * @param roomOf gives room for at most so many bytes, zeroed or not
 * @returns as much of the room as the stream takes
 */
export function arrowStream(
  rows: number,
  columns: readonly StreamColumn[],
  roomOf: (bytes: number) => Uint8Array,
): Uint8Array {
  const children = columns.map(streamDataOf);
  const room = roomOf(fileBytesMax(children, new Map()));
  const batch = batchOf(rows, columns, children, new Map());
  return writtenInto(room, new RecordBatchStreamWriter(), batch);
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
    const columns = batch.schema.fields.map(({ name }, i) => ({
      name,
      ...read(batch.data.children[i]),
    }));
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
  const valueOffsets = Int32Array.from(offsets);
  return makeData({ ...shape, type: new Binary(), valueOffsets, data: bytes });
}

function narrowOf({ values, texts }: NarrowColumn, id: number): Data {
  const type = NUMBERS[narrowType(values)]();
  const shape = { length: values.length, nullCount: 0 };
  if (texts === undefined) return makeData({ ...shape, type, data: values } as never);
  const dictionary = new Dictionary(new Utf8(), type as Uint32, id);
  const vector = new Vector([textsOf(texts)]);
  return makeData({ ...shape, type: dictionary, data: values as never, dictionary: vector });
}

function streamDataOf(column: StreamColumn, id: number): Data {
  if (column.kind === 'text') {
    const { codes, texts } = column;
    const type = new Dictionary(new Utf8(), new Int32(), id);
    const dictionary = new Vector([textsOf(utf8Of(texts))]);
    return makeData({ type, length: codes.length, nullCount: 0, data: codes, dictionary });
  }
  const shape = { length: column.values.length, nullCount: 0 };
  if (column.kind === 'number') {
    return makeData({ ...shape, type: new Float64(), data: column.values });
  }
  const data = BigInt64Array.from(column.values, (ms) => BigInt(Math.round(ms)));
  return makeData({ ...shape, type: new TimestampMillisecond('UTC'), data });
}

function textsOf({ offsets, bytes }: Utf8Texts): Data<Utf8> {
  const shape = { length: offsets.length - 1, nullCount: 0 };
  return makeData({ ...shape, type: new Utf8(), valueOffsets: offsets, data: bytes });
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
