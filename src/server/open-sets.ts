/** Stored sets, at the place that the configuration names. */
import { readFileSync } from 'node:fs';
import { openBuckets } from '../buckets/index.ts';
import { Arena, createMemory, type OwnedMemory } from '../columnar/index.ts';
import { Fault } from '../query/index.ts';
import { cloudOptions } from '../settings/cloud-options.ts';
import type { Config } from '../settings/config.ts';
import { nameOfStorePlace, storeOf, type StorePlace } from '../settings/store.ts';
import {
  createMemorySets,
  fullAtStart,
  isDiskFull,
  isWritable,
  openArrowFiles,
  openReadOnly,
  openReadOnlySets,
  type QueriedSets,
  type Sets,
} from '../storage/index.ts';
import { ClickHouseSets, openClickHouseSets } from '../storage/clickhouse/clickhouse-sets.ts';
import { readClickHouseUrl, type ClickHousePlace } from '../storage/clickhouse/clickhouse-url.ts';
import { ObjectSets, openObjectSets, type ObjectSetsOptions } from '../storage/objects/object-sets.ts'; // prettier-ignore
import { BuiltSets } from '../storage/objects/built-sets.ts';
import type { Lease } from '../storage/objects/lease.ts';
import { openLease } from './parts/open-lease.ts';
import { roleState } from './parts/told-role.ts';
import type { ObjectPlace } from '../storage/objects/place.ts';
import { keptDays } from './clock.ts';

/** Memory, and workers whose wishes for sets elsewhere are heard. */
export interface StoreMemory extends OwnedMemory {
  readonly pool: { onMessage(listener: (message: unknown) => void): () => void };
}

/**
 * @param note gets a sentence for what was damaged and how it was handled
 * @throws {Unavailable} when another process has the folder, or the bucket does not answer
 */
export async function openSets(
  config: Config,
  memory: StoreMemory,
  note: (sentence: string) => void,
): Promise<Sets> {
  const { nowMs } = config;
  const { arena, owners, pool } = memory;
  const clock = nowMs === undefined ? {} : { nowMs: () => nowMs };
  const store = storeOf(config);
  switch (store.kind) {
    case 'memory':
      return createMemorySets({ arena, owner: owners.take(), ...clock });
    case 'folder':
      return await openArrowFiles({ folder: store.folder, arena, note, ...clock });
    case 'bucket':
    case 'clickhouse': {
      const own = { arena, folder: config.dataDir, note };
      return await openElsewhere(config, store, pool, own);
    }
  }
}

type Elsewhere = Extract<StorePlace, { readonly kind: 'bucket' | 'clickhouse' }>;

/** Sets that are read through files of this machine. */
async function openElsewhere(
  config: Config,
  store: Elsewhere,
  pool: StoreMemory['pool'],
  own: Pick<ObjectSetsOptions, 'arena' | 'folder' | 'note' | 'isReadOnly'>,
): Promise<ObjectSets | ClickHouseSets> {
  const fromWorkers = pool.onMessage.bind(pool);
  const options = { ...own, cacheBytes: config.storeCacheBytes, fromWorkers };
  return store.kind === 'bucket'
    ? await openObjectSets({ ...objectPlaceOf(config, store), ...options })
    : await openClickHouseSets({
        ...clickHousePlaceOf(config, store),
        ...options,
        push: config.storePush,
      });
}

/**
 * Sets for questions of a command: what is stored is not changed.
 * @throws {Fault} when there is no such folder
 * @throws {Unavailable} when it cannot be read
 */
export async function openQueriedSets(
  config: Config,
  pool: StoreMemory['pool'],
): Promise<QueriedSets & { close(): Promise<void> }> {
  const store = storeOf(config);
  const arena = new Arena(createMemory(1 << 20));
  if (store.kind === 'bucket' || store.kind === 'clickhouse') {
    const own = { arena, note: () => undefined, isReadOnly: true };
    return await openElsewhere(config, store, pool, own);
  }
  const sets =
    store.kind === 'memory'
      ? createMemorySets({ arena, owner: 1 })
      : await openReadOnly(store.folder);
  return Object.assign(sets, { close: () => Promise.resolve() });
}

/** Workers that are started after the sets are opened, or never. */
export class LateWorkers {
  readonly #listeners: Set<(message: unknown) => void> = new Set();

  onMessage(listener: (message: unknown) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  connect(pool: StoreMemory['pool']): void {
    pool.onMessage((message) => this.#listeners.forEach((listener) => listener(message)));
  }
}

/** The place in a bucket, for reading and writing. */
export function objectPlaceOf(
  config: Config,
  { place }: Extract<StorePlace, { readonly kind: 'bucket' }>,
): ObjectPlace {
  return { bucket: openBuckets(cloudOptions(config), 'write')(place), prefix: place.key };
}

/**
 * The database, with the password of its user.
 * @param parameter that names it, for messages
 * @throws {Fault} when the password would go unencrypted
 */
export function clickHousePlaceOf(
  { storePassword, storePasswordFile }: Config,
  { url }: Extract<StorePlace, { readonly kind: 'clickhouse' }>,
  parameter: string = '--store',
): ClickHousePlace {
  const password = storePasswordFile === undefined ? storePassword : passwordIn(storePasswordFile);
  return readClickHouseUrl(url, parameter, password ?? '');
}

function passwordIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    const hint = 'name a file that this process may read';
    throw new Fault(`--store-password-file: cannot read ${path}`, { hint, cause });
  }
}

/** Sets that a server answers from. */
export interface ServedSets {
  readonly sets: Sets;
  /** The same, as the builder changes them. */
  readonly built: Sets;
  /** The same, where other processes share them. */
  readonly shared: ObjectSets | undefined;
  /** By which one of these builds; undefined where this process never does, or alone. */
  readonly lease: Lease | undefined;
  /** Nothing of the folder can be changed. */
  readonly isReadOnly: boolean;
  /** What was damaged, and how it was handled. */
  readonly notes: readonly string[];
  /** For `/readyz?verbose`: notes of the store; nothing without one. */
  state(): object;
}

/** Notes that are remembered for `/readyz?verbose`. */
const NOTES_MAX = 100;

/**
 * @param noted as `note`, for what `/readyz?verbose` shows as well
 * @throws the errors of `openServedSets`
 */
async function openServedFolder(
  config: Config,
  folder: string,
  memory: StoreMemory,
  note: (sentence: string) => void,
  noted: (sentence: string) => void,
): Promise<Pick<ServedSets, 'sets' | 'isReadOnly'>> {
  const { arena } = memory;
  if (!(await isWritable(folder))) {
    note(`${folder} cannot be written: it is served as it is, and nothing is kept`);
    return { sets: await openReadOnlySets(folder, arena, noted), isReadOnly: true };
  }
  try {
    return { sets: await openSets(config, memory, noted), isReadOnly: false };
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    noted(
      `the disk of ${folder} is full: it is served read-only and nothing is kept; make room and restart`,
    );
    return { sets: await openReadOnlySets(folder, arena, noted, fullAtStart), isReadOnly: true };
  }
}

/**
 * As `openSets`; a folder that this process may not write to, or whose disk is full, is served as it is.
 * @throws {Unavailable} when another process has a folder that could be written
 */
export async function openServedSets(
  config: Config,
  memory: StoreMemory,
  note: (sentence: string) => void,
): Promise<ServedSets> {
  const store = storeOf(config);
  const notes: string[] = [];
  const noted = (sentence: string): void => {
    if (notes.push(sentence) > NOTES_MAX) notes.shift();
    note(sentence);
  };
  const { sets, isReadOnly } =
    store.kind === 'folder'
      ? await openServedFolder(config, store.folder, memory, note, noted)
      : { sets: await openSets(config, memory, noted), isReadOnly: false };
  const kept = keptDays(config, sets);
  if (kept !== undefined) noted(kept);
  const shared = sets instanceof ObjectSets ? sets : undefined;
  const lease =
    shared === undefined || config.role === 'serve' ? undefined : openLease(config, shared, note);
  const built = shared && lease ? new BuiltSets(shared, () => lease.mark()) : sets;
  return {
    sets,
    built,
    shared,
    lease,
    isReadOnly,
    notes,
    state: () => {
      const more = { ...(isReadOnly ? { readOnly: true } : {}), ...(notes.length > 0 ? { notes } : {}) }; // prettier-ignore
      if (shared !== undefined)
        return { ...roleState(config, { shared, lease }), store: { ...shared.state, ...more } };
      if (sets instanceof ClickHouseSets) return { store: { ...sets.state, ...more } };
      return Object.keys(more).length > 0
        ? { folder: { path: nameOfStorePlace(store), ...more } }
        : {};
    },
  };
}
