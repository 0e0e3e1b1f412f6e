/** Views of cloud costs: workers write a text for each window of the answer. */
import { joinedBy } from '../../columnar/index.ts';
import { orderGroups, type ChargeGroups, type ChargeQuery } from '../charges/index.ts';
import { csvLine, csvNumber, csvText, windowOf } from '../../export/index.ts';
import { parseLabels, type Window } from '../../query/index.ts';
import { amountOf, amountOfAll, highestCostFirst } from './group-amounts.ts';
import type { CloudShown } from './params.ts';
import { COST_METRICS, PROPERTY_NAMES, type CloudColumns } from './schema.ts';
import { trendsJson } from './trends.ts';
import type { WindowOfAnswer } from './window-of-answer.ts';

export type ViewName = 'sets' | 'table' | 'csv' | 'totals' | 'graph' | 'trends';

interface View {
  readonly columns: (shown: CloudShown) => CloudColumns;
  /** The text in parts. */
  readonly write: (of: WindowOfAnswer) => Iterable<string>;
  /** All groups count, whatever page is requested. */
  readonly isWhole?: boolean;
  /** One text, of the last window. */
  readonly isOfLast?: boolean;
}

/** Items of a graph beside the one for the rest. */
const GRAPH_ITEMS = 10;

const ALL: CloudColumns = { metrics: COST_METRICS, texts: [...PROPERTY_NAMES, 'tags'] };
const one =
  (texts: readonly string[]) =>
  ({ costMetric }: CloudShown): CloudColumns => ({ metrics: [costMetric], texts });

export const VIEWS: Readonly<Record<ViewName, View>> = {
  sets: { columns: () => ALL, write: setJson },
  table: {
    columns: one(['tags']),
    write: (of) => joinedBy(',', tableJson(of)),
  },
  csv: { columns: one([]), write: tableCsv },
  totals: { columns: one([]), write: totalsJson, isWhole: true },
  graph: { columns: one([]), write: graphJson, isWhole: true },
  trends: { columns: one([]), write: trendsJson, isWhole: true, isOfLast: true },
};

/** Groups of a window in the requested order; all of them for views of the whole. */
export function pageOf(
  groups: ChargeGroups,
  place: number,
  shown: CloudShown,
  view: View,
): number[] {
  const { sortBy, costMetric } = shown;
  if (view.isWhole === true) return highestCostFirst(groups, place, costMetric);
  return orderGroups(groups, place, shown, (group) =>
    sortBy === 'name' ? groups.name(group) : amountOf(groups, group, costMetric)[sortBy],
  );
}

/** `{"cloudCosts":{…},"window":…,"aggregationProperties":[…]}` */
function* setJson(of: WindowOfAnswer): Generator<string> {
  const { query, place } = of;
  yield '{"cloudCosts":{';
  yield* joinedBy(',', costsJson(of));
  const window = windowOf(windowAt(query, place));
  const names = query.keys.map(({ field, label }) =>
    label === null ? field : `${field}:${label}`,
  );
  const about = { window, aggregationProperties: names };
  yield `},${JSON.stringify(about).slice(1)}`;
}

function* costsJson({ groups, query, place, page }: WindowOfAnswer): Generator<string> {
  const window = windowOf(windowAt(query, place));
  for (const group of page) {
    const amounts = COST_METRICS.map(
      (metric) => [metric, amountOf(groups, group, metric)] as const,
    );
    const cost = {
      properties: propertiesOf(groups, group),
      window,
      ...Object.fromEntries(amounts),
    };
    yield `${JSON.stringify(groups.name(group))}:${JSON.stringify(cost)}`;
  }
}

/** Properties on which all charges of the group agree. */
function propertiesOf(groups: ChargeGroups, group: number): object {
  const texts = PROPERTY_NAMES.map((name) => [name, groups.text(name, group) ?? ''] as const);
  return {
    ...Object.fromEntries(texts.filter(([, text]) => text !== '')),
    labels: labelsOf(groups, group),
  };
}

function labelsOf(groups: ChargeGroups, group: number): Readonly<Record<string, string>> {
  return Object.fromEntries(parseLabels(groups.text('tags', group) ?? ''));
}

interface TableRow {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly kubernetesPercent: number;
  readonly cost: number;
}

function* tableRows({ groups, shown, page }: WindowOfAnswer): Generator<TableRow> {
  for (const group of page) {
    const { cost, kubernetesPercent } = amountOf(groups, group, shown.costMetric);
    const labels = labelsOf(groups, group);
    yield { name: groups.name(group), labels, kubernetesPercent, cost };
  }
}

function* tableJson(of: WindowOfAnswer): Generator<string> {
  for (const row of tableRows(of)) yield JSON.stringify(row);
}

function* tableCsv(of: WindowOfAnswer): Generator<string> {
  const { start, end } = windowOf(windowAt(of.query, of.place));
  for (const { name, kubernetesPercent, cost } of tableRows(of)) {
    yield csvLine([
      csvText(name),
      csvNumber(kubernetesPercent),
      csvNumber(cost),
      csvText(`${start}/${end}`),
    ]);
  }
}

/** `{"numResults":…,"combined":{"name":"Totals","kubernetesPercent":…,"cost":…}}` */
function totalsJson({ groups, shown, page }: WindowOfAnswer): string[] {
  const { cost, kubernetesPercent } = amountOfAll(groups, page, shown.costMetric);
  const combined = { name: 'Totals', labels: null, kubernetesPercent, cost };
  return [JSON.stringify({ numResults: page.length, combined })];
}

/** The highest costs by name, and all others as one: `{"start":…,"end":…,"items":[{"name":…,"value":…}]}`. */
function graphJson({ groups, query, shown, place, page }: WindowOfAnswer): string[] {
  const { costMetric } = shown;
  const items = page.slice(0, GRAPH_ITEMS).map((group) => ({
    name: groups.name(group),
    value: amountOf(groups, group, costMetric).cost,
  }));
  const rest = page.slice(GRAPH_ITEMS);
  const other = { name: 'Other', value: amountOfAll(groups, rest, costMetric).cost };
  const window = windowOf(windowAt(query, place));
  return [JSON.stringify({ ...window, items: rest.length > 0 ? [...items, other] : items })];
}

function windowAt({ windows }: ChargeQuery, place: number): Window {
  const window = windows[place];
  if (window === undefined) throw new Error(`BUG: no window ${place}`);
  return window;
}
