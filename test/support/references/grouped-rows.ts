/** Grouped rows as numbers that tests compare. */
import { groupedTable } from '../../../src/allocation/query/aggregate.ts';
import type { Frame, Texts } from '../../../src/columnar/index.ts';
import { sumOf, totalCosts } from '../../../src/allocation/query/set-part.ts';

/** Columns after `total`, each with its adjustment. */
export const GROUPED_KINDS = ['cpu', 'gpu', 'ram', 'pv', 'network', 'loadBalancer'] as const;

/** By name: total, the kinds, shared; USD. */
export function costsByName({
  frame,
  texts,
}: {
  readonly frame: Frame;
  readonly texts: Texts;
}): Map<string, number[]> {
  const table = groupedTable(frame, texts);
  const columns = [
    totalCosts(table),
    ...GROUPED_KINDS.map((kind) => sumOf(table, [`${kind}Cost`, `${kind}CostAdjustment`])),
    sumOf(table, ['sharedCost']),
  ];
  const names = frame.u32('name');
  return new Map(
    Array.from({ length: frame.rows }, (_, row) => [
      texts.text(names[row] ?? 0),
      columns.map((column) => column[row] ?? NaN),
    ]),
  );
}
