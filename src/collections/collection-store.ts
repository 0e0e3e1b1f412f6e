/** Stores collections of one process: in a document of the data folder, or in memory only. */
import { Unavailable } from '../query/index.ts';
import { StoredDocument, type Disk } from '../storage/index.ts';
import type { FilterReaders } from './collection.ts';
import { stateIn, textOf } from './collection-text.ts';
import { NO_COLLECTIONS, type State } from './state.ts';

export interface CollectionStore {
  /** As it is known now. */
  readonly value: State;
  /**
   * Changes run one after the other, and each is visible once it survives a restart.
   * @param make the state after the change; called again where another process changed it meanwhile
   * @throws what `make` does, and nothing is changed @throws {Unavailable}
   */
  change(make: (state: State) => Promise<State>): Promise<void>;
  close(): void;
}

export interface CollectionStoreOptions {
  readonly folder: string | undefined;
  readonly readers: FilterReaders;
  readonly nowMs: () => number;
  /** Called for a damaged document, with the name it was set aside under. */
  readonly note: (sentence: string) => void;
  /** The folder cannot be changed. */
  readonly isReadOnly?: boolean;
  readonly disk?: Disk;
}

/**
 * Reads the stored state. A document with any fault is set aside, never overwritten.
 * @throws {Unavailable} when the disk does not answer, or a later version wrote it
 */
export async function openCollectionStore(
  options: CollectionStoreOptions,
): Promise<CollectionStore> {
  const { folder, disk, note, nowMs } = options;
  if (folder === undefined) return new OwnStore(NO_COLLECTIONS, () => Promise.resolve());
  const document = new StoredDocument({ folder, name: 'collections', ...(disk ? { disk } : {}) });
  // Without the lock of the folder its owner may write there, also once the disk has room again.
  const refuse = (): Promise<never> => Promise.reject(unwritable(document.path));
  const storeOf = (state: State): CollectionStore =>
    new OwnStore(
      state,
      options.isReadOnly === true ? refuse : (changed) => document.write(textOf(changed)),
    );
  const found = await document.read();
  if (found === undefined) return storeOf(NO_COLLECTIONS);
  const read = 'text' in found ? stateIn(found.text, options.readers) : found;
  if (!('damage' in read)) return storeOf(read.value);
  const { path } = document;
  if (options.isReadOnly === true) {
    note(`${path} cannot be used: ${read.damage}; there are no collections`);
    return storeOf(NO_COLLECTIONS);
  }
  const aside = await document.setAside(nowMs());
  note(`${path} cannot be used and is now ${aside}: ${read.damage}; there are no collections`);
  return storeOf(NO_COLLECTIONS);
}

function unwritable(path: string): Unavailable {
  return new Unavailable(`cannot write ${path}: its folder is served read-only`, {
    hint: 'restart this process once the folder can be written',
  });
}

class OwnStore implements CollectionStore {
  readonly #write: (state: State) => Promise<void>;
  #state: State;
  #last: Promise<unknown> = Promise.resolve();

  /** @param write once it resolves, the state survives a restart */
  constructor(state: State, write: (state: State) => Promise<void>) {
    this.#state = state;
    this.#write = write;
  }

  get value(): State {
    return this.#state;
  }

  change(make: (state: State) => Promise<State>): Promise<void> {
    const done = this.#last.then(async () => {
      const state = await make(this.#state);
      await this.#write(state);
      this.#state = state;
    });
    this.#last = done.catch(() => undefined);
    return done;
  }

  close(): void {
    // Each write has closed its file.
  }
}
