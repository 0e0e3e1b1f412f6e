/** Sets in ClickHouse (clickhouse-store.ts), read through files of this machine (clickhouse-copies.ts). */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Arena, Owner } from '../../columnar/index.ts';
import type { EncodedSet } from '../arrow/encode-set.ts';
import { readOrSetAside, SetReader } from '../folder/read-set.ts';
import { openCacheFolder, type CacheFolder } from '../remote/cache-folder.ts';
import { provide, type FromWorkers, type Provider } from '../remote/provider.ts';
import type { ReducedBytes, Reduction } from '../reduction.ts';
import type { SetKey } from '../set-key.ts';
import type { ReadTable, Report, SetInfo, Sets, StoredSet } from '../sets.ts';
import { ClickHouseCopies } from './clickhouse-copies.ts';
import { ClickHouseStore, type ClickHouseStoreOptions } from './clickhouse-store.ts';
import type { PushMode } from './push-mode.ts';
import { Reductions } from './reductions.ts';
import { fileName, readFileName } from './set-file.ts';

export interface ClickHouseSetsOptions extends ClickHouseStoreOptions {
  readonly arena: Arena;
  /** A folder for local things; absent: a temporary one. */
  readonly folder?: string | undefined;
  /** Budget of the local cache. */
  readonly cacheBytes: number;
  readonly fromWorkers: FromWorkers;
  /** Whether rows are added up by the server; absent: `auto`. */
  readonly push?: PushMode | undefined;
}

export interface ClickHouseState {
  readonly store: string;
  readonly cache: { readonly files: number; readonly bytes: number };
  /** How often the server has added up the rows of a set. */
  readonly addedUp: number;
}

/** @throws {Unavailable} when the server does not answer or refuses, or a later version wrote the store */
export async function openClickHouseSets(options: ClickHouseSetsOptions): Promise<ClickHouseSets> {
  const { folder, cacheBytes } = options;
  const store = new ClickHouseStore(options);
  await store.open();
  try {
    const cache = await openCacheFolder(folder && join(folder, 'cache'), cacheBytes);
    return new ClickHouseSets(options, store, cache);
  } catch (error) {
    await store.close();
    throw error;
  }
}

export class ClickHouseSets implements Sets {
  readonly #store: ClickHouseStore;
  readonly #cache: CacheFolder;
  readonly #copies: ClickHouseCopies;
  readonly #reductions: Reductions;
  readonly #remote: string = randomUUID();
  readonly #provider: Provider;
  readonly #reader: SetReader;

  constructor(
    { arena, fromWorkers, push = 'auto' }: ClickHouseSetsOptions,
    store: ClickHouseStore,
    cache: CacheFolder,
  ) {
    this.#store = store;
    this.#cache = cache;
    this.#copies = new ClickHouseCopies(store.server, cache);
    this.#reductions = new Reductions(store.server, push);
    this.#provider = provide(this.#remote, this.#copies, fromWorkers);
    this.#reader = new SetReader(arena);
  }

  get state(): ClickHouseState {
    const { origin, database } = this.#store.server;
    return {
      store: `${database} of ${origin}`,
      cache: this.#cache.state,
      addedUp: this.#reductions.answered,
    };
  }

  get version(): number {
    return this.#store.version;
  }

  kinds(): readonly string[] {
    return this.#store.kinds();
  }

  list(kind: string): readonly SetInfo[] {
    return this.#store.list(kind);
  }

  locate(key: SetKey): StoredSet | undefined {
    const entry = this.#store.find(key);
    if (entry === undefined) return undefined;
    const place = { remote: this.#remote, name: fileName(entry) };
    return { key, place, directory: entry.directory };
  }

  async read(
    key: SetKey,
    owner: Owner,
    columns?: readonly string[],
  ): Promise<ReadTable | undefined> {
    return await readOrSetAside(this, key, (stored) =>
      this.#provider.read(this.#reader, stored, owner, columns),
    );
  }

  async addUp({ key, place }: StoredSet, reduction: Reduction): Promise<ReducedBytes | undefined> {
    const set = 'remote' in place ? readFileName(place.name) : undefined;
    if (set === undefined) return undefined;
    const isHere = (columns: readonly string[]): boolean =>
      this.#copies.has(fileName(set), columns);
    return await this.#reductions.ask({ key, version: set.version }, reduction, isHere);
  }

  write(
    sets: Iterable<EncodedSet> | AsyncIterable<EncodedSet>,
    replaced?: () => readonly SetKey[],
  ): Promise<void> {
    return this.#store.write(sets, replaced);
  }

  remove(keys: readonly SetKey[]): Promise<void> {
    return this.#store.remove(keys);
  }

  async setAside({ key, place }: StoredSet): Promise<void> {
    if (!('remote' in place)) return;
    await this.#copies.drop(place.name);
    await this.#store.setAside(key, place.name);
  }

  verify(): Promise<Report> {
    return this.#store.verify();
  }

  async close(): Promise<void> {
    this.#provider.close();
    await this.#store.close();
    await this.#cache.close();
  }
}
