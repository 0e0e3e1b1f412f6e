/** Stores as what sets are copied from and to: files of sets, whole and checked. */
import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { Arena } from '../../columnar/index.ts';
import { readDirectory, type DirectoryColumn, type Region } from '../arrow/directory.ts';
import type { EncodedSet } from '../arrow/encode-set.ts';
import { ClickHouseStore, type ClickHouseStoreOptions } from '../clickhouse/clickhouse-store.ts';
import { rebuilt } from '../clickhouse/rebuilt.ts';
import { unlessMissing } from '../disk-error.ts';
import { openArrowFiles } from '../folder/arrow-files.ts';
import { openReadOnlySets } from '../folder/read-only.ts';
import { openObjectSets, type ObjectSetsOptions } from '../objects/object-sets.ts';
import { MISSING, setKey } from '../objects/place.ts';
import { DamagedSet, type SetKey } from '../set-key.ts';
import type { Place } from '../place.ts';
import type { SetInfo, Sets } from '../sets.ts';

export interface CopyPlace {
  kinds(): readonly string[];
  list(kind: string): readonly SetInfo[];
  /** Equal for equal sets only: the directory has the checksums of all columns. */
  contentOf(key: SetKey): Region | undefined;
  /** The whole set. @throws {DamagedSet} @throws {Unavailable} */
  load(set: Pick<SetInfo, 'key' | 'meta' | 'rows'>): Promise<EncodedSet>;
  /** All together or none. @throws {Unavailable} */
  write(sets: readonly EncodedSet[]): Promise<void>;
  close(): Promise<void>;
}

/** @throws {Unavailable} */
export async function clickHousePlace(options: ClickHouseStoreOptions): Promise<CopyPlace> {
  const store = new ClickHouseStore(options);
  await store.open();
  return {
    kinds: () => store.kinds(),
    list: (kind) => store.list(kind),
    contentOf: (key) => store.find(key)?.directory,
    async load({ key }) {
      const entry = store.find(key);
      if (entry === undefined) throw new DamagedSet(key, 'it is gone');
      const { meta, rows, crc32: sum, directory } = entry;
      return { key, meta, rows, bytes: await rebuilt(store.server, entry), crc32: sum, directory };
    },
    write: (sets) => store.write(sets),
    close: () => store.close(),
  };
}

export interface FolderPlaceOptions {
  readonly folder: string;
  readonly arena: Arena;
  readonly note: (sentence: string) => void;
}

/** A folder that another process may have. @throws {Unavailable} */
export async function folderToRead({
  folder,
  arena,
  note,
}: FolderPlaceOptions): Promise<CopyPlace> {
  return setsPlace(await openReadOnlySets(folder, arena, note), fileAt);
}

/** A folder that no other process has. @throws {Unavailable} */
export async function folderToWrite(options: FolderPlaceOptions): Promise<CopyPlace> {
  return setsPlace(await openArrowFiles(options), fileAt);
}

/** A prefix of a bucket, which other processes may use. @throws {Unavailable} */
export async function bucketPlace(
  options: Pick<ObjectSetsOptions, 'bucket' | 'prefix' | 'arena' | 'note' | 'isReadOnly'>,
): Promise<CopyPlace> {
  // Sets are read whole: none comes into the cache.
  const sets = await openObjectSets({
    ...options,
    cacheBytes: 0,
    fromWorkers: () => () => undefined,
  });
  const { signal } = new AbortController();
  return setsPlace(sets, async (place, key) => {
    if (!('remote' in place)) throw new Error('BUG: a set of a bucket is here');
    const found = await options.bucket.fetch(setKey(options, place.name), signal);
    if (found === undefined) throw new DamagedSet(key, MISSING);
    return found.bytes;
  });
}

async function fileAt(place: Place, key: SetKey): Promise<Uint8Array> {
  if (!('path' in place)) throw new Error('BUG: a set of a folder is elsewhere');
  const { path } = place;
  const bytes = await unlessMissing(`read ${path}`, undefined, () => readFile(path));
  if (bytes === undefined) throw new DamagedSet(key, 'its file is missing');
  return bytes;
}

/** @param bytesAt reads the whole file of a set */
function setsPlace(
  sets: Sets,
  bytesAt: (place: Place, key: SetKey) => Promise<Uint8Array>,
): CopyPlace {
  return {
    kinds: () => sets.kinds(),
    list: (kind) => sets.list(kind),
    contentOf: (key) => sets.locate(key)?.directory,
    async load({ key, meta, rows }) {
      const stored = sets.locate(key);
      if (stored === undefined) throw new DamagedSet(key, 'it is gone');
      const bytes = await bytesAt(stored.place, key);
      checkFile(key, bytes, stored.directory);
      return { key, meta, rows, bytes, crc32: crc32(bytes), directory: stored.directory };
    },
    write: (all) => sets.write(all),
    close: () => sets.close(),
  };
}

/** @throws {DamagedSet} where a column is not the one written */
function checkFile(key: SetKey, bytes: Uint8Array, directory: Region): void {
  const part = ([at, length]: Region): Uint8Array => bytes.subarray(at, at + length);
  const isRight = (region: Region): boolean => crc32(part(region)) === region[2];
  if (!isRight(directory)) throw new DamagedSet(key, 'its directory has not the bytes written');
  const { columns } = readDirectory(Buffer.from(part(directory)).toString('latin1'));
  const wrong = columns.find((column) => !regionsOf(column).every(isRight));
  if (wrong) throw new DamagedSet(key, `column ${wrong.name} has not the bytes written`);
}

function regionsOf(column: DirectoryColumn): readonly Region[] {
  if ('bytes' in column) return [column.offsets, column.bytes];
  if ('codes' in column) return [column.codes, column.offsets, column.texts];
  return 'values' in column ? [column.values] : [];
}
