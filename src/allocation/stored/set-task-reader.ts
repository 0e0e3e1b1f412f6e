/** Reads stored sets in a worker; damage becomes `Unavailable`, as other classes do not cross threads. */
import { ArenaFull, checksumOf, type Engine, type Owner } from '../../columnar/index.ts';
import { Unavailable } from '../../query/index.ts';
import { readInTask, SetReader, type ReadTable, type StoredSet } from '../../storage/index.ts';

/** Why a set could not be read, as plain data; nothing is held. */
export interface Unread {
  /** There was no room for it; else it is damaged, or its place does not answer. */
  readonly isCrowdedOut: boolean;
  readonly message: string;
  readonly hint?: string | undefined;
  /** As an `Unavailable` has it. */
  readonly retryAfterSeconds?: number | undefined;
}

export class SetTaskReader {
  readonly #reader: SetReader;

  constructor(engine: Engine) {
    this.#reader = new SetReader(engine.arena, checksumOf(engine));
  }

  /** As a SetReader does. @throws {Unavailable} when the set is damaged */
  read(stored: StoredSet, owner: Owner, columns?: readonly string[]): ReadTable {
    return readInTask(() => this.#reader.read(stored, owner, columns));
  }

  /** As `read`, for use within a task: only bugs are thrown. */
  attempt(stored: StoredSet, owner: Owner, columns?: readonly string[]): ReadTable | Unread {
    try {
      return this.#reader.read(stored, owner, columns);
    } catch (error) {
      if (error instanceof ArenaFull) return { isCrowdedOut: true, message: error.message };
      if (!(error instanceof Unavailable)) throw error;
      const { message, hint, retryAfterSeconds } = error;
      return { isCrowdedOut: false, message, hint, retryAfterSeconds };
    }
  }

  /** As a SetReader does. @throws {Unavailable} when the set is damaged */
  readTexts(stored: StoredSet, column: string): string[] {
    return readInTask(() => this.#reader.readTexts(stored, column));
  }
}
