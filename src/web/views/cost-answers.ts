/** All that the view of allocations asks, and what it makes of the answers. */
import { askText, type Answer, type ApiError } from '../api.ts';
import { useAnswer, useLoaded, usePulse, type Shown } from '../answers.ts';
import { compared, type Compared } from '../costs/compare.ts';
import { comparisonOf, type Comparison } from '../costs/periods.ts';
import { withIdleShares } from '../costs/idle-share.ts';
import { rowsPath, seriesPath } from '../costs/questions.ts';
import { readRowsInSlices, type CostRows } from '../costs/rows.ts';
import { seriesOf, type Series, type SummarySets } from '../costs/series.ts';
import { useMemo } from '../preact.ts';
import { zone } from '../session.ts';
import type { PageState } from '../url.ts';

/** Each set tells of so many names: beyond them rows have no line of their own. */
const NAMES_A_SET = 300;

export interface CostAnswers {
  readonly rows: CostRows | undefined;
  readonly totals: Series | undefined;
  readonly series: Series | undefined;
  readonly before: Series | undefined;
  readonly compared: Compared | undefined;
  /** The time before is still awaited. */
  readonly isComparing: boolean;
  readonly comparison: Comparison | undefined;
  readonly answer: Answer<SummarySets> | undefined;
  readonly efficiency: number;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  /** The rows are those of the state. */
  readonly isCurrent: boolean;
  readonly nowMs: number;
}

export function useCosts(state: PageState): CostAnswers {
  const first = state.by[0] ?? 'namespace';
  const totalsPath = seriesPath(state, state.window, 'all');
  usePulse(totalsPath);
  const totalsShown = useAnswer<SummarySets>(totalsPath);
  const seriesShown = useAnswer<SummarySets>(seriesPath(state, state.window, first, NAMES_A_SET));
  const rowsShown = useRows(rowsPath(state, state.window));
  const { answer } = totalsShown;
  const nowMs = answer?.atMs ?? 0;
  const totals = useMemo(
    () => (answer === undefined ? undefined : seriesOf(answer.data)),
    [answer],
  );
  const comparison = useMemo(() => {
    const isAsked = totals !== undefined && state.against !== 'none';
    return isAsked ? comparisonOf(totals.spans, nowMs, zone()) : undefined;
  }, [totals, state.against]);
  const beforeWindow = state.against === 'before' ? comparison?.before : state.against;
  const isCompared = comparison !== undefined && beforeWindow !== undefined;
  const isCut = isCompared && comparison.isCut;
  const wholeShown = useRows(isCut ? rowsPath(state, comparison.now) : undefined);
  const beforeRows = useRows(isCompared ? rowsPath(state, beforeWindow) : undefined);
  const beforePath = isCompared ? seriesPath(state, beforeWindow, 'all') : undefined;
  const beforeShown = useAnswer<SummarySets>(beforePath);
  const [plainRows, whole, earlier] = [rowsShown.answer, wholeShown.answer, beforeRows.answer];
  const series = useMemo(() => {
    const own = seriesShown.answer;
    return own === undefined ? undefined : seriesOf(own.data);
  }, [seriesShown.answer]);
  const before = useMemo(() => {
    const own = beforeShown.answer;
    return !isCompared || own === undefined ? undefined : seriesOf(own.data);
  }, [beforeShown.answer, isCompared]);
  const now = comparison?.isCut === true ? whole : plainRows;
  const rows = useIdleShares(state, comparison, plainRows, now, earlier);
  const both = useMemo(
    () =>
      isCompared && now !== undefined && earlier !== undefined ? compared(now, earlier) : undefined,
    [isCompared, now, earlier],
  );
  return {
    rows,
    totals,
    series,
    before,
    compared: both,
    isComparing:
      isCompared &&
      (both === undefined || before === undefined) &&
      (beforeRows.error ?? wholeShown.error ?? beforeShown.error) === undefined,
    comparison,
    answer,
    efficiency: efficiencyOf(answer?.data),
    error: totalsShown.error ?? rowsShown.error ?? seriesShown.error ?? beforeRows.error,
    isCurrent: !rowsShown.isLoading,
    isLoading: totalsShown.isLoading || rowsShown.isLoading || seriesShown.isLoading,
    nowMs,
  };
}

/** Where workloads bear idle, each row's share of it. */
function useIdleShares(
  state: PageState,
  comparison: Comparison | undefined,
  rows: CostRows | undefined,
  now: CostRows | undefined,
  before: CostRows | undefined,
): CostRows | undefined {
  const isShared = state.idle === 'shared';
  const plain = { ...state, idle: 'hidden' };
  const earlier = state.against === 'before' ? comparison?.before : state.against;
  const isCompared = isShared && comparison !== undefined && earlier !== undefined;
  const all = useRows(isShared ? rowsPath(plain, state.window) : undefined).answer;
  const whole = useRows(isCompared ? rowsPath(plain, comparison.now) : undefined).answer;
  const past = useRows(isCompared ? rowsPath(plain, earlier) : undefined).answer;
  return useMemo(() => {
    if (!isShared || rows === undefined || all === undefined) return rows;
    const isWhole = now !== undefined && before !== undefined;
    const compared =
      isCompared && isWhole && whole !== undefined && past !== undefined
        ? { now: { shared: now, plain: whole }, before: { shared: before, plain: past } }
        : undefined;
    return withIdleShares(rows, all, compared);
  }, [isShared, isCompared, rows, now, before, all, whole, past]);
}

/** Rows of a path that answers CSV. */
function useRows(path: string | undefined): Shown<CostRows> {
  return useLoaded(path, async (abort) => {
    const text = await askText(path ?? '', abort);
    return await readRowsInSlices(text, () => pause(abort));
  });
}

/** Lets the page answer and draw before it goes on. @throws when the question was taken back */
async function pause(abort: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
  abort.throwIfAborted();
}

/** The efficiency of all sets, weighed by what CPU and RAM cost. */
function efficiencyOf(data: SummarySets | undefined): number {
  let [used, cost] = [0, 0];
  for (const { allocations } of data?.sets ?? []) {
    const row = allocations['all'];
    if (row === undefined) continue;
    used += row.totalEfficiency * (row.cpuCost + row.ramCost);
    cost += row.cpuCost + row.ramCost;
  }
  return cost > 0 ? used / cost : 0;
}
