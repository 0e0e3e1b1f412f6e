/** Bounds of sampled costs, scaled with the costs of idle rows. */
import type { Table, Workspace } from '../../columnar/index.ts';
import { eachIdle } from './idle-pools.ts';
import { Rewrite } from '../row/overlay.ts';
import { SAMPLED_BOUNDS, SAMPLED_COSTS } from '../row/schema.ts';
import { sumOf, type SetPart } from './set-part.ts';

/** The columns of bounds that a table has. */
export function idleBounds(table: Table): readonly string[] {
  return SAMPLED_BOUNDS.filter((name) => table.numbers(name) !== undefined);
}

/** The parts as rewritten, with the bounds of idle rows in proportion to their costs. */
export function withBounds(
  space: Workspace,
  parts: readonly SetPart[],
  rewrites: readonly Rewrite[],
): SetPart[] {
  return parts.map((part, i) => {
    const table = rewrites[i]?.table ?? part.table;
    const names = idleBounds(part.table);
    if (names.length === 0) return { ...part, table };
    const before = sumOf(part.table, SAMPLED_COSTS);
    const after = sumOf(table, SAMPLED_COSTS);
    const rewrite = new Rewrite(space, table);
    for (const name of names) {
      const values = rewrite.column(name);
      eachIdle(part, (row) => {
        const cost = before[row] ?? 0;
        if (cost > 0) values[row] = (values[row] ?? 0) * ((after[row] ?? 0) / cost);
      });
    }
    return { ...part, table: rewrite.table };
  });
}
