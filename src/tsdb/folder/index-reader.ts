/** Reads an index that `IndexWriter` or Prometheus wrote; every part is checked as it is read. */
import { ByteReader } from '../format/byte-reader.ts';
import { crc32c } from '../format/crc32c.ts';
import { DamagedBlock } from '../format/damaged-block.ts';
import { BlockFile, FileWindow } from './file-window.ts';
import { INDEX_MAGIC, INDEX_VERSION, SERIES_ALIGN, type IndexedChunk } from './index-writer.ts';
import { SymbolTable } from '../format/symbol-table.ts';

const HEAD_BYTES = 5;
const TOC_BYTES = 52;
/** Length and checksum of a section. */
const FRAME_BYTES = 8;
/** A series' length is a uvarint of at most so many bytes. */
const LENGTH_BYTES = 5;

/** Where the sections begin. */
export interface Toc {
  readonly symbols: number;
  readonly series: number;
  readonly postings: number;
  readonly postingsTable: number;
}

/** A list of postings: which label, and where the list is. */
export interface PostingsRow {
  readonly name: string;
  readonly value: string;
  readonly offset: number;
}

export interface IndexEntry {
  /** Symbols of names and values in turn. */
  readonly labels: number[];
  readonly chunks: IndexedChunk[];
}

export class IndexReader {
  readonly file: BlockFile;
  readonly toc: Toc;

  /** @throws {DamagedBlock} */
  constructor(file: BlockFile) {
    this.file = file;
    if (file.size < HEAD_BYTES + TOC_BYTES) throw new DamagedBlock(file.path, 0, 'it is cut off');
    const head = new ByteReader(file.path, file.read(0, HEAD_BYTES), 0);
    if (head.u32() !== INDEX_MAGIC) head.fail('it is no index', 0);
    if (head.u8() !== INDEX_VERSION) head.fail(`it is not of version ${INDEX_VERSION}`, 4);
    this.toc = readToc(file);
  }

  symbols(): SymbolTable {
    return new SymbolTable(this.#section(this.toc.symbols));
  }

  /** All lists, in order; the first has all series, under two empty texts. */
  *postingsRows(): Generator<PostingsRow> {
    const body = this.#section(this.toc.postingsTable);
    for (let rows = body.u32(); rows > 0; rows--) {
      if (body.uvarint() !== 2) body.fail('a row has no name and value');
      const [name, value] = [readText(body), readText(body)];
      yield { name, value, offset: body.uvarint() };
    }
    if (body.left > 0) body.fail('rows are followed by more');
  }

  /** Numbers of series, in order. */
  postings(offset: number): Uint32Array {
    const body = this.#section(offset);
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

  /** A window for `entry`, for one walk. */
  window(): FileWindow {
    return new FileWindow(this.file);
  }

  /** @param symbols the number of them */
  entry(window: FileWindow, number: number, symbols: number): IndexEntry {
    const offset = number * SERIES_ALIGN;
    const { path, size } = this.file;
    if (offset < this.toc.series || offset >= size - TOC_BYTES)
      throw new DamagedBlock(path, offset, 'no series stands here');
    const at = window.reach(offset, 512);
    const head = new ByteReader(path, window.bytes, window.start, at);
    const length = head.uvarint();
    const lengthBytes = head.at - at;
    if (lengthBytes > LENGTH_BYTES || offset + lengthBytes + length + 4 > size - TOC_BYTES)
      head.fail('a series is longer than its file', at);
    const from = window.reach(offset, lengthBytes + length + 4) + lengthBytes;
    if (window.bytes.readUInt32BE(from + length) !== crc32c(window.bytes, from, from + length))
      throw new DamagedBlock(path, offset, 'a series has a wrong checksum');
    const body = new ByteReader(path, window.bytes, window.start, from, from + length);
    return readEntry(body, symbols);
  }

  /** `u32 length, body, u32 CRC of the body` */
  #section(offset: number): ByteReader {
    const { path, size } = this.file;
    if (offset < HEAD_BYTES || offset + FRAME_BYTES > size)
      throw new DamagedBlock(path, offset, 'no section can begin here');
    const length = new ByteReader(path, this.file.read(offset, 4), offset).u32();
    if (offset + FRAME_BYTES + length > size)
      throw new DamagedBlock(path, offset, 'a section is longer than its file');
    const bytes = this.file.read(offset + 4, length + 4);
    const end = new ByteReader(path, bytes, offset + 4, length);
    if (end.u32() !== crc32c(bytes, 0, length))
      throw new DamagedBlock(path, offset, 'a section has a wrong checksum');
    return new ByteReader(path, bytes, offset + 4, 0, length);
  }
}

function readToc(file: BlockFile): Toc {
  const offset = file.size - TOC_BYTES;
  const bytes = file.read(offset, TOC_BYTES);
  const toc = new ByteReader(file.path, bytes, offset);
  const [symbols, series] = [toc.u64(), toc.u64()];
  toc.skip(16); // label indices, which nobody reads
  const [postings, postingsTable] = [toc.u64(), toc.u64()];
  if (toc.u32() !== crc32c(bytes, 0, TOC_BYTES - 4))
    toc.fail('the table of contents has a wrong checksum', 0);
  return { symbols, series, postings, postingsTable };
}

function readEntry(body: ByteReader, symbols: number): IndexEntry {
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
