/**
 * A document that is stored whole beside the sets: settings that users make, changed as one. Its file,
 * a checked text (checked-text.ts), is replaced by a new one; a power cut leaves the old one or the
 * new one.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Unavailable } from '../../query/index.ts';
import { DISK, moveFile, writeWhole, type Disk } from '../disk.ts';
import { QUARANTINE } from './folders.ts';
import { checkedText, readChecked } from '../checked-text.ts';
import { attempt, unlessMissing } from '../disk-error.ts';

export interface DocumentOptions {
  readonly folder: string;
  /** The document's name: small letters. */
  readonly name: string;
  readonly disk?: Disk;
}

export class StoredDocument {
  readonly #folder: string;
  readonly #name: string;
  readonly #disk: Disk;

  constructor({ folder, name, disk = DISK }: DocumentOptions) {
    this.#folder = folder;
    this.#name = name;
    this.#disk = disk;
  }

  /** The file's path, for messages. */
  get path(): string {
    return join(this.#folder, `${this.#name}.json`);
  }

  /**
   * @returns the stored text, why it is damaged, or undefined where nothing is stored
   * @throws {Unavailable} when the disk does not answer, or a later version wrote it
   */
  async read(): Promise<{ readonly text: string } | { readonly damage: string } | undefined> {
    const whole = await unlessMissing(`read ${this.path}`, undefined, () =>
      readFile(this.path, 'utf8'),
    );
    if (whole === undefined) return undefined;
    const read = readChecked(this.#name, whole);
    if (!('damage' in read)) return { text: read.body };
    if (!read.isNewer) return { damage: read.damage };
    throw new Unavailable(`${this.path} was written by a later version: ${read.damage}`);
  }

  /** When this ends, the text is stored for good. @throws {Unavailable} and the old one may count */
  async write(text: string): Promise<void> {
    await attempt(`write ${this.path}`, async () => {
      await this.#disk.makeFolder(this.#folder);
      await writeWhole(this.#disk, this.path, Buffer.from(checkedText(this.#name, text)));
      await this.#disk.syncFolder(this.#folder);
    });
  }

  /** Moves the file out of the way, under a unique name. @returns its new path */
  async setAside(nowMs: number): Promise<string> {
    const to = join(this.#folder, QUARANTINE, `${this.#name}-${nowMs}.json`);
    await attempt(`set ${this.path} aside`, () => moveFile(this.#disk, this.path, to));
    return to;
  }
}
