/**
 * A document that is kept whole beside the sets: settings that users make, changed as one. Its file
 *
 *   prorata-<name> 1 <CRC-32 of the rest, 8 hex digits>
 *   {…}
 *
 * is replaced by a new one; a power cut leaves the old one or the new one.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Unavailable } from '../../query/index.ts';
import { DISK, moveFile, writeWhole, type Disk } from '../disk.ts';
import { QUARANTINE } from './folders.ts';
import { cannot, codeOf } from '../place.ts';

export interface DocumentOptions {
  readonly folder: string;
  /** The document's name: small letters. */
  readonly name: string;
  readonly disk?: Disk;
}

const FORMAT = 1;

export class StoredDocument {
  readonly #folder: string;
  readonly #name: string;
  readonly #disk: Disk;

  constructor({ folder, name, disk = DISK }: DocumentOptions) {
    this.#folder = folder;
    this.#name = name;
    this.#disk = disk;
  }

  /** For messages. */
  get path(): string {
    return join(this.#folder, `${this.#name}.json`);
  }

  /**
   * @returns the text that was kept, why it is damaged, or undefined where nothing was kept
   * @throws {Unavailable} when the disk does not answer, or a later version wrote it
   */
  async read(): Promise<{ readonly text: string } | { readonly damage: string } | undefined> {
    let whole: string;
    try {
      whole = await readFile(this.path, 'utf8');
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return undefined;
      throw cannot(`read ${this.path}`, cause);
    }
    const head = new RegExp(`^prorata-${this.#name} (\\d{1,6}) ([0-9a-f]{8})\n`).exec(whole);
    if (head === null) return { damage: 'it does not begin as it was written' };
    const [line, format, sum] = head;
    if (Number(format) > FORMAT) {
      throw new Unavailable(`${this.path} was written by a later version: its format is ${format}`);
    }
    const text = whole.slice(line.length);
    return checksum(text) === sum ? { text } : { damage: 'it has not the bytes written' };
  }

  /** When this ends, the text is kept for good. @throws {Unavailable} and the old one may count */
  async write(text: string): Promise<void> {
    const whole = `prorata-${this.#name} ${FORMAT} ${checksum(text)}\n${text}`;
    try {
      await this.#disk.makeFolder(this.#folder);
      await writeWhole(this.#disk, this.path, Buffer.from(whole));
      await this.#disk.syncFolder(this.#folder);
    } catch (cause) {
      throw cannot(`write ${this.path}`, cause);
    }
  }

  /** Moves the file out of the way, under a name that no other has. @returns where it is now */
  async setAside(nowMs: number): Promise<string> {
    const to = join(this.#folder, QUARANTINE, `${this.#name}-${nowMs}.json`);
    try {
      await moveFile(this.#disk, this.path, to);
    } catch (cause) {
      throw cannot(`set ${this.path} aside`, cause);
    }
    return to;
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
