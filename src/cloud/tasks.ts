/** What workers do for cloud costs. */
import {
  ChargeGroups,
  columnsRead,
  readCharges,
  writeTexts,
  type ChargeQuery,
  type ChargeSchema,
  type WrittenText,
} from '../charges/index.ts';
import type { Engine, Owner, Table } from '../columnar/index.ts';
import { resourceKey } from '../query/index.ts';
import { SetReader, type StoredSet } from '../storage/index.ts';
import { KNOWN, withKnown } from './known-resources.ts';
import { itemsWithin, type CloudItem } from './items.ts';
import type { CloudShown } from './params.ts';
import { valuesOf, type ValuesAsked } from './values.ts';
import { VALUES_SCHEMA, cloudSchema, resourceSchema, type CostMetric } from './schema.ts';
import { pageOf, VIEWS, type ViewName } from './write-views.ts';

interface Charges {
  readonly stored: readonly StoredSet[];
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
  readonly asked: ValuesAsked;
}

export type CloudTasks = {
  /** A text a window. */
  cloudCosts: { input: CloudCostsInput; output: WrittenText[] };
  /** The first values of a field, in order. */
  cloudValues: { input: CloudValuesInput; output: string[] };
  /** Items of each window. */
  cloudItems: { input: CloudItemsInput; output: CloudItem[][] };
};

type Tasks = {
  [Name in keyof CloudTasks]: (input: CloudTasks[Name]['input']) => CloudTasks[Name]['output'];
};

export function cloudTasks(engine: Engine): Tasks {
  const reader = new SetReader(engine.arena);
  const group = (
    { stored, query, owner }: Charges,
    schema: ChargeSchema,
    seen: (table: Table) => Table = (table) => table,
  ): ChargeGroups => {
    const groups = new ChargeGroups(schema, query);
    const columns = columnsRead(schema, query).map((name) =>
      name === KNOWN ? 'providerID' : name,
    );
    readCharges(engine, reader, { stored, columns: [...new Set(columns)], owner }, (table) =>
      groups.add({ engine, owner }, seen(table)),
    );
    return groups;
  };
  return {
    cloudCosts(input) {
      const { query, shown, view, owner } = input;
      const { told, write } = VIEWS[view];
      const resources = resourcesOf(reader, input.assets);
      const groups = group(input, cloudSchema(told(shown), resources));
      const pages = query.windows.map((_, place) => pageOf(groups, place, shown, VIEWS[view]));
      return writeTexts(engine, owner, pages, (page, place) =>
        write({ groups, query, shown, place, page }),
      );
    },

    cloudValues: (input) => valuesOf(group(input, VALUES_SCHEMA), input.asked),

    cloudItems(input) {
      const { query, metric, isNamed, resources } = input;
      const known = resources === null ? null : new Set(resources);
      const groups = group(input, resourceSchema(metric), (table) => withKnown(table, known));
      return query.windows.map((_, place) => itemsWithin(groups, place, metric, isNamed));
    },
  };
}

function resourcesOf(reader: SetReader, assets: readonly StoredSet[]): Set<string> {
  const ids = assets.flatMap((stored) => reader.readTexts(stored, 'providerID'));
  return new Set(ids.map(resourceKey).filter((key) => key !== ''));
}
