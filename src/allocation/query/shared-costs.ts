/** Shared costs of a set, by source and by kind. */
import type { Table } from '../../columnar/index.ts';
import { overlay } from '../row/overlay.ts';
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

/** As breakdowns name the costs of load balancers that all rows share. */
export const BALANCERS = 'loadBalancers';

const OF_BALANCERS = ['loadBalancerCost', 'loadBalancerCostAdjustment'] as const;

/** Σ costs of load balancers, USD. */
export function balancersUsd(tables: readonly Table[]): number {
  return tables.reduce((sum, table) => sumOf(table, OF_BALANCERS).reduce((a, b) => a + b, sum), 0);
}

/** The rows without costs of load balancers. */
export function withoutBalancers(table: Table): Table {
  return overlay(table, new Map(OF_BALANCERS.map((name) => [name, undefined])));
}

/** The costs of load balancers as a source of shared cost. */
export function sharedBalancers(usd: number): SharedCosts {
  return { total: usd, byKind: SHARED_KINDS.map(([kind]) => (kind === OF_BALANCERS[0] ? usd : 0)) };
}

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
