/** Copies of sets elsewhere, each a file of the cache with what is known of it. */
import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { readDirectory, type Directory } from '../arrow/directory.ts';
import { unlessMissing } from '../disk-error.ts';
import { DamagedSet } from '../set-key.ts';
import type { StoredSet } from '../sets.ts';
import type { CacheFolder } from './cache-folder.ts';
import type { LocalSet } from './wish.ts';

/** @param Copy what is known of a file: which parts of the set it has, say */
export class LocalCopies<Copy> {
  readonly #cache: CacheFolder;
  readonly #empty: () => Copy;
  readonly #copies: Map<string, Copy> = new Map();
  /** The last work on each file: one follows the other. */
  readonly #turns: Map<string, Promise<unknown>> = new Map();

  /** @param empty what is known of a new file */
  constructor(cache: CacheFolder, empty: () => Copy) {
    this.#cache = cache;
    this.#empty = empty;
    cache.onGone((name) => this.#copies.delete(name));
  }

  /** @param fill adds what is wanted and not there; returns the bytes of the file that are no hole */
  async bring(
    { place, directory }: StoredSet,
    fill: (name: string, file: FileHandle, copy: Copy) => Promise<number>,
  ): Promise<LocalSet> {
    if (!('remote' in place)) throw new Error('BUG: a set that is here is brought');
    const { name } = place;
    await this.#inTurn(name, () =>
      this.#cache.fill(name, async () => {
        const { file, copy } = await this.#open(name);
        try {
          return await fill(name, file, copy);
        } finally {
          await file.close();
        }
      }),
    );
    return { path: this.#cache.path(name), directory };
  }

  /** What is known of a file; undefined where there is none. */
  known(name: string): Copy | undefined {
    return this.#copies.get(name);
  }

  /** Forgets the copy of a set, which may not be what is elsewhere. */
  async drop(name: string): Promise<void> {
    await this.#inTurn(name, () => this.#cache.drop(name));
  }

  async #open(name: string): Promise<{ readonly file: FileHandle; readonly copy: Copy }> {
    const path = this.#cache.path(name);
    const known = this.#copies.get(name);
    if (known !== undefined) {
      // Whoever clears temporary folders away may have taken it.
      const file = await unlessMissing(`open ${path}`, undefined, () => open(path, 'r+'));
      if (file !== undefined) return { file, copy: known };
    }
    const [file, copy] = [await open(path, 'w+'), this.#empty()];
    this.#copies.set(name, copy);
    return { file, copy };
  }

  async #inTurn(name: string, work: () => Promise<void>): Promise<void> {
    const done = (this.#turns.get(name) ?? Promise.resolve()).then(work);
    const last = done.catch(() => undefined);
    this.#turns.set(name, last);
    try {
      await done;
    } finally {
      if (this.#turns.get(name) === last) this.#turns.delete(name);
    }
  }
}

/** @throws {DamagedSet} when the file has not the bytes written */
export async function directoryIn(
  file: FileHandle,
  { key, directory: [at, bytes, sum] }: StoredSet,
): Promise<Directory> {
  const text = Buffer.alloc(bytes);
  await file.read(text, 0, bytes, at);
  if (crc32(text) === sum) return readDirectory(text.toString('latin1'));
  throw new DamagedSet(key, 'its directory has not the bytes written');
}
