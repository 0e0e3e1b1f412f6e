/** Idle cut down to what the rows of a filter bear of it. */
import type { Workspace } from '../../columnar/index.ts';
import { withBounds } from './idle-bounds.ts';
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
import { isMeant, isShared, type SetPart } from './set-part.ts';

/**
 * Leaves with idle rows what the rows that a filter means would bear of it, were idle shared. What
 * nobody would bear is left to those who mean the idle row itself. A row whose cost is shared bears
 * its idle for those who share.
 *
 * @param kept how much of what is shared goes to rows that the filter means, in [0, 1]
 */
export function filterIdle(
  space: Workspace,
  parts: readonly SetPart[],
  byNode: boolean,
  kept: number,
): SetPart[] {
  const pools = idlePools(parts, byNode);
  const rewrites = parts.map(({ table }) => new Rewrite(space, table));
  const scale = (name: string, fractions: Float64Array | null): void =>
    parts.forEach((part, i) => {
      const values = part.table.numbers(name) ? rewrites[i]?.column(name) : undefined;
      eachIdle(part, (row) => {
        const fraction = fractions?.[pools.ofParts[i]?.own[row] ?? 0] ?? NaN;
        const left = Number.isNaN(fraction) ? Number(isMeant(part, row)) : fraction;
        if (values) values[row] = (values[row] ?? 0) * left;
      });
    });
  for (const resource of IDLE_RESOURCES) {
    const fractions = fractionsOf(parts, pools, resource, kept);
    for (const name of columnsOf(resource, parts)) scale(name, fractions);
  }
  for (const name of COST_COLUMNS) if (!OF_RESOURCES.has(name)) scale(name, null);
  return withBounds(space, parts, rewrites);
}

const OF_RESOURCES: ReadonlySet<string> = new Set(IDLE_RESOURCES.flatMap(({ costs }) => costs));

/** How much of a pool's weight is borne by rows that are meant; NaN where there is no weight. */
function fractionsOf(
  parts: readonly SetPart[],
  pools: IdlePools,
  resource: IdleResource,
  kept: number,
): Float64Array {
  const weights = parts.map((part) => idleWeights(part, resource));
  const total = perPool(pools, weights);
  parts.forEach((part, i) => {
    const weight = weights[i] ?? new Float64Array();
    for (let row = 0; row < weight.length; row++) {
      const borne = isShared(part, row) ? kept : Number(isMeant(part, row));
      if (borne !== 1) weight[row] = (weight[row] ?? 0) * borne;
    }
  });
  return perPool(pools, weights).map((borne, pool) => borne / (total[pool] ?? 0));
}
