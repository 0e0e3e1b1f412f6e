/** Reads the chunks of a block, each checked by its checksum. */
import { ByteReader } from '../format/byte-reader.ts';
import {
  checkChunksHead,
  chunkExtent,
  CHUNKS_HEAD_BYTES,
  FILE_UNIT,
  readChunkData,
} from '../format/chunk-format.ts';
import { DamagedBlock } from '../format/damaged-block.ts';
import { FileWindow, type BlockFile } from './file-window.ts';
import type { IndexedChunk } from '../format/index-format.ts';
import type { XorChunk } from '../format/series.ts';

/** Length, encoding, and the bytes of a usual chunk, so that most are found at once. */
const USUAL_BYTES = 1024;

/** @throws {DamagedBlock} for a file that does not begin as one of chunks does */
export function checkChunkFile(file: BlockFile): void {
  const bytes = file.read(0, Math.min(CHUNKS_HEAD_BYTES, file.size));
  checkChunksHead(new ByteReader(file.path, bytes, 0));
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
    if (offset < CHUNKS_HEAD_BYTES || offset >= size)
      throw new DamagedBlock(path, offset, 'no chunk stands here');
    const found = { path, offset };
    let at = window.reach(offset, USUAL_BYTES);
    const extent = chunkExtent(window.bytes, at, found);
    if (extent === undefined) throw new DamagedBlock(path, offset, 'it is cut off');
    at = window.reach(offset, extent.totalBytes);
    if (at + extent.totalBytes > window.bytes.length)
      throw new DamagedBlock(path, offset, 'it is cut off');
    const data = readChunkData(window.bytes, at, extent, found);
    if (data === undefined) return undefined;
    return { minTimeMs, maxTimeMs, ...data };
  }
}
