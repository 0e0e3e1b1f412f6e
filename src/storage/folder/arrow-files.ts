/**
 * Sets as Arrow files in a folder:
 *
 *   data/lock                   the process that has the folder
 *   data/manifest-7.json        the newest generation: which files count, and their checksums
 *   data/manifest-6.json        the one before
 *   data/sets/<kind>-<start>-<end>-<generation>-<index>.arrow
 *   data/quarantine/            damaged files, and those of damaged manifests
 *
 * No file is ever changed. A change writes new set files, then a new manifest, each under a
 * temporary name, synced, renamed, its folder synced: the manifest's name is the commit.
 */
import { join } from 'node:path';
import type { Arena, Owner } from '../../columnar/index.ts';
import { fileDamage, MISSING } from './checks.ts';
import { DISK, writeWhole, type Disk } from '../disk.ts';
import type { EncodedSet } from '../arrow/encode-set.ts';
import { isAt, setPath, SETS, storedIn } from './folders.ts';
import { fsck } from './fsck.ts';
import type { History } from './history.ts';
import { lockFolder, type Lock } from './lock.ts';
import { setName, type Entry } from './manifest.ts';
import { openFolder } from './open-folder.ts';
import { attempt } from '../disk-error.ts';
import { isWritable, readOnly } from './read-only.ts';
import { readOrSetAside, SetReader } from './read-set.ts';
import { DamagedSet, idOf, kindsOf, setsOfKind, type SetKey } from '../set-key.ts';
import type { ReadTable, Report, SetInfo, Sets, StoredSet } from '../sets.ts';
import { writeAsMade } from '../write-as-made.ts';

export interface ArrowFilesOptions {
  /** Made when it is not there. */
  readonly folder: string;
  readonly arena: Arena;
  /** Called with a sentence for each damage found and each thing done about it. */
  readonly note: (sentence: string) => void;
  readonly nowMs?: () => number;
  /** Milliseconds for which replaced files stay, for readers and for copies of the folder under way. */
  readonly graceMs?: number;
  readonly disk?: Disk;
}

const GRACE_MS = 600_000;

/**
 * @throws {Unavailable} when another process has the folder, a later version wrote it, or the disk
 * does not do its part
 */
export async function openArrowFiles(options: ArrowFilesOptions): Promise<Sets> {
  const { folder, note, disk = DISK, nowMs = Date.now, graceMs = GRACE_MS } = options;
  if (!(await isWritable(folder))) throw readOnly(folder);
  await attempt(`use the folder ${folder}`, () => disk.makeFolder(folder));
  const lock = await lockFolder(folder);
  try {
    return await attempt(`open the folder ${folder}`, async () => {
      const opened = await openFolder({ folder, disk, nowMs, graceMs });
      const sets = new ArrowFiles({ ...options, disk }, opened.history, lock);
      opened.notes.forEach(note);
      if (opened.changed.size > 0) await sets.replace(opened.changed);
      return sets;
    });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

class ArrowFiles implements Sets {
  readonly #options: ArrowFilesOptions & { readonly disk: Disk };
  readonly #history: History;
  readonly #lock: Lock;
  readonly #reader: SetReader;
  /** Changes, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ArrowFilesOptions & { readonly disk: Disk }, history: History, lock: Lock) {
    this.#options = options;
    this.#history = history;
    this.#lock = lock;
    this.#reader = new SetReader(options.arena);
  }

  get version(): number {
    return this.#history.current.generation;
  }

  kinds(): readonly string[] {
    return kindsOf(this.#history.current.sets.values());
  }

  list(kind: string): readonly SetInfo[] {
    return setsOfKind(this.#history.current.sets.values(), kind);
  }

  locate(key: SetKey): StoredSet | undefined {
    const entry = this.#history.current.sets.get(idOf(key));
    if (entry?.damage !== undefined) throw new DamagedSet(key, entry.damage);
    return entry && storedIn(this.#options.folder, entry);
  }

  async read(
    key: SetKey,
    owner: Owner,
    columns?: readonly string[],
  ): Promise<ReadTable | undefined> {
    return await readOrSetAside(this, key, (stored) => this.#reader.read(stored, owner, columns));
  }

  write(
    sets: Iterable<EncodedSet> | AsyncIterable<EncodedSet>,
    replaced: () => readonly SetKey[] = () => [],
  ): Promise<void> {
    return this.#inTurn(() => this.#write(sets, replaced));
  }

  remove(keys: readonly SetKey[]): Promise<void> {
    return this.#inTurn(async () => {
      const sets = new Map(this.#history.current.sets);
      const found = keys.filter((key) => sets.delete(idOf(key)));
      if (found.length > 0) await this.#commit(sets, []);
    });
  }

  setAside({ key, place }: StoredSet): Promise<void> {
    return this.#inTurn(async () => {
      const entry = this.#history.current.sets.get(idOf(key));
      if (!isAt(this.#options.folder, entry, place) || entry.damage !== undefined) return;
      const damage = await fileDamage(this.#options.folder, entry);
      if (damage === undefined) return;
      const replaced = await this.#history.withoutDamage(entry, damage, fileDamage);
      this.#options.note(replaced.note);
      if (damage !== MISSING) await this.#history.quarantine(entry);
      await this.replace(new Map([[idOf(key), replaced.entry]]));
    });
  }

  verify(): Promise<Report> {
    return fsck(this.#options.folder);
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#lock.release();
  }

  /** A generation with other entries for some sets, whose files are there already. */
  async replace(entries: ReadonlyMap<string, Entry>): Promise<void> {
    await this.#commit(new Map([...this.#history.current.sets, ...entries]), []);
  }

  async #write(
    encoded: Iterable<EncodedSet> | AsyncIterable<EncodedSet>,
    replaced: () => readonly SetKey[],
  ): Promise<void> {
    await this.#lock.check();
    const { folder, disk } = this.#options;
    const generation = this.#history.nextGeneration();
    const made = new Map<string, Entry>();
    const added: string[] = [];
    const sets = new Map(this.#history.current.sets);
    try {
      await writeAsMade(encoded, async ({ bytes, crc32, directory, key, meta, rows }) => {
        const file = setName(key, generation, added.length);
        added.push(file);
        made.set(idOf(key), { key, meta, rows, crc32, directory, file, bytes: bytes.length });
        await writeWhole(disk, setPath(folder, { file }), bytes);
      });
      const gone = replaced().filter((key) => sets.delete(idOf(key)));
      if (added.length + gone.length === 0) return;
      await disk.syncFolder(join(folder, SETS));
    } catch (error) {
      for (const file of added) await disk.remove(setPath(folder, { file })).catch(() => undefined);
      throw error;
    }
    await this.#commit(new Map([...sets, ...made]), added, generation);
  }

  async #commit(
    sets: ReadonlyMap<string, Entry>,
    added: readonly string[],
    generation: number = this.#history.nextGeneration(),
  ): Promise<void> {
    await this.#lock.check();
    await this.#history.commit({ generation, sets }, added);
    // The commit holds, whether or not old files can be removed now.
    await this.#history.sweep().catch((error: unknown) => {
      this.#options.note(`cannot remove old files: ${String(error)}`);
    });
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#last.then(() => attempt(`change ${this.#options.folder}`, change));
    this.#last = done.catch(() => undefined);
    return done;
  }
}
