/**
 * Stores of sets: tables of one time and one kind, each replaced whole or not at all. A folder of Arrow files
 * (folder/), memory (memory.ts), a bucket (objects/) and ClickHouse (clickhouse/) implement it; one suite of tests
 * runs over all of them. Nothing here knows what the columns mean.
 */
import type { Owner, Table, TableAddresses } from '../columnar/index.ts';
import type { Region } from './arrow/directory.ts';
import type { EncodedSet } from './arrow/encode-set.ts';
import { nameOfPlace, type Place } from './place.ts';
import type { ReducedBytes, Reduction } from './reduction.ts';
import type { SetKey, SetMeta } from './set-key.ts';

export interface SetInfo {
  readonly key: SetKey;
  readonly meta: SetMeta;
  readonly rows: number;
  /** Length of the whole Arrow file. */
  readonly bytes: number;
  /** Why the set cannot be read; until it is made again its rows are unknown, not zero. */
  readonly damage?: string;
  /** The damage of its newest version, where an older version stands for it. */
  readonly insteadOf?: string;
}

/** The place of a set, by which any thread reads it: plain data. */
export interface StoredSet {
  readonly key: SetKey;
  readonly place: Place;
  readonly directory: Region;
}

/** The same for the same bytes, also in a copy of the folder at another path: plain data for identities. */
export function originOf({ key, place, directory }: StoredSet): readonly unknown[] {
  return [key, nameOfPlace(place), directory];
}

/** A set in the arena. */
export interface ReadTable {
  readonly table: Table;
  /** Addresses with which other threads open it by `openTable`. */
  readonly addresses: TableAddresses;
}

export interface Damage {
  /** The damaged thing, such as a file's path within the folder. */
  readonly what: string;
  readonly reason: string;
}

export interface Report {
  readonly sets: number;
  readonly bytes: number;
  readonly damages: readonly Damage[];
  /** Harmless findings, such as files that nothing refers to. */
  readonly notes: readonly string[];
}

/** Changes take effect in the order of their calls, each whole; those of one call all together. */
export interface Sets {
  /** Another number once any result of `list` or `locate` has changed. */
  readonly version: number;
  /** The kinds of all sets, each once, in no order. */
  kinds(): readonly string[];
  /** Sets of a kind by start, then end; damaged sets too. */
  list(kind: string): readonly SetInfo[];
  /**
   * @returns undefined when there is no such set
   * @throws {DamagedSet} (set-key.ts) when it is known to be damaged
   */
  locate(key: SetKey): StoredSet | undefined;
  /**
   * The set's columns, or those named, in the arena under `owner`. Columns that the set does not
   * have are left out: zero or empty in every row. Reads on the calling thread; a worker reads the
   * result of `locate` with a `SetReader` of its own, and `setAside` is called for damaged sets.
   * @returns undefined when there is no such set
   * @throws {DamagedSet} when the bytes are not those written; the set is then set aside
   * @throws {ArenaFull} when there is no room
   */
  read(key: SetKey, owner: Owner, columns?: readonly string[]): Promise<ReadTable | undefined>;
  /**
   * Adds the sets, replacing those of the same key. Sets may be made one by one: only the current
   * one is held.
   * @param replaced called when all are made: sets to remove in the same change
   * @throws {Unavailable} or the error of making them, and changes nothing
   */
  write(
    sets: Iterable<EncodedSet> | AsyncIterable<EncodedSet>,
    replaced?: () => readonly SetKey[],
  ): Promise<void>;
  /** Sets that are not there are no error. @throws {Unavailable} and changes nothing */
  remove(keys: readonly SetKey[]): Promise<void>;
  /**
   * Takes a set's bytes out of use when they are damaged indeed, and remembers why until the set is
   * written again; where an older version of it is whole, that one is used again.
   */
  setAside(stored: StoredSet): Promise<void>;
  /**
   * Adds rows of a set up where they are. Absent: the store cannot.
   * @returns undefined where the columns are to be read: it would take longer, or the rows are not those written
   */
  readonly addUp?: (stored: StoredSet, reduction: Reduction) => Promise<ReducedBytes | undefined>;
  /** Reads every byte. Reports damage and changes nothing. */
  verify(): Promise<Report>;
  /** After the changes under way. Nothing may be called after it. */
  close(): Promise<void>;
}
