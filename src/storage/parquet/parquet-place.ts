/** Folders and prefixes of buckets that Parquet files are written to: a file is as it was, or is the new one whole. */
import { open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { attempt, unlessMissing } from '../disk-error.ts';
import { DISK, writeWhole } from '../disk.ts';
import type { ObjectPlace } from '../objects/place.ts';

export interface ParquetPlace {
  /** The last bytes of a file, so many where it has them. @returns undefined where there is none */
  tail(path: string, bytes: number): Promise<Uint8Array | undefined>;
  /** @returns undefined where there is none */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Puts the file in place of one that is there. @throws {Unavailable} and the old or the new one is there */
  write(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

export function parquetFolder(folder: string): ParquetPlace {
  const at = (path: string): string => join(folder, path);
  return {
    tail: (path, bytes) =>
      unlessMissing(`read ${at(path)}`, undefined, async () => {
        const file = await open(at(path), 'r');
        try {
          const { size } = await file.stat();
          const length = Math.min(size, bytes);
          const tail = Buffer.alloc(length);
          const { bytesRead } = await file.read(tail, 0, length, size - length);
          return tail.subarray(0, bytesRead);
        } finally {
          await file.close();
        }
      }),
    read: (path) => unlessMissing(`read ${at(path)}`, undefined, () => readFile(at(path))),
    write: (path, bytes) =>
      attempt(`write ${at(path)}`, async () => {
        await DISK.makeFolder(dirname(at(path)));
        await writeWhole(DISK, at(path), bytes);
        await DISK.syncFolder(dirname(at(path)));
      }),
  };
}

/** A bucket's own write puts an object in place of another at once. */
export function parquetBucket({ bucket, prefix }: ObjectPlace, signal: AbortSignal): ParquetPlace {
  /** Sizes of objects by their keys, as they were when their month was listed. */
  const months = new Map<string, Promise<ReadonlyMap<string, number>>>();
  const sizesLike = (path: string): Promise<ReadonlyMap<string, number>> => {
    // A year of hours would be more than one listing may have.
    const month = prefix + (/^.*\/date=\d+-\d+/.exec(path)?.[0] ?? path);
    const known = months.get(month) ?? listed(month);
    months.set(month, known);
    return known;
  };
  const listed = async (month: string): Promise<ReadonlyMap<string, number>> => {
    const { objects } = await bucket.list(month, () => true, signal);
    return new Map(objects.map(({ key, bytes }) => [key, bytes]));
  };
  return {
    async tail(path, bytes) {
      const key = prefix + path;
      const size = (await sizesLike(path)).get(key);
      if (size === undefined) return undefined;
      const at = Math.max(0, size - bytes);
      return await bucket.readRange({ key, version: '' }, { at, bytes }, signal);
    },
    read: async (path) => (await bucket.fetch(prefix + path, signal))?.bytes,
    async write(path, bytes) {
      // What was begun is ended, so that the log of a run tells what is there.
      await bucket.write(prefix + path, bytes, 'none', new AbortController().signal);
    },
  };
}
