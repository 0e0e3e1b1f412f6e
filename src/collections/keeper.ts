/** Where collections are kept: a document of the data folder, or memory alone. */
import { Fault, readJson, shapeOf, type Shape } from '../query/index.ts';
import { KeptDocument, type Disk } from '../storage/index.ts';
import { checkCollection, type Collection, type FilterReaders } from './collection.ts';
import { IDLE_WORDS, type Idle } from './idle.ts';
import type { Known, State } from './state.ts';

export interface Keeper {
  /** When this ends, the state is there after a restart. @throws {Unavailable} */
  keep(state: State): Promise<void>;
}

export interface KeeperOptions {
  readonly folder: string | undefined;
  readonly readers: FilterReaders;
  readonly nowMs: () => number;
  /** Told what was found damaged and where it is now. */
  readonly note: (sentence: string) => void;
  /** Nothing of the folder can be changed. */
  readonly isReadOnly?: boolean;
  readonly disk?: Disk;
}

export interface Opened {
  readonly keeper: Keeper;
  readonly state: State;
}

const EMPTY: State = { idle: 'hide', known: new Map() };

/**
 * What was kept. A document that cannot be used as a whole is set aside, never written over.
 * @throws {Unavailable} when the disk does not answer, or a later version wrote it
 */
export async function openKeeper(options: KeeperOptions): Promise<Opened> {
  const { folder, disk, note, nowMs } = options;
  if (folder === undefined) return { keeper: { keep: () => Promise.resolve() }, state: EMPTY };
  const document = new KeptDocument({ folder, name: 'collections', ...(disk ? { disk } : {}) });
  const keeper = { keep: (state: State) => document.write(textOf(state)) };
  const found = await document.read();
  if (found === undefined) return { keeper, state: EMPTY };
  const read = 'text' in found ? stateIn(found.text, options.readers) : found;
  if (!('damage' in read)) return { keeper, state: read };
  const { path } = document;
  if (options.isReadOnly === true) {
    note(`${path} cannot be used: ${read.damage}; there are no collections`);
    return { keeper, state: EMPTY };
  }
  const aside = await document.setAside(nowMs());
  note(`${path} cannot be used and is now ${aside}: ${read.damage}; there are no collections`);
  return { keeper, state: EMPTY };
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
    const known = collections.map((each): [string, Known] => {
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
