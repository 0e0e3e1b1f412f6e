/** Makes the tables of a store (tables.ts), and adds columns to them. */
import { Unavailable } from '../../query/index.ts';
import { literal, quoted, type ClickHouse } from './client.ts';
import { checkLayout, enginesIn, markShards } from './layout.ts';
import { Refused } from './refusal.ts';
import type { Shards } from './shards.ts';
import {
  CURRENT_VIEW,
  OWN_COLUMNS,
  PIECES,
  PIECES_SPLIT,
  PIECES_TABLE,
  ROWS_SPLIT,
  rowsTable,
  SCHEMA_TABLE,
  SETS_TABLE,
  VERSION,
  type Split,
  type TableColumn,
} from './tables.ts';

/** Later versions of prorata raise it where older ones could not read the tables. */
const SCHEMA = 1;
/** Over a cluster: who took it for one server would commit before the rows are there. */
const SHARDED_SCHEMA = 2;

/** The server of Debian 12 has not yet decided for texts as codes; later ones do not know the question. */
const CODED_SINCE = 19;
const ALLOWED: Readonly<Record<string, number>> = { allow_experimental_low_cardinality_type: 1 };
/** Since when an insert can wait until its rows outlast a power cut. */
const SYNCED_SINCE = 22;
const SYNCED = ' SETTINGS fsync_after_insert = 1, fsync_part_directory = 1';

type Statement = readonly [name: string, statement: string];

export class Schema {
  readonly #server: ClickHouse;
  readonly #shards: Shards;
  /** Types of columns by the kind of set, as far as they are known. */
  readonly #columns: Map<string, ReadonlyMap<string, string>> = new Map();
  #major = 0;

  constructor(server: ClickHouse, shards: Shards) {
    this.#server = server;
    this.#shards = shards;
  }

  /**
   * Makes what is missing; nothing is changed where all is there, so that a user who may only read can open
   * a store.
   * @param isReadOnly nothing is made
   * @throws {Unavailable} also where a later version made the tables, or none are there and none are made
   */
  async open(isReadOnly: boolean = false): Promise<void> {
    const server = this.#server;
    const sql = 'SELECT version() AS version';
    const [about] = await server.rows<{ version: string }>('look at the database', sql);
    this.#major = Number(/^\d+/.exec(about?.version ?? '')?.[0] ?? 0);
    await this.#shards.open(this.#major);
    const tables = await enginesIn(server);
    checkLayout(server, this.#shards, tables);
    if (tables.has(SCHEMA_TABLE)) await this.#check();
    if (isReadOnly) return this.#found(tables);
    await this.#shards.onAsked((each) => this.#setUp(each, this.#statements()));
    if (this.#shards.cluster !== undefined) await this.#openShards(tables.keys());
    if (tables.has(SCHEMA_TABLE)) return;
    await this.#shards.onAsked((each) => this.#setUp(each, [this.#schemaTable()]));
    const body = (): Uint8Array[] => [Buffer.from(JSON.stringify({ schema: this.#schema() }))];
    await server.insert('set up', server.table(SCHEMA_TABLE), 'JSONEachRow', body);
  }

  async #setUp(server: ClickHouse, statements: readonly Statement[]): Promise<void> {
    const { database } = server;
    const known = `SELECT name FROM system.databases WHERE name = ${literal(database)}`;
    if ((await server.rows('look at the database', known)).length === 0)
      await this.#run(server, `CREATE DATABASE IF NOT EXISTS ${quoted(database)}`);
    const tables = await enginesIn(server);
    for (const [name, statement] of statements)
      if (!tables.has(name)) await this.#run(server, statement);
  }

  /** Makes what servers of the cluster do not have yet, as one that is new in it. */
  async #openShards(tables: Iterable<string>): Promise<void> {
    if (!this.#shards.isReplicated) {
      await markShards(this.#server, this.#shards, (server, mark) => this.#setUp(server, [mark]));
    }
    const name = this.#shards.local(PIECES_TABLE);
    const pieces = this.#create(name, PIECES, this.#merging(name, PIECES_SPLIT));
    await this.#shards.onEach((server) => this.#setUp(server, [[name, pieces]]));
    for (const table of tables) {
      const [, kind] = /^(.+)_rows$/.exec(table) ?? [];
      if (kind !== undefined) await this.ensure(kind, []);
    }
  }

  #found(tables: ReadonlyMap<string, string>): void {
    if (tables.has(SCHEMA_TABLE)) return;
    const { database, origin } = this.#server;
    throw new Unavailable(`no sets are stored in the database ${database} of ${origin}`, {
      hint: 'name the database that a server stores them in',
    });
  }

  #schema(): number {
    return this.#shards.cluster === undefined ? SCHEMA : SHARDED_SCHEMA;
  }

  async #check(): Promise<void> {
    const { database } = this.#server;
    const sql = `SELECT max(schema) AS schema FROM ${this.#server.table(SCHEMA_TABLE)}`;
    const [found] = await this.#server.rows<{ schema: number }>('read its schema', sql);
    if ((found?.schema ?? 0) <= this.#schema()) return;
    throw new Unavailable(
      `${database} was written by a later version: its schema is ${found?.schema}, not ${this.#schema()}`,
    );
  }

  #statements(): Statement[] {
    const { cluster } = this.#shards;
    const merging = `ReplacingMergeTree(generation)`;
    return [
      [
        SETS_TABLE,
        this.#create(
          SETS_TABLE,
          `kind String, startMs Int64, endMs Int64,
          windowStart DateTime('UTC'), windowEnd DateTime('UTC'),
          generation UInt64, version UInt64, rows UInt64, bytes UInt64, crc32 UInt32,
          directory String, meta String, damage String, checksum UInt32`,
          `${this.#shards.engine(SETS_TABLE, merging, true)} ORDER BY (kind, startMs, endMs)${this.#synced()}`,
        ),
      ],
      [PIECES_TABLE, this.#create(PIECES_TABLE, PIECES, this.#asked(PIECES_TABLE, PIECES_SPLIT))],
      [
        CURRENT_VIEW,
        `CREATE VIEW IF NOT EXISTS ${this.#server.table(CURRENT_VIEW)} AS
          SELECT kind, startMs, endMs, any(windowStart) AS start, any(windowEnd) AS end,
            argMax(version, generation) AS setVersion, argMax(rows, generation) AS setRows,
            argMax(meta, generation) AS about, argMax(damage, generation) AS damaged
          FROM ${this.#server.table(SETS_TABLE)} GROUP BY kind, startMs, endMs HAVING setVersion > 0`,
      ],
      ...(cluster === undefined ? [this.#schemaTable()] : []),
    ];
  }

  /** The last: it says that all others are there. */
  #schemaTable(): Statement {
    const engine = this.#shards.engine(SCHEMA_TABLE, 'MergeTree', true);
    const parts = `${engine} ORDER BY schema${this.#synced()}`;
    return [SCHEMA_TABLE, this.#create(SCHEMA_TABLE, 'schema UInt32', parts)];
  }

  #create(name: string, columns: string, engine: string): string {
    return `CREATE TABLE IF NOT EXISTS ${this.#server.table(name)} (${columns}) ENGINE = ${engine}`;
  }

  /** The engine of a table that has rows. */
  #merging(name: string, { parts }: Split): string {
    return `${this.#shards.engine(name, 'MergeTree')} ${parts}${this.#synced()}`;
  }

  /** The engine of a table that is read and inserted into. */
  #asked(name: string, split: Split): string {
    return this.#shards.cluster === undefined
      ? this.#merging(name, split)
      : this.#shards.distributed(name, split.key);
  }

  #synced(): string {
    return this.#major >= SYNCED_SINCE ? SYNCED : '';
  }

  async #run(server: ClickHouse, statement: string): Promise<void> {
    const settings = this.#major < CODED_SINCE ? ALLOWED : {};
    await server.run('set up its tables', statement, settings);
  }

  /** Adds what the kind's tables do not have. @throws {Unavailable} where a column is of another type */
  async ensure(kind: string, columns: readonly TableColumn[]): Promise<void> {
    const isFirst = !this.#columns.has(kind);
    const known = this.#columns.get(kind) ?? (await this.#load(kind));
    const missing = columns.filter(({ name }) => !known.has(name));
    const isChanged = missing.length > 0 || known.size === 0;
    if (isChanged || (isFirst && this.#shards.cluster !== undefined))
      await this.#grow(kind, known, missing);
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

  /** Shards first: what is asked has no column that they do not have. */
  async #grow(
    kind: string,
    known: ReadonlyMap<string, string>,
    missing: readonly TableColumn[],
  ): Promise<void> {
    const table = rowsTable(kind);
    const added = missing.map(({ name, type }) => [name, type] as const);
    const all = new Map([...OWN_COLUMNS, ...known, ...added]);
    if (this.#shards.cluster !== undefined) {
      const local = this.#shards.local(table);
      const merging = this.#merging(local, ROWS_SPLIT);
      await this.#shards.onEach((server) => this.#growTable(server, local, all, merging));
    }
    const engine = this.#asked(table, ROWS_SPLIT);
    await this.#shards.onAsked((server) => this.#growTable(server, table, all, engine));
    await this.#load(kind);
  }

  async #growTable(
    server: ClickHouse,
    name: string,
    columns: ReadonlyMap<string, string>,
    engine: string,
  ): Promise<void> {
    const known = await columnsOf(server, name);
    const missing = [...columns].filter(([column]) => !known.has(column));
    const told = missing.map(([column, type]) => `${quoted(column)} ${type}`);
    if (known.size === 0)
      return await this.#run(server, this.#create(name, told.join(', '), engine));
    if (missing.length === 0) return;
    const added = told.map((column) => `ADD COLUMN ${column}`).join(', ');
    await this.#run(server, `ALTER TABLE ${server.table(name)} ${added}`).catch(
      (error: unknown) => {
        // Another process may have added them meanwhile; the types are looked at in any case.
        if (!(error instanceof Refused)) throw error;
      },
    );
  }

  /** Has the view of the kind show all columns of its table. */
  async #show(kind: string): Promise<void> {
    const columns = [...(this.#columns.get(kind)?.keys() ?? [])].filter((name) => name !== VERSION);
    const [view, table] = [kind, rowsTable(kind)].map((name) => this.#server.table(name));
    // Shards have no manifest: its versions go with the question.
    const among = this.#shards.cluster === undefined ? 'IN' : 'GLOBAL IN';
    await this.#shards.onAsked(async (server) => {
      const shown = await columnsOf(server, kind);
      if (columns.every((name) => shown.has(name))) return;
      await this.#run(server, `DROP TABLE IF EXISTS ${view}`);
      await this.#run(
        server,
        `CREATE VIEW IF NOT EXISTS ${view} AS SELECT ${columns.map(quoted).join(', ')}
        FROM ${table} WHERE ${VERSION} ${among} (SELECT setVersion
        FROM ${this.#server.table(CURRENT_VIEW)} WHERE kind = ${literal(kind)})`,
      );
    });
  }

  async #load(kind: string): Promise<ReadonlyMap<string, string>> {
    const found = await columnsOf(this.#server, rowsTable(kind));
    this.#columns.set(kind, found);
    return found;
  }
}

async function columnsOf(server: ClickHouse, name: string): Promise<Map<string, string>> {
  const [database, table] = [server.database, name].map(literal);
  const sql = `SELECT name, type FROM system.columns WHERE database = ${database} AND table = ${table}`;
  const rows = await server.rows<{ name: string; type: string }>('list columns', sql);
  return new Map(rows.map(({ name: column, type }) => [column, type]));
}
