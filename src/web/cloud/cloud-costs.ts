/** Charges of clouds as the API tells them: groups of each set, and what of them is in Kubernetes. */
import { spanOf, type Span, type WindowText } from '../costs/periods.ts';
import { sumOf, type Stack } from '../costs/series.ts';

export const METRICS = ['amortizedNetCost', 'netCost', 'listCost'] as const;
export type Metric = (typeof METRICS)[number];

export interface Amount {
  /** USD. */
  readonly cost: number;
  /** The part of it that is in Kubernetes, 0 to 1. */
  readonly kubernetesPercent: number;
}

export type CloudCost = { readonly [Name in Metric]: Amount } & {
  readonly properties: Readonly<Record<string, unknown>>;
};

export interface CloudSets {
  readonly sets: readonly {
    readonly cloudCosts: Readonly<Record<string, CloudCost>>;
    readonly window: WindowText;
  }[];
}

/** USD of a metric, in all and in Kubernetes. */
export interface Sum {
  readonly usd: number;
  readonly inKubernetes: number;
}

export type Sums = Readonly<Record<Metric, Sum>>;

function sumOfMetric({ sets }: CloudSets, metric: Metric): Sum {
  let [usd, inKubernetes] = [0, 0];
  for (const { cloudCosts } of sets) {
    for (const each of Object.values(cloudCosts)) {
      const { cost, kubernetesPercent } = each[metric];
      usd += cost;
      inKubernetes += cost * kubernetesPercent;
    }
  }
  return { usd, inKubernetes };
}

export function sumsOf(data: CloudSets): Sums {
  const entries = METRICS.map((metric) => [metric, sumOfMetric(data, metric)] as const);
  return Object.fromEntries(entries) as Record<Metric, Sum>;
}

export interface CloudBars {
  readonly spans: readonly Span[];
  readonly stacks: readonly Stack[];
  readonly totals: Float64Array;
  /** What of each stack is in Kubernetes. */
  readonly insides: readonly Float64Array[];
}

interface Column {
  readonly costs: Float64Array;
  readonly inside: Float64Array;
}

/**
 * The largest groups and `other`, set by set.
 * @param all groups of all charges, however few: the totals
 * @param groups the largest of each set
 * @param most so many stacks
 */
export function cloudBars(
  all: CloudSets,
  groups: CloudSets,
  metric: Metric,
  most: number,
): CloudBars {
  const spans = all.sets.map(({ window }) => spanOf(window));
  const totals = empty(spans.length);
  for (const [at, { cloudCosts }] of all.sets.entries()) addAll(totals, at, cloudCosts, metric);
  const largest = columnsOf(groups, spans, metric).slice(0, most);
  const rest = { costs: totals.costs.slice(), inside: totals.inside.slice() };
  for (const [, column] of largest) {
    rest.costs.forEach((usd, at) => (rest.costs[at] = usd - (column.costs[at] ?? 0)));
    rest.inside.forEach((usd, at) => (rest.inside[at] = usd - (column.inside[at] ?? 0)));
  }
  const isRest = rest.costs.some((usd, at) => usd > 0.005 && usd > 1e-6 * (totals.costs[at] ?? 0));
  const shown = [...largest, ...(isRest ? [['other', rest] as const] : [])];
  return {
    spans,
    stacks: shown.map(([name, { costs }]) => ({ name, costs: costs.map((usd) => Math.max(0, usd)) })),
    totals: totals.costs,
    insides: shown.map(([, { costs, inside }]) =>
      inside.map((usd, at) => Math.min(Math.max(0, usd), Math.max(0, costs[at] ?? 0))),
    ),
  };
} // prettier-ignore

function empty(count: number): Column {
  return { costs: new Float64Array(count), inside: new Float64Array(count) };
}

function addAll(
  { costs, inside }: Column,
  at: number,
  cloudCosts: Readonly<Record<string, CloudCost>>,
  metric: Metric,
): void {
  for (const each of Object.values(cloudCosts)) {
    const { cost, kubernetesPercent } = each[metric];
    costs[at] = (costs[at] ?? 0) + cost;
    inside[at] = (inside[at] ?? 0) + cost * kubernetesPercent;
  }
}

/** Groups, the largest first. Sets of another question are left out. */
function columnsOf(
  { sets }: CloudSets,
  spans: readonly Span[],
  metric: Metric,
): (readonly [name: string, column: Column])[] {
  const places = new Map(spans.map(({ startMs }, at) => [startMs, at]));
  const byName = new Map<string, Column>();
  for (const { cloudCosts, window } of sets) {
    const at = places.get(spanOf(window).startMs);
    if (at === undefined) continue;
    for (const [name, each] of Object.entries(cloudCosts)) {
      let column = byName.get(name);
      if (column === undefined) byName.set(name, (column = empty(spans.length)));
      addAll(column, at, { [name]: each }, metric);
    }
  }
  return [...byName].toSorted(([, a], [, b]) => sumOf(b.costs) - sumOf(a.costs));
}

export interface CloudRow extends Sum {
  readonly name: string;
  readonly list: number;
  /** List price less the metric: what discounts and reservations save; less than 0: it costs more. */
  readonly below: number;
  readonly cost: CloudCost;
}

/** The largest first. */
export function cloudRows({ sets }: CloudSets, metric: Metric): readonly CloudRow[] {
  const rows = Object.entries(sets[0]?.cloudCosts ?? {}).map(([name, each]): CloudRow => {
    const { cost, kubernetesPercent } = each[metric];
    const list = each.listCost.cost;
    return { name, usd: cost, inKubernetes: cost * kubernetesPercent, list, below: list - cost, cost: each };
  });
  return rows.toSorted((a, b) => b.usd - a.usd || (a.name < b.name ? -1 : 1));
} // prettier-ignore
