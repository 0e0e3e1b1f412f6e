/** Costs of types of assets, set by set, as bars are drawn. */
import { spanOf, type Span } from '../costs/periods.ts';
import { sumOf, type Stack } from '../costs/series.ts';

/** The graph, as the API answers it: the oldest set first. */
export type GraphSets = readonly {
  readonly start: string;
  readonly end: string;
  readonly items: readonly { readonly name: string; readonly value: number }[];
}[];

export interface OverTime {
  readonly spans: readonly Span[];
  /** The most costly first. */
  readonly stacks: readonly Stack[];
  readonly totals: Float64Array;
}

/** @param wordOf what a group is called */
export function overTime(sets: GraphSets, wordOf: (name: string) => string): OverTime {
  const byName = new Map<string, Float64Array>();
  const totals = new Float64Array(sets.length);
  for (const [at, { items }] of sets.entries()) {
    for (const { name, value } of items) {
      let costs = byName.get(name);
      if (costs === undefined) byName.set(name, (costs = new Float64Array(sets.length)));
      costs[at] = (costs[at] ?? 0) + value;
      totals[at] = (totals[at] ?? 0) + value;
    }
  }
  const stacks = [...byName].map(([name, costs]) => ({ name: wordOf(name), costs }));
  return {
    spans: sets.map(spanOf),
    stacks: stacks.toSorted((a, b) => sumOf(b.costs) - sumOf(a.costs)),
    totals,
  };
}
