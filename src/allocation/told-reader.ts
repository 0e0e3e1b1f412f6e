/** Reads stored sets in a worker; damage is told in words, as an error's own class stays behind. */
import type { Arena, Owner } from '../columnar/index.ts';
import { Unavailable } from '../query/index.ts';
import { DamagedSet, SetReader, type ReadTable, type StoredSet } from '../storage/index.ts';

export class ToldReader {
  readonly #reader: SetReader;

  constructor(arena: Arena) {
    this.#reader = new SetReader(arena);
  }

  /** As a SetReader does. @throws {Unavailable} when the set is damaged */
  read(stored: StoredSet, owner: Owner, columns?: readonly string[]): ReadTable {
    return told(() => this.#reader.read(stored, owner, columns));
  }

  /** As a SetReader does. @throws {Unavailable} when the set is damaged */
  readTexts(stored: StoredSet, column: string): string[] {
    return told(() => this.#reader.readTexts(stored, column));
  }
}

function told<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DamagedSet)) throw error;
    const { message, hint } = error;
    throw new Unavailable(message, { ...(hint === undefined ? {} : { hint }), cause: error });
  }
}
