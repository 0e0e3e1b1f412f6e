/** What workers do for collections: bodies are read and checked there. */
import { bodyText, parseFilter, readBoundedJson, type FilterGrammar } from '../query/index.ts';
import { checkCollection, EXAMPLE, type Checked } from './collection.ts';
import { configsOf, type Idle } from './idle.ts';
import type { Selection } from './selection.ts';

/** What filters of each domain are made of. */
export type Grammars = Readonly<Record<keyof Selection, Omit<FilterGrammar, 'parameter'>>>;

export interface CollectionInput {
  readonly body: Uint8Array;
  readonly grammars: Grammars;
  /** What the body may repeat; null: it has none yet. */
  readonly id: string | null;
}

export type CollectionTasks = {
  readCollection: { input: CollectionInput; output: Checked };
  readConfigs: { input: { readonly body: Uint8Array }; output: Idle };
};

type Tasks = {
  [Name in keyof CollectionTasks]: (
    input: CollectionTasks[Name]['input'],
  ) => CollectionTasks[Name]['output'];
};

export const collectionTasks: Tasks = {
  readCollection({ body, grammars, id }) {
    const readers = {
      kubernetes: (text: string, parameter: string) =>
        parseFilter(text, { parameter, ...grammars.kubernetes }),
      cloud: (text: string, parameter: string) =>
        parseFilter(text, { parameter, ...grammars.cloud }),
    };
    return checkCollection(valueOf(body, EXAMPLE), 'the body', readers, id ?? undefined);
  },

  readConfigs: ({ body }) => configsOf(valueOf(body, '{"idle":"shareByCluster"}'), 'the body').idle,
};

function valueOf(body: Uint8Array, example: string): unknown {
  return readBoundedJson(bodyText(body, `for example ${example}`, true), 'the body', example);
}
