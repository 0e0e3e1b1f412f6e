/**
 * Copies of sets in a bucket: files of the same length with holes, filled by the columns that are asked
 * for. A set's directory comes first, near parts of it come in one request, several requests go at once.
 */
import { access, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import {
  readDirectory,
  type Directory,
  type DirectoryColumn,
  type Region,
} from '../arrow/directory.ts';
import type { CacheFolder } from '../remote/cache-folder.ts';
import type { RemoteSets } from '../remote/provider.ts';
import type { LocalSet } from '../remote/wish.ts';
import { DamagedSet } from '../set-key.ts';
import type { StoredSet } from '../sets.ts';
import { MISSING, setKey, type ObjectPlace } from './place.ts';
import { bytesOf, cut, joined, missing, type Range } from './ranges.ts';

/** Parts so near each other come together: what lies between costs less than a request. */
const GAP_BYTES = 16 << 10;
/** Longer parts come in several requests, which are faster than one. */
const PART_BYTES_MAX = 8 << 20;
/** Sets that come whole at once. */
const WHOLE_BYTES_MAX = 64 << 10;
/** Requests under way of all sets together. */
const AT_ONCE = 16;

interface Copy {
  /** Parts of the file that are filled. */
  there: readonly Range[];
  columns: readonly DirectoryColumn[] | undefined;
  /** Fills, one after the other, and how many there are. */
  last: Promise<unknown>;
  fills: number;
}

interface Filling {
  readonly stored: StoredSet;
  readonly name: string;
  readonly copy: Copy;
}

export interface CopyCounts {
  requests: number;
  bytes: number;
}

export class ObjectCopies implements RemoteSets {
  readonly counts: CopyCounts = { requests: 0, bytes: 0 };
  readonly #place: ObjectPlace;
  readonly #cache: CacheFolder;
  readonly #copies: Map<string, Copy> = new Map();
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(place: ObjectPlace, cache: CacheFolder) {
    this.#place = place;
    this.#cache = cache;
    cache.onGone((name) => this.#forget(name));
  }

  async bring(
    stored: StoredSet,
    columns: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<LocalSet> {
    const { place, directory } = stored;
    if (!('remote' in place)) throw new Error('BUG: a set that is here is brought');
    const { name } = place;
    await this.#inTurn(name, (copy) => this.#fill({ stored, name, copy }, columns, signal));
    return { path: this.#cache.path(name), directory };
  }

  /** Forgets the copy of a set, which is not what the bucket has. */
  async drop(name: string): Promise<void> {
    await this.#inTurn(name, () => this.#cache.drop(name));
  }

  async #inTurn(name: string, work: (copy: Copy) => Promise<void>): Promise<void> {
    const copy = this.#copies.get(name) ?? newCopy();
    this.#copies.set(name, copy);
    copy.fills++;
    const done = copy.last.then(() => work(copy));
    copy.last = done.catch(() => undefined);
    try {
      await done;
    } finally {
      copy.fills--;
      if (copy.there.length === 0 && copy.fills === 0) this.#copies.delete(name);
    }
  }

  /** Its file is gone; who waits to fill it begins anew. */
  #forget(name: string): void {
    const copy = this.#copies.get(name);
    if (copy === undefined) return;
    copy.there = [];
    copy.columns = undefined;
    if (copy.fills === 0) this.#copies.delete(name);
  }

  async #fill(
    one: Filling,
    columns: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { stored, name, copy } = one;
    await this.#cache.fill(name, async () => {
      // Whoever clears temporary folders away may have taken it.
      const isThere = await access(this.#cache.path(name)).then(
        () => true,
        () => false,
      );
      if (!isThere) [copy.there, copy.columns] = [[], undefined];
      const [at, bytes] = stored.directory;
      const foot: Range = at + bytes <= WHOLE_BYTES_MAX ? [0, at + bytes] : [at, at + bytes];
      await this.#ensure(one, [foot], signal);
      copy.columns ??= (await this.#directory(stored, name)).columns;
      const wanted = copy.columns.filter((column) => columns?.includes(column.name) ?? true);
      await this.#ensure(one, wanted.flatMap(rangesOf), signal);
      return bytesOf(copy.there);
    });
  }

  async #ensure(
    {
      stored,
      name,
      copy,
    }: { readonly stored: StoredSet; readonly name: string; readonly copy: Copy },
    wanted: readonly Range[],
    signal: AbortSignal,
  ): Promise<void> {
    const parts = joined(missing(wanted, copy.there), GAP_BYTES);
    if (parts.length === 0) return;
    // A file that is not there yet is made; one that is stays as it is.
    const file = await open(this.#cache.path(name), copy.there.length === 0 ? 'w' : 'r+');
    try {
      await Promise.all(
        cut(parts, PART_BYTES_MAX).map(async ([from, to]) => {
          const part = await this.#read(stored, name, [from, to], signal);
          await file.write(part, 0, part.length, from);
        }),
      );
    } finally {
      await file.close();
    }
    copy.there = joined([...copy.there, ...parts]);
  }

  async #read(
    { key }: StoredSet,
    name: string,
    [at, to]: Range,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    await this.#turn();
    try {
      const object = { key: setKey(this.#place, name), version: '' };
      const part = await this.#place.bucket.readRange(object, { at, bytes: to - at }, signal);
      if (part === undefined) throw new DamagedSet(key, MISSING);
      this.counts.requests++;
      this.counts.bytes += part.length;
      return part;
    } finally {
      this.#underWay--;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    while (this.#underWay >= AT_ONCE) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#underWay++;
  }

  async #directory(stored: StoredSet, name: string): Promise<Directory> {
    const [at, bytes, sum] = stored.directory;
    const file = await open(this.#cache.path(name), 'r');
    try {
      const text = Buffer.alloc(bytes);
      const { bytesRead } = await file.read(text, 0, bytes, at);
      if (bytesRead === bytes && crc32(text) === sum) return readDirectory(text.toString('latin1'));
      throw new DamagedSet(stored.key, 'its directory has not the bytes written');
    } finally {
      await file.close();
    }
  }
}

function newCopy(): Copy {
  return { there: [], columns: undefined, last: Promise.resolve(), fills: 0 };
}

function rangesOf(column: DirectoryColumn): Range[] {
  const regions: (Region | undefined)[] =
    'codes' in column
      ? [column.codes, column.offsets, column.texts]
      : 'values' in column
        ? [column.values]
        : 'bytes' in column
          ? [column.offsets, column.bytes]
          : [];
  return regions
    .filter((region) => region !== undefined)
    .map(([at, bytes]): Range => [at, at + bytes]);
}
