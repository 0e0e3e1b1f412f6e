/** Tasks of collections: workers read and check request bodies. */
import { bodyText, parseFilter, readBoundedJson, type FilterGrammar } from '../query/index.ts';
import { checkCollection, EXAMPLE, type Checked } from './collection.ts';
import { configsOf, type Idle } from './idle.ts';
import type { Selection } from './selection.ts';
import type { TasksOf } from '../pool/task.ts';

/** The filter grammar of each domain. */
export type Grammars = Readonly<Record<keyof Selection, Omit<FilterGrammar, 'parameter'>>>;

export interface CollectionInput {
  readonly body: Uint8Array;
  readonly grammars: Grammars;
  /** The body may repeat it; null: the collection has no id yet. */
  readonly id: string | null;
}

export type CollectionTasks = {
  readCollection: { input: CollectionInput; output: Checked };
  readConfigs: { input: { readonly body: Uint8Array }; output: Idle };
};

export const collectionTasks: TasksOf<CollectionTasks> = {
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
