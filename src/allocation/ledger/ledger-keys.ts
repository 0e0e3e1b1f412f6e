/** Keys of what a ledger meters, as its key index takes them: each part followed by a zero byte. */
import type { Arena, Owner } from '../../columnar/index.ts';

export interface Keys {
  readonly keyOffsets: number;
  readonly keyBytes: number;
  readonly count: number;
  /** Place of the first subject of each key; subjects that share a key are neighbours. */
  readonly firsts: readonly number[];
}

/** @param subjects in order of key, whose keys have equally many parts */
export function writeKeys(
  arena: Arena,
  owner: Owner,
  subjects: readonly { readonly key: readonly string[] }[],
): Keys {
  const parts: string[] = [];
  const firsts: number[] = [];
  let before: readonly string[] | undefined;
  subjects.forEach(({ key }, i) => {
    if (before === undefined || !isSame(key, before)) {
      firsts.push(i);
      for (const part of key) parts.push(part);
    }
    before = key;
  });
  const text = parts.length === 0 ? '' : `${parts.join('\0')}\0`;
  const bytes = Buffer.byteLength(text);
  const keyBytes = arena.allocate(bytes + 1, owner);
  arena.text(keyBytes, bytes).write(text);
  // Where all is ASCII, bytes are characters.
  const bytesOf = bytes === text.length ? lengthOf : bytesIn;
  const count = firsts.length;
  const keyOffsets = arena.allocate(4 * (count + 1), owner);
  const offsets = arena.u32(keyOffsets, count + 1);
  const width = parts.length / count;
  for (let i = 0, at = 0; i < parts.length; i++) {
    if (i % width === 0) offsets[i / width] = at;
    at += bytesOf(parts[i] ?? '') + 1;
  }
  offsets[count] = bytes;
  return { keyOffsets, keyBytes, count, firsts };
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  // What differs most often comes last.
  for (let i = some.length - 1; i >= 0; i--) if (some[i] !== others[i]) return false;
  return true;
}

function lengthOf(text: string): number {
  return text.length;
}

function bytesIn(text: string): number {
  return Buffer.byteLength(text);
}
