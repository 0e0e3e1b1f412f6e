/** Sets as a builder changes them: each commit says who made it, and none is made once another builds. */
import type { Owner } from '../../columnar/index.ts';
import type { EncodedSet } from '../arrow/encode-set.ts';
import type { Mark } from '../mark.ts';
import type { SetKey } from '../set-key.ts';
import type { ReadTable, Report, SetInfo, Sets, StoredSet } from '../sets.ts';
import type { ObjectSets } from './object-sets.ts';

export class BuiltSets implements Sets {
  readonly #sets: ObjectSets;
  readonly #mark: () => Mark;

  /** @param mark throws where this process may not build now */
  constructor(sets: ObjectSets, mark: () => Mark) {
    this.#sets = sets;
    this.#mark = mark;
  }

  get version(): number {
    return this.#sets.version;
  }

  kinds(): readonly string[] {
    return this.#sets.kinds();
  }

  list(kind: string): readonly SetInfo[] {
    return this.#sets.list(kind);
  }

  locate(key: SetKey): StoredSet | undefined {
    return this.#sets.locate(key);
  }

  read(key: SetKey, owner: Owner, columns?: readonly string[]): Promise<ReadTable | undefined> {
    return this.#sets.read(key, owner, columns);
  }

  write(
    sets: Iterable<EncodedSet> | AsyncIterable<EncodedSet>,
    replaced?: () => readonly SetKey[],
  ): Promise<void> {
    return this.#sets.write(sets, replaced, this.#mark);
  }

  remove(keys: readonly SetKey[]): Promise<void> {
    return this.#sets.remove(keys, this.#mark);
  }

  setAside(stored: StoredSet): Promise<void> {
    return this.#sets.setAside(stored);
  }

  verify(): Promise<Report> {
    return this.#sets.verify();
  }

  close(): Promise<void> {
    return this.#sets.close();
  }
}
