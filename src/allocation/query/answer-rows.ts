/** Which rows of a set are in the answer, once everything is distributed. */
import { bytesOfRows, RowSet, type Workspace } from '../../columnar/index.ts';
import type { SharingOptions } from './sharing-options.ts';
import { ROW_KINDS, rowsOfKind } from '../row/row-kinds.ts';
import { COST_COLUMNS } from '../row/schema.ts';
import { isMatched, type SetPart } from './set-part.ts';

/** 1 for the rows of each part that are in the answer; null: all of them are. */
export function answerRows(
  space: Workspace,
  parts: readonly SetPart[],
  options: SharingOptions,
): (Uint8Array | null)[] {
  const idle = shownIdle(parts, options);
  return parts.map((part, i) => {
    const { kinds, matched, sources } = part;
    const shown = idle[i] ?? [];
    const external = options.external ? [] : rowsOfKind(space, kinds, ROW_KINDS.external);
    const isWhole = matched === null && sources === null && shown.length === part.idle.length;
    if (isWhole && external.length === 0) return null;
    const counted = bytesOfRows(space, matched ?? new RowSet(kinds.length).addAll(), sources);
    for (const row of [...part.idle, ...external]) counted[row] = 0;
    for (const row of shown) counted[row] = 1;
    return counted;
  });
}

/**
 * Idle rows with cost left. Idle of which a filter leaves nothing is one row of zeros, unless it is split, or
 * whoever asks may not know of it: then it would name clusters, nodes and times that the filter excludes.
 */
function shownIdle(
  parts: readonly SetPart[],
  options: SharingOptions,
): readonly (readonly number[])[] {
  const isChanged = options.shareIdle || parts.some(({ matched }) => matched !== null);
  const all = parts.map(({ idle }) => (options.idle ? idle : []));
  if (!isChanged) return all;
  const left = all.map((rows, i) => {
    const part = parts[i];
    const costs = COST_COLUMNS.map((name) => part?.table.numbers(name)?.values);
    return rows.filter((row) => {
      const isWanted = !options.shareIdle || (part !== undefined && isMatched(part, row));
      return isWanted && costs.some((of) => (of?.[row] ?? 0) !== 0);
    });
  });
  const isNothing = left.every((rows) => rows.length === 0);
  const isHidden = options.shareIdle || options.splitIdle || options.isScoped === true;
  return isNothing && !isHidden ? all : left;
}
