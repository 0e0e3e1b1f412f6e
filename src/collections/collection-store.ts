/** Stores collections: in a document of the data folder, or in memory only. */
import { Fault, readJson, shapeOf, type Shape } from '../query/index.ts';
import { StoredDocument, type Disk } from '../storage/index.ts';
import { checkCollection, type Collection, type FilterReaders } from './collection.ts';
import { IDLE_WORDS, type Idle } from './idle.ts';
import type { StoredCollection, State } from './state.ts';

export interface CollectionStore {
  /** Once it resolves, the state survives a restart. @throws {Unavailable} */
  write(state: State): Promise<void>;
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

export interface Opened {
  readonly store: CollectionStore;
  readonly state: State;
}

const EMPTY: State = { idle: 'hide', known: new Map() };

/**
 * Reads the stored state. A document with any fault is set aside, never overwritten.
 * @throws {Unavailable} when the disk does not answer, or a later version wrote it
 */
export async function openCollectionStore(options: CollectionStoreOptions): Promise<Opened> {
  const { folder, disk, note, nowMs } = options;
  if (folder === undefined) return { store: { write: () => Promise.resolve() }, state: EMPTY };
  const document = new StoredDocument({ folder, name: 'collections', ...(disk ? { disk } : {}) });
  const store = { write: (state: State) => document.write(textOf(state)) };
  const found = await document.read();
  if (found === undefined) return { store, state: EMPTY };
  const read = 'text' in found ? stateIn(found.text, options.readers) : found;
  if (!('damage' in read)) return { store, state: read };
  const { path } = document;
  if (options.isReadOnly === true) {
    note(`${path} cannot be used: ${read.damage}; there are no collections`);
    return { store, state: EMPTY };
  }
  const aside = await document.setAside(nowMs());
  note(`${path} cannot be used and is now ${aside}: ${read.damage}; there are no collections`);
  return { store, state: EMPTY };
}

interface Document {
  idle: Idle;
  collections: object[];
}

const documentOf: Shape<Document> = shapeOf<Document>(
  {
    type: 'object',
    properties: {
      idle: { type: 'string', enum: IDLE_WORDS },
      collections: { type: 'array', items: { type: 'object' } },
    },
    required: ['idle', 'collections'],
    additionalProperties: false,
  },
  '{"idle":"hide","collections":[]}',
);

function textOf({ idle, known }: State): string {
  const lines = Array.from(known.values(), ({ json }) => json);
  return `{"idle":${JSON.stringify(idle)},"collections":[\n${lines.join(',\n')}\n]}\n`;
}

function stateIn(text: string, readers: FilterReaders): State | { readonly damage: string } {
  try {
    const what = 'the document';
    const { idle, collections } = documentOf(readJson(text, what, ''), what);
    const known = collections.map((each): [string, StoredCollection] => {
      const { id } = each as Partial<Collection>;
      if (id === undefined) throw new Fault(`a collection of ${what} has no id`);
      const { draft, groups } = checkCollection(each, what, readers, id);
      const collection = { id, ...draft };
      return [id, { collection, groups, json: JSON.stringify(collection) }];
    });
    return { idle, known: new Map(known) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { damage: error.message };
  }
}
