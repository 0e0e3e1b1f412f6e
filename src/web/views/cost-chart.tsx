/** Costs as bars over time, or as tiles of the whole. */
import { totalsBefore } from '../costs/compare.ts';
import { isMade, levelBelow, valuesOf } from '../costs/fields.ts';
import { costRows, sortedRows, type ShownRow } from '../costs/groups.ts';
import type { Span } from '../costs/periods.ts';
import type { CostRows } from '../costs/rows.ts';
import { stacksOf, type Series, type Stack } from '../costs/series.ts';
import { Bars } from '../parts/bars.tsx';
import { Treemap } from '../parts/treemap.tsx';
import { useMemo, type VNode } from '../preact.ts';
import { writeState, type PageState } from '../url.ts';
import type { CostAnswers } from './cost-answers.ts';

const STACKS = 8;

export function Chart({ costs, now }: { costs: CostAnswers; now: PageState }): VNode | null {
  const { totals, series, before, comparison } = costs;
  const stacks = useMemo(() => {
    if (totals === undefined || series === undefined) return [];
    // The question of one of them may be older.
    if (totals.spans.length !== series.spans.length) return [];
    const own = stacksOf(series, totals.totals, STACKS);
    return now.idle === 'stacked' ? [...own, { name: '__idle__', costs: totals.idle }] : own;
  }, [totals, series, now.idle]);
  // Its scale is that of all that it shows.
  const isAwaited = costs.isComparing || (series === undefined && costs.error === undefined);
  return useMemo(() => {
    if (totals === undefined) return null;
    return isAwaited ? <div class="bone chart" /> : drawnBars(costs, totals, stacks, now);
  }, [totals, isAwaited, stacks, before, comparison, barHref({ startMs: 0, endMs: 0 }, now)]);
}

/** The bars; while they do not change they are not drawn again. */
function drawnBars(
  { before, comparison, nowMs }: CostAnswers,
  totals: Series,
  stacks: readonly Stack[],
  now: PageState,
): VNode {
  const isApart = now.idle === 'apart' && totals.idle.some((usd) => usd > 0);
  const withIdle = (): Float64Array => totals.totals.map((usd, at) => usd + (totals.idle[at] ?? 0));
  const shownTotals = now.idle === 'stacked' ? withIdle() : totals.totals;
  return (
    <Bars
      spans={totals.spans}
      stacks={stacks}
      totals={shownTotals}
      idle={isApart ? totals.idle : undefined}
      before={totalsBefore(totals, before, comparison)}
      nowMs={nowMs}
      href={(span) => barHref(span, now)}
    />
  );
}

/** A click narrows the window to the bar. */
function barHref({ startMs, endMs }: Span, now: PageState): string {
  const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
  const window = `${iso(startMs)},${iso(endMs)}`;
  // Not what is looked for: bars would be drawn at each letter.
  return writeState({ ...now, window, open: '', find: '', more: '' });
}

/** The rows of the table, the largest first. */
export function Tiles({ rows, now }: { rows: CostRows; now: PageState }): VNode {
  const parts = useMemo(() => {
    const largest = { sort: 'total', isRising: false };
    const order = sortedRows(rows, costRows(rows.names), largest, () => undefined);
    return order.map((at) => {
      const name = rows.names[at] ?? '';
      return {
        name,
        usd: rows.columns.total[at] ?? 0,
        href: belowHref({ name, kind: 'row' }, now),
      };
    });
  }, [rows, writeState({ ...now, find: '', more: '', open: '' })]);
  return <Treemap parts={parts} />;
}

/** One level down from a row: its values are crumbs, and what it is made of is grouped by. */
export function belowHref(
  { name, kind }: Pick<ShownRow, 'name' | 'kind'>,
  now: PageState,
): string | undefined {
  const { by, path } = now;
  const fields = kind === 'group' ? by.slice(0, 1) : by;
  const next = levelBelow(fields.at(-1) ?? '');
  if (next === undefined || isMade(name)) return undefined;
  const values = valuesOf(name, fields);
  const crumbs = fields.map((field, index) => ({ field, value: values[index] ?? '' }));
  return writeState({
    ...now,
    path: [...path, ...crumbs],
    by: [next],
    find: '',
    more: '',
    open: '',
  });
}
