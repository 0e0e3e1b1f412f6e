/**
 * A log of the newest records: once it has twice as many as it is to keep, a new file of the newest
 * takes its place, whole or not at all. So it never has more, and never fewer than were kept.
 */
import { dirname } from 'node:path';
import { AppendLog, readLog } from './append-log.ts';
import { DISK, writeWhole, type Disk } from '../disk.ts';
import { attempt } from '../disk-error.ts';

export class BoundedLog {
  readonly #path: string;
  readonly #limit: number;
  readonly #disk: Disk;
  /** Oldest first: the newest that are to be kept. */
  #newest: unknown[];
  /** Records in the file. */
  #count: number;
  /** Undefined while another file takes its place. */
  #file: AppendLog | undefined;
  /** What was asked for last: records are written one after the other. */
  #last: Promise<void> = Promise.resolve();

  private constructor(path: string, limit: number, disk: Disk, kept: unknown[]) {
    this.#path = path;
    this.#limit = limit;
    this.#disk = disk;
    this.#count = kept.length;
    this.#newest = kept.slice(-limit);
  }

  /** @param limit records that are kept at least @throws {Unavailable} */
  static async open(path: string, limit: number, disk: Disk = DISK): Promise<BoundedLog> {
    const log = new BoundedLog(path, limit, disk, await readLog(path));
    log.#file = await AppendLog.open(path);
    return log;
  }

  /** Oldest first. */
  get newest(): readonly unknown[] {
    return this.#newest.slice(-this.#limit);
  }

  /** The record is on the disk when this ends. @throws {Unavailable} then it is not kept */
  async append(record: object): Promise<void> {
    const before = this.#last;
    const done = before.catch(() => undefined).then(() => this.#append(record));
    this.#last = done;
    await done;
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await this.#file?.close();
  }

  async #append(record: object): Promise<void> {
    if (this.#count >= 2 * this.#limit) await this.#cut();
    this.#file ??= await AppendLog.open(this.#path);
    await this.#file.append(record);
    this.#newest.push(record);
    this.#count++;
  }

  /** A power cut leaves the old file or the new one. */
  async #cut(): Promise<void> {
    this.#newest = this.#newest.slice(-this.#limit);
    const text = this.#newest.map((record) => `${JSON.stringify(record)}\n`).join('');
    await this.#file?.close();
    this.#file = undefined;
    await attempt(`cut ${this.#path}`, async () => {
      await writeWhole(this.#disk, this.#path, Buffer.from(text));
      await this.#disk.syncFolder(dirname(this.#path));
    });
    this.#count = this.#newest.length;
  }
}
