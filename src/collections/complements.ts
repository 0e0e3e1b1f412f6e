/** Costs of everything outside of a collection, or outside of all collections of a category. */
import { readFilters } from '../allocation/index.ts';
import { readPageLimits } from '../http/index.ts';
import { AGGREGATE_NAMES, parseAggregate } from '../query/index.ts';
import { windowed, type CollectionQuery } from './collection-query.ts';
import { addUp, costObject } from './cost.ts';
import { itemsOf, pageOf } from './items.ts';
import { readAggregate, readIdleOptions, selectionOf } from './query-params.ts';
import { Reports, type Outside, type Report } from './reports.ts';
import type { Items } from './sources.ts';

/** @throws {Fault} naming the parameter @throws {Unavailable} */
export async function complement(query: CollectionQuery): Promise<object> {
  const { idle, sources, params, subject, times } = query;
  params.refuseUnread();
  const reports = new Reports(sources);
  const selection = selectionOf(subject);
  const rows = await reports.kubernetesOutside(times, idle, selection);
  const items = await reports.cloudOutside(times, idle, selection);
  const cost = addUp([...rows.days, ...items.days].map((day) => day.cost));
  const warnings = [...new Set([...rows.warnings, ...items.warnings])];
  return windowed(query, warnings, { cost: costObject(cost) });
}

/** @throws {Fault} naming the parameter @throws {Unavailable} */
export async function cloudComplement(query: CollectionQuery): Promise<object> {
  const { idle, sources, params, subject, times } = query;
  const narrowed = {
    aggregate: readAggregate(params),
    filter: params.parsed('filter', (text) => sources.cloud.readFilter(text, 'filter'), null),
  };
  const page = readPageLimits(params);
  params.refuseUnread();
  const reports = new Reports(sources);
  const selection = selectionOf(subject);
  const report = await reports.cloudOutside(times, idle, selection, narrowed);
  const isItemized = narrowed.aggregate !== '';
  return answered(query, report, isItemized ? pageOf(itemsOf(report.days), page) : undefined);
}

/** @throws {Fault} naming the parameter @throws {Unavailable} */
export async function kubernetesComplement(query: CollectionQuery): Promise<object> {
  const { idle, sources, params, subject, times } = query;
  const narrowed = {
    aggregate: readAggregate(params),
    filter: readFilters(params),
    ...readIdleOptions(params),
  };
  parseAggregate(narrowed.aggregate, AGGREGATE_NAMES); // a mistake is refused before any work
  const page = readPageLimits(params);
  params.refuseUnread();
  const reports = new Reports(sources);
  const selection = selectionOf(subject);
  const whole = { ...narrowed, aggregate: '' };
  const report = await reports.kubernetesOutside(times, idle, selection, whole);
  if (narrowed.aggregate === '') return answered(query, report);
  const items = await reports.kubernetesItems(times, idle, selection, narrowed, report, page);
  return answered(query, report, items);
}

/** `itemCount` includes the items of other pages. */
function answered(
  query: CollectionQuery,
  { days, warnings }: Report<Outside>,
  items?: Items,
): object {
  const cost = costObject(addUp(days.map((day) => day.cost)));
  const itemized = items ? { items: items.items, itemCount: items.count } : {};
  return windowed(query, warnings, { cost, ...itemized });
}
