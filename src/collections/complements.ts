/** Endpoints 2 to 4: everything that is not in a collection, or not in any of a category. */
import { readFilters } from '../allocation/index.ts';
import { AGGREGATE_NAMES, parseAggregate } from '../query/index.ts';
import { windowed, type Asked } from './asked.ts';
import { addUp, costObject } from './cost.ts';
import { itemsOf, pageOf } from './items.ts';
import { readAggregate, readPage, selectionOf } from './query-params.ts';
import { Reports, type Beside, type Report } from './reports.ts';
import type { Items } from './sources.ts';

/** @throws {Unavailable} */
export async function complement(asked: Asked): Promise<object> {
  const { registry, sources, subject, times } = asked;
  const reports = new Reports(sources);
  const selection = selectionOf(subject);
  const rows = await reports.kubernetesBeside(times, registry.idle, selection);
  const items = await reports.cloudBeside(times, registry.idle, selection);
  const cost = addUp([...rows.days, ...items.days].map((day) => day.cost));
  const warnings = [...new Set([...rows.warnings, ...items.warnings])];
  return windowed(asked, warnings, { cost: costObject(cost) });
}

/** @throws {Fault} naming the parameter @throws {Unavailable} */
export async function cloudComplement(asked: Asked): Promise<object> {
  const { registry, sources, params, subject, times } = asked;
  const narrowed = {
    aggregate: readAggregate(params),
    filter: params.parsed('filter', (text) => sources.cloud.readFilter(text, 'filter'), null),
  };
  const page = readPage(params);
  const reports = new Reports(sources);
  const selection = selectionOf(subject);
  const report = await reports.cloudBeside(times, registry.idle, selection, narrowed);
  const isItemized = narrowed.aggregate !== '';
  return answered(asked, report, isItemized ? pageOf(itemsOf(report.days), page) : undefined);
}

/** @throws {Fault} naming the parameter @throws {Unavailable} */
export async function kubernetesComplement(asked: Asked): Promise<object> {
  const { registry, sources, params, subject, times } = asked;
  const narrowed = { aggregate: readAggregate(params), filter: readFilters(params) };
  parseAggregate(narrowed.aggregate, AGGREGATE_NAMES); // what it cannot be is told before any work
  const page = readPage(params);
  const { idle } = registry;
  const reports = new Reports(sources);
  const selection = selectionOf(subject);
  const whole = { ...narrowed, aggregate: '' };
  const report = await reports.kubernetesBeside(times, idle, selection, whole);
  if (narrowed.aggregate === '') return answered(asked, report);
  const items = await reports.kubernetesItems(times, idle, selection, narrowed, report, page);
  return answered(asked, report, items);
}

/** `itemCount` is of all items, those of other pages too. */
function answered(asked: Asked, { days, warnings }: Report<Beside>, items?: Items): object {
  const cost = costObject(addUp(days.map((day) => day.cost)));
  const itemized = items ? { items: items.items, itemCount: items.count } : {};
  return windowed(asked, warnings, { cost, ...itemized });
}
