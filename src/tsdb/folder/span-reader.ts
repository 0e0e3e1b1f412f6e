/** Reads the chunks of a series as they stand in files, for those who check them when they decode them. */
import { DamagedBlock } from '../format/damaged-block.ts';
import { SPAN_BYTES_MAX, type StoredSpan } from '../format/series.ts';
import {
  chunkExtent,
  CHUNKS_HEAD_BYTES,
  FILE_UNIT,
  type ChunkPlace,
} from '../format/chunk-format.ts';
import { FileWindow, type BlockFile } from './file-window.ts';
import type { IndexedChunk } from '../format/index-format.ts';

/** What its length takes at most, so that it is found at once. */
const LENGTH_BYTES = 5;
/** A usual chunk, of whose last one only the beginning is known. */
const USUAL_BYTES = 1024;

/** Reads of one walk: series in order are read fastest. */
export class SpanReader {
  readonly #path: string;
  readonly #windows: readonly FileWindow[];

  /** @param path of the block */
  constructor(path: string, files: readonly BlockFile[]) {
    this.#path = path;
    this.#windows = files.map((file) => new FileWindow(file));
  }

  /**
   * @param chunks some of one series, in order
   * @returns views that stay; one, where all follow each other
   * @throws {DamagedBlock} for chunks that cannot stand where the index says
   */
  read(chunks: readonly IndexedChunk[]): StoredSpan[] {
    const spans: StoredSpan[] = [];
    for (let from = 0; from < chunks.length;) {
      const [span, to] = this.#span(chunks, from);
      spans.push(span);
      from = to;
    }
    return spans;
  }

  /** The longest span from a chunk on, and the chunk after it. */
  #span(chunks: readonly IndexedChunk[], from: number): [span: StoredSpan, to: number] {
    const { number, minTimeMs } = at(chunks, from);
    const window = this.#windowOf(number);
    const { path } = window.file;
    const offset = number % FILE_UNIT;
    const guess = at(chunks, chunks.length - 1).number - number;
    if (guess > 0) window.reach(offset, Math.min(guess, SPAN_BYTES_MAX) + USUAL_BYTES);
    let length = 0;
    let to = from;
    do {
      const place = window.reach(offset, length + LENGTH_BYTES);
      length += chunkBytes(window.bytes, place + length, { path, offset: offset + length });
      to++;
    } while (
      to < chunks.length &&
      length < SPAN_BYTES_MAX &&
      at(chunks, to).number === number + length
    );
    const place = window.reach(offset, length);
    const { bytes } = window;
    if (place + length > bytes.length) throw new DamagedBlock(path, offset, 'it is cut off');
    const view = new Uint8Array(bytes.buffer, bytes.byteOffset + place, length);
    return [{ minTimeMs, maxTimeMs: at(chunks, to - 1).maxTimeMs, bytes: view }, to];
  }

  #windowOf(number: number): FileWindow {
    const [place, offset] = [Math.floor(number / FILE_UNIT), number % FILE_UNIT];
    const window = this.#windows[place];
    if (number < 0 || window === undefined)
      throw new DamagedBlock(this.#path, 0, `it has no chunk file ${place + 1}`);
    const { path, size } = window.file;
    if (offset >= CHUNKS_HEAD_BYTES && offset < size) return window;
    throw new DamagedBlock(path, offset, 'no chunk stands here');
  }
}

/** With its length, encoding and checksum. */
function chunkBytes(bytes: Uint8Array, from: number, place: ChunkPlace): number {
  const extent = chunkExtent(bytes, from, place);
  if (extent === undefined) throw new DamagedBlock(place.path, place.offset, 'it is cut off');
  return extent.totalBytes;
}

function at(chunks: readonly IndexedChunk[], index: number): IndexedChunk {
  const chunk = chunks[index];
  if (chunk === undefined) throw new Error('BUG: a span begins after the last chunk');
  return chunk;
}
