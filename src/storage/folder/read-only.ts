/**
 * A store's folder to read only, also while another process has it open; nothing is locked or changed.
 * A damaged set is reported and not read again, as long as the process lives.
 */
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { Arena, Owner } from '../../columnar/index.ts';
import { Unavailable } from '../../query/index.ts';
import { checkFolder, fileDamage, namesIn, readGenerations } from './checks.ts';
import { isAt, SETS, storedIn } from './folders.ts';
import { fsck } from './fsck.ts';
import { lostEntries, lostIn, lostNotes } from './lost.ts';
import { generationOf, type Entry } from './manifest.ts';
import { cannot, codeOf } from '../disk-error.ts';
import { follow } from '../follow.ts';
import { readOrSetAside, SetReader } from './read-set.ts';
import { DamagedSet, idOf, kindsOf, nameOf, setsOfKind, type SetKey } from '../set-key.ts';
import type { ReadTable, Report, SetInfo, Sets, StoredSet } from '../sets.ts';

/** The part of a store that queries use. */
export type QueriedSets = Pick<
  Sets,
  'version' | 'kinds' | 'list' | 'locate' | 'setAside' | 'addUp'
>;

/** Milliseconds between two looks at the folder for changes by its owner. */
const LOOK_MS = 5000;

/** Whether this process may change the folder, or make it. @throws {Unavailable} */
export async function isWritable(folder: string): Promise<boolean> {
  for (const path of [folder, join(folder, SETS)]) {
    try {
      await access(path, constants.W_OK);
    } catch (cause) {
      const code = codeOf(cause) ?? '';
      if (['EROFS', 'EACCES', 'EPERM'].includes(code)) return false;
      if (code !== 'ENOENT') throw cannot(`use the folder ${folder}`, cause);
    }
  }
  return true;
}

/** The error of a write. */
export function readOnly(folder: string): Unavailable {
  return new Unavailable(`cannot change ${folder}: this process may not write to it`, {
    hint: 'it is served as it is; give its owner the right to write, or mount it for writing',
  });
}

/** The error of a write to a folder whose disk was full when it was opened. */
export function fullAtStart(folder: string): Unavailable {
  return new Unavailable(`cannot change ${folder}: its disk was full when this process started`, {
    hint: 'it is served as it is; make room on the disk and restart this process',
  });
}

/**
 * The folder as it is now. Replaced files stay for ten minutes more, and sealed sets for good: a
 * set whose file is gone by then is found missing when it is read.
 * @param note called for each damaged set
 * @throws {Fault} when there is no such folder
 * @throws {Unavailable} when the disk does not answer, or a later version wrote the folder
 */
export async function openReadOnly(
  folder: string,
  note: (sentence: string) => void = () => undefined,
): Promise<QueriedSets> {
  return await opened(folder, () => new FolderView(folder, note));
}

/**
 * The folder with the changes of its owner: a commit is read a few seconds later.
 * @param note called for each damaged set
 * @param refusal the error of a write
 * @throws the errors of `openReadOnly`
 */
export async function openReadOnlySets(
  folder: string,
  arena: Arena,
  note: (sentence: string) => void,
  refusal: (folder: string) => Unavailable = readOnly,
): Promise<Sets> {
  const view = await opened(folder, () => new ReadOnlySets(folder, arena, note, refusal));
  return view.follow();
}

/** Makes the view once the folder is found, and reads the folder. */
async function opened<View extends FolderView>(folder: string, make: () => View): Promise<View> {
  await checkFolder(folder);
  const view = make();
  await view.look();
  return view;
}

type Entries = ReadonlyMap<string, Entry>;

class FolderView implements QueriedSets {
  readonly #folder: string;
  readonly #note: (sentence: string) => void;
  #entries: Entries = new Map();
  /** Names of the manifests that were read. */
  #names = '';
  /** Files that were found damaged, and why. */
  readonly #damages: Map<string, string> = new Map();
  version = 0;

  constructor(folder: string, note: (sentence: string) => void) {
    this.#folder = folder;
    this.#note = note;
  }

  /** Reads the folder's manifests where there are others. */
  async look(): Promise<void> {
    const manifests = (await namesIn(this.#folder)).filter((name) => generationOf(name));
    const names = manifests.toSorted().join();
    if (names === this.#names && this.version > 0) return;
    this.#entries = await this.#read();
    this.#names = names;
    this.version++;
  }

  async #read(): Promise<Entries> {
    const generations = await readGenerations(this.#folder);
    const { whole, damaged } = generations;
    const [newest] = whole;
    if (newest === undefined && damaged.length > 0) {
      const hint = 'see prorata fsck';
      throw new Unavailable(`${this.#folder} has no manifest that is whole`, { hint });
    }
    const files = await namesIn(join(this.#folder, SETS));
    const lost = lostIn(generations, files);
    const manifest = newest ?? { generation: 0, sets: new Map<string, Entry>() };
    if (lost === undefined) return manifest.sets;
    const changed = lostEntries(manifest, lost, files);
    lostNotes(newest, lost, changed.values()).forEach(this.#note);
    return new Map([...manifest.sets, ...changed]);
  }

  kinds(): readonly string[] {
    return kindsOf(this.#entries.values());
  }

  list(kind: string): readonly SetInfo[] {
    return setsOfKind(this.#entries.values(), kind).map((entry) => {
      const damage = this.#damageOf(entry);
      return damage === undefined ? entry : { ...entry, damage };
    });
  }

  locate(key: SetKey): StoredSet | undefined {
    const entry = this.#entries.get(idOf(key));
    if (entry === undefined) return undefined;
    const damage = this.#damageOf(entry);
    if (damage !== undefined) throw new DamagedSet(key, damage);
    return storedIn(this.#folder, entry);
  }

  /** Reads the folder again first, as its owner finds the damage as well. */
  async setAside({ key, place }: StoredSet): Promise<void> {
    await this.look();
    const entry = this.#entries.get(idOf(key));
    if (!isAt(this.#folder, entry, place) || this.#damageOf(entry) !== undefined) return;
    const damage = await fileDamage(this.#folder, entry);
    if (damage === undefined) return;
    this.#damages.set(entry.file, damage);
    this.version++;
    this.#note(`the stored ${nameOf(key)} are damaged: ${damage}`);
  }

  #damageOf({ damage, file }: Entry): string | undefined {
    return damage ?? this.#damages.get(file);
  }
}

class ReadOnlySets extends FolderView implements Sets {
  readonly #folder: string;
  readonly #reader: SetReader;
  readonly #refusal: (folder: string) => Unavailable;
  #unfollow: () => void = () => undefined;

  constructor(
    folder: string,
    arena: Arena,
    note: (sentence: string) => void,
    refusal: (folder: string) => Unavailable,
  ) {
    super(folder, note);
    this.#folder = folder;
    this.#refusal = refusal;
    this.#reader = new SetReader(arena);
  }

  /** Looks at the folder from time to time. */
  follow(): this {
    this.#unfollow = follow(() => this.look(), LOOK_MS);
    return this;
  }

  async read(
    key: SetKey,
    owner: Owner,
    columns?: readonly string[],
  ): Promise<ReadTable | undefined> {
    return await readOrSetAside(this, key, (stored) => this.#reader.read(stored, owner, columns));
  }

  write(): Promise<void> {
    return Promise.reject(this.#refusal(this.#folder));
  }

  remove(): Promise<void> {
    return Promise.reject(this.#refusal(this.#folder));
  }

  verify(): Promise<Report> {
    return fsck(this.#folder);
  }

  close(): Promise<void> {
    this.#unfollow();
    return Promise.resolve();
  }
}
