/**
 * The manifest: a table of changes, one row a set. All rows of one change are one block of one insert, which
 * ClickHouse stores whole or not at all: it is the commit. Of the rows of one key that of the highest
 * generation counts; the server drops the others as it merges.
 *
 * A generation is Unix milliseconds times a thousand and some digits by chance, and above all that were seen: a
 * number that no two processes give, ordered as changes are, whatever their clocks.
 */
import { crc32 } from 'node:zlib';
import type { Region } from '../arrow/directory.ts';
import { idOf, type SetKey, type SetMeta } from '../set-key.ts';
import type { SetInfo } from '../sets.ts';
import type { ClickHouse } from './client.ts';
import { SETS_TABLE, secondsOf } from './tables.ts';

/** What the manifest says of a key. */
export interface Change {
  readonly key: SetKey;
  readonly generation: number;
  /** The set, unless it is removed. */
  readonly entry?: Entry;
}

export interface Entry extends SetInfo {
  readonly version: number;
  readonly crc32: number;
  readonly directory: Region;
}

/** A row of the table, as JSON has it. */
interface Row {
  readonly kind: string;
  readonly startMs: string | number;
  readonly endMs: string | number;
  readonly generation: string | number;
  readonly version: string | number;
  readonly rows: string | number;
  readonly bytes: string | number;
  readonly crc32: number;
  readonly directory: string;
  readonly meta: string;
  readonly damage: string;
  readonly checksum: number;
}

/** Changes of a process with an older view may still come among those that were seen. */
const UNITS_PER_MS = 1000;
const MARGIN = 600_000 * UNITS_PER_MS;

/** Times of generations and versions. */
export function msOf(generation: number): number {
  return Math.floor(generation / UNITS_PER_MS);
}

export class Manifest {
  readonly #server: ClickHouse;
  readonly #nowMs: () => number;
  /** The end of its questions. */
  readonly #newest: () => string;
  /** The newest change of each key. */
  readonly #changes: Map<string, Change> = new Map();
  /** The highest generation of all changes seen. */
  #seen = 0;
  /** The last number that was given here. */
  #last = 0;
  /** Changes seen: another number whenever another change counts. */
  version = 0;

  constructor(server: ClickHouse, nowMs: () => number, newest: () => string) {
    this.#server = server;
    this.#nowMs = nowMs;
    this.#newest = newest;
  }

  /** A number that no other has, above all that were seen. */
  next(): number {
    const drawn =
      Math.floor(this.#nowMs()) * UNITS_PER_MS + Math.floor(Math.random() * UNITS_PER_MS);
    this.#last = Math.max(this.#last + 1, this.#seen + 1, drawn);
    return this.#last;
  }

  /**
   * Whether others may miss a change of that generation, as they have seen much higher ones: of a process whose
   * clock is far ahead, that came meanwhile.
   */
  isLate(generation: number): boolean {
    return this.#seen - generation > MARGIN / 2;
  }

  get(key: SetKey): Entry | undefined {
    return this.#changes.get(idOf(key))?.entry;
  }

  *entries(): Generator<Entry> {
    for (const { entry } of this.#changes.values()) if (entry !== undefined) yield entry;
  }

  changes(): Iterable<Change> {
    return this.#changes.values();
  }

  /** Reads what has changed. @returns the sets that no longer count @throws {Unavailable} */
  async look(): Promise<Entry[]> {
    const since = this.#seen - MARGIN;
    const where = this.version === 0 ? '' : ` WHERE generation > ${Math.max(0, since)}`;
    const sql = `SELECT kind, startMs, endMs, generation, version, rows, bytes, crc32, directory, meta, damage,
      checksum FROM ${this.#server.table(SETS_TABLE)}${where}`;
    const rows = await this.#server.rows<Row>('read the manifest', sql + this.#newest());
    if (this.version === 0) this.version = 1;
    return this.#apply(rows.map(changeOf));
  }

  /**
   * All of them at once; when this ends they count for good.
   * @returns the sets that no longer count
   * @throws {Unavailable} and none of them counts, unless the server was lost in the midst: then
   * all may count, and are seen by the next look
   */
  async commit(changes: readonly Change[]): Promise<Entry[]> {
    const rows = changes.map(rowOf);
    const body = (): Uint8Array[] => [
      Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n')),
    ];
    const into = this.#server.table(SETS_TABLE);
    await this.#server.insert('write the manifest', into, 'JSONEachRow', body);
    return this.#apply(changes);
  }

  #apply(changes: readonly Change[]): Entry[] {
    const gone: Entry[] = [];
    for (const change of changes) {
      const before = this.#changes.get(idOf(change.key));
      this.#seen = Math.max(this.#seen, change.generation);
      if (before !== undefined && before.generation >= change.generation) continue;
      this.#changes.set(idOf(change.key), change);
      this.version++;
      const { entry } = before ?? {};
      if (entry !== undefined && entry.version !== change.entry?.version) gone.push(entry);
    }
    return gone;
  }
}

function rowOf({ key, generation, entry }: Change): object {
  const [windowStart, windowEnd] = [key.startMs, key.endMs].map(secondsOf);
  const own = {
    kind: key.kind,
    startMs: key.startMs,
    endMs: key.endMs,
    generation,
    version: entry?.version ?? 0,
    rows: entry?.rows ?? 0,
    bytes: entry?.bytes ?? 0,
    crc32: entry?.crc32 ?? 0,
    directory: JSON.stringify(entry?.directory ?? []),
    meta: JSON.stringify(entry?.meta ?? {}),
    damage: entry?.damage ?? '',
  };
  return { ...own, windowStart, windowEnd, checksum: checksumOf(own) };
}

function changeOf(row: Row): Change {
  const [startMs, endMs, generation] = [row.startMs, row.endMs, row.generation].map(Number);
  const key = { kind: row.kind, startMs: startMs ?? 0, endMs: endMs ?? 0 };
  const version = Number(row.version);
  const about = { key, generation: generation ?? 0 };
  if (version === 0) return about;
  const sizes = { rows: Number(row.rows), bytes: Number(row.bytes) };
  const own = { key, ...sizes, version, crc32: row.crc32 };
  if (checksumOf(row) !== row.checksum) return { ...about, entry: { ...own, ...UNKNOWN } };
  const { damage } = row;
  const entry: Entry = {
    ...own,
    meta: JSON.parse(row.meta) as SetMeta,
    directory: JSON.parse(row.directory) as Region,
    ...(damage === '' ? {} : { damage }),
  };
  return { ...about, entry };
}

/** Stands for what a row says that somebody changed. */
const UNKNOWN: Pick<Entry, 'meta' | 'directory' | 'damage'> = {
  meta: { state: 'partial', timezone: 'UTC', createdMs: 0, source: '', warnings: [] },
  directory: [0, 0, 0],
  damage: 'its row of the manifest is not the one written',
};

type Checked = Omit<Row, 'checksum'>;

function checksumOf(row: Checked): number {
  const { kind, startMs, endMs, generation, version, rows, bytes } = row;
  const numbers = [startMs, endMs, generation, version, rows, bytes, row.crc32].map(Number);
  return crc32(JSON.stringify([kind, ...numbers, row.directory, row.meta, row.damage]));
}
