/** The place of a set's bytes: in a file, in the arena, or elsewhere, from where they come into a file (remote/). */
import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import type { Arena } from '../columnar/index.ts';
import { cannot, codeOf } from './disk-error.ts';

export type LocalPlace = { readonly path: string } | { readonly address: number };

export type Place =
  | LocalPlace
  /** The name of the store, one of this process alone, and that of the set in it. */
  | { readonly remote: string; readonly name: string };

/** What a place is within its store: a file's name, whatever the path of the folder. */
export function nameOfPlace(place: Place): string | number {
  if ('remote' in place) return place.name;
  return 'path' in place ? basename(place.path) : place.address;
}

/** Fills `target` with the bytes at `at`. @returns the number of bytes there */
export type ReadInto = (at: number, target: Uint8Array) => number;

/**
 * Runs `work` while the place is open, reading on this thread.
 * @returns undefined when there is no such file
 * @throws {Unavailable} when the disk does not answer
 */
export function withPlace<T>(
  arena: Arena,
  place: LocalPlace,
  work: (read: ReadInto) => T,
): T | undefined {
  if ('address' in place) {
    const { address } = place;
    return work((at, target) => {
      target.set(arena.u8(address + at, target.length));
      return target.length;
    });
  }
  const { path } = place;
  const file = attempt(path, () => openSync(path, 'r'));
  if (file === undefined) return undefined;
  try {
    return work((at, target) => attempt(path, () => readWhole(file, at, target)) ?? 0);
  } finally {
    closeSync(file);
  }
}

function readWhole(file: number, at: number, target: Uint8Array): number {
  let done = 0;
  while (done < target.length) {
    const count = readSync(file, target, done, target.length - done, at + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

function attempt<T>(path: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cannot(`read ${path}`, cause);
  }
}
