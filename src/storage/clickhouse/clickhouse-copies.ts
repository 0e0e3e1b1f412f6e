/**
 * Files of this machine for sets in ClickHouse: of the length of the set's own file, with its frame, and with
 * the columns that were asked for where they are in it. All else is a hole.
 */
import type { FileHandle } from 'node:fs/promises';
import type { Directory, DirectoryColumn } from '../arrow/directory.ts';
import type { CacheFolder } from '../remote/cache-folder.ts';
import { directoryIn, LocalCopies } from '../remote/local-copies.ts';
import type { RemoteSets } from '../remote/provider.ts';
import type { LocalSet } from '../remote/wish.ts';
import { DamagedSet } from '../set-key.ts';
import type { StoredSet } from '../sets.ts';
import type { ClickHouse } from './client.ts';
import { mayPass } from './refusal.ts';
import {
  columnParts,
  frameParts,
  readFileName,
  type FilePart,
  type SetVersion,
} from './set-file.ts';

interface Copy {
  directory: Directory | undefined;
  /** Names of the columns that are there. */
  readonly columns: Set<string>;
  bytes: number;
}

/** An answer that breaks off is asked for again. */
const TRIES = 3;

export class ClickHouseCopies implements RemoteSets {
  readonly #server: ClickHouse;
  readonly #copies: LocalCopies<Copy>;

  constructor(server: ClickHouse, cache: CacheFolder) {
    this.#server = server;
    this.#copies = new LocalCopies(cache, emptyCopy);
  }

  async bring(
    stored: StoredSet,
    columns: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<LocalSet> {
    return await this.#copies.bring(stored, async (name, file, copy) => {
      const set = versionOf(stored, name);
      copy.directory ??= await this.#frame(file, stored, set, copy);
      const { rows, columns: all } = copy.directory;
      const wanted = all.filter(
        (column) => 'type' in column && !copy.columns.has(column.name) && isIn(columns, column),
      );
      if (wanted.length > 0) await this.#columns(file, { set, rows, wanted, copy }, signal);
      return copy.bytes;
    });
  }

  /** Whether these columns are here, as far as the set has them. */
  has(name: string, columns: readonly string[]): boolean {
    const copy = this.#copies.known(name);
    const all = copy?.directory?.columns ?? [];
    const wanted = all.filter((column) => 'type' in column && isIn(columns, column));
    return copy?.directory !== undefined && wanted.every((each) => copy.columns.has(each.name));
  }

  /** Forgets the file of a set, which may not be what the server has. */
  async drop(name: string): Promise<void> {
    await this.#copies.drop(name);
  }

  async #frame(
    file: FileHandle,
    stored: StoredSet,
    set: SetVersion,
    copy: Copy,
  ): Promise<Directory> {
    for (const part of await frameParts(this.#server, set)) copy.bytes += await placed(file, part);
    return await directoryIn(file, stored);
  }

  async #columns(
    file: FileHandle,
    { set, rows, wanted, copy }: ColumnsWanted,
    signal: AbortSignal,
  ): Promise<void> {
    for (let tried = 1; ; tried++) {
      let bytes = 0;
      try {
        for await (const part of columnParts(this.#server, set, rows, wanted)) {
          signal.throwIfAborted();
          bytes += await placed(file, part);
        }
        copy.bytes += bytes;
        wanted.forEach(({ name }) => copy.columns.add(name));
        return;
      } catch (error) {
        if (tried >= TRIES || error instanceof DamagedSet || !mayPass(error)) throw error;
      }
    }
  }
}

interface ColumnsWanted {
  readonly set: SetVersion;
  readonly rows: number;
  readonly wanted: readonly DirectoryColumn[];
  readonly copy: Copy;
}

function isIn(columns: readonly string[] | undefined, { name }: DirectoryColumn): boolean {
  return columns?.includes(name) ?? true;
}

function emptyCopy(): Copy {
  return { directory: undefined, columns: new Set(), bytes: 0 };
}

/** @returns how many bytes it has */
async function placed(file: FileHandle, { at, bytes }: FilePart): Promise<number> {
  await file.write(bytes, 0, bytes.length, at);
  return bytes.length;
}

function versionOf({ key }: StoredSet, name: string): SetVersion {
  const read = readFileName(name);
  if (read === undefined) throw new Error(`BUG: no set is called ${name}`);
  return { key, version: read.version };
}
