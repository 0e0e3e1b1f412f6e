/**
 * Structures as Thrift's compact protocol writes them, as far as Parquet has them
 * (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
 */

/** Whole numbers are i32 or i64 as the structure says: their bytes are the same, their type is not. */
export type Value =
  | { readonly i32: number }
  | { readonly i64: number }
  | { readonly bool: boolean }
  | { readonly text: string | Uint8Array }
  | { readonly list: readonly Value[] }
  | { readonly struct: Struct };

/** Values by the number of their field, ascending; undefined ones are left out. */
export type Struct = Readonly<Record<number, Value | undefined>>;

const [TRUE, FALSE, I32, I64, BINARY, LIST, STRUCT] = [1, 2, 5, 6, 8, 9, 12];
/** Steps between fields, and lengths of lists, that stand beside a type. */
const SHORT_MAX = 15;
/** Bytes that one call spreads over its arguments. */
const PUSHED_MAX = 8192;

export function compact(struct: Struct): Buffer {
  const bytes: number[] = [];
  writeStruct(bytes, struct);
  return Buffer.from(bytes);
}

/** A number of at most 53 bits, seven bits a byte, the lowest first. */
export function writeVarint(bytes: number[], value: number): void {
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}

function writeStruct(bytes: number[], struct: Struct): void {
  let last = 0;
  // Names that are whole numbers come in ascending order.
  for (const [name, value] of Object.entries(struct)) {
    if (value === undefined) continue;
    const [field, type] = [Number(name), typeOf(value)];
    if (field - last <= SHORT_MAX) bytes.push(((field - last) << 4) | type);
    else {
      bytes.push(type);
      writeVarint(bytes, 2 * field);
    }
    last = field;
    if (!('bool' in value)) writeValue(bytes, value);
  }
  bytes.push(0);
}

function typeOf(value: Value): number {
  if ('i32' in value) return I32;
  if ('i64' in value) return I64;
  if ('bool' in value) return value.bool ? TRUE : FALSE;
  if ('text' in value) return BINARY;
  return 'list' in value ? LIST : STRUCT;
}

function writeValue(bytes: number[], value: Exclude<Value, { bool: boolean }>): void {
  if ('i32' in value) return writeSigned(bytes, value.i32);
  if ('i64' in value) return writeSigned(bytes, value.i64);
  if ('struct' in value) return writeStruct(bytes, value.struct);
  if ('list' in value) return writeList(bytes, value.list);
  const text = typeof value.text === 'string' ? Buffer.from(value.text) : value.text;
  writeVarint(bytes, text.length);
  for (let at = 0; at < text.length; at += PUSHED_MAX)
    bytes.push(...text.subarray(at, at + PUSHED_MAX));
}

/** 0, -1, 1, -2 and so on are 0, 1, 2, 3. */
function writeSigned(bytes: number[], value: number): void {
  writeVarint(bytes, value < 0 ? -2 * value - 1 : 2 * value);
}

/** Values of one type, none of which are bools. */
function writeList(bytes: number[], values: readonly Value[]): void {
  const [first] = values;
  const type = first === undefined ? STRUCT : typeOf(first);
  if (values.length < SHORT_MAX) bytes.push((values.length << 4) | type);
  else {
    bytes.push((SHORT_MAX << 4) | type);
    writeVarint(bytes, values.length);
  }
  for (const value of values) {
    if ('bool' in value) throw new Error('BUG: a list of bools');
    writeValue(bytes, value);
  }
}
