/**
 * The tables of a store in ClickHouse. docs/clickhouse.md tells them to people who ask by their own SQL.
 *
 *   prorata_schema       the version of all of this
 *   prorata_sets         the manifest: a row a change of a set; of one key the highest generation counts
 *   prorata_current      a view of it: the sets that count
 *   prorata_pieces       what of a set's file is not in rows: its frame, and the dictionaries of its columns
 *   <kind>_rows          rows of sets of one kind, also of those that no longer count, or never did
 *   <kind>               a view of them: the rows that count
 *
 * Rows and pieces of each set are a partition of their own, by the version of the set: it is dropped whole.
 */
import { Unavailable } from '../../query/index.ts';
import { literal, quoted, type ClickHouse } from './client.ts';
import { CODED } from './native-write.ts';
import { Refused } from './refusal.ts';

export const SCHEMA_TABLE = 'prorata_schema';
export const SETS_TABLE = 'prorata_sets';
export const PIECES_TABLE = 'prorata_pieces';
const CURRENT_VIEW = 'prorata_current';

/** Later versions of prorata raise it where older ones could not read the tables. */
const SCHEMA = 1;

/** Columns of every table of rows, before those of its sets. */
export const VERSION = 'setVersion';
export const ROW = 'setRow';
const OWN_COLUMNS: readonly (readonly [name: string, type: string])[] = [
  [VERSION, 'UInt64'],
  ['windowStart', "DateTime('UTC')"],
  ['windowEnd', "DateTime('UTC')"],
  [ROW, 'UInt32'],
];

export type ColumnType = 'Float64' | 'String' | typeof CODED;

export interface TableColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** The server of Debian 12 has not yet decided for texts as codes; later ones do not know the question. */
const CODED_SINCE = 19;
const ALLOWED: Readonly<Record<string, number>> = { allow_experimental_low_cardinality_type: 1 };
/** Since when an insert can wait until its rows outlast a power cut. */
const SYNCED_SINCE = 22;
const SYNCED = ' SETTINGS fsync_after_insert = 1, fsync_part_directory = 1';

export function rowsTable(kind: string): string {
  return `${kind}_rows`;
}

/** Seconds of a column of times, as near as it can have them. */
export function secondsOf(ms: number): number {
  return Math.min(Math.max(Math.floor(ms / 1000), 0), 2 ** 32 - 1);
}

export class Schema {
  readonly #server: ClickHouse;
  /** Types of columns by the kind of set, as far as they are known. */
  readonly #columns: Map<string, ReadonlyMap<string, string>> = new Map();
  #major = 0;

  constructor(server: ClickHouse) {
    this.#server = server;
  }

  /**
   * Makes what is missing; nothing is changed where all is there, so that a user who may only read can open
   * a store.
   * @param isReadOnly nothing is made
   * @throws {Unavailable} also where a later version made the tables, or none are there and none are made
   */
  async open(isReadOnly: boolean = false): Promise<void> {
    const server = this.#server;
    const { database } = server;
    const [about] = await server.rows<{ version: string; known: string }>(
      'look at the database',
      `SELECT version() AS version, toString(count()) AS known FROM system.databases WHERE name = ${literal(database)}`,
    );
    this.#major = Number(/^\d+/.exec(about?.version ?? '')?.[0] ?? 0);
    if (about?.known !== '1' && !isReadOnly) {
      await this.#run(`CREATE DATABASE IF NOT EXISTS ${quoted(database)}`);
    }
    const tables = new Set(await this.#names());
    if (tables.has(SCHEMA_TABLE)) await this.#check();
    if (isReadOnly) return this.#found(tables);
    for (const [name, statement] of this.#statements()) {
      if (!tables.has(name)) await this.#run(statement);
    }
    if (tables.has(SCHEMA_TABLE)) return;
    const body = (): Uint8Array[] => [Buffer.from(JSON.stringify({ schema: SCHEMA }))];
    await server.insert('set up', server.table(SCHEMA_TABLE), 'JSONEachRow', body);
  }

  /** Names of all tables and views of the database. */
  async #names(): Promise<string[]> {
    const where = `WHERE database = ${literal(this.#server.database)}`;
    const sql = `SELECT name FROM system.tables ${where}`;
    return (await this.#server.rows<{ name: string }>('list tables', sql)).map(({ name }) => name);
  }

  #found(tables: ReadonlySet<string>): void {
    if (tables.has(SCHEMA_TABLE)) return;
    const { database, origin } = this.#server;
    throw new Unavailable(`no sets are stored in the database ${database} of ${origin}`, {
      hint: 'name the database that a server stores them in',
    });
  }

  async #check(): Promise<void> {
    const { database } = this.#server;
    const sql = `SELECT max(schema) AS schema FROM ${this.#server.table(SCHEMA_TABLE)}`;
    const [found] = await this.#server.rows<{ schema: number }>('read its schema', sql);
    if ((found?.schema ?? 0) <= SCHEMA) return;
    throw new Unavailable(
      `${database} was written by a later version: its schema is ${found?.schema}, not ${SCHEMA}`,
    );
  }

  #statements(): (readonly [name: string, statement: string])[] {
    const table = (name: string): string => this.#server.table(name);
    return [
      [
        SETS_TABLE,
        `CREATE TABLE IF NOT EXISTS ${table(SETS_TABLE)} (
          kind String, startMs Int64, endMs Int64,
          windowStart DateTime('UTC'), windowEnd DateTime('UTC'),
          generation UInt64, version UInt64, rows UInt64, bytes UInt64, crc32 UInt32,
          directory String, meta String, damage String, checksum UInt32
        ) ENGINE = ReplacingMergeTree(generation) ORDER BY (kind, startMs, endMs)${this.#synced()}`,
      ],
      [
        PIECES_TABLE,
        `CREATE TABLE IF NOT EXISTS ${table(PIECES_TABLE)} (
          version UInt64, piece String, bytes String
        ) ENGINE = MergeTree PARTITION BY version ORDER BY piece${this.#synced()}`,
      ],
      [
        CURRENT_VIEW,
        `CREATE VIEW IF NOT EXISTS ${table(CURRENT_VIEW)} AS
          SELECT kind, startMs, endMs, any(windowStart) AS start, any(windowEnd) AS end,
            argMax(version, generation) AS setVersion, argMax(rows, generation) AS setRows,
            argMax(meta, generation) AS about, argMax(damage, generation) AS damaged
          FROM ${table(SETS_TABLE)} GROUP BY kind, startMs, endMs HAVING setVersion > 0`,
      ],
      // The last: it says that all others are there.
      [
        SCHEMA_TABLE,
        `CREATE TABLE IF NOT EXISTS ${table(SCHEMA_TABLE)} (schema UInt32)
          ENGINE = MergeTree ORDER BY schema${this.#synced()}`,
      ],
    ];
  }

  #synced(): string {
    return this.#major >= SYNCED_SINCE ? SYNCED : '';
  }

  async #run(statement: string): Promise<void> {
    const settings = this.#major < CODED_SINCE ? ALLOWED : {};
    await this.#server.run('set up its tables', statement, settings);
  }

  /** Adds what the kind's table does not have. @throws {Unavailable} where a column is of another type */
  async ensure(kind: string, columns: readonly TableColumn[]): Promise<void> {
    const isFirst = !this.#columns.has(kind);
    const known = this.#columns.get(kind) ?? (await this.#load(kind));
    const missing = columns.filter(({ name }) => !known.has(name));
    const isChanged = missing.length > 0 || known.size === 0;
    if (isChanged) await this.#add(kind, known, missing);
    // Whoever added columns may have ended before the view had them.
    if (isFirst || isChanged) await this.#show(kind);
    for (const { name, type } of columns) {
      const found = this.#columns.get(kind)?.get(name);
      if (found === type) continue;
      throw new Unavailable(
        `column ${name} of ${rowsTable(kind)} is of type ${found}, not ${type}`,
      );
    }
  }

  async #add(
    kind: string,
    known: ReadonlyMap<string, string>,
    missing: readonly TableColumn[],
  ): Promise<void> {
    const table = this.#server.table(rowsTable(kind));
    const own = missing.map(({ name, type }) => `${quoted(name)} ${type}`);
    if (known.size === 0) {
      const all = [...OWN_COLUMNS.map(([name, type]) => `${quoted(name)} ${type}`), ...own];
      await this.#run(`CREATE TABLE IF NOT EXISTS ${table} (${all.join(', ')})
        ENGINE = MergeTree PARTITION BY (windowStart, ${VERSION}) ORDER BY ${ROW}${this.#synced()}`);
    } else {
      const added = own.map((column) => `ADD COLUMN ${column}`).join(', ');
      await this.#run(`ALTER TABLE ${table} ${added}`).catch((error: unknown) => {
        // Another process may have added them meanwhile; the types are looked at in any case.
        if (!(error instanceof Refused)) throw error;
      });
    }
    await this.#load(kind);
  }

  /** Has the view of the kind show all columns of its table. */
  async #show(kind: string): Promise<void> {
    const columns = [...(this.#columns.get(kind)?.keys() ?? [])].filter((name) => name !== VERSION);
    const shown = await this.#columnsOf(kind);
    if (columns.every((name) => shown.has(name))) return;
    const [view, table] = [kind, rowsTable(kind)].map((name) => this.#server.table(name));
    await this.#run(`DROP TABLE IF EXISTS ${view}`);
    await this.#run(`CREATE VIEW IF NOT EXISTS ${view} AS SELECT ${columns.map(quoted).join(', ')}
      FROM ${table} WHERE ${VERSION} IN (SELECT setVersion
      FROM ${this.#server.table(CURRENT_VIEW)} WHERE kind = ${literal(kind)})`);
  }

  async #load(kind: string): Promise<ReadonlyMap<string, string>> {
    const found = await this.#columnsOf(rowsTable(kind));
    this.#columns.set(kind, found);
    return found;
  }

  async #columnsOf(name: string): Promise<Map<string, string>> {
    const [database, table] = [this.#server.database, name].map(literal);
    const sql = `SELECT name, type FROM system.columns WHERE database = ${database} AND table = ${table}`;
    const rows = await this.#server.rows<{ name: string; type: string }>('list columns', sql);
    return new Map(rows.map(({ name: column, type }) => [column, type]));
  }
}
