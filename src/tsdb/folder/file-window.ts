/**
 * A file of which a part at a time is in memory. Whoever goes on where the last part ended gets larger
 * parts; parts are not written over, so that views on them stay.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { cannot } from '../../storage/disk-error.ts';
import { DamagedBlock } from '../format/damaged-block.ts';

const FIRST_BYTES = 64 * 1024;
const LARGEST_BYTES = 1 << 20;

export class BlockFile {
  readonly path: string;
  readonly size: number;
  readonly #file: number;

  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, 'r');
    this.size = fstatSync(this.#file).size;
  }

  /** @throws {DamagedBlock} for bytes that the file does not have */
  read(offset: number, length: number): Buffer {
    if (offset + length > this.size) throw new DamagedBlock(this.path, offset, 'it is cut off');
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let at = 0; at < length;) {
      const read = this.#readSome(bytes, at, offset + at);
      if (read === 0) throw new DamagedBlock(this.path, offset + at, 'it is cut off');
      at += read;
    }
    return bytes;
  }

  #readSome(bytes: Buffer, at: number, offset: number): number {
    try {
      return readSync(this.#file, bytes, at, bytes.length - at, offset);
    } catch (cause) {
      throw cannot(`read ${this.path}`, cause);
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

export class FileWindow {
  readonly file: BlockFile;
  bytes: Buffer = Buffer.alloc(0);
  /** Where `bytes` begin in the file. */
  start = 0;
  #nextBytes = FIRST_BYTES;

  constructor(file: BlockFile) {
    this.file = file;
  }

  /**
   * Has [offset, offset + length) of the file in `bytes`, or all up to the file's end.
   * @returns where it begins in `bytes`
   */
  reach(offset: number, length: number): number {
    const end = Math.min(offset + length, this.file.size);
    const at = offset - this.start;
    if (at >= 0 && end - this.start <= this.bytes.length) return at;
    const isNext = at >= 0 && at <= this.bytes.length;
    this.#nextBytes = isNext ? Math.min(2 * this.#nextBytes, LARGEST_BYTES) : FIRST_BYTES;
    const least = Math.max(end - offset, 0);
    const most = Math.max(this.file.size - offset, 0);
    this.bytes = this.file.read(offset, Math.min(Math.max(least, this.#nextBytes), most));
    this.start = offset;
    return 0;
  }
}
