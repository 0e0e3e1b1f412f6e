/** Where the logs of runs are kept: in a folder, of which one process is, or in a bucket, which servers share. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppendLog, readLog } from '../../storage/index.ts';

/** A log that is being written. */
export interface WrittenLog {
  /** The record is kept when this ends. @throws {Unavailable} */
  append(record: object): Promise<void>;
  close(): Promise<void>;
}

export interface KeptLog {
  /** From 1, with gaps. */
  readonly number: number;
  /** Another process writes it: it was heard of lately. */
  readonly isLive: boolean;
}

/** Logs by number. @throws {Unavailable} */
export interface RunLogs {
  /** The oldest first. */
  list(): Promise<readonly KeptLog[]>;
  /** Whole records up to the first that is damaged. */
  read(number: number): Promise<readonly unknown[]>;
  /** @param id of the run @returns undefined where another process has begun one of that number */
  begin(number: number, id: string): Promise<WrittenLog | undefined>;
  /** Goes on with one of a process that ended. @returns undefined where another process does, or it is gone */
  resume(number: number): Promise<WrittenLog | undefined>;
  remove(number: number): Promise<void>;
}

const SUFFIX = '.ndjson';

/** A file each: `000012-20261122T132443214Z.ndjson`. */
export class FolderLogs implements RunLogs {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async list(): Promise<KeptLog[]> {
    const numbers = (await this.#names()).map((name) => Number.parseInt(name, 10));
    return numbers.map((number) => ({ number, isLive: false }));
  }

  async read(number: number): Promise<unknown[]> {
    const path = await this.#path(number);
    return path === undefined ? [] : await readLog(path);
  }

  begin(_number: number, id: string): Promise<WrittenLog> {
    return AppendLog.open(join(this.#folder, id + SUFFIX));
  }

  async resume(number: number): Promise<WrittenLog | undefined> {
    const path = await this.#path(number);
    return path === undefined ? undefined : await AppendLog.open(path);
  }

  async remove(number: number): Promise<void> {
    const path = await this.#path(number);
    if (path !== undefined) await rm(path, { force: true });
  }

  async #path(number: number): Promise<string | undefined> {
    const name = (await this.#names()).find((each) => Number.parseInt(each, 10) === number);
    return name === undefined ? undefined : join(this.#folder, name);
  }

  async #names(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names
      .filter((name) => /^\d/.test(name) && name.endsWith(SUFFIX))
      .toSorted((a, b) => (a < b ? -1 : 1));
  }
}

/** Copies logs to where none are. @returns whether there were some @throws {Unavailable} */
export async function moveLogs(from: RunLogs, to: RunLogs): Promise<boolean> {
  const kept = await from.list();
  if (kept.length === 0 || (await to.list()).length > 0) return false;
  for (const { number } of kept) {
    const records = (await from.read(number)) as readonly { readonly id?: string }[];
    const log = await to.begin(number, records[0]?.id ?? '');
    // Another server does it.
    if (log === undefined) return false;
    try {
      for (const record of records) await log.append(record);
    } finally {
      await log.close();
    }
  }
  return true;
}
