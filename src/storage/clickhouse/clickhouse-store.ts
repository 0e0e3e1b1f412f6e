/**
 * Sets in ClickHouse: rows in tables that anybody may ask by SQL (tables.ts), a manifest that says which of
 * them count (manifest.ts). A change stores rows under a version of their own, then one block of the
 * manifest: the commit. Nothing is ever changed in place, so that a process that dies at any call leaves
 * the old sets or the new ones, and rows that nobody sees.
 */
import type { EncodedSet } from '../arrow/encode-set.ts';
import { columnsOf } from '../arrow/file-columns.ts';
import { follow } from '../follow.ts';
import { DamagedSet, idOf, kindsOf, nameOf, setsOfKind, type SetKey } from '../set-key.ts';
import type { Report, SetInfo } from '../sets.ts';
import { writeAsMade } from '../write-as-made.ts';
import { ClickHouse } from './client.ts';
import { Manifest, type Change, type Entry } from './manifest.ts';
import { damageOf } from './rebuilt.ts';
import { mayPass } from './refusal.ts';
import { Schema } from './schema.ts';
import { factsPiece } from './set-facts.ts';
import { fileName } from './set-file.ts';
import { pieceBlock, piecesOf, rowBlocks, tableColumns } from './set-rows.ts';
import { Shards, type ShardsOptions } from './shards.ts';
import { dropAbandoned, dropSet } from './sweep.ts';
import { PIECES_TABLE, rowsTable } from './tables.ts';

export interface ClickHouseStoreOptions extends ShardsOptions {
  /** Called with a sentence for each damage found and each thing done about it. */
  readonly note: (sentence: string) => void;
  readonly nowMs?: () => number;
  /** Milliseconds for which replaced rows stay, for readers. */
  readonly graceMs?: number;
  /** Nothing is written, and nothing is made where it is missing. */
  readonly isReadOnly?: boolean;
}

const GRACE_MS = 600_000;
/** Changes of other processes are seen so soon. */
const LOOK_MS = 2000;
/** Rows of processes that died are looked for so often, after a change. */
const SWEEP_MS = 3_600_000;
const TRIES = 3;

interface Gone {
  readonly entry: Entry;
  readonly atMs: number;
}

/** All of a store but reading columns. */
export class ClickHouseStore {
  readonly server: ClickHouse;
  readonly #options: ClickHouseStoreOptions;
  readonly #shards: Shards;
  readonly #schema: Schema;
  readonly #manifest: Manifest;
  readonly #nowMs: () => number;
  /** Sets that no longer count, the oldest first. */
  readonly #gone: Gone[] = [];
  /** Changes, one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #unfollow: () => void = () => undefined;
  #sweptMs = -Infinity;

  constructor(options: ClickHouseStoreOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
    this.server = new ClickHouse(options);
    this.#shards = new Shards(this.server, options);
    this.#schema = new Schema(this.server, this.#shards);
    this.#manifest = new Manifest(this.server, this.#nowMs, () => this.#shards.newest);
  }

  /** @throws {Unavailable} */
  async open(): Promise<void> {
    await this.#schema.open(this.#options.isReadOnly);
    await this.#look();
    this.#unfollow = follow(() => this.#look(), LOOK_MS);
  }

  get version(): number {
    return this.#manifest.version;
  }

  kinds(): readonly string[] {
    return kindsOf(this.#manifest.entries());
  }

  list(kind: string): readonly SetInfo[] {
    return setsOfKind(this.#manifest.entries(), kind);
  }

  /** @throws {DamagedSet} */
  find(key: SetKey): Entry | undefined {
    const entry = this.#manifest.get(key);
    if (entry?.damage !== undefined) throw new DamagedSet(key, entry.damage);
    return entry;
  }

  write(
    sets: Iterable<EncodedSet> | AsyncIterable<EncodedSet>,
    replaced: () => readonly SetKey[] = () => [],
  ): Promise<void> {
    return this.#inTurn(() => this.#write(sets, replaced));
  }

  remove(keys: readonly SetKey[]): Promise<void> {
    return this.#inTurn(async () => {
      const found = keys.filter((key) => this.#manifest.get(key) !== undefined);
      await this.#commit(found.map((key) => ({ key })));
    });
  }

  /** Has the set of that name known as damaged, if it counts and is damaged indeed. */
  setAside(key: SetKey, name: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#look();
      const entry = this.#manifest.get(key);
      if (entry === undefined || fileName(entry) !== name || entry.damage !== undefined) return;
      const damage = await damageOf(this.server, entry);
      if (damage === undefined || this.#options.isReadOnly === true) return;
      this.#options.note(`the stored ${nameOf(key)} are damaged: ${damage}`);
      await this.#commit([{ key, entry: { ...entry, damage } }]);
    });
  }

  async verify(): Promise<Report> {
    await this.#look();
    const entries = [...this.#manifest.entries()];
    const damages = [];
    let bytes = 0;
    for (const entry of entries) {
      const reason = entry.damage ?? (await damageOf(this.server, entry));
      if (reason === undefined) bytes += entry.bytes;
      else damages.push({ what: nameOf(entry.key), reason });
    }
    const { origin, database } = this.server;
    const over = this.#shards.cluster && `, over ${this.#shards.origins.join(', ')}`;
    const notes = [`the sets are in ${database} of ${origin}${over ?? ''}`];
    return { sets: entries.length, bytes, damages, notes };
  }

  async close(): Promise<void> {
    this.#unfollow();
    await this.#last;
  }

  async #write(
    encoded: Iterable<EncodedSet> | AsyncIterable<EncodedSet>,
    replaced: () => readonly SetKey[],
  ): Promise<void> {
    const made = new Map<string, Entry>();
    await this.#stage(encoded, made);
    const gone = replaced().filter((key) => this.#manifest.get(key) && !made.has(idOf(key)));
    await this.#commit([
      ...gone.map((key) => ({ key })),
      ...Array.from(made.values(), (entry) => ({ key: entry.key, entry })),
    ]);
  }

  /** Stores what nobody sees yet; all of it goes when some of it fails. */
  async #stage(
    encoded: Iterable<EncodedSet> | AsyncIterable<EncodedSet>,
    made: Map<string, Entry>,
  ): Promise<void> {
    const stored: Entry[] = [];
    try {
      await writeAsMade(encoded, async (set) => {
        const entry = await this.#store(set);
        stored.push(entry);
        made.set(idOf(set.key), entry);
      });
    } catch (error) {
      for (const entry of stored) await dropSet(this.#shards, entry).catch(() => undefined);
      throw error;
    }
  }

  /** Rows and pieces of a set; each try has a version of its own, so that none is stored twice. */
  async #store(set: EncodedSet): Promise<Entry> {
    const { key, meta, rows, bytes, crc32, directory } = set;
    const columns = columnsOf(set);
    const pieces = [...(await piecesOf(set, columns)), await factsPiece(set, columns)];
    for (let tried = 1; ; tried++) {
      const version = this.#manifest.next();
      try {
        await this.#schema.ensure(key.kind, tableColumns(columns));
        const into = this.server.table(rowsTable(key.kind));
        const body = (): Iterable<Uint8Array> => rowBlocks(set, columns, version);
        if (rows > 0) await this.server.insert('store rows', into, 'Native', body);
        await this.server.insert('store pieces', this.server.table(PIECES_TABLE), 'Native', () =>
          pieceBlock(version, pieces),
        );
        return { key, meta, rows, bytes: bytes.length, version, crc32, directory };
      } catch (error) {
        await dropSet(this.#shards, { key, version }).catch(() => undefined);
        if (tried >= TRIES || !mayPass(error)) throw error;
      }
    }
  }

  async #commit(wanted: readonly Omit<Change, 'generation'>[]): Promise<void> {
    if (wanted.length === 0) return;
    for (let tried = 1; ; tried++) {
      await this.#look();
      const generation = this.#manifest.next();
      try {
        const changes = wanted.map((change) => ({ ...change, generation }));
        this.#leave(await this.#manifest.commit(changes));
        // It holds, whether or not the server can be asked again.
        await this.#look().catch(() => undefined);
        if (this.#manifest.isLate(generation) && tried < TRIES) continue;
        return await this.#sweep();
      } catch (error) {
        // The server may have it, although it did not say so.
        if (await this.#isCommitted(wanted)) return;
        if (tried >= TRIES || !mayPass(error)) throw error;
      }
    }
  }

  async #isCommitted(wanted: readonly Omit<Change, 'generation'>[]): Promise<boolean> {
    await this.#look();
    return wanted.every(({ key, entry }) => {
      const now = this.#manifest.get(key);
      return now?.version === entry?.version && now?.damage === entry?.damage;
    });
  }

  async #look(): Promise<void> {
    this.#leave(await this.#manifest.look());
  }

  #leave(entries: readonly Entry[]): void {
    for (const entry of entries) this.#gone.push({ entry, atMs: this.#nowMs() });
  }

  /** A commit holds, whether or not old rows can be removed now. */
  async #sweep(): Promise<void> {
    const { graceMs = GRACE_MS, note } = this.#options;
    const nowMs = this.#nowMs();
    try {
      for (let [first] = this.#gone; first && nowMs - first.atMs >= graceMs; [first] = this.#gone) {
        await dropSet(this.#shards, first.entry);
        this.#gone.shift();
      }
      if (nowMs - this.#sweptMs < SWEEP_MS) return;
      this.#sweptMs = nowMs;
      await dropAbandoned(this.#shards, this.#manifest.changes(), { nowMs, graceMs });
    } catch (error) {
      note(
        `cannot remove replaced rows: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#last.then(change);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
