/**
 * A file of records that are on the disk when `append` ends: one JSON text a line, in order. A record
 * that was being written when the process died is the last line, without an end; readers leave it out.
 */
import { open, readFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DISK } from '../disk.ts';
import { attempt, unlessMissing } from '../disk-error.ts';

const NEWLINE = 0x0a;

export class AppendLog {
  readonly #file: FileHandle;
  readonly #path: string;

  private constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  /** Makes the file, or continues after its last whole record. @throws {Unavailable} */
  static async open(path: string): Promise<AppendLog> {
    return await attempt(`open ${path}`, async () => {
      await DISK.makeFolder(dirname(path));
      const file = await open(path, 'a+');
      try {
        const bytes = await file.readFile();
        const whole = bytes.lastIndexOf(NEWLINE) + 1;
        if (whole < bytes.length) await file.truncate(whole);
        await DISK.syncFolder(dirname(path));
      } catch (error) {
        // From Node 26 a handle that nobody closed ends the process.
        await file.close();
        throw error;
      }
      return new AppendLog(file, path);
    });
  }

  /** @throws {Unavailable} when the disk fails */
  async append(record: object): Promise<void> {
    await attempt(`write ${this.#path}`, async () => {
      await this.#file.appendFile(`${JSON.stringify(record)}\n`);
      await this.#file.datasync();
    });
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/**
 * @returns the records of a log, up to the first that is damaged; none where there is no file
 * @throws {Unavailable} when it cannot be read
 */
export async function readLog(path: string): Promise<unknown[]> {
  const text = await unlessMissing(`read ${path}`, '', () => readFile(path, 'utf8'));
  return wholeRecords(text.slice(0, text.lastIndexOf('\n') + 1));
}

/** The records of whole lines, up to the first that is damaged. */
export function wholeRecords(text: string): unknown[] {
  const records: unknown[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    try {
      records.push(JSON.parse(line) as unknown);
    } catch {
      break;
    }
  }
  return records;
}
