/**
 * Sets as objects in a bucket, in the layout of a folder (place.ts): one object a set, written once, and
 * a manifest a generation, whose name is the commit. Many processes read and write it at one time: a
 * generation that another wrote is seen within two seconds.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Arena, Owner } from '../../columnar/index.ts';
import { Unavailable } from '../../query/index.ts';
import type { EncodedSet } from '../arrow/encode-set.ts';
import type { Entry } from '../folder/manifest.ts';
import { readOrSetAside, SetReader } from '../folder/read-set.ts';
import { follow } from '../follow.ts';
import { openCacheFolder, type CacheFolder } from '../remote/cache-folder.ts';
import { provide, type FromWorkers, type Provider } from '../remote/provider.ts';
import type { Mark } from '../mark.ts';
import { DamagedSet, idOf, kindsOf, setsOfKind, type SetKey } from '../set-key.ts';
import type { ReadTable, Report, SetInfo, Sets, StoredSet } from '../sets.ts';
import { checkConditions } from './conditions.ts';
import { fsckObjects } from './fsck.ts';
import { Generations, type Entries } from './generations.ts';
import { ObjectCopies, type CopyCounts } from './object-copies.ts';
import { nameOfStore, objectDamage, type ObjectPlace } from './place.ts';
import { putSets } from './put-sets.ts';
import { quarantine, standIn } from './stand-in.ts';
import { ORPHAN_MS, sweepGenerations, sweepOrphans } from './sweep.ts';

export interface ObjectSetsOptions extends ObjectPlace {
  readonly arena: Arena;
  /** A folder for local things; absent: a temporary one. */
  readonly folder?: string | undefined;
  /** Budget of the local cache. */
  readonly cacheBytes: number;
  readonly fromWorkers: FromWorkers;
  /** Called with a sentence for each damage found and each thing done about it. */
  readonly note: (sentence: string) => void;
  /** Milliseconds for which replaced objects stay, by the clock of the bucket. */
  readonly graceMs?: number;
  /** Nothing is written, and the store may refuse it. */
  readonly isReadOnly?: boolean;
  /** Milliseconds between two looks for what others wrote. */
  readonly lookMs?: number;
}

export interface ObjectSetsState {
  readonly store: string;
  readonly generation: number;
  /** The newest that committed; absent: none has yet. */
  readonly builder?: Mark;
  readonly cache: { readonly files: number; readonly bytes: number };
  /** Parts of sets that came from the bucket so far. */
  readonly read: CopyCounts;
}

const GRACE_MS = 600_000;
const LOOK_MS = 1500;

/**
 * @throws {Unavailable} when the bucket does not answer, has no conditional writes, or a later version
 * wrote the store
 */
export async function openObjectSets(options: ObjectSetsOptions): Promise<ObjectSets> {
  const { folder, cacheBytes, note, isReadOnly = false } = options;
  const signal = new AbortController().signal;
  if (!isReadOnly) await checkConditions(options, signal);
  const generations = new Generations(options, note);
  await generations.load(signal);
  if (!isReadOnly) await generations.begin(signal);
  const cache = await openCacheFolder(folder && join(folder, 'cache'), cacheBytes);
  return new ObjectSets(options, generations, cache).follow();
}

export class ObjectSets implements Sets {
  readonly #options: ObjectSetsOptions;
  readonly #generations: Generations;
  readonly #cache: CacheFolder;
  readonly #copies: ObjectCopies;
  readonly #remote: string = randomUUID();
  readonly #provider: Provider;
  readonly #reader: SetReader;
  readonly #stop: AbortController = new AbortController();
  #unfollow: () => void = () => undefined;
  /** Changes, one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #sweptOrphansMs = -ORPHAN_MS;

  constructor(options: ObjectSetsOptions, generations: Generations, cache: CacheFolder) {
    this.#options = options;
    this.#generations = generations;
    this.#cache = cache;
    this.#copies = new ObjectCopies(options, cache);
    this.#provider = provide(this.#remote, this.#copies, options.fromWorkers);
    this.#reader = new SetReader(options.arena);
  }

  /** Looks for what others wrote, from time to time. */
  follow(): this {
    this.#unfollow = follow(() => this.look(), this.#options.lookMs ?? LOOK_MS);
    return this;
  }

  /** Takes up what others wrote. @throws {Unavailable} */
  async look(): Promise<void> {
    await this.#generations.look(this.#stop.signal);
  }

  get place(): ObjectPlace {
    return this.#options;
  }

  get state(): ObjectSetsState {
    const { generation, builder } = this.#generations.current;
    const store = nameOfStore(this.#options);
    const by = builder && { builder };
    return { store, generation, ...by, cache: this.#cache.state, read: { ...this.#copies.counts } };
  }

  get version(): number {
    return this.#generations.version;
  }

  kinds(): readonly string[] {
    return kindsOf(this.#entries.values());
  }

  list(kind: string): readonly SetInfo[] {
    return setsOfKind(this.#entries.values(), kind);
  }

  locate(key: SetKey): StoredSet | undefined {
    const entry = this.#entries.get(idOf(key));
    if (entry?.damage !== undefined) throw new DamagedSet(key, entry.damage);
    return entry && this.#storedIn(entry);
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

  write(
    sets: Iterable<EncodedSet> | AsyncIterable<EncodedSet>,
    replaced: () => readonly SetKey[] = () => [],
    mark?: () => Mark,
  ): Promise<void> {
    return this.#inTurn(() => this.#write(sets, replaced, mark));
  }

  remove(keys: readonly SetKey[], mark?: () => Mark): Promise<void> {
    return this.#inTurn(async () => {
      await this.#commit((sets) => {
        const left = new Map(sets);
        const found = keys.filter((key) => left.delete(idOf(key)));
        return found.length > 0 ? left : undefined;
      }, mark);
    });
  }

  /**
   * Says which builder commits from now on: those before it are refused.
   * @throws {StaleBuilder} (mark.ts) where a later one has said so
   */
  claim(mark: () => Mark): Promise<void> {
    return this.#inTurn(async () => {
      await this.#generations.look(this.#stop.signal);
      await this.#commit((sets) => sets, mark);
    });
  }

  setAside({ key, place }: StoredSet): Promise<void> {
    return this.#inTurn(async () => {
      const { signal } = this.#stop;
      await this.#generations.look(signal);
      const entry = this.#entries.get(idOf(key));
      const isCurrent = entry !== undefined && 'remote' in place && entry.file === place.name;
      if (!isCurrent || entry.damage !== undefined) return;
      await this.#copies.drop(entry.file);
      const damage = await objectDamage(this.#options, entry, signal);
      if (damage === undefined) return;
      if (this.#options.isReadOnly === true) return;
      const { by, note } = await standIn(
        this.#options,
        this.#generations.older,
        { entry, damage },
        signal,
      );
      this.#options.note(note);
      await quarantine(this.#options, entry, signal);
      await this.#commit((sets) =>
        sets.get(idOf(key))?.file === entry.file ? new Map([...sets, [idOf(key), by]]) : undefined,
      );
    });
  }

  verify(): Promise<Report> {
    return fsckObjects(this.#options, this.#stop.signal);
  }

  async close(): Promise<void> {
    this.#unfollow();
    await this.#last;
    this.#provider.close();
    this.#stop.abort();
    await this.#cache.close();
  }

  get #entries(): Entries {
    return this.#generations.current.sets;
  }

  #storedIn({ key, file, directory }: Entry): StoredSet {
    return { key, place: { remote: this.#remote, name: file }, directory };
  }

  async #write(
    encoded: Iterable<EncodedSet> | AsyncIterable<EncodedSet>,
    replaced: () => readonly SetKey[],
    mark: (() => Mark) | undefined,
  ): Promise<void> {
    const { signal } = this.#stop;
    const written = await putSets(this.#options, this.#generations.last + 1, encoded, signal);
    try {
      const gone = replaced();
      written.check();
      await this.#commit((sets) => changed(sets, written.made, gone), mark);
    } catch (error) {
      // Once a manifest was sent it may name them, whether that is answered or not.
      if (!(error instanceof Unavailable)) await written.undo();
      throw error;
    }
  }

  async #commit(change: (sets: Entries) => Entries | undefined, mark?: () => Mark): Promise<void> {
    const { signal } = this.#stop;
    if (!(await this.#generations.commit(change, signal, mark))) return;
    // The commit holds, whether or not old objects can be removed now.
    await this.#sweep(signal).catch((error: unknown) => {
      this.#options.note(`cannot remove old objects: ${String(error)}`);
    });
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { graceMs = GRACE_MS } = this.#options;
    await sweepGenerations(this.#options, this.#generations, graceMs, signal);
    const nowMs = performance.now();
    if (nowMs - this.#sweptOrphansMs < ORPHAN_MS) return;
    this.#sweptOrphansMs = nowMs;
    await sweepOrphans(this.#options, this.#generations, signal);
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#last.then(change);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

function changed(
  sets: Entries,
  made: ReadonlyMap<string, Entry>,
  gone: readonly SetKey[],
): Entries | undefined {
  const left = new Map(sets);
  const removed = gone.filter((key) => left.delete(idOf(key)));
  if (made.size + removed.length === 0) return undefined;
  return new Map([...left, ...made]);
}
