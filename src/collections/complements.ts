/** Endpoints 2 to 4: everything that is not in a collection, or not in any of a category. */
import { readFilters } from '../allocation/index.ts';
import { windowed, type Asked } from './asked.ts';
import { addUp, costObject } from './cost.ts';
import { itemsOf, pageOf, type Page } from './items.ts';
import { readAggregate, readPage, selectionOf } from './query-params.ts';
import { Reports, type Beside, type Report } from './reports.ts';

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
  const selection = selectionOf(subject);
  const report = await new Reports(sources).cloudBeside(times, registry.idle, selection, narrowed);
  return itemized(asked, report, narrowed.aggregate, page);
}

/** @throws {Fault} naming the parameter @throws {Unavailable} */
export async function kubernetesComplement(asked: Asked): Promise<object> {
  const { registry, sources, params, subject, times } = asked;
  const narrowed = { aggregate: readAggregate(params), filter: readFilters(params) };
  const page = readPage(params);
  const selection = selectionOf(subject);
  const reports = new Reports(sources);
  const report = await reports.kubernetesBeside(times, registry.idle, selection, narrowed);
  return itemized(asked, report, narrowed.aggregate, page);
}

/** `itemCount` is of all items, those of other pages too. */
function itemized(
  asked: Asked,
  { days, warnings }: Report<Beside>,
  aggregate: string,
  page: Page,
): object {
  const cost = costObject(addUp(days.map((day) => day.cost)));
  if (aggregate === '') return windowed(asked, warnings, { cost });
  const items = itemsOf(days);
  return windowed(asked, warnings, { cost, items: pageOf(items, page), itemCount: items.length });
}
