/**
 * The sections of an index, version 2
 * (https://github.com/prometheus/prometheus/blob/main/tsdb/docs/format/index.md), whatever they were read from.
 * Each has its length before it and a checksum after it.
 */
import type { ByteReader } from './byte-reader.ts';
import { crc32c } from './crc32c.ts';

export const INDEX_MAGIC = 0xbaaad700;
export const INDEX_VERSION = 2;
/** A series' number is its offset divided by this. */
export const SERIES_ALIGN = 16;
/** Before the first section. */
export const INDEX_HEAD_BYTES = 5;
export const TOC_BYTES = 52;

/** Where the sections begin. */
export interface Toc {
  readonly symbols: number;
  readonly series: number;
  /** Label indices, which nobody reads, but which end the series. */
  readonly labelIndices: number;
  readonly postings: number;
  readonly postingsTable: number;
}

/** A list of postings: which label, and where the list is. */
export interface PostingsRow {
  readonly name: string;
  readonly value: string;
  readonly offset: number;
}

export interface IndexedChunk {
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
  /** Its file's place, from 0, times `FILE_UNIT`, plus its offset. */
  readonly number: number;
}

export interface IndexEntry {
  /** Symbols of names and values in turn. */
  readonly labels: number[];
  readonly chunks: IndexedChunk[];
}

/** @throws {DamagedBlock} for a file that does not begin as an index does */
export function checkIndexHead(head: ByteReader): void {
  if (head.u32() !== INDEX_MAGIC) head.fail('it is no index', 0);
  if (head.u8() !== INDEX_VERSION) head.fail(`it is not of version ${INDEX_VERSION}`, 4);
}

/** @param toc the last bytes of the file @throws {DamagedBlock} */
export function readToc(toc: ByteReader): Toc {
  const from = toc.at;
  const [symbols, series, labelIndices] = [toc.u64(), toc.u64(), toc.u64()];
  toc.skip(8); // their table
  const [postings, postingsTable] = [toc.u64(), toc.u64()];
  if (toc.u32() !== crc32c(toc.bytes, from, from + TOC_BYTES - 4))
    toc.fail('the table of contents has a wrong checksum', from);
  return { symbols, series, labelIndices, postings, postingsTable };
}

/** All lists, in order; the first has all series, under two empty texts. @throws {DamagedBlock} */
export function* readPostingsRows(body: ByteReader): Generator<PostingsRow> {
  for (let rows = body.u32(); rows > 0; rows--) {
    if (body.uvarint() !== 2) body.fail('a row has no name and value');
    const [name, value] = [readText(body), readText(body)];
    yield { name, value, offset: body.uvarint() };
  }
  if (body.left > 0) body.fail('rows are followed by more');
}

/** Numbers of series, in order. @throws {DamagedBlock} */
export function readPostings(body: ByteReader): Uint32Array {
  const count = body.u32();
  if (body.left !== 4 * count) body.fail('a list is not as long as it says');
  const list = new Uint32Array(count);
  let last = 0;
  for (let i = 0; i < count; i++) {
    const number = body.u32();
    if (number <= last) body.fail('a list is not in order');
    list[i] = number;
    last = number;
  }
  return list;
}

/** Numbers of several lists, of which none has one of another, in order. */
export function joinedPostings(lists: readonly Uint32Array[]): Uint32Array {
  const [only] = lists;
  if (lists.length <= 1) return only ?? new Uint32Array(0);
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all.sort();
}

/** @param symbols the number of them @throws {DamagedBlock} */
export function readEntry(body: ByteReader, symbols: number): IndexEntry {
  const pairs = body.uvarint();
  if (2 * pairs > body.left) body.fail('a series has more labels than bytes');
  const labels: number[] = [];
  for (let i = 0; i < 2 * pairs; i++) {
    const symbol = body.uvarint();
    if (symbol >= symbols) body.fail('a label is no symbol');
    labels.push(symbol);
  }
  const count = body.uvarint();
  if (count > body.left) body.fail('a series has more chunks than bytes');
  const chunks: IndexedChunk[] = [];
  let [lastMs, number] = [0, 0];
  for (let i = 0; i < count; i++) {
    const minTimeMs = i === 0 ? body.varint() : lastMs + body.uvarint();
    const maxTimeMs = minTimeMs + body.uvarint();
    number = i === 0 ? body.uvarint() : number + body.varint();
    chunks.push({ minTimeMs, maxTimeMs, number });
    lastMs = maxTimeMs;
  }
  if (body.left > 0) body.fail('a series is followed by more');
  return { labels, chunks };
}

function readText(body: ByteReader): string {
  const length = body.uvarint();
  const from = body.skip(length);
  return Buffer.from(body.bytes.buffer, body.bytes.byteOffset + from, length).toString('utf8');
}
