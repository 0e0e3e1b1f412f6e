/** Sums of assets as text: totals, and an entry of a graph. */
import { windowOf } from '../export/index.ts';
import type { Window } from '../query/index.ts';
import type { AssetGroup } from './groups.ts';

/** Members of `data`: how many groups there are, and what all of them cost. */
export function totalsText(results: number, total: AssetGroup): string {
  const { sums, totalCost } = total;
  const combined = {
    name: 'Totals',
    cpuCost: sums.cpuCost,
    ramCost: sums.ramCost,
    gpuCost: sums.gpuCost,
    otherCost: sums.cost - sums.cpuCost - sums.ramCost - sums.gpuCost,
    adjustment: sums.adjustment,
    totalCost,
  };
  return `"numResults":${results},"combined":${JSON.stringify(combined)}`;
}

/** `"start":…,"end":…,"items":[{"name","value"},…]`, as graphs of cloud costs. */
export function graphText(groups: readonly AssetGroup[], window: Window): string {
  const items = groups.map(({ name, totalCost: value }) => ({ name, value }));
  return JSON.stringify({ ...windowOf(window), items }).slice(1, -1);
}
