/**
 * A log of the newest records: once it has twice its limit, a new file of the newest replaces it, whole or
 * not at all. So it never has more than that, and never fewer than its limit.
 */
import { dirname } from 'node:path';
import { AppendLog, readLog } from './append-log.ts';
import { DISK, writeWhole, type Disk } from '../disk.ts';
import { attempt } from '../disk-error.ts';

export class BoundedLog {
  readonly #path: string;
  readonly #limit: number;
  readonly #disk: Disk;
  /** The newest records, oldest first. */
  #newest: unknown[];
  /** Records in the file. */
  #count: number;
  /** Undefined while another file replaces it. */
  #file: AppendLog | undefined;
  /** The last append: records are written one after the other. */
  #last: Promise<void> = Promise.resolve();

  private constructor(path: string, limit: number, disk: Disk, records: unknown[]) {
    this.#path = path;
    this.#limit = limit;
    this.#disk = disk;
    this.#count = records.length;
    this.#newest = records.slice(-limit);
  }

  /** @param limit the fewest records that stay @throws {Unavailable} */
  static async open(path: string, limit: number, disk: Disk = DISK): Promise<BoundedLog> {
    const log = new BoundedLog(path, limit, disk, await readLog(path));
    log.#file = await AppendLog.open(path);
    return log;
  }

  /** Oldest first. */
  get newest(): readonly unknown[] {
    return this.#newest.slice(-this.#limit);
  }

  /** The record is on the disk when this ends. @throws {Unavailable} and the record is not stored */
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
