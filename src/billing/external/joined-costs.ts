/** External costs as rows of allocations: charges whose tags name a workload, or a property of it. */
import {
  ChargeGroups,
  plainField,
  type ChargeField,
  type ChargeQuery,
  type ChargeSchema,
} from '../charges/index.ts';
import { spendHeap } from '../../columnar/index.ts';
import type { Window } from '../../query/index.ts';
import { joinedTexts, type JoinedTexts, type JoinTags } from './join-tags.ts';
import { COST_OF, EXTERNAL_SCHEMA } from './schema.ts';

/** A row of allocations with an external cost only. */
export interface JoinedCost {
  readonly texts: JoinedTexts;
  /** USD: what is billed, or the list price where nothing is. */
  readonly cost: number;
}

/** Charges are alike when their tags are. */
const TAGS: ChargeField = plainField('tags');
const COST = COST_OF.blended;

export const JOINED_SCHEMA: ChargeSchema = {
  fields: [TAGS],
  measures: EXTERNAL_SCHEMA.measures.filter(({ name }) => name === COST),
  texts: ['tags'],
  numbers: [],
};

export function joinedQuery(windows: readonly Window[]): ChargeQuery {
  return { windows, keys: [{ field: TAGS.name, label: null }], isSeparate: false, filter: null };
}

/** Heap of a row, as an object and as JSON. */
const ROW_BYTES = 1000;

/** Rows of a window, as JSON; '' for none. @throws {HeapFull} */
export function joinedJson(groups: ChargeGroups, window: number, by: JoinTags): string {
  const rows = groups.within(window).flatMap((group): JoinedCost[] => {
    const texts = joinedTexts(groups.text('tags', group) ?? '', by);
    if (texts === undefined) return [];
    spendHeap(ROW_BYTES);
    return [{ texts, cost: groups.sum(COST, group) }];
  });
  return rows.length === 0 ? '' : JSON.stringify(rows);
}
