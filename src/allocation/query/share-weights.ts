/**
 * Each row's fraction of shared cost. Payers are workloads that are not shared themselves, whether or
 * not the filter matches them. Fractions add up to 1 over all rows of a set:
 *
 *   weighted   cost of the row / Σ cost, before idle and without shared cost it already has
 *   even       1 / number of groups for each group, within a group by cost
 *
 * Rows without cost count equally where none has any. Costs below 0 count as 0.
 */
import type { ShareSplit } from './sharing-options.ts';
import { ROW_KINDS } from '../row/row-kinds.ts';
import { isShared, totalCosts, type SetPart } from './set-part.ts';

/** The fraction of each row; undefined where there are no payers. */
export function shareFractions(
  parts: readonly SetPart[],
  split: ShareSplit,
): readonly Float64Array[] | undefined {
  const payers = parts.map(payersOf);
  const count = payers.reduce((sum, rows) => sum + rows.length, 0);
  if (count === 0) return undefined;
  const costs = parts.map((part, i) => costsOf(part, payers[i] ?? []));
  const one = (): number => 0;
  if (split === 'weighted') return fractions(parts, payers, costs, { groupOf: one, groups: 1 });
  const places = new Map<number, number>();
  parts.forEach((part, i) => {
    for (const row of payers[i] ?? []) {
      const group = part.groups[row] ?? 0;
      if (!places.has(group)) places.set(group, places.size);
    }
  });
  const groupOf = (part: SetPart, row: number): number => places.get(part.groups[row] ?? 0) ?? 0;
  return fractions(parts, payers, costs, { groupOf, groups: places.size });
}

/** Rows of a part that pay for shared cost. */
function payersOf(part: SetPart): number[] {
  const rows: number[] = [];
  for (let row = 0; row < part.kinds.length; row++) {
    if (part.kinds[row] === ROW_KINDS.workload && !isShared(part, row)) rows.push(row);
  }
  return rows;
}

/** Costs of payers, not below 0; 0 for other rows. */
function costsOf(part: SetPart, payers: readonly number[]): Float64Array {
  const totals = totalCosts(part.table);
  const shared = part.table.numbers('sharedCost')?.values;
  const costs = new Float64Array(totals.length);
  for (const row of payers) {
    costs[row] = Math.max(0, (totals[row] ?? 0) - (shared?.[row] ?? 0));
  }
  return costs;
}

interface Division {
  readonly groupOf: (part: SetPart, row: number) => number;
  readonly groups: number;
}

/** Each group pays the same, its rows in proportion to their cost. */
function fractions(
  parts: readonly SetPart[],
  payers: readonly (readonly number[])[],
  costs: readonly Float64Array[],
  { groupOf, groups }: Division,
): Float64Array[] {
  const cost = new Float64Array(groups);
  const rows = new Float64Array(groups);
  const each = (visit: (i: number, row: number, group: number) => void): void =>
    parts.forEach((part, i) => {
      for (const row of payers[i] ?? []) visit(i, row, groupOf(part, row));
    });
  each((i, row, group) => {
    cost[group] = (cost[group] ?? 0) + (costs[i]?.[row] ?? 0);
    rows[group] = (rows[group] ?? 0) + 1;
  });
  const result = parts.map(({ kinds }) => new Float64Array(kinds.length));
  each((i, row, group) => {
    const of = cost[group] ?? 0;
    const within = of > 0 ? (costs[i]?.[row] ?? 0) / of : 1 / (rows[group] ?? 1);
    const target = result[i];
    if (target) target[row] = within / groups;
  });
  return result;
}
