/**
 * SQLite databases for logs: the only file that knows node-sqlite3-wasm. Each is this process's alone, and
 * a statement that returned is on the disk: write-ahead journal, one fsync a commit.
 */
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type sqlite from 'node-sqlite3-wasm';

type Cell = number | bigint | string | Uint8Array | null;

export interface Database {
  /** @returns once what it changed is on the disk @throws whatever kept it from that; nothing is changed then */
  run(sql: string, values: readonly Cell[]): void;
  rows(sql: string): Iterable<Readonly<Record<string, Cell>>>;
  /** The file is whole without its journal afterwards. */
  close(): void;
}

/** Larger pages are fewer system calls: a commit of 100 KB writes seven. */
const PAGE_BYTES = 16_384;
/** The journal is copied into the file whenever it has so many pages. */
const JOURNAL_PAGES = 1024;
const CACHE_KIB = 1024;

/** @throws for a file that is no database, or cannot be made */
export function openDatabase(path: string, schema: string): Database {
  // What a killed process leaves. Whose the folder is, its lock decides.
  rmSync(`${path}.lock`, { recursive: true, force: true });
  // Loading it takes 25 ms, and most servers receive nothing.
  const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as typeof sqlite;
  const database = new Database(path);
  try {
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
    // Without it a journal needs memory that processes share, which there is none of in WebAssembly.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    const { journal_mode: mode } = {
      journal_mode: '',
      ...database.get('PRAGMA journal_mode = WAL'),
    };
    if (mode !== 'wal') throw new Error(`the journal of ${path} is '${String(mode)}', not 'wal'`);
    database.exec('PRAGMA synchronous = FULL');
    database.exec(`PRAGMA wal_autocheckpoint = ${JOURNAL_PAGES}`);
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    database.exec(schema);
    // Names of the file and its journal: SQLite leaves that to its layer of files, which does not.
    syncFolder(dirname(path));
  } catch (error) {
    closeQuietly(database);
    throw error;
  }
  return new OpenDatabase(database);
}

class OpenDatabase implements Database {
  readonly #database: InstanceType<typeof sqlite.Database>;
  readonly #statements = new Map<
    string,
    ReturnType<InstanceType<typeof sqlite.Database>['prepare']>
  >();

  constructor(database: InstanceType<typeof sqlite.Database>) {
    this.#database = database;
  }

  run(sql: string, values: readonly Cell[]): void {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    statement.run([...values]);
  }

  *rows(sql: string): Iterable<Readonly<Record<string, Cell>>> {
    const statement = this.#database.prepare(sql);
    try {
      for (const row of statement.iterate()) yield row as Readonly<Record<string, Cell>>;
    } finally {
      statement.finalize();
    }
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
    this.#database.close();
  }
}

/** What went wrong before is what is told. */
function closeQuietly(database: InstanceType<typeof sqlite.Database>): void {
  try {
    database.close();
  } catch {
    // It may never have been open.
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
