/** Reads the chunks of a block, each checked by its checksum. */
import { ByteReader } from '../format/byte-reader.ts';
import { CHUNKS_MAGIC, CHUNKS_VERSION, FILE_UNIT, XOR_ENCODING } from './chunk-files.ts';
import { crc32c } from '../format/crc32c.ts';
import { DamagedBlock } from '../format/damaged-block.ts';
import { FileWindow, type BlockFile } from './file-window.ts';
import type { IndexedChunk } from './index-writer.ts';
import type { XorChunk } from '../format/series.ts';

const HEAD_BYTES = 8;
/** More than 65,535 samples can take. */
const CHUNK_BYTES_MAX = 2 << 20;
/** Length, encoding, and the bytes of a usual chunk, so that most are found at once. */
const USUAL_BYTES = 1024;
/** Native histograms, which nobody here reads. */
const HISTOGRAM_ENCODINGS = [2, 3];

/** @throws {DamagedBlock} for a file that does not begin as one of chunks does */
export function checkChunkFile(file: BlockFile): void {
  const head = new ByteReader(file.path, file.read(0, Math.min(HEAD_BYTES, file.size)), 0);
  if (head.u32() !== CHUNKS_MAGIC) head.fail('it has no chunks', 0);
  if (head.u8() !== CHUNKS_VERSION) head.fail(`it is not of version ${CHUNKS_VERSION}`, 4);
  head.skip(3);
}

/** Reads of one walk: chunks in order of their numbers are read fastest. */
export class ChunkReader {
  readonly #path: string;
  readonly #windows: readonly FileWindow[];

  /** @param path of the block */
  constructor(path: string, files: readonly BlockFile[]) {
    this.#path = path;
    this.#windows = files.map((file) => new FileWindow(file));
  }

  placeOf({ number }: IndexedChunk): { readonly path: string; readonly offset: number } {
    const path = this.#windows[Math.floor(number / FILE_UNIT)]?.file.path ?? this.#path;
    return { path, offset: number % FILE_UNIT };
  }

  /** @returns a view that stays; undefined for a histogram */
  read({ number, minTimeMs, maxTimeMs }: IndexedChunk): XorChunk | undefined {
    const [place, offset] = [Math.floor(number / FILE_UNIT), number % FILE_UNIT];
    const window = this.#windows[place];
    if (number < 0 || window === undefined)
      throw new DamagedBlock(this.#path, 0, `it has no chunk file ${place + 1}`);
    const { path, size } = window.file;
    if (offset < HEAD_BYTES || offset >= size)
      throw new DamagedBlock(path, offset, 'no chunk stands here');
    let at = window.reach(offset, USUAL_BYTES);
    let { bytes } = window;
    let [length, lengthBytes] = [0, 0];
    for (let byte = 128, scale = 1; byte > 127; scale *= 128) {
      byte = bytes[at + lengthBytes++] ?? 0;
      length += (byte & 127) * scale;
      if (scale > CHUNK_BYTES_MAX) break;
    }
    if (length > CHUNK_BYTES_MAX || length < 2)
      throw new DamagedBlock(path, offset, 'a chunk cannot be of this length');
    at = window.reach(offset, lengthBytes + 1 + length + 4);
    ({ bytes } = window);
    const from = at + lengthBytes;
    const end = from + 1 + length;
    if (end + 4 > bytes.length) throw new DamagedBlock(path, offset, 'it is cut off');
    const checksum = bytes.readUInt32BE(end);
    if (checksum !== crc32c(bytes, from, end))
      throw new DamagedBlock(path, offset, 'a chunk has a wrong checksum');
    const encoding = bytes[from] ?? 0;
    if (HISTOGRAM_ENCODINGS.includes(encoding)) return undefined;
    if (encoding !== XOR_ENCODING)
      throw new DamagedBlock(path, offset, `a chunk has the encoding ${encoding}`);
    const data = new Uint8Array(bytes.buffer, bytes.byteOffset + from + 1, length);
    return { minTimeMs, maxTimeMs, bytes: data, checksum };
  }
}
