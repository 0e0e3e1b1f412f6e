/** Sets in the arena, gone with the process: for demos and tests. */
import { crc32 } from 'node:zlib';
import type { Arena, Owner } from '../columnar/index.ts';
import type { EncodedSet } from './arrow/encode-set.ts';
import { readOrSetAside, SetReader } from './folder/read-set.ts';
import { DamagedSet, idOf, kindsOf, nameOf, setsOfKind, type SetKey } from './set-key.ts';
import type { ReadTable, Report, SetInfo, Sets, StoredSet } from './sets.ts';

export interface MemoryOptions {
  readonly arena: Arena;
  /** Owns the bytes; released when the store is closed. */
  readonly owner: Owner;
  readonly nowMs?: () => number;
}

interface ArenaSet extends SetInfo {
  readonly crc32: number;
  readonly stored: StoredSet;
  readonly address: number;
}

/** Replaced sets stay for so long, as a thread may still read them. */
const GRACE_MS = 600_000;

export function createMemorySets(options: MemoryOptions): Sets {
  return new MemorySets(options);
}

class MemorySets implements Sets {
  readonly #arena: Arena;
  readonly #owner: Owner;
  readonly #nowMs: () => number;
  readonly #reader: SetReader;
  readonly #sets: Map<string, ArenaSet> = new Map();
  #version = 0;
  /** Replaced and removed sets, the oldest first. */
  readonly #replaced: { readonly held: ArenaSet; readonly atMs: number }[] = [];

  constructor({ arena, owner, nowMs = Date.now }: MemoryOptions) {
    this.#arena = arena;
    this.#owner = owner;
    this.#nowMs = nowMs;
    this.#reader = new SetReader(arena);
  }

  get version(): number {
    return this.#version;
  }

  kinds(): readonly string[] {
    return kindsOf(this.#sets.values());
  }

  list(kind: string): readonly SetInfo[] {
    return setsOfKind(this.#sets.values(), kind);
  }

  locate(key: SetKey): StoredSet | undefined {
    const held = this.#sets.get(idOf(key));
    if (held?.damage !== undefined) throw new DamagedSet(key, held.damage);
    return held?.stored;
  }

  async read(
    key: SetKey,
    owner: Owner,
    columns?: readonly string[],
  ): Promise<ReadTable | undefined> {
    return await readOrSetAside(this, key, (stored) => this.#reader.read(stored, owner, columns));
  }

  async write(
    encoded: Iterable<EncodedSet> | AsyncIterable<EncodedSet>,
    replaced: () => readonly SetKey[] = () => [],
  ): Promise<void> {
    this.#freeReplaced();
    const held: ArenaSet[] = [];
    try {
      for await (const set of encoded) {
        try {
          held.push(this.#hold(set));
        } finally {
          set.free?.();
        }
      }
    } catch (error) {
      for (const { address, bytes } of held) this.#arena.free(address, bytes);
      throw error;
    }
    for (const key of replaced()) this.#replace(key, undefined);
    for (const each of held) this.#replace(each.key, each);
  }

  async remove(keys: readonly SetKey[]): Promise<void> {
    for (const key of keys) this.#replace(key, undefined);
  }

  async setAside({ key, place }: StoredSet): Promise<void> {
    const held = this.#sets.get(idOf(key));
    const isCurrent = held && 'address' in place && held.address === place.address;
    if (!isCurrent || held.damage !== undefined) return;
    const damage = this.#damageOf(held);
    if (damage === undefined) return;
    this.#sets.set(idOf(key), { ...held, damage });
    this.#version++;
  }

  async verify(): Promise<Report> {
    const all = [...this.#sets.values()];
    const damages = all.flatMap((held) => {
      const reason = held.damage ?? this.#damageOf(held);
      return reason === undefined ? [] : [{ what: nameOf(held.key), reason }];
    });
    const bytes = all.reduce((sum, held) => sum + held.bytes, 0);
    return { sets: all.length, bytes, damages, notes: ['the sets are in memory'] };
  }

  async close(): Promise<void> {
    this.#arena.release(this.#owner);
  }

  #hold({ key, meta, rows, bytes, crc32: sum, directory }: EncodedSet): ArenaSet {
    const address = this.#arena.allocate(bytes.length, this.#owner);
    this.#arena.u8(address, bytes.length).set(bytes);
    const stored = { key, place: { address }, directory };
    return { key, meta, rows, bytes: bytes.length, crc32: sum, stored, address };
  }

  #replace(key: SetKey, by: ArenaSet | undefined): void {
    const before = this.#sets.get(idOf(key));
    if (before) this.#replaced.push({ held: before, atMs: this.#nowMs() });
    if (by) this.#sets.set(idOf(key), by);
    else this.#sets.delete(idOf(key));
    this.#version++;
  }

  #damageOf({ address, bytes, crc32: sum }: ArenaSet): string | undefined {
    return crc32(this.#arena.u8(address, bytes)) === sum
      ? undefined
      : 'it has not the bytes written';
  }

  #freeReplaced(): void {
    for (;;) {
      const [first] = this.#replaced;
      if (first === undefined || this.#nowMs() - first.atMs < GRACE_MS) return;
      this.#arena.free(first.held.address, first.held.bytes);
      this.#replaced.shift();
    }
  }
}
