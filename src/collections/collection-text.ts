/** Collections as they are stored: one JSON text, a line each. */
import { Fault, readJson, shapeOf, type Shape } from '../query/index.ts';
import { checkCollection, type Collection, type FilterReaders } from './collection.ts';
import { IDLE_WORDS, type Idle } from './idle.ts';
import type { State, StoredCollection } from './state.ts';

interface Document {
  /** Where several servers write it: the last change of each. */
  changes?: string[];
  idle: Idle;
  collections: object[];
}

const documentOf: Shape<Document> = shapeOf<Document>(
  {
    type: 'object',
    properties: {
      changes: { type: 'array', items: { type: 'string' }, nullable: true },
      idle: { type: 'string', enum: IDLE_WORDS },
      collections: { type: 'array', items: { type: 'object' } },
    },
    required: ['idle', 'collections'],
    additionalProperties: false,
  },
  '{"idle":"hide","collections":[]}',
);

/** @param changes of several servers come first */
export function textOf({ idle, known }: State, changes: readonly string[] = []): string {
  const lines = Array.from(known.values(), ({ json }) => json);
  const told = changes.length === 0 ? '' : `"changes":${JSON.stringify(changes)},`;
  return `{${told}"idle":${JSON.stringify(idle)},"collections":[\n${lines.join(',\n')}\n]}\n`;
}

export interface Written {
  readonly value: State;
  readonly changes: readonly string[];
}

/** @param before collections that are the same are taken from there, as their filters are parsed */
export function stateIn(
  text: string,
  readers: FilterReaders,
  before?: State,
): Written | { readonly damage: string } {
  try {
    const what = 'the document';
    const { changes, idle, collections } = documentOf(readJson(text, what, ''), what);
    const known = collections.map((each): [string, StoredCollection] => {
      const { id } = each as Partial<Collection>;
      if (id === undefined) throw new Fault(`a collection of ${what} has no id`);
      const same = before?.known.get(id);
      if (same !== undefined && same.json === JSON.stringify(each)) return [id, same];
      const { draft, groups } = checkCollection(each, what, readers, id);
      const collection = { id, ...draft };
      return [id, { collection, groups, json: JSON.stringify(collection) }];
    });
    return { value: { idle, known: new Map(known) }, changes: changes ?? [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { damage: error.message };
  }
}
