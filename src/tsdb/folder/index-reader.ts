/** Reads an index that `IndexWriter` or Prometheus wrote; every part is checked as it is read. */
import { ByteReader } from '../format/byte-reader.ts';
import { crc32c } from '../format/crc32c.ts';
import { DamagedBlock } from '../format/damaged-block.ts';
import { BlockFile, FileWindow } from './file-window.ts';
import {
  checkIndexHead,
  INDEX_HEAD_BYTES,
  readEntry,
  readPostings,
  readPostingsRows,
  readToc,
  SERIES_ALIGN,
  TOC_BYTES,
  type IndexEntry,
  type PostingsRow,
  type Toc,
} from '../format/index-format.ts';
import { SymbolTable } from '../format/symbol-table.ts';

/** Length and checksum of a section. */
const FRAME_BYTES = 8;
/** A series' length is a uvarint of at most so many bytes. */
const LENGTH_BYTES = 5;

export class IndexReader {
  readonly file: BlockFile;
  readonly toc: Toc;

  /** @throws {DamagedBlock} */
  constructor(file: BlockFile) {
    this.file = file;
    if (file.size < INDEX_HEAD_BYTES + TOC_BYTES)
      throw new DamagedBlock(file.path, 0, 'it is cut off');
    checkIndexHead(new ByteReader(file.path, file.read(0, INDEX_HEAD_BYTES), 0));
    this.toc = tocOf(file);
  }

  symbols(): SymbolTable {
    return new SymbolTable(this.#section(this.toc.symbols));
  }

  /** All lists, in order; the first has all series, under two empty texts. */
  postingsRows(): Generator<PostingsRow> {
    return readPostingsRows(this.#section(this.toc.postingsTable));
  }

  /** Numbers of series, in order. */
  postings(offset: number): Uint32Array {
    return readPostings(this.#section(offset));
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
    if (offset < INDEX_HEAD_BYTES || offset + FRAME_BYTES > size)
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

function tocOf(file: BlockFile): Toc {
  const offset = file.size - TOC_BYTES;
  return readToc(new ByteReader(file.path, file.read(offset, TOC_BYTES), offset));
}
