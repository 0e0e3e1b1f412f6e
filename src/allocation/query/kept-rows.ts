/** Which rows of a set are in the answer, once everything is distributed. */
import { bytesOfRows, RowSet, type Workspace } from '../../columnar/index.ts';
import type { Distribution } from './distribution.ts';
import { ROW_KINDS, rowsOfKind } from '../row/row-kinds.ts';
import { COST_COLUMNS } from '../row/schema.ts';
import { isMeant, type SetPart } from './set-part.ts';

/** 1 for the rows of each part that are in the answer; null: all of them are. */
export function keptRows(
  space: Workspace,
  parts: readonly SetPart[],
  options: Distribution,
): (Uint8Array | null)[] {
  const idle = idleToShow(parts, options);
  return parts.map((part, i) => {
    const { kinds, meant, sources } = part;
    const shown = idle[i] ?? [];
    const external = options.external ? [] : rowsOfKind(space, kinds, ROW_KINDS.external);
    const isWhole = meant === null && sources === null && shown.length === part.idle.length;
    if (isWhole && external.length === 0) return null;
    const kept = bytesOfRows(space, meant ?? new RowSet(kinds.length).addAll(), sources);
    for (const row of [...part.idle, ...external]) kept[row] = 0;
    for (const row of shown) kept[row] = 1;
    return kept;
  });
}

/**
 * Idle rows with something left. Idle of which a filter leaves nothing is one row of zeros, unless
 * it is told apart: then it would name places that nobody asked for.
 */
function idleToShow(
  parts: readonly SetPart[],
  options: Distribution,
): readonly (readonly number[])[] {
  const isChanged = options.shareIdle || parts.some(({ meant }) => meant !== null);
  const all = parts.map(({ idle }) => (options.idle ? idle : []));
  if (!isChanged) return all;
  const left = all.map((rows, i) => {
    const part = parts[i];
    const costs = COST_COLUMNS.map((name) => part?.table.numbers(name)?.values);
    return rows.filter((row) => {
      const isAsked = !options.shareIdle || (part !== undefined && isMeant(part, row));
      return isAsked && costs.some((of) => (of?.[row] ?? 0) !== 0);
    });
  });
  const isNothing = left.every((rows) => rows.length === 0);
  return isNothing && !options.shareIdle && !options.splitIdle ? all : left;
}
