/**
 * Files of this machine that stand for sets elsewhere, within a budget of bytes. They are of this
 * process alone. What a killed one left goes as the next one opens the folder, unless it was a temporary one:
 *
 *   cache/lock
 *   cache/<name>
 *
 * The files used longest ago go first, whoever has them open reads on. A file that is being filled stays.
 */
import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unavailable } from '../../query/index.ts';
import { attempt } from '../disk-error.ts';
import { lockFolder, type Lock } from '../folder/lock.ts';

export interface CacheState {
  readonly files: number;
  readonly bytes: number;
}

interface Held {
  bytes: number;
  /** How many fill it now. */
  filling: number;
}

export class CacheFolder {
  readonly folder: string;
  readonly #bytesMax: number;
  readonly #lock: Lock | undefined;
  /** By name, the one used longest ago first. */
  readonly #held: Map<string, Held> = new Map();
  /** Files that are being removed, and are no longer held. */
  readonly #going: Map<string, Promise<void>> = new Map();
  readonly #onGone: Set<(name: string) => void> = new Set();
  #bytes = 0;

  /** @param lock undefined: the folder is a temporary one */
  constructor(folder: string, bytesMax: number, lock: Lock | undefined) {
    this.folder = folder;
    this.#bytesMax = bytesMax;
    this.#lock = lock;
  }

  get state(): CacheState {
    return { files: this.#held.size, bytes: this.#bytes };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Called with the name of each file that is gone. */
  onGone(listener: (name: string) => void): void {
    this.#onGone.add(listener);
  }

  /** The file stays as long as `work` fills it. @param work returns how many bytes it has then */
  async fill(name: string, work: () => Promise<number>): Promise<void> {
    // One that is filled before the old one has gone would be emptied under its readers, then removed.
    while (this.#going.has(name)) await this.#going.get(name);
    const held = this.#touch(name);
    held.filling++;
    try {
      const bytes = await attempt(`fill the cache ${this.folder}`, work);
      this.#bytes += bytes - held.bytes;
      held.bytes = bytes;
    } finally {
      held.filling--;
    }
    await this.#trim(name);
  }

  /** Forgets a file, such as one that is damaged. */
  async drop(name: string): Promise<void> {
    const held = this.#held.get(name);
    if (held === undefined) return await this.#going.get(name);
    this.#held.delete(name);
    this.#bytes -= held.bytes;
    for (const listener of this.#onGone) listener(name);
    const path = this.path(name);
    const going = attempt(`remove ${path}`, () => rm(path, { force: true }));
    this.#going.set(name, going);
    await going.finally(() => this.#going.delete(name));
  }

  async close(): Promise<void> {
    for (const name of [...this.#held.keys(), ...this.#going.keys()]) await this.drop(name);
    if (this.#lock === undefined) await rm(this.folder, { recursive: true, force: true });
    else await this.#lock.release();
  }

  /** A file is used now. */
  #touch(name: string): Held {
    const held = this.#held.get(name) ?? { bytes: 0, filling: 0 };
    this.#held.delete(name);
    this.#held.set(name, held);
    return held;
  }

  /** @param newest stays, however large it is */
  async #trim(newest: string): Promise<void> {
    for (const [name, { filling }] of this.#held) {
      if (this.#bytes <= this.#bytesMax) return;
      if (filling === 0 && name !== newest) await this.drop(name);
    }
  }
}

/**
 * A cache in the folder, or in one of the system's temporary ones, where there is none or another process has it.
 * @throws {Unavailable} when it cannot be made
 */
export async function openCacheFolder(
  folder: string | undefined,
  bytesMax: number,
): Promise<CacheFolder> {
  const locked = folder === undefined ? undefined : await lockedCache(folder);
  if (locked !== undefined) return new CacheFolder(locked.folder, bytesMax, locked.lock);
  const own = mkdtempSync(join(tmpdir(), 'prorata-cache-'));
  return new CacheFolder(own, bytesMax, undefined);
}

async function lockedCache(
  folder: string,
): Promise<{ readonly folder: string; readonly lock: Lock } | undefined> {
  await attempt(`use the folder ${folder}`, () => mkdir(folder, { recursive: true }));
  let lock: Lock;
  try {
    lock = await lockFolder(folder);
  } catch (error) {
    if (error instanceof Unavailable) return undefined;
    throw error;
  }
  // What a process left that had no time to clear it away.
  for (const name of await readdir(folder)) {
    if (!name.startsWith('lock')) await rm(join(folder, name), { recursive: true, force: true });
  }
  return { folder, lock };
}
