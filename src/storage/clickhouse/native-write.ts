/**
 * Blocks of ClickHouse's Native format (https://clickhouse.com/docs/interfaces/formats/Native): columns one
 * after the other, each with its name, its type and its values.
 *
 *   varint columns, varint rows
 *   column           text name, text type, values
 *   Float64, UInt32  the values, little-endian
 *   String           each a varint of its bytes, and these
 *   LowCardinality   u64 1; u64 flags and the type of the codes; u64 texts, the texts; u64 rows, the codes
 */

/** Texts as codes: each distinct text is sent once a block. */
export interface CodedTexts {
  readonly codes: Uint8Array | Uint16Array | Uint32Array;
  readonly texts: readonly Uint8Array[];
}

export type NativeColumn = { readonly name: string } & (
  | { readonly type: 'Float64'; readonly values: Float64Array }
  | { readonly type: 'UInt32' | 'DateTime'; readonly values: Uint32Array }
  | { readonly type: 'UInt64'; readonly values: BigUint64Array }
  | { readonly type: 'String'; readonly values: readonly Uint8Array[] }
  | { readonly type: typeof CODED; readonly values: CodedTexts }
);

export const CODED = 'LowCardinality(String)';

/** The dictionary of a column stands in the block, as further texts of it. */
const OWN_TEXTS = 0x600n;

export function* nativeBlock(
  rows: number,
  columns: readonly NativeColumn[],
): Generator<Uint8Array> {
  yield Buffer.concat([varint(columns.length), varint(rows)]);
  for (const column of columns) {
    const type = column.type === 'DateTime' ? "DateTime('UTC')" : column.type;
    yield Buffer.concat([textBytes(Buffer.from(column.name)), textBytes(Buffer.from(type))]);
    if (column.type === 'String') yield joinedTexts(column.values);
    else if (column.type === CODED) yield* codedTexts(rows, column.values);
    else yield bytesOf(column.values);
  }
}

function* codedTexts(rows: number, { codes, texts }: CodedTexts): Generator<Uint8Array> {
  yield bytesOf(BigUint64Array.of(1n));
  if (rows === 0) return;
  const type = BigInt(Math.log2(codes.BYTES_PER_ELEMENT));
  yield bytesOf(BigUint64Array.of(OWN_TEXTS | type, BigInt(texts.length)));
  yield joinedTexts(texts);
  yield bytesOf(BigUint64Array.of(BigInt(rows)));
  yield bytesOf(codes);
}

function joinedTexts(texts: readonly Uint8Array[]): Uint8Array {
  let bytes = 0;
  for (const text of texts) bytes += varintBytes(text.length) + text.length;
  const joined = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const text of texts) {
    at = writeVarint(joined, at, text.length);
    joined.set(text, at);
    at += text.length;
  }
  return joined;
}

function textBytes(text: Uint8Array): Uint8Array {
  return joinedTexts([text]);
}

function varint(value: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(varintBytes(value));
  writeVarint(bytes, 0, value);
  return bytes;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes;
}

/** @returns where it ends */
function writeVarint(target: Buffer, at: number, value: number): number {
  let [rest, end] = [value, at];
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) target[end++] = (rest % 0x80) | 0x80;
  target[end++] = rest;
  return end;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
