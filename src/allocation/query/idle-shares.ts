/** Idle charged to the rows that share it. */
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
  type PoolsOfPart,
} from './idle-pools.ts';
import { Rewrite } from '../row/overlay.ts';
import type { SetPart } from './set-part.ts';

/**
 * Adds idle hours and costs to the rows of its cluster or node, by the coefficients of
 * `idle-pools.ts`. Idle that no row there pays stays with the idle row.
 */
export function shareIdle(space: Workspace, parts: readonly SetPart[], byNode: boolean): SetPart[] {
  const pools = idlePools(parts, byNode);
  const rewrites = parts.map(({ table }) => new Rewrite(space, table));
  for (const resource of IDLE_RESOURCES) {
    const weights = parts.map((part) => idleWeights(part, resource));
    const total = perPool(pools, weights);
    for (const name of columnsOf(resource, parts)) {
      const rates = ratesOf(parts, pools, total, name);
      parts.forEach((part, i) => {
        const [places, weight] = [pools.ofParts[i], weights[i]];
        const rewrite = rewrites[i];
        if (!places || !weight || !rewrite) return;
        const idle = name === resource.hours ? [] : [resource.idle];
        const columns = [name, ...idle].map((column) => rewrite.column(column));
        spread(places, weight, rates, columns);
        clearShared(part, places, total, rewrite.column(name));
      });
    }
  }
  return withoutBounds(parts, rewrites, 'all');
}

/** Idle of each pool by unit of weight; 0 where it stays. */
function ratesOf(
  parts: readonly SetPart[],
  { count, ofParts }: IdlePools,
  total: Float64Array,
  name: string,
): Float64Array {
  const rates = new Float64Array(count);
  parts.forEach((part, i) => {
    const values = part.table.numbers(name)?.values;
    eachIdle(part, (row) => {
      const pool = ofParts[i]?.own[row] ?? 0;
      rates[pool] = (rates[pool] ?? 0) + (values?.[row] ?? 0);
    });
  });
  return rates.map((idle, pool) => ((total[pool] ?? 0) > 0 ? idle / (total[pool] ?? 0) : 0));
}

function spread(
  { shares: [first, second] }: PoolsOfPart,
  weight: Float64Array,
  rates: Float64Array,
  columns: readonly Float64Array[],
): void {
  for (let row = 0; row < weight.length; row++) {
    const pool = first?.[row] ?? 0;
    const other = second?.[row] ?? pool;
    const rate = (rates[pool] ?? 0) + (other === pool ? 0 : (rates[other] ?? 0));
    const gain = (weight[row] ?? 0) * rate;
    if (gain === 0) continue;
    for (const column of columns) column[row] = (column[row] ?? 0) + gain;
  }
}

/** Idle rows of pools that some row pays for lose what was charged. */
function clearShared(
  part: SetPart,
  { own }: PoolsOfPart,
  total: Float64Array,
  values: Float64Array,
): void {
  eachIdle(part, (row) => {
    if ((total[own[row] ?? 0] ?? 0) > 0) values[row] = 0;
  });
}
