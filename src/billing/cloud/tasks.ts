/** What workers do for cloud costs. */
import {
  groupCharges,
  writeTexts,
  type ChargeGroups,
  type ChargeQuery,
  type ChargeSchema,
  type ChargesGrouped,
  type Gathered,
  type GroupsAt,
  type WrittenText,
} from '../charges/index.ts';
import {
  checksumOf,
  spendHeap,
  type Engine,
  type Owner,
  type Table,
} from '../../columnar/index.ts';
import { resourceKey, Unavailable } from '../../query/index.ts';
import { DamagedSet, SetReader, type StoredSet } from '../../storage/index.ts';
import { KNOWN, withKnown } from './known-resources.ts';
import { itemsWithin, type CloudItem } from './items.ts';
import type { CloudShown } from './params.ts';
import { valuesOf, type ValuesQuery } from './values.ts';
import {
  cloudSchema,
  resourceSchema,
  VALUES_SCHEMA,
  type CloudColumns,
  type CostMetric,
} from './schema.ts';
import { pageOf, VIEWS, type ViewName } from './write-views.ts';
import type { TasksOf } from '../../pool/task.ts';

interface Charges extends Gathered {
  readonly query: ChargeQuery;
  /** Of the texts, and of what is needed on the way. */
  readonly owner: Owner;
}

export interface CloudCostsInput extends Charges {
  /** Whose column `providerID` names what Kubernetes has. */
  readonly assets: readonly StoredSet[];
  readonly shown: CloudShown;
  readonly view: ViewName;
}

export interface CloudItemsInput extends Charges {
  readonly metric: CostMetric;
  /** Whether the query has keys before the resource. */
  readonly isNamed: boolean;
  /** Known ones; null: all. */
  readonly resources: readonly string[] | null;
}

export interface CloudValuesInput extends Charges {
  readonly asked: ValuesQuery;
}

/** What is told of groups. */
export type CloudQuery =
  | (CloudColumns & {
      /** Whose column `providerID` names what Kubernetes has. */
      readonly assets: readonly StoredSet[];
    })
  | Pick<CloudItemsInput, 'metric' | 'resources'>
  | { readonly values: true };

export interface CloudSliceInput {
  readonly stored: readonly StoredSet[];
  readonly query: ChargeQuery;
  readonly asked: CloudQuery;
  /** Of what is needed on the way. */
  readonly owner: Owner;
  /** Of the groups. */
  readonly keeper: Owner;
}

export type CloudTasks = {
  /** Groups of a part of all sets, for the tasks below. */
  cloudSlice: { input: CloudSliceInput; output: GroupsAt };
  /** A text a window. */
  cloudCosts: { input: CloudCostsInput; output: WrittenText[] };
  /** The first values of a field, in order. */
  cloudValues: { input: CloudValuesInput; output: string[] };
  /** Items of each window. */
  cloudItems: { input: CloudItemsInput; output: CloudItem[][] };
};

export function cloudTasks(engine: Engine): TasksOf<CloudTasks> {
  const reader = new SetReader(engine.arena, checksumOf(engine));
  const group = (given: ChargesGrouped, asked: CloudQuery): ChargeGroups =>
    groupCharges(engine, reader, schemaOf(reader, asked), given, {
      rows: seeingOf(asked),
      storedAs: (name) => (name === KNOWN ? 'providerID' : name),
    });
  return {
    cloudSlice: ({ stored, query, asked, owner, keeper }) =>
      group({ stored, parts: [], query, owner }, asked).store({ engine, owner: keeper }),

    cloudCosts(input) {
      const { query, shown, view, owner, assets } = input;
      const { told, write, isOfLast } = VIEWS[view];
      const groups = group(input, { ...told(shown), assets });
      const places = [...query.windows.keys()].slice(isOfLast === true ? -1 : 0);
      const pages = places.map((place) => pageOf(groups, place, shown, VIEWS[view]));
      return writeTexts(engine, owner, pages, (page, i) =>
        write({ groups, query, shown, place: places[i] ?? 0, page }),
      );
    },

    cloudValues: (input) => valuesOf(group(input, { values: true }), input.asked),

    cloudItems(input) {
      const { query, metric, isNamed, resources } = input;
      const groups = group(input, { metric, resources });
      return query.windows.map((_, place) => itemsWithin(groups, place, metric, isNamed));
    },
  };
}

function schemaOf(reader: SetReader, asked: CloudQuery): ChargeSchema {
  if ('metric' in asked) return resourceSchema(asked.metric);
  if ('values' in asked) return VALUES_SCHEMA;
  return cloudSchema(asked, resourcesOf(reader, asked.assets));
}

/** @throws {Unavailable} when the set is damaged: an error's own class does not survive threads */
function idsIn(reader: SetReader, stored: StoredSet): string[] {
  try {
    return reader.readTexts(stored, 'providerID');
  } catch (cause) {
    if (!(cause instanceof DamagedSet)) throw cause;
    throw new Unavailable(`what clusters had cannot be read: ${cause.message}`, {
      hint: 'ask again: the answer then tells what it lacks',
      cause,
    });
  }
}

/** Rows as a question sees them. */
function seeingOf(asked: CloudQuery): (table: Table) => Table {
  if (!('metric' in asked)) return (table) => table;
  const known = asked.resources === null ? null : new Set(asked.resources);
  return (table) => withKnown(table, known);
}

/** What a resource takes of the heap beside its characters. */
const KEY_BYTES = 64;

function resourcesOf(reader: SetReader, assets: readonly StoredSet[]): Set<string> {
  const keys = new Set<string>();
  for (const stored of assets) {
    for (const id of idsIn(reader, stored)) {
      const key = resourceKey(id);
      if (key === '' || keys.has(key)) continue;
      keys.add(key);
      spendHeap(KEY_BYTES + key.length);
    }
  }
  return keys;
}
