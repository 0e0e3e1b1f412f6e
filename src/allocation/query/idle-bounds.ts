/** Bounds of sampled costs once idle is charged to rows or reduced by a filter. */
import { eachIdle } from './idle-pools.ts';
import type { Rewrite } from '../row/overlay.ts';
import { SAMPLED_BOUNDS } from '../row/schema.ts';
import type { SetPart } from './set-part.ts';

/**
 * The parts as rewritten, without bounds: what a row has of idle depends on all other rows, also on those
 * that no point of the grid saw.
 * @param whose rows of idle, or all of them
 */
export function withoutBounds(
  parts: readonly SetPart[],
  rewrites: readonly Rewrite[],
  whose: 'idle' | 'all',
): SetPart[] {
  return parts.map((part, i) => {
    const rewrite = rewrites[i];
    if (!rewrite) return part;
    for (const name of SAMPLED_BOUNDS) {
      if (part.table.numbers(name) === undefined) continue;
      const values = rewrite.column(name);
      if (whose === 'all') values.fill(NaN);
      else eachIdle(part, (row) => (values[row] = NaN));
    }
    return { ...part, table: rewrite.table };
  });
}
