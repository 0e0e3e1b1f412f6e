/** Which rows the table shows: found, sorted, folded. */
import {
  costRows,
  foundRows,
  groupRows,
  sortedRows,
  type Order,
  type ShownRow,
} from '../costs/groups.ts';
import type { CostRows } from '../costs/rows.ts';
import { useMemo } from '../preact.ts';
import { go } from '../state.ts';
import type { PageState } from '../url.ts';
import type { CostAnswers } from './cost-answers.ts';

type ChangeOf = (name: string) => number | undefined;
type Folded = ReturnType<typeof groupRows>;

/** So few groups are unfolded where something is looked for. */
const UNFOLDED_MOST = 20;

export interface ShownRows {
  readonly shown: readonly ShownRow[];
  readonly groups: CostRows | undefined;
  readonly changeOf: ((row: ShownRow) => number | undefined) | undefined;
  readonly toggle: (group: string) => void;
}

export function useShownRows(costs: CostAnswers, rows: CostRows, now: PageState): ShownRows {
  const { by, find, sort, rising } = now;
  const change = costs.compared?.changeOf;
  const firsts = useMemo(() => new Set(costs.series?.byName.keys()), [costs.series]);
  const folded = useMemo(
    () => (by.length > 1 ? groupRows(rows, by, firsts) : undefined),
    [rows, by.join(), firsts],
  );
  const folds = useMemo(() => new Set(now.more.split('\n').filter(Boolean)), [now.more]);
  const groupChange = useMemo(() => groupChangeOf(rows, folded, change), [rows, folded, change]);
  const all = useMemo(() => {
    const order = { sort, isRising: rising };
    return sortedRows(rows, costRows(rows.names), order, change ?? unknown);
  }, [rows, sort, rising, change]);
  const shown = useMemo((): ShownRow[] => {
    const order = { sort, isRising: rising };
    const ordered = foundRows(rows.names, all, find);
    if (folded === undefined) return ordered.map((at) => plainRow(rows, at));
    const isLooking = find !== '';
    return foldedRows(rows, ordered, folded, { order, folds, isLooking, groupChange });
  }, [all, folded, find, groupChange, folds]);
  const changeOf = useMemo(() => {
    // While the time before is awaited its column is there: no other moves when it comes.
    if (change === undefined) return costs.isComparing ? awaited : undefined;
    return ({ kind, name }: ShownRow) => (kind === 'group' ? groupChange?.(name) : change(name));
  }, [change, groupChange, costs.isComparing]);
  const toggle = (group: string): void => {
    const next = new Set(folds);
    if (!next.delete(group)) next.add(group);
    go({ more: [...next].join('\n') }, true);
  };
  return { shown, groups: folded?.groups, changeOf, toggle };
}

function unknown(): undefined {
  return undefined;
}

/** Neither a change nor none. */
function awaited(): number {
  return NaN;
}

function groupChangeOf(
  { names }: CostRows,
  folded: Folded | undefined,
  change: ChangeOf | undefined,
): ChangeOf | undefined {
  if (folded === undefined || change === undefined) return undefined;
  return (group) => {
    const own = folded.members.get(group) ?? [];
    return own.reduce((sum, row) => sum + (change(names[row] ?? '') ?? 0), 0);
  };
}

/** Groups in their order, each with its rows where it is unfolded. */
function foldedRows(
  rows: CostRows,
  ordered: readonly number[],
  { groups, members }: Folded,
  how: {
    readonly order: Order;
    readonly folds: ReadonlySet<string>;
    readonly isLooking: boolean;
    readonly groupChange: ChangeOf | undefined;
  },
): ShownRow[] {
  const places = new Map(ordered.map((row, place) => [row, place]));
  const ownOf = (group: string): number[] =>
    (members.get(group) ?? []).filter((row) => places.has(row));
  const some = groups.names.flatMap((name, at) => (ownOf(name).length > 0 ? [at] : []));
  const sorted = sortedRows(groups, some, how.order, how.groupChange ?? unknown);
  return sorted.flatMap((at): ShownRow[] => {
    const group = groups.names[at] ?? '';
    const isOpen = how.folds.has(group) || (how.isLooking && some.length < UNFOLDED_MOST);
    const own = isOpen ? ownOf(group) : [];
    const inOrder = own.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
    return [
      { name: group, kind: 'group', group, at, isOpen },
      ...inOrder.map((row) => partRow(rows, group, row)),
    ];
  });
}

function plainRow({ names }: CostRows, at: number): ShownRow {
  return { name: names[at] ?? '', kind: 'row', group: '', at, isOpen: false };
}

function partRow({ names }: CostRows, group: string, at: number): ShownRow {
  return { name: names[at] ?? '', kind: 'part', group, at, isOpen: false };
}
