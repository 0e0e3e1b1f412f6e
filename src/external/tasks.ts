/** What workers do for external costs. */
import {
  ChargeGroups,
  columnsRead,
  readCharges,
  storeText,
  writeTexts,
  type ChargeQuery,
  type WrittenText,
} from '../charges/index.ts';
import type { Engine, Owner } from '../columnar/index.ts';
import type { Window } from '../query/index.ts';
import { SetReader, type StoredSet } from '../storage/index.ts';
import { pushCsv } from './push-csv.ts';
import { EXTERNAL_SCHEMA } from './schema.ts';
import { entryJson, pageOf, type ExternalShown } from './write-entry.ts';

export interface ExternalInput {
  readonly stored: readonly StoredSet[];
  readonly query: ChargeQuery;
  readonly shown: ExternalShown;
  /** Of the texts, and of what is needed on the way. */
  readonly owner: Owner;
}

export interface PushedInput {
  /** Lines of JSON, UTF-8. */
  readonly address: number;
  readonly bytes: number;
  readonly window: Window;
  readonly owner: Owner;
}

export type ExternalTasks = {
  /** A text a window. */
  externalCosts: { input: ExternalInput; output: WrittenText[] };
  /** A CSV that follows FOCUS. */
  pushedCosts: { input: PushedInput; output: WrittenText };
};

type Tasks = {
  [Name in keyof ExternalTasks]: (
    input: ExternalTasks[Name]['input'],
  ) => ExternalTasks[Name]['output'];
};

export function externalTasks(engine: Engine): Tasks {
  const reader = new SetReader(engine.arena);
  return {
    externalCosts({ stored, query, shown, owner }) {
      const groups = new ChargeGroups(EXTERNAL_SCHEMA, query);
      const columns = columnsRead(EXTERNAL_SCHEMA, query);
      readCharges(engine, reader, { stored, columns, owner }, (table) => groups.add(table));
      const pages = query.windows.map((_, window) => pageOf(groups, window, shown));
      return writeTexts(engine, owner, pages, (page, window) =>
        entryJson(groups, query, window, { page, costType: shown.costType }),
      );
    },

    pushedCosts({ address, bytes, window, owner }) {
      const text = Buffer.from(engine.arena.buffer, address, bytes).toString('utf8');
      return storeText(engine, owner, pushCsv(text, window));
    },
  };
}
