/** Costs over time: names, the total and idle of each set, the largest names with the rest as one. */
import { isIdle } from './fields.ts';
import { spanOf, type Span, type WindowText } from './periods.ts';

/** The summary of allocations, as the API answers it. */
export interface SummarySets {
  readonly sets: readonly {
    readonly allocations: Readonly<Record<string, SummaryRow>>;
    readonly window: WindowText;
  }[];
}

export interface SummaryRow {
  readonly totalCost: number;
  readonly cpuCost: number;
  readonly ramCost: number;
  readonly totalEfficiency: number;
}

export interface Series {
  readonly spans: readonly Span[];
  /** Costs of each set by name, idle not among them. */
  readonly byName: ReadonlyMap<string, Float64Array>;
  readonly idle: Float64Array;
  /** Sums of names, without idle. */
  readonly totals: Float64Array;
}

export function seriesOf({ sets }: SummarySets): Series {
  const byName = new Map<string, Float64Array>();
  const idle = new Float64Array(sets.length);
  const totals = new Float64Array(sets.length);
  for (const [index, { allocations }] of sets.entries()) {
    for (const [name, { totalCost }] of Object.entries(allocations)) {
      if (isIdle(name)) {
        idle[index] = (idle[index] ?? 0) + totalCost;
        continue;
      }
      let costs = byName.get(name);
      if (costs === undefined) byName.set(name, (costs = new Float64Array(sets.length)));
      costs[index] = totalCost;
      totals[index] = (totals[index] ?? 0) + totalCost;
    }
  }
  return { spans: sets.map(({ window }) => spanOf(window)), byName, idle, totals };
}

export interface Stack {
  readonly name: string;
  readonly costs: Float64Array;
}

export function sumOf(costs: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < costs.length; at++) sum += costs[at] ?? 0;
  return sum;
}

/**
 * The names of most cost, and `other`: what the totals have beyond them.
 * @param totals of all names, of which the series may have the largest alone
 */
export function stacksOf({ byName }: Series, totals: Float64Array, most: number): Stack[] {
  const all = [...byName].map(([name, costs]) => ({ name, costs, sum: sumOf(costs) }));
  const largest = all.toSorted((a, b) => b.sum - a.sum).slice(0, most);
  const rest = totals.map((total, index) =>
    largest.reduce((left, { costs }) => left - (costs[index] ?? 0), total),
  );
  const stacks: Stack[] = largest.map(({ name, costs }) => ({ name, costs }));
  const isRest = rest.some((cost, index) => cost > 1e-6 * (totals[index] ?? 0) && cost > 0.005);
  if (isRest) stacks.push({ name: 'other', costs: rest.map((cost) => Math.max(0, cost)) });
  return stacks;
}

/** Costs of the sets that are over: a part of a day would look like a fall. */
export function trendsOf(
  series: Series | undefined,
  nowMs: number,
): ReadonlyMap<string, Float64Array> {
  if (series === undefined) return new Map();
  const whole = series.spans.filter(({ endMs }) => endMs <= nowMs).length;
  return new Map([...series.byName].map(([name, costs]) => [name, costs.subarray(0, whole)]));
}
