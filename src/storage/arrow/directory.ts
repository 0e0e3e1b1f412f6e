/**
 * The directory of a set's file, as JSON in the footer's custom metadata under `prorata`: the set's
 * key, the place of each column's bytes, and their checksums. Reading needs nothing else of Arrow.
 * The text is ASCII, padded with spaces to a length that does not depend on the numbers in it, so
 * that places can be written in when the file's layout is known.
 */
import type { NarrowType } from '../../columnar/index.ts';
import type { SetKey, SetMeta } from '../set-key.ts';

/** The place of bytes, their number, and their CRC-32 (that of zip and zlib). */
export type Region = readonly [at: number, bytes: number, crc32: number];

export type DirectoryColumn =
  /** The same number in every row. */
  | { readonly name: string; readonly number: number }
  /** The same text in every row. */
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly type: NarrowType; readonly values: Region }
  | {
      readonly name: string;
      readonly type: NarrowType;
      /** Texts in the dictionary, the empty one, which is the first, included. */
      readonly size: number;
      readonly codes: Region;
      /** size + 1 of i32 into the texts. */
      readonly offsets: Region;
      /** UTF-8, one after the other. */
      readonly texts: Region;
    }
  | {
      readonly name: string;
      readonly type: 'bytes';
      /** rows + 1 of i32 into the bytes. */
      readonly offsets: Region;
      readonly bytes: Region;
    };

export interface Directory {
  readonly format: number;
  readonly key: SetKey;
  readonly meta: SetMeta;
  readonly rows: number;
  readonly columns: readonly DirectoryColumn[];
}

/** The format; files of another are not read. */
export const DIRECTORY_FORMAT = 1;

/** Stands for a region not known yet: more digits than any place or checksum has. */
export const UNKNOWN_REGION: Region = [9_999_999_999_999, 9_999_999_999_999, 9_999_999_999];

/** @param length of the text, when it is known */
export function directoryText(directory: Directory, length = 0): string {
  const json = JSON.stringify(directory).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return json.padEnd(length);
}

/** @param text whose checksum was right @throws {SyntaxError} when it is no JSON */
export function readDirectory(text: string): Directory {
  return JSON.parse(text) as Directory;
}
