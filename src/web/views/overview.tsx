/** What was spent, on what, what changed and why, what could be saved, and how sure it is. */
import { useAnswer } from '../answers.ts';
import { comparisonOf, type Span } from '../costs/periods.ts';
import { seriesPath } from '../costs/questions.ts';
import { seriesOf, stacksOf, type Series, type SummarySets } from '../costs/series.ts';
import { Changes } from '../overview/changes.tsx';
import { Health } from '../overview/health.tsx';
import { Month } from '../overview/month.tsx';
import { Saved } from '../overview/saved.tsx';
import { Spending } from '../overview/spending.tsx';
import { Bars } from '../parts/bars.tsx';
import { WindowPicker } from '../parts/picker.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { useMemo, type VNode } from '../preact.ts';
import { zone } from '../session.ts';
import { go, href, state } from '../state.ts';
import { readState } from '../url.ts';

/** With the running one: two weeks of whole days. */
const RECENT = '15d';
const STACKS = 8;

export function Overview(): VNode {
  const plain = readState('');
  const { window } = state.value;
  const recentShown = useAnswer<SummarySets>(seriesPath(plain, RECENT, 'all'));
  const namedShown = useAnswer<SummarySets>(seriesPath(plain, RECENT, 'namespace', 100));
  const windowShown = useAnswer<SummarySets>(seriesPath(plain, window, 'all'));
  const { answer, error } = windowShown;
  const recent = useSeries(recentShown.answer?.data);
  const comparison = useMemo(() => {
    if (answer === undefined) return undefined;
    return comparisonOf(seriesOf(answer.data).spans, answer.atMs, zone());
  }, [answer]);
  return (
    <>
      <h1 class="hidden">Overview</h1>
      <Month
        plain={plain}
        recent={recent}
        isRecentKnown={recent !== undefined || recentShown.error !== undefined}
      />
      {recentShown.error !== undefined && <Failure error={recentShown.error} />}
      {recent === undefined || (namedShown.answer ?? namedShown.error) === undefined ? (
        <div class="bone chart" />
      ) : (
        <Recent
          recent={recent}
          named={namedShown.answer?.data}
          nowMs={recentShown.answer?.atMs ?? 0}
        />
      )}
      <p class="sentence">
        Whole days of{' '}
        <WindowPicker label="Window" value={window} choose={(own) => go({ window: own })} />,
        against as many before
      </p>
      {error !== undefined && <Failure error={error} />}
      {comparison === undefined && answer !== undefined && (
        <Empty>
          No day of this window is over yet: <a href={href({ window: '7d' })}>the last 7 days</a>
        </Empty>
      )}
      {comparison === undefined && answer === undefined && <div class="bone page" />}
      {comparison !== undefined && (
        <div class="cards">
          <Changes plain={plain} comparison={comparison} />
          <Spending plain={plain} field="namespace" title="Namespaces" comparison={comparison} />
          <Spending plain={plain} field="cluster" title="Clusters" comparison={comparison} />
          <Spending plain={plain} field="team" title="Teams" comparison={comparison} />
          <Saved />
        </div>
      )}
      <Health answer={answer} />
    </>
  );
}

function useSeries(data: SummarySets | undefined): Series | undefined {
  return useMemo(() => (data === undefined ? undefined : seriesOf(data)), [data]);
}

function Recent({
  recent,
  named: namedSets,
  nowMs,
}: {
  recent: Series;
  /** By namespace; undefined: not known, so that bars have no parts. */
  named: SummarySets | undefined;
  nowMs: number;
}): VNode {
  const named = useSeries(namedSets);
  const stacks = useMemo(() => {
    const isSame = named?.spans.length === recent.spans.length;
    return named === undefined || !isSame ? [] : stacksOf(named, recent.totals, STACKS);
  }, [named, recent]);
  return (
    <Bars
      spans={recent.spans}
      stacks={stacks}
      totals={recent.totals}
      idle={recent.idle.some((usd) => usd > 0) ? recent.idle : undefined}
      before={recent.spans.map(() => undefined)}
      nowMs={nowMs}
      href={dayHref}
    />
  );
}

function dayHref({ startMs, endMs }: Span): string {
  const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
  return href({ view: 'allocations', window: `${iso(startMs)},${iso(endMs)}`, open: '' });
}
