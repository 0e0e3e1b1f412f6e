/** Columns out of the file of a set that is held whole. */
import type { NarrowType } from '../../columnar/index.ts';
import { readDirectory, type DirectoryColumn, type Region } from './directory.ts';
import type { EncodedSet } from './encode-set.ts';

export type Codes = Uint8Array | Uint16Array | Uint32Array;

export function columnsOf({ bytes, directory }: EncodedSet): readonly DirectoryColumn[] {
  const [at, length] = directory;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + at, length).toString('latin1');
  return readDirectory(text).columns;
}

export function numbersOf(type: NarrowType, bytes: ArrayBuffer): Float64Array | Int32Array | Codes {
  if (type === 'f64') return new Float64Array(bytes);
  return type === 'i32' ? new Int32Array(bytes) : codesOf(type, bytes);
}

export function codesOf(type: NarrowType, bytes: ArrayBuffer): Codes {
  if (type === 'u8') return new Uint8Array(bytes);
  return type === 'u16' ? new Uint16Array(bytes) : new Uint32Array(bytes);
}

/** Each text by its code, as views. */
export function textsIn(offsets: ArrayBuffer, texts: Uint8Array): Uint8Array[] {
  const ends = new Uint32Array(offsets);
  return Array.from({ length: ends.length - 1 }, (_, code) =>
    texts.subarray(ends[code], ends[code + 1]),
  );
}

export function viewed(file: Uint8Array, [at, bytes]: Region): Uint8Array {
  return file.subarray(at, at + bytes);
}

/** Aligned. */
export function copied(file: Uint8Array, region: Region): ArrayBuffer {
  const copy = new Uint8Array(region[1]);
  copy.set(viewed(file, region));
  return copy.buffer;
}
