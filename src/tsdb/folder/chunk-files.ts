/** Writes the chunks of a block, in files of at most 512 MiB (src/tsdb/format/chunk-format.ts). */
import { join } from 'node:path';
import {
  CHUNKS_MAGIC,
  CHUNKS_VERSION,
  chunkFileName,
  FILE_UNIT,
  XOR_ENCODING,
} from '../format/chunk-format.ts';
import { crc32c } from '../format/crc32c.ts';
import { GrowingFile } from './growing-file.ts';
import type { XorChunk } from '../format/series.ts';

const FILE_BYTES_MAX = 512 << 20;

export class ChunkFiles {
  readonly #folder: string;
  #file: GrowingFile | undefined;
  /** Lengths of those that are finished. */
  readonly #lengths: number[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether a chunk of `bytes` can be added; otherwise `makeRoom` first. */
  hasRoom(bytes: number): boolean {
    const file = this.#file;
    return file !== undefined && !file.isFull && file.length + bytes <= FILE_BYTES_MAX;
  }

  async makeRoom(bytes: number): Promise<void> {
    if (this.#file?.isFull) await this.#file.flush();
    if (this.#file !== undefined && this.#file.length + bytes > FILE_BYTES_MAX)
      await this.#finishFile();
    if (this.#file !== undefined) return;
    this.#file = await GrowingFile.create(join(this.#folder, chunkFileName(this.#lengths.length)));
    this.#file.out.u32(CHUNKS_MAGIC).u32(CHUNKS_VERSION * 2 ** 24);
  }

  /** @returns its number */
  add({ bytes, checksum }: XorChunk): number {
    if (this.#file === undefined) throw new Error('BUG: no chunk file has room');
    const number = this.#lengths.length * FILE_UNIT + this.#file.length;
    const { out } = this.#file;
    out.uvarint(bytes.length);
    const start = out.length;
    out.u8(XOR_ENCODING).bytes(bytes);
    out.u32(checksum ?? crc32c(out.view(start)));
    return number;
  }

  /** @returns the files' lengths */
  async finish(): Promise<readonly number[]> {
    await this.#finishFile();
    return this.#lengths;
  }

  async abandon(): Promise<void> {
    await this.#file?.abandon();
  }

  async #finishFile(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    this.#lengths.push(await file.finish());
    this.#file = undefined;
  }
}
