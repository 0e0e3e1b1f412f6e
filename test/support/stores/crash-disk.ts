/**
 * What a power cut can leave of a store's folder. A disk that does what it is told and keeps a log;
 * and, of the log's first operations, a folder as it may be found afterwards: names that were made,
 * changed or removed since their folder was last synced may have happened or not, and the operation
 * under way may have happened, not happened, or left half a file.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Disk } from '../../../src/storage/index.ts';

type Operation =
  | { readonly does: 'write'; readonly path: string; readonly bytes: Uint8Array }
  | { readonly does: 'rename'; readonly path: string; readonly to: string }
  | { readonly does: 'remove' | 'sync' | 'makeFolder'; readonly path: string };

export interface RecordingDisk extends Disk {
  /** Paths are relative to the folder. */
  readonly log: readonly Operation[];
}

/**
 * Syncs nothing: for what a test does not cut. Each operation is done at once, as waking a thread for it takes
 * longer than a small file does.
 */
export const QUICK_DISK: Disk = {
  makeFolder: atOnce((path: string) => void mkdirSync(path, { recursive: true })),
  write: atOnce((path: string, bytes: Uint8Array) => writeFileSync(path, bytes)),
  rename: atOnce(renameSync),
  syncFolder: () => Promise.resolve(),
  remove: atOnce((path: string) => rmSync(path, { force: true })),
};

function atOnce<Args extends readonly unknown[]>(
  work: (...args: Args) => void,
): (...args: Args) => Promise<void> {
  return (...args) => {
    try {
      work(...args);
      return Promise.resolve();
    } catch (error) {
      return Promise.reject(error as Error);
    }
  };
}

export function recordingDisk(folder: string): RecordingDisk {
  const log: Operation[] = [];
  const own = (path: string): string => relative(folder, path);
  return {
    log,
    makeFolder(path) {
      log.push({ does: 'makeFolder', path: own(path) });
      return QUICK_DISK.makeFolder(path);
    },
    write(path, bytes) {
      log.push({ does: 'write', path: own(path), bytes: Uint8Array.from(bytes) });
      return QUICK_DISK.write(path, bytes);
    },
    rename(from, to) {
      log.push({ does: 'rename', path: own(from), to: own(to) });
      return QUICK_DISK.rename(from, to);
    },
    syncFolder(path) {
      log.push({ does: 'sync', path: own(path) });
      return QUICK_DISK.syncFolder(path);
    },
    remove(path) {
      log.push({ does: 'remove', path: own(path) });
      return QUICK_DISK.remove(path);
    },
  };
}

/** A disk whose operation number `at` (from 0) fails; a failed write leaves half a file. */
export function failingDisk(at: number, code: string): Disk & { readonly count: () => number } {
  let next = 0;
  const guarded = async (work: () => Promise<void>, half?: () => Promise<void>): Promise<void> => {
    if (next++ !== at) return work();
    await half?.();
    throw Object.assign(new Error(`${code}: planted`), { code });
  };
  return {
    count: () => next,
    makeFolder: (path) => guarded(() => QUICK_DISK.makeFolder(path)),
    write: (path, bytes) =>
      guarded(
        () => QUICK_DISK.write(path, bytes),
        () => QUICK_DISK.write(path, bytes.subarray(0, bytes.length / 2)),
      ),
    rename: (from, to) => guarded(() => QUICK_DISK.rename(from, to)),
    syncFolder: (path) => guarded(() => QUICK_DISK.syncFolder(path)),
    remove: (path) => guarded(() => QUICK_DISK.remove(path)),
  };
}

/** A change of names that may or may not last. */
interface Pending {
  readonly folders: readonly string[];
  apply(files: Map<string, Uint8Array>): void;
}

/** What is in a folder: the folders in it, and its files by path. */
export interface Contents {
  readonly folders: ReadonlySet<string>;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/**
 * What a power cut in or before operation `at` of the log may leave.
 * @param chance whether the next doubtful thing happened
 * @param before what was there before the log began
 */
export function afterPowerCut(
  log: readonly Operation[],
  at: number,
  chance: () => boolean,
  before?: string,
): Contents {
  const files = before === undefined ? new Map<string, Uint8Array>() : filesIn(before);
  const folders = new Set(['']);
  let pending: Pending[] = [];
  for (const operation of log.slice(0, at)) {
    if (operation.does === 'makeFolder') folders.add(operation.path);
    else if (operation.does !== 'sync') pending.push(pendingOf(operation));
    else {
      for (const change of pending.filter((each) => each.folders.includes(operation.path))) {
        change.apply(files);
      }
      pending = pending.filter((each) => !each.folders.includes(operation.path));
    }
  }
  for (const change of pending) if (chance()) change.apply(files);
  const underWay = log[at];
  if (underWay?.does === 'makeFolder' && chance()) folders.add(underWay.path);
  if (underWay?.does === 'write' && chance()) {
    const length = chance() ? underWay.bytes.length : underWay.bytes.length >> 1;
    files.set(underWay.path, underWay.bytes.subarray(0, chance() ? length : 0));
  }
  return { folders, files };
}

export function layContents(folder: string, { folders, files }: Contents): void {
  for (const path of folders) mkdirSync(join(folder, path), { recursive: true });
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

/** The same text for the same contents. */
export function digestOf({ folders, files }: Contents): string {
  const hash = createHash('sha256');
  for (const path of [...folders].toSorted()) hash.update(`${path}/\0`);
  for (const path of [...files.keys()].toSorted()) {
    const bytes = files.get(path) ?? new Uint8Array();
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

function filesIn(folder: string): Map<string, Uint8Array> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path)]));
}

function pendingOf(operation: Exclude<Operation, { does: 'sync' | 'makeFolder' }>): Pending {
  const { path } = operation;
  const folderOf = (name: string): string => (dirname(name) === '.' ? '' : dirname(name));
  if (operation.does === 'write') {
    const { bytes } = operation;
    return { folders: [folderOf(path)], apply: (files) => void files.set(path, bytes) };
  }
  if (operation.does === 'rename') {
    const { to } = operation;
    return {
      folders: [folderOf(to), folderOf(path)],
      apply(files) {
        const bytes = files.get(path);
        if (bytes === undefined) return;
        files.delete(path);
        files.set(to, bytes);
      },
    };
  }
  return { folders: [folderOf(path)], apply: (files) => void files.delete(path) };
}

const NEWEST = /^prorata-newest 1 [0-9a-f]{8}\n/;

/**
 * Makes the record of the newest generation that of this folder, as it is where the power was cut: to
 * the store it is otherwise that of the folder which this is a copy of.
 */
export function adoptNewest(folder: string): void {
  const path = join(folder, 'newest.json');
  if (!existsSync(path)) return;
  const body = readFileSync(path, 'utf8').replace(NEWEST, '');
  const own = JSON.stringify({ ...(JSON.parse(body) as object), inode: statSync(folder).ino });
  writeFileSync(path, `prorata-newest 1 ${crc32(own).toString(16).padStart(8, '0')}\n${own}`);
}
