/** A file that is written from its beginning to its end and synced. */
import { open, type FileHandle } from 'node:fs/promises';
import { ByteWriter } from '../format/byte-writer.ts';

const FLUSH_BYTES = 1 << 20;

export class GrowingFile {
  /** What comes next: `flushIfFull` moves it to the file. */
  readonly out: ByteWriter = new ByteWriter();
  readonly #file: FileHandle;
  #flushed = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<GrowingFile> {
    return new GrowingFile(await open(path, 'wx'));
  }

  /** Offset in the file of what comes next. */
  get length(): number {
    return this.#flushed + this.out.length;
  }

  get isFull(): boolean {
    return this.out.length >= FLUSH_BYTES;
  }

  align(bytes: number): number {
    while (this.length % bytes > 0) this.out.u8(0);
    return this.length;
  }

  async flush(): Promise<void> {
    const bytes = this.out.view(0);
    for (let at = 0; at < bytes.length;) at += (await this.#file.write(bytes, at)).bytesWritten;
    this.#flushed += bytes.length;
    this.out.clear();
  }

  /** On the disk when this ends; its name lasts once its folder is synced. @returns its length */
  async finish(): Promise<number> {
    await this.flush();
    await this.#file.sync();
    await this.#file.close();
    return this.#flushed;
  }

  /** After a failure: closed, not kept. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => undefined);
  }
}
