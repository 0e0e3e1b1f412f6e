/**
 * Copies of sets in a bucket: files of the same length with holes, filled by the columns that are asked
 * for. A set's directory comes first, near parts of it come in one request, several requests go at once.
 */
import type { FileHandle } from 'node:fs/promises';
import type { DirectoryColumn, Region } from '../arrow/directory.ts';
import type { CacheFolder } from '../remote/cache-folder.ts';
import { directoryIn, LocalCopies } from '../remote/local-copies.ts';
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
}

interface Filling {
  readonly stored: StoredSet;
  readonly name: string;
  readonly file: FileHandle;
  readonly copy: Copy;
}

export interface CopyCounts {
  requests: number;
  bytes: number;
}

export class ObjectCopies implements RemoteSets {
  readonly counts: CopyCounts = { requests: 0, bytes: 0 };
  readonly #place: ObjectPlace;
  readonly #copies: LocalCopies<Copy>;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(place: ObjectPlace, cache: CacheFolder) {
    this.#place = place;
    this.#copies = new LocalCopies(cache, () => ({ there: [], columns: undefined }));
  }

  async bring(
    stored: StoredSet,
    columns: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<LocalSet> {
    return await this.#copies.bring(stored, (name, file, copy) =>
      this.#fill({ stored, name, file, copy }, columns, signal),
    );
  }

  /** Forgets the copy of a set, which may not be what the bucket has. */
  async drop(name: string): Promise<void> {
    await this.#copies.drop(name);
  }

  async #fill(
    one: Filling,
    columns: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<number> {
    const { stored, file, copy } = one;
    const [at, bytes] = stored.directory;
    const foot: Range = at + bytes <= WHOLE_BYTES_MAX ? [0, at + bytes] : [at, at + bytes];
    await this.#ensure(one, [foot], signal);
    copy.columns ??= (await directoryIn(file, stored)).columns;
    const wanted = copy.columns.filter((column) => columns?.includes(column.name) ?? true);
    await this.#ensure(one, wanted.flatMap(rangesOf), signal);
    return bytesOf(copy.there);
  }

  async #ensure(
    { stored, name, file, copy }: Filling,
    wanted: readonly Range[],
    signal: AbortSignal,
  ): Promise<void> {
    const parts = joined(missing(wanted, copy.there), GAP_BYTES);
    await Promise.all(
      cut(parts, PART_BYTES_MAX).map(async ([from, to]) => {
        const part = await this.#read(stored, name, [from, to], signal);
        await file.write(part, 0, part.length, from);
      }),
    );
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
