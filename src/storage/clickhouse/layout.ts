/**
 * How a database is laid out: on one server or over a cluster, and which store has the servers of one. The
 * manifest of a store is on one server, so that two servers of a cluster that are taken for that one
 * would be two stores, each of which would drop the other's rows as abandoned. So each server has a table
 *
 *   prorata_store   id of the store, and whether its manifest is here
 */
import { randomUUID } from 'node:crypto';
import { Unavailable } from '../../query/index.ts';
import { literal, type ClickHouse } from './client.ts';
import { PIECES_TABLE, SETS_TABLE } from './tables.ts';
import type { Shards } from './shards.ts';

const STORE_TABLE = 'prorata_store';

/** Engines of all tables and views of the database, by name. */
export async function enginesIn(server: ClickHouse): Promise<Map<string, string>> {
  const where = `WHERE database = ${literal(server.database)}`;
  const sql = `SELECT name, engine FROM system.tables ${where}`;
  const rows = await server.rows<{ name: string; engine: string }>('list tables', sql);
  return new Map(rows.map(({ name, engine }) => [name, engine]));
}

/** @throws {Unavailable} where tables are there that are not laid out as the URL says */
export function checkLayout(
  { database, origin }: ClickHouse,
  { cluster }: Shards,
  engines: ReadonlyMap<string, string>,
): void {
  const pieces = engines.get(PIECES_TABLE);
  if (pieces === undefined) return;
  const where = `the database ${database} of ${origin}`;
  const isSharded = pieces === 'Distributed';
  if (isSharded && cluster === undefined) {
    throw new Unavailable(`${where} lies over the shards of a cluster`, {
      hint: 'add cluster=NAME to the URL, as it was when the store was made',
    });
  }
  if (cluster === undefined) return;
  if (!isSharded) {
    throw new Unavailable(`${where} lies on this server alone, not over a cluster`, {
      hint: 'leave cluster=NAME out of the URL, or copy its sets into another database by prorata copy',
    });
  }
  const isReplicated = engines.get(SETS_TABLE)?.startsWith('Replicated') === true;
  if (isReplicated === cluster.isReplicated) return;
  throw new Unavailable(`${where} is ${isReplicated ? '' : 'not '}replicated`, {
    hint: `${isReplicated ? 'add replicated=true to' : 'leave replicated=true out of'} the URL`,
  });
}

interface Mark {
  readonly id: string;
  readonly isHome: number;
}

/**
 * Says on each server of the cluster whose rows are there. It reads after it has written, so that of two that do
 * so at once at least one is refused.
 * @param server that has the manifest
 * @param make makes a table where it is missing
 * @throws {Unavailable} where a server has rows of another store
 */
export async function markShards(
  server: ClickHouse,
  shards: Shards,
  make: (server: ClickHouse, table: readonly [name: string, statement: string]) => Promise<void>,
): Promise<void> {
  const own = await homeOf(server, make);
  await shards.onEach(async (shard) => {
    await make(shard, markTable(shard));
    if ((await marksOf(shard)).length === 0) await mark(shard, { id: own[0]?.id ?? '', isHome: 0 });
    const other = (await marksOf(shard)).find(({ id }) => !own.some((each) => each.id === id));
    if (other !== undefined) throw taken(shard);
  });
}

type Make = Parameters<typeof markShards>[2];

/** Marks of the server of the manifest. */
async function homeOf(server: ClickHouse, make: Make): Promise<readonly Mark[]> {
  await make(server, markTable(server));
  if ((await marksOf(server)).length === 0) await mark(server, { id: randomUUID(), isHome: 1 });
  const marks = await marksOf(server);
  const homes = marks.filter(({ isHome }) => isHome === 1);
  if (marks.every(({ id }) => homes.some((home) => home.id === id))) return homes;
  throw taken(server);
}

function taken({ database, origin }: ClickHouse): Unavailable {
  return new Unavailable(
    `${database} of ${origin} has rows of a store whose manifest is elsewhere`,
    {
      hint: 'name the server in the URL that was named when the store was made, or another database',
    },
  );
}

function markTable(server: ClickHouse): readonly [name: string, statement: string] {
  const table = server.table(STORE_TABLE);
  return [
    STORE_TABLE,
    `CREATE TABLE IF NOT EXISTS ${table} (id String, isHome UInt8) ENGINE = MergeTree ORDER BY id`,
  ];
}

async function marksOf(server: ClickHouse): Promise<Mark[]> {
  const sql = `SELECT id, isHome FROM ${server.table(STORE_TABLE)}`;
  return await server.rows<Mark>('see whose rows are there', sql);
}

async function mark(server: ClickHouse, row: Mark): Promise<void> {
  const body = (): Uint8Array[] => [Buffer.from(JSON.stringify(row))];
  await server.insert('say whose rows are there', server.table(STORE_TABLE), 'JSONEachRow', body);
}
