/**
 * A log in files of bounded size: beyond it the file gets a number, and those before it the next ones; the oldest
 * goes. A record is on the disk when `append` ends.
 *
 *     audit.ndjson   audit.ndjson.1   audit.ndjson.2   …   audit.ndjson.<files - 1>
 *     written        newest before                         goes with the next change
 *
 * Several processes may write the same log: each record is written, and files are renamed, while the
 * writer has `audit.ndjson.lock`. It looks first whether the file is as it left it: one that another
 * process continued or renamed is opened again, and what a process that died left without an end is cut off.
 */
import { rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppendLog } from './append-log.ts';
import { DISK } from '../disk.ts';
import { inTurn } from '../folder/lock.ts';
import { attempt, unlessMissing } from '../disk-error.ts';

export interface RotatedLogOptions {
  readonly path: string;
  /** A file that has as many gets no further record. */
  readonly fileBytes: number;
  /** Files at most, the one that is written included. */
  readonly files: number;
}

export class RotatedLog {
  readonly #options: RotatedLogOptions;
  /** Undefined before the first record, and after a failure: what that wrote is cut off. */
  #file: AppendLog | undefined;
  #bytes = 0;
  #inode = 0;
  /** The last append: records are written one after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: RotatedLogOptions) {
    this.#options = options;
  }

  /** Finds out whether records can be written. @throws {Unavailable} */
  async open(): Promise<void> {
    await this.#alone(() => this.#ready());
  }

  /** @throws {Unavailable} and the record is not stored, or only as a line without an end */
  async append(record: object): Promise<void> {
    const done = this.#last.then(() => this.#alone(() => this.#append(record)));
    this.#last = done.catch(() => undefined);
    await done;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #alone(work: () => Promise<unknown>): Promise<void> {
    const { path } = this.#options;
    await attempt(`open ${path}`, () => DISK.makeFolder(dirname(path)));
    await inTurn(`${path}.lock`, work);
  }

  async #append(record: object): Promise<void> {
    await this.#ready();
    if (this.#bytes >= this.#options.fileBytes) await this.#rotate();
    const file = await this.#ready();
    try {
      await file.append(record);
      this.#bytes += Buffer.byteLength(JSON.stringify(record)) + 1;
    } catch (error) {
      this.#file = undefined;
      await file.close().catch(() => undefined);
      throw error;
    }
  }

  async #ready(): Promise<AppendLog> {
    const { path } = this.#options;
    const seen = await unlessMissing(`look at ${path}`, undefined, () => stat(path));
    const isAsLeft = seen?.ino === this.#inode && seen.size === this.#bytes;
    if (this.#file !== undefined && isAsLeft) return this.#file;
    await this.#file?.close();
    this.#file = undefined;
    this.#file = await AppendLog.open(path);
    const { size, ino } = await attempt(`look at ${path}`, () => stat(path));
    [this.#bytes, this.#inode] = [size, ino];
    return this.#file;
  }

  /** A power cut within leaves all files but the oldest, some under their next name already. */
  async #rotate(): Promise<void> {
    const { path, files } = this.#options;
    await this.#file?.close();
    this.#file = undefined;
    const nameOf = (number: number): string => (number === 0 ? path : `${path}.${number}`);
    for (let number = files - 1; number > 0; number--) {
      const [from, to] = [nameOf(number - 1), nameOf(number)];
      await unlessMissing(`rename ${from}`, undefined, () => rename(from, to));
    }
    if (files === 1) await attempt(`remove ${path}`, () => DISK.remove(path));
    await attempt(`rename ${path}`, () => DISK.syncFolder(dirname(path)));
    this.#bytes = 0;
  }
}
