/**
 * DuckDB as a peer: the only file that knows its package, which has its own folder of modules and
 * may be absent.
 */
import { existsSync } from 'node:fs';

/** The part of @duckdb/node-api that is used here. */
interface DuckModule {
  readonly DOUBLE: unknown;
  readonly USMALLINT: unknown;
  readonly VARCHAR: unknown;
  readonly DuckDBInstance: { create(path: string, options: object): Promise<DuckInstance> };
  readonly DuckDBDataChunk: { create(types: readonly unknown[], rows: number): DuckChunk };
}
interface DuckInstance {
  connect(): Promise<DuckConnection>;
  closeSync(): void;
}
interface DuckConnection {
  run(sql: string): Promise<DuckResult>;
  createAppender(table: string): Promise<DuckAppender>;
  closeSync(): void;
}
interface DuckResult {
  getColumns(): Promise<unknown[][]>;
}
interface DuckChunk {
  setColumnValues(column: number, values: readonly (number | string)[]): void;
}
interface DuckAppender {
  appendDataChunk(chunk: DuckChunk): void;
  closeSync(): void;
}

/** A table column: u16, doubles or texts. */
export type DuckColumn = Uint16Array | Float64Array | readonly string[];

/** One query, ready to run. */
export interface Duck {
  /** Runs `sql` to the end; the result stays where it is. */
  run(sql: string): Promise<DuckResult>;
  /** All of a result as numbers, by column. */
  columns(result: DuckResult): Promise<number[][]>;
  close(): void;
}

const CHUNK_ROWS = 2048;

export const DUCKDB_FOLDER: URL = new URL('node_modules/@duckdb/node-api/', import.meta.url);

export function hasDuckdb(): boolean {
  return existsSync(DUCKDB_FOLDER);
}

/** A database in memory with one table `t` of these columns, if there are any. */
export async function openDuckdb(
  columns: ReadonlyMap<string, DuckColumn>,
  threads: number,
): Promise<Duck> {
  const name: string = '@duckdb/node-api';
  const duckdb = (await import(name)) as DuckModule;
  const instance = await duckdb.DuckDBInstance.create(':memory:', { threads: `${threads}` });
  const connection = await instance.connect();
  if (columns.size > 0) await fill(duckdb, connection, columns);
  return {
    run: (sql) => connection.run(sql),
    columns: async (result) => (await result.getColumns()).map((column) => column.map(Number)),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function fill(
  duckdb: DuckModule,
  connection: DuckConnection,
  columns: ReadonlyMap<string, DuckColumn>,
): Promise<void> {
  const all = [...columns.values()];
  const fields = [...columns].map(([name, values]) => `${name} ${typeOf(values)}`);
  await connection.run(`create table t (${fields.join(', ')})`);
  const types = all.map((values) => duckdb[typeOf(values)]);
  const appender = await connection.createAppender('t');
  const rows = all[0]?.length ?? 0;
  for (let row = 0; row < rows; row += CHUNK_ROWS) {
    const chunk = duckdb.DuckDBDataChunk.create(types, Math.min(CHUNK_ROWS, rows - row));
    all.forEach((values, i) => {
      chunk.setColumnValues(i, Array.from<number | string>(values.slice(row, row + CHUNK_ROWS)));
    });
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

function typeOf(values: DuckColumn): 'USMALLINT' | 'DOUBLE' | 'VARCHAR' {
  if (Array.isArray(values)) return 'VARCHAR';
  return values instanceof Uint16Array ? 'USMALLINT' : 'DOUBLE';
}
