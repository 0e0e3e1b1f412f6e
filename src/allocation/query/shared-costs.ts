/** Shared costs of a set, by source and by kind. */
import { COST_COLUMNS } from '../row/schema.ts';
import { sumOf, type SetPart } from './set-part.ts';

/** The shared cost of one source, USD. */
export interface SharedCosts {
  readonly total: number;
  /** By SHARED_KINDS. The total may be more: overheads have no kind. */
  readonly byKind: readonly number[];
}

/** Kinds of shared cost, and the columns that add up to them. */
export const SHARED_KINDS: readonly (readonly [name: string, columns: readonly string[]])[] = [
  ...['cpu', 'gpu', 'ram', 'pv', 'network', 'loadBalancer'].map((kind): [string, string[]] => [
    `${kind}Cost`,
    [`${kind}Cost`, `${kind}CostAdjustment`],
  ]),
  ['externalCost', ['externalCost']],
];

/** Σ costs of the rows of each source. */
export function sharedBySource(parts: readonly SetPart[], sourceCount: number): SharedCosts[] {
  if (sourceCount === 0) return [];
  const sumsOf = (columns: readonly string[]): Float64Array => {
    const sums = new Float64Array(sourceCount + 1);
    for (const { table, sources } of parts) {
      if (sources === null) continue;
      const values = sumOf(table, columns);
      for (let row = 0; row < values.length; row++) {
        const source = sources[row] ?? 0;
        if (source > 0) sums[source] = (sums[source] ?? 0) + (values[row] ?? 0);
      }
    }
    return sums;
  };
  const totals = sumsOf(COST_COLUMNS);
  const kinds = SHARED_KINDS.map(([, columns]) => sumsOf(columns));
  return Array.from({ length: sourceCount }, (_, source) => ({
    total: totals[source + 1] ?? 0,
    byKind: kinds.map((sums) => sums[source + 1] ?? 0),
  }));
}
