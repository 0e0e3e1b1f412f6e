/** Removes rows and pieces of sets that no longer count, and of those that never did. */
import { literal } from './client.ts';
import { msOf, type Change } from './manifest.ts';
import { PIECES_TABLE, rowsTable, secondsOf } from './tables.ts';
import type { SetVersion } from './set-file.ts';
import type { Shards } from './shards.ts';

/** A partition of rows, as the server lists it. */
interface Partition {
  readonly table: string;
  /** `<seconds of the window's start>-<version of the set>` */
  readonly id: string;
}

/** What a process that ended in the midst has left: no change takes so long. */
const ABANDONED_MS = 6 * 3_600_000;

export async function dropSet(shards: Shards, { key, version }: SetVersion): Promise<void> {
  const id = `${secondsOf(key.startMs)}-${version}`;
  await dropPartition(shards, shards.local(rowsTable(key.kind)), id);
  await dropPartition(shards, shards.local(PIECES_TABLE), String(version));
}

/** Wherever it is: shards that do not have it drop nothing. */
async function dropPartition(shards: Shards, table: string, id: string): Promise<void> {
  await shards.onShards(async (server) => {
    const sql = `ALTER TABLE ${server.table(table)} DROP PARTITION ID ${literal(id)}`;
    await server.run('remove replaced rows', sql);
  });
}

/**
 * Drops what has no place in the manifest and is older than any change under way. A key that was changed
 * within `graceMs` is left alone: somebody may still read what it had.
 */
export async function dropAbandoned(
  shards: Shards,
  changes: Iterable<Change>,
  { nowMs, graceMs }: { readonly nowMs: number; readonly graceMs: number },
): Promise<number> {
  const used = new Set<string>();
  for (const { key, entry, generation } of changes) {
    used.add(String(entry?.version));
    if (nowMs - msOf(generation) < graceMs)
      used.add(`${shards.local(rowsTable(key.kind))}/${secondsOf(key.startMs)}`);
  }
  let dropped = 0;
  for (const { table, id } of await partitions(shards)) {
    const [start = '', version = start] = id.split('-');
    if (used.has(version) || used.has(`${table}/${start}`)) continue;
    if (nowMs - msOf(Number(version)) < ABANDONED_MS) continue;
    await dropPartition(shards, table, id);
    dropped++;
  }
  return dropped;
}

async function partitions(shards: Shards): Promise<Partition[]> {
  const lists = await shards.onShards(async (server) => {
    const sql = `SELECT DISTINCT table, partition_id AS id FROM system.parts
      WHERE active AND database = ${literal(server.database)}
      AND (table = ${literal(shards.local(PIECES_TABLE))} OR table LIKE ${likeEnd(shards.local(rowsTable('')))})`;
    return await server.rows<Partition>('list partitions', sql);
  });
  return lists.flat();
}

/** A pattern of names that end so. */
function likeEnd(end: string): string {
  return `'%${end.replaceAll('_', String.raw`\\_`)}'`;
}
