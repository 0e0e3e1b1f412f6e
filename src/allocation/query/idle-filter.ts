/** Idle reduced to the share of the rows that a filter matches. */
import type { Workspace } from '../../columnar/index.ts';
import { withoutBounds } from './idle-bounds.ts';
import {
  columnsOf,
  eachIdle,
  IDLE_RESOURCES,
  idlePools,
  idleWeights,
  perPool,
  type IdlePools,
  type IdleResource,
} from './idle-pools.ts';
import { Rewrite } from '../row/overlay.ts';
import { COST_COLUMNS } from '../row/schema.ts';
import { isMatched, isShared, type SetPart } from './set-part.ts';

/**
 * Leaves with idle rows the part that rows which the filter matches would pay, were idle shared.
 * Idle that no row would pay stays where the filter matches the idle row itself. The idle of a row
 * whose cost is shared is paid by the rows that share it.
 *
 * @param sharedFraction of shared cost that goes to rows which the filter matches, in [0, 1]
 */
export function filterIdle(
  space: Workspace,
  parts: readonly SetPart[],
  byNode: boolean,
  sharedFraction: number,
): SetPart[] {
  const pools = idlePools(parts, byNode);
  const rewrites = parts.map(({ table }) => new Rewrite(space, table));
  const scale = (name: string, fractions: Float64Array | null): void =>
    parts.forEach((part, i) => {
      const values = part.table.numbers(name) ? rewrites[i]?.column(name) : undefined;
      eachIdle(part, (row) => {
        const fraction = fractions?.[pools.ofParts[i]?.own[row] ?? 0] ?? NaN;
        const left = Number.isNaN(fraction) ? Number(isMatched(part, row)) : fraction;
        if (values) values[row] = (values[row] ?? 0) * left;
      });
    });
  for (const resource of IDLE_RESOURCES) {
    const fractions = fractionsOf(parts, pools, resource, sharedFraction);
    for (const name of columnsOf(resource, parts)) scale(name, fractions);
  }
  for (const name of COST_COLUMNS) if (!OF_RESOURCES.has(name)) scale(name, null);
  return withoutBounds(parts, rewrites, 'idle');
}

const OF_RESOURCES: ReadonlySet<string> = new Set(IDLE_RESOURCES.flatMap(({ costs }) => costs));

/** The fraction of a pool's weight on rows that are matched; NaN where there is no weight. */
function fractionsOf(
  parts: readonly SetPart[],
  pools: IdlePools,
  resource: IdleResource,
  sharedFraction: number,
): Float64Array {
  const weights = parts.map((part) => idleWeights(part, resource));
  const total = perPool(pools, weights);
  parts.forEach((part, i) => {
    const weight = weights[i] ?? new Float64Array();
    for (let row = 0; row < weight.length; row++) {
      const paid = isShared(part, row) ? sharedFraction : Number(isMatched(part, row));
      if (paid !== 1) weight[row] = (weight[row] ?? 0) * paid;
    }
  });
  return perPool(pools, weights).map((paid, pool) => paid / (total[pool] ?? 0));
}
