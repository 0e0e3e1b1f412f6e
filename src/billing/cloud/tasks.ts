/** Tasks of workers for cloud costs. */
import {
  chargeReader,
  writeTexts,
  type ChargeSchema,
  type Gathered,
  type SliceTask,
  type WrittenText,
} from '../charges/index.ts';
import { checksumOf, spendHeap, type Engine } from '../../columnar/index.ts';
import { balancersBeside, resourceKey, scaleSetOf } from '../../query/index.ts';
import { readInTask, SetReader, type StoredSet } from '../../storage/index.ts';
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

export interface CloudCostsInput extends Gathered {
  /** Sets whose column `providerID` names the resources of clusters. */
  readonly assets: readonly StoredSet[];
  readonly shown: CloudShown;
  readonly view: ViewName;
}

export interface CloudItemsInput extends Gathered {
  readonly metric: CostMetric;
  /** Whether the query has keys before the resource. */
  readonly isNamed: boolean;
  /** Known resources; null: all. */
  readonly resources: readonly string[] | null;
}

export interface CloudValuesInput extends Gathered {
  readonly values: ValuesQuery;
}

/** Plain data of which a worker makes the schema of the charges. */
export type CloudSpec =
  | (CloudColumns & {
      /** Sets whose column `providerID` names the resources of clusters. */
      readonly assets: readonly StoredSet[];
    })
  | Pick<CloudItemsInput, 'metric' | 'resources'>
  | { readonly values: true };

export type CloudTasks = SliceTask<'cloudSlice', CloudSpec> & {
  /** A text a window. */
  cloudCosts: { input: CloudCostsInput; output: WrittenText[] };
  /** The first values of a field, in order. */
  cloudValues: { input: CloudValuesInput; output: string[] };
  /** Items of each window. */
  cloudItems: { input: CloudItemsInput; output: CloudItem[][] };
};

export function cloudTasks(engine: Engine): TasksOf<CloudTasks> {
  const reader = new SetReader(engine.arena, checksumOf(engine));
  const { group, slice } = chargeReader(engine, reader, (spec: CloudSpec) =>
    schemaOf(reader, spec),
  );
  return {
    cloudSlice: slice,

    cloudCosts(input) {
      const { query, shown, view, owner, assets } = input;
      const { columns, write, isOfLast } = VIEWS[view];
      const groups = group(input, { ...columns(shown), assets });
      const places = [...query.windows.keys()].slice(isOfLast === true ? -1 : 0);
      const pages = places.map((place) => pageOf(groups, place, shown, VIEWS[view]));
      return writeTexts(engine, owner, pages, (page, i) =>
        write({ groups, query, shown, place: places[i] ?? 0, page }),
      );
    },

    cloudValues: (input) => valuesOf(group(input, { values: true }), input.values),

    cloudItems(input) {
      const { query, metric, isNamed, resources } = input;
      const groups = group(input, { metric, resources });
      return query.windows.map((_, place) => itemsWithin(groups, place, metric, isNamed));
    },
  };
}

function schemaOf(reader: SetReader, spec: CloudSpec): ChargeSchema {
  if ('metric' in spec) return resourceSchema(spec.metric, spec.resources);
  if ('values' in spec) return VALUES_SCHEMA;
  return cloudSchema(spec, resourcesOf(reader, spec.assets));
}

const DAMAGED = {
  what: 'what clusters had cannot be read',
  hint: 'ask again: the answer then tells what it lacks',
};

/** Heap of a resource, without its characters. */
const KEY_BYTES = 64;

function resourcesOf(reader: SetReader, assets: readonly StoredSet[]): Set<string> {
  const keys = new Set<string>();
  for (const stored of assets) {
    for (const id of readInTask(() => reader.readTexts(stored, 'providerID'), DAMAGED)) {
      const own = resourceKey(id);
      for (const key of [own, scaleSetOf(own), balancersBeside(own)]) {
        if (key === '' || keys.has(key)) continue;
        keys.add(key);
        spendHeap(KEY_BYTES + key.length);
      }
    }
  }
  return keys;
}
