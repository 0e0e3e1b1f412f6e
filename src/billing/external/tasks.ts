/** Tasks of workers for external costs. */
import {
  chargeReader,
  writeTexts,
  type ChargeSchema,
  type Gathered,
  type SliceTask,
  type WrittenText,
} from '../charges/index.ts';
import {
  checksumOf,
  storeText,
  type Engine,
  type Owner,
  type TextPiece,
} from '../../columnar/index.ts';
import type { Window } from '../../query/index.ts';
import { SetReader } from '../../storage/index.ts';
import type { JoinTags } from './join-tags.ts';
import { joinedJson, JOINED_SCHEMA } from './joined-costs.ts';
import { pushCsv } from './push-csv.ts';
import { EXTERNAL_SCHEMA } from './schema.ts';
import { entryJson, pageOf, type ExternalShown } from './write-entry.ts';
import type { TasksOf } from '../../pool/task.ts';

/** Names a schema of the charges. */
export type ExternalSpec = 'items' | 'joined';
const SCHEMAS: Readonly<Record<ExternalSpec, ChargeSchema>> = {
  items: EXTERNAL_SCHEMA,
  joined: JOINED_SCHEMA,
};

export interface ExternalInput extends Gathered {
  readonly shown: ExternalShown;
}

export interface PushedInput {
  /** Lines of JSON, UTF-8. */
  readonly address: number;
  readonly bytes: number;
  readonly window: Window;
  readonly owner: Owner;
}

export interface JoinedInput extends Gathered {
  readonly tags: JoinTags;
}

export type ExternalTasks = SliceTask<'externalSlice', ExternalSpec> & {
  /** A text a window. */
  externalCosts: { input: ExternalInput; output: WrittenText[] };
  /** Rows of each window as JSON. */
  joinedCosts: { input: JoinedInput; output: string[] };
  /** A CSV that follows FOCUS. */
  pushedCosts: { input: PushedInput; output: TextPiece };
};

export function externalTasks(engine: Engine): TasksOf<ExternalTasks> {
  const reader = new SetReader(engine.arena, checksumOf(engine));
  const { group, slice } = chargeReader(engine, reader, (spec: ExternalSpec) => SCHEMAS[spec]);
  return {
    externalSlice: slice,

    externalCosts(input) {
      const { query, shown, owner } = input;
      const groups = group(input, 'items');
      const pages = query.windows.map((_, window) => pageOf(groups, window, shown));
      return writeTexts(engine, owner, pages, (page, window) =>
        entryJson(groups, query, window, { page, costType: shown.costType }),
      );
    },

    joinedCosts(input) {
      const groups = group(input, 'joined');
      return input.query.windows.map((_, window) => joinedJson(groups, window, input.tags));
    },

    pushedCosts({ address, bytes, window, owner }) {
      const text = engine.arena.text(address, bytes).toString('utf8');
      return storeText(engine.arena, owner, pushCsv(text, window));
    },
  };
}
