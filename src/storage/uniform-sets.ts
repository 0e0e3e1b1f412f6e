/** Sets of equal rows, in the arena: each is a directory only, with the one value of each column. */
import { crc32 } from 'node:zlib';
import type { Arena, Owner } from '../columnar/index.ts';
import { DIRECTORY_FORMAT, directoryText } from './arrow/directory.ts';
import type { QueriedSets } from './folder/read-only.ts';
import { idOf, kindsOf, setsOfKind, type SetKey, type SetMeta } from './set-key.ts';
import type { SetInfo, StoredSet } from './sets.ts';

export interface UniformSet {
  readonly key: SetKey;
  readonly rows: number;
  /** The value of every row, by column. */
  readonly columns: Readonly<Record<string, number | string>>;
}

/** @param owner owns their bytes */
export function uniformSets(arena: Arena, owner: Owner, sets: readonly UniformSet[]): QueriedSets {
  const known = new Map(sets.map((set) => [idOf(set.key), store(arena, owner, set)]));
  return {
    version: 0,
    kinds: () => kindsOf(sets),
    list: (kind) => setsOfKind(known.values(), kind),
    locate: (key) => known.get(idOf(key))?.stored,
    setAside: () => Promise.resolve(),
  };
}

function store(
  arena: Arena,
  owner: Owner,
  { key, rows, columns }: UniformSet,
): SetInfo & { readonly stored: StoredSet } {
  const text = directoryText({
    format: DIRECTORY_FORMAT,
    key,
    meta: META,
    rows,
    columns: Object.entries(columns).map(([name, value]) =>
      typeof value === 'number' ? { name, number: value } : { name, text: value },
    ),
  });
  const bytes = Buffer.from(text);
  const address = arena.allocate(bytes.length, owner);
  arena.u8(address, bytes.length).set(bytes);
  const stored: StoredSet = { key, place: { address }, directory: [0, bytes.length, crc32(bytes)] };
  return { key, meta: META, rows, bytes: bytes.length, stored };
}

const META: SetMeta = {
  state: 'sealed',
  timezone: 'UTC',
  createdMs: 0,
  source: 'uniform',
  warnings: [],
};
