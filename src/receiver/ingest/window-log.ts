/**
 * What came for one window of two hours, as rows of a database of its own: it is appended to until a block
 * holds the samples, and then removed as a whole.
 *
 *   logs/<start of the window in ms>-<number>.sqlite     a window that was cut may be opened again
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Unavailable } from '../../query/index.ts';
import { rowChecksum } from './log-entries.ts';
import { openDatabase, type Database } from './sqlite.ts';

const SCHEMA =
  'CREATE TABLE IF NOT EXISTS samples (seq INTEGER PRIMARY KEY, crc INTEGER NOT NULL, row BLOB NOT NULL)';
const NAME = /^(-?\d{1,16})-(\d{1,9})\.sqlite$/;
/** Whatever stands beside a database while it is open. */
const BESIDE = ['', '-wal', '-journal', '.lock'];

/** Databases that are open at a time: each has pages of its own in memory. */
const OPEN_MAX = 4;

export interface FoundLog {
  readonly startMs: number;
  readonly path: string;
}

export interface ReadRows {
  readonly rows: number;
  /** Rows that are not as they were written. */
  readonly damaged: number;
}

export class WindowLog {
  readonly path: string;
  readonly #open: OpenLogs;
  #database: Database | undefined;
  #nextSeq = 1;

  constructor(path: string, open: OpenLogs) {
    this.path = path;
    this.#open = open;
  }

  /** @returns once the row is on the disk @throws when it may not be */
  append(row: Uint8Array): void {
    try {
      // A commit that failed may be there all the same once its database is opened anew.
      this.#opened().run('INSERT OR REPLACE INTO samples VALUES (?, ?, ?)', [
        this.#nextSeq,
        rowChecksum(row),
        row,
      ]);
    } catch (error) {
      this.close();
      throw error;
    }
    this.#nextSeq++;
  }

  /** Hands over the rows that are whole, in their order. @throws {Unavailable} when the file cannot be read on */
  read(onRow: (row: Uint8Array) => void): ReadRows {
    let [rows, damaged] = [0, 0];
    this.#nextSeq = 1;
    try {
      for (const { seq, crc, row } of this.#opened().rows('SELECT * FROM samples ORDER BY seq')) {
        // Rows are numbered without a gap.
        damaged += Number(seq) - this.#nextSeq;
        this.#nextSeq = Number(seq) + 1;
        rows++;
        if (row instanceof Uint8Array && rowChecksum(row) === Number(crc)) onRow(row);
        else damaged++;
      }
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const hint = 'move it away to go on without the samples in it';
      throw new Unavailable(`cannot read ${this.path}: ${reason}`, { hint, cause });
    }
    return { rows, damaged };
  }

  /** Everything is on the disk already. */
  close(): void {
    const database = this.#database;
    this.#database = undefined;
    this.#open.forget(this);
    try {
      database?.close();
    } catch {
      // A full disk keeps the journal from being copied: it stays beside the file.
    }
  }

  remove(): void {
    this.close();
    for (const end of BESIDE) rmSync(`${this.path}${end}`, { recursive: true, force: true });
  }

  get bytes(): number {
    return BESIDE.reduce((sum, end) => sum + sizeOf(`${this.path}${end}`), 0);
  }

  #opened(): Database {
    this.#open.use(this);
    this.#database ??= openDatabase(this.path, SCHEMA);
    return this.#database;
  }
}

/** The logs that were used last are open. */
export class OpenLogs {
  readonly #logs = new Set<WindowLog>();

  use(log: WindowLog): void {
    this.#logs.delete(log);
    this.#logs.add(log);
    for (const oldest of this.#logs) {
      if (this.#logs.size <= OPEN_MAX) break;
      oldest.close();
    }
  }

  forget(log: WindowLog): void {
    this.#logs.delete(log);
  }

  closeAll(): void {
    for (const log of this.#logs) log.close();
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Reads a log that nobody has open. @returns what is wrong with it, undefined: nothing */
export function checkLog(path: string): { readonly rows: number; readonly damage?: string } {
  const log = new WindowLog(path, new OpenLogs());
  try {
    const { rows, damaged } = log.read(() => undefined);
    const damage = `${damaged} of ${rows} rows have not the bytes written: their samples are lost`;
    return damaged === 0 ? { rows } : { rows, damage };
  } catch (error) {
    return { rows: 0, damage: error instanceof Error ? error.message : String(error) };
  } finally {
    log.close();
  }
}

/** The logs in a folder, oldest window first. */
export function findLogs(folder: string): FoundLog[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const [, startMs] = NAME.exec(name) ?? [];
      return startMs === undefined ? [] : [{ startMs: Number(startMs), path: join(folder, name) }];
    })
    .toSorted((a, b) => a.startMs - b.startMs || (a.path < b.path ? -1 : 1));
}

/** A name that no log in the folder has. */
export function newLogPath(folder: string, startMs: number): string {
  const taken = new Set(findLogs(folder).map(({ path }) => path));
  for (let number = 1; ; number++) {
    const path = join(folder, `${startMs}-${number}.sqlite`);
    if (!taken.has(path)) return path;
  }
}
