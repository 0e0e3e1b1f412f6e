/**
 * The generations of a store on disk: the current one, the one before it, and those that were
 * superseded so recently that somebody may still read or copy their files. Deletions wait, so that a
 * copy of the folder, begun at any moment, finds every file of the manifests it began with.
 */
import { join } from 'node:path';
import { moveFile, writeWhole, type Disk } from '../disk.ts';
import { QUARANTINE, setPath } from './folders.ts';
import { olderFor } from './lost.ts';
import { manifestName, manifestText, type Entry, type Manifest } from './manifest.ts';
import { writeNewest } from './newest.ts';
import { idOf, nameOf } from '../set-key.ts';

interface Superseded {
  readonly manifest: Manifest;
  /** The time at which the next generation was committed. */
  readonly atMs: number;
}

export interface HistoryOptions {
  readonly folder: string;
  readonly disk: Disk;
  readonly nowMs: () => number;
  /** Milliseconds for which files stay once the current generation does not have them. */
  readonly graceMs: number;
}

export class History {
  readonly #options: HistoryOptions;
  #current: Manifest;
  /** Newest first. */
  #superseded: Superseded[];
  #lastGeneration: number;
  /** Files of generations that are gone, to be removed. */
  readonly #useless: Set<string> = new Set();

  /** @param whole newest first @param lastGeneration no generation has a higher number */
  constructor(options: HistoryOptions, whole: readonly Manifest[], lastGeneration: number) {
    const [current = { generation: 0, sets: new Map() }, ...older] = whole;
    this.#options = options;
    this.#current = current;
    this.#superseded = older.map((manifest) => ({ manifest, atMs: options.nowMs() }));
    this.#lastGeneration = lastGeneration;
  }

  get current(): Manifest {
    return this.#current;
  }

  /**
   * The entry of a set that turned out to be damaged: its newest older version whose file is whole, or
   * else the damage; and a note for the operator.
   */
  async withoutDamage(
    entry: Entry,
    damage: string,
    damageOf: (folder: string, entry: Entry) => Promise<string | undefined>,
  ): Promise<{ readonly entry: Entry; readonly note: string }> {
    const note = `the stored ${nameOf(entry.key)} are damaged: ${damage}`;
    for (const { manifest } of this.#superseded) {
      const older = manifest.sets.get(idOf(entry.key));
      if (older === undefined || older.file === entry.file || older.damage !== undefined) continue;
      if ((await damageOf(this.#options.folder, older)) !== undefined) continue;
      return { entry: olderFor(older, damage), note: `${note}; the version before it is used` };
    }
    return { entry: { ...entry, damage }, note };
  }

  /** A number that no generation had, committed or not. */
  nextGeneration(): number {
    return ++this.#lastGeneration;
  }

  /**
   * Makes the generation the current one; when this ends, it is so for good.
   * @param added files that no older generation has; they go when the commit fails
   */
  async commit(manifest: Manifest, added: readonly string[]): Promise<void> {
    const { folder, disk, nowMs } = this.#options;
    const path = join(folder, manifestName(manifest.generation));
    try {
      await writeWhole(disk, path, Buffer.from(manifestText(manifest)));
      await disk.syncFolder(folder);
    } catch (error) {
      await this.#undo(path, added).catch(() => undefined);
      throw error;
    }
    this.#superseded.unshift({ manifest: this.#current, atMs: nowMs() });
    this.#current = manifest;
    await this.recordNewest();
  }

  /** Records the newest number; without it only the loss of the newest manifest is not noticed. */
  async recordNewest(): Promise<void> {
    const { folder, disk } = this.#options;
    await writeNewest(folder, disk, this.#current.generation).catch(() => undefined);
  }

  /** The manifest may have its name already: its files may go only once the name is gone for certain. */
  async #undo(path: string, added: readonly string[]): Promise<void> {
    const { folder, disk } = this.#options;
    await disk.remove(path);
    await disk.syncFolder(folder);
    for (const file of added) await disk.remove(setPath(folder, { file }));
  }

  /** Removes generations that nobody needs, then the files that only they had. */
  async sweep(): Promise<void> {
    const { folder, disk, nowMs, graceMs } = this.#options;
    const isNeeded = ({ atMs }: Superseded, age: number): boolean =>
      age === 0 || nowMs() - atMs < graceMs;
    const gone = this.#superseded.filter((generation, age) => !isNeeded(generation, age));
    for (const { manifest } of gone) {
      await disk.remove(join(folder, manifestName(manifest.generation)));
    }
    if (gone.length > 0) await disk.syncFolder(folder);
    this.#superseded = this.#superseded.filter((generation) => !gone.includes(generation));
    const used = this.usedFiles();
    for (const file of gone.flatMap(({ manifest }) => filesOf(manifest))) {
      if (!used.has(file)) this.#useless.add(file);
    }
    for (const file of this.#useless) {
      await disk.remove(setPath(folder, { file }));
      this.#useless.delete(file);
    }
  }

  usedFiles(): ReadonlySet<string> {
    const manifests = [this.#current, ...this.#superseded.map(({ manifest }) => manifest)];
    return new Set(manifests.flatMap(filesOf));
  }

  /** Out of use, but not destroyed. */
  async quarantine(entry: Entry): Promise<void> {
    const { folder, disk } = this.#options;
    await moveFile(disk, setPath(folder, entry), join(folder, QUARANTINE, entry.file));
  }
}

function filesOf({ sets }: Manifest): string[] {
  return Array.from(sets.values(), ({ file }) => file);
}
