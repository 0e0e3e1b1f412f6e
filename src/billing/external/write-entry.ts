/** A set of an answer of external costs, as JSON. */
import { joinedBy } from '../../columnar/index.ts';
import {
  orderGroups,
  type ChargeGroups,
  type ChargeQuery,
  type ItemPage,
} from '../charges/index.ts';
import { windowOf } from '../../export/index.ts';
import { ItemIds, itemOf } from './items.ts';
import { COST_OF, type CostType } from './schema.ts';

/** Columns that items can be sorted by. */
export const SORTS = ['cost', 'aggregate', 'costType'] as const;

/** The form in which sets are shown: plain data, sent to workers. */
export interface ExternalShown extends ItemPage {
  readonly costType: CostType;
  /** All items have the same type of cost: sorted by it they are in order of name. */
  readonly sortBy: (typeof SORTS)[number];
}

/** The shown groups of a window, in order. */
export function pageOf(groups: ChargeGroups, window: number, shown: ExternalShown): number[] {
  const { costType, sortBy } = shown;
  const values: Record<ExternalShown['sortBy'], (group: number) => number | string> = {
    cost: (group) => groups.sum(COST_OF[costType], group),
    aggregate: (group) => groups.name(group),
    costType: () => costType,
  };
  return orderGroups(groups, window, shown, values[sortBy]);
}

/**
 * `{"window":…,"totalBilledCost":…,"totalListCost":…,"totalCost":…,"totalCostType":…,"customCosts":[…]}`:
 * totals are of all groups, whatever is shown. In parts.
 */
export function* entryJson(
  groups: ChargeGroups,
  query: ChargeQuery,
  window: number,
  { page, costType }: { readonly page: readonly number[]; readonly costType: CostType },
): Generator<string> {
  const within = groups.within(window);
  const ids = new ItemIds(groups, query.isSeparate ? within : null);
  const items = function* (): Generator<string> {
    for (const group of page) yield JSON.stringify(itemOf(groups, group, costType, ids.of(group)));
  };
  const totalOf = (measure: string): number =>
    within.reduce((total, group) => total + groups.sum(measure, group), 0);
  const about = {
    window: windowOf(query.windows[window] ?? { startMs: 0, endMs: 0 }),
    totalBilledCost: totalOf('billedCost'),
    totalListCost: totalOf('listCost'),
    totalCost: totalOf(COST_OF[costType]),
    totalCostType: costType,
  };
  yield `${JSON.stringify(about).slice(0, -1)},"customCosts":[`;
  yield* joinedBy(',', items());
  yield ']}';
}
