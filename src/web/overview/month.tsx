/** What this month has cost, against the same days of the month before, and what it will come to. */
import { useAnswer, usePulse } from '../answers.ts';
import { forecastOf } from '../costs/forecast.ts';
import { daysOfMonth, monthBefore, partOver } from '../costs/periods.ts';
import { seriesPath } from '../costs/questions.ts';
import { seriesOf, sumOf, type Series, type SummarySets } from '../costs/series.ts';
import { isoDate, money, moneyChange, moneyOrZero, percentChange } from '../format.ts';
import { Figure } from '../parts/figure.tsx';
import { signClass } from '../parts/cost-table.tsx';
import { Loaded } from '../parts/states.tsx';
import { useMemo, type VNode } from '../preact.ts';
import { zone } from '../session.ts';
import { href } from '../state.ts';
import type { PageState } from '../url.ts';

/** @param plain the state without what was chosen elsewhere */
export function Month({
  plain,
  recent,
  isRecentKnown,
}: {
  plain: PageState;
  recent: Series | undefined;
  /** The last days have come, or will not. */
  isRecentKnown: boolean;
}): VNode {
  const path = seriesPath(plain, 'month', 'all');
  usePulse(path);
  const shown = useAnswer<SummarySets>(path);
  return (
    <div class="month">
      <Loaded shown={shown} lines={1}>
        {(answer) => (
          <Told
            month={seriesOf(answer.data)}
            nowMs={answer.atMs}
            plain={plain}
            recent={recent}
            isRecentKnown={isRecentKnown}
          />
        )}
      </Loaded>
    </div>
  );
}

interface ToldProps {
  readonly month: Series;
  readonly nowMs: number;
  readonly plain: PageState;
  readonly recent: Series | undefined;
  readonly isRecentKnown: boolean;
}

function Told({ month, nowMs, plain, recent, isRecentKnown }: ToldProps): VNode {
  const { spans, totals, idle } = month;
  const start = isoDate(spans[0]?.startMs ?? nowMs, zone());
  const whole = spans.filter(({ endMs }) => endMs <= nowMs).length;
  const before = useAnswer<SummarySets>(
    whole === 0 ? undefined : seriesPath(plain, monthBefore(start, whole), 'all'),
  );
  const spent = sumOf(totals);
  const unused = sumOf(idle);
  const spentBefore = before.answer === undefined ? undefined : seriesOf(before.answer.data);
  const change =
    spentBefore === undefined ? undefined : wholeSum(month, whole) - wholeSum(spentBefore, whole);
  const base = spentBefore === undefined ? 0 : wholeSum(spentBefore, whole);
  const forecast = useForecast(month, recent, nowMs, start);
  return (
    <div class="figures">
      <Figure says="this month, with idle" href={href({ view: 'allocations', window: 'month' })}>
        {moneyOrZero(spent + unused)}
      </Figure>
      {unused > 0 && (
        <Figure
          says="of it idle"
          href={href({ view: 'allocations', window: 'month', by: ['cluster'] })}
        >
          {money(unused)} <small>{percentOf(unused, spent + unused)}</small>
        </Figure>
      )}
      {forecast !== undefined && (
        <Figure
          says="by the end of the month"
          title={`The mean of the last ${forecast.days} whole days, ${money(forecast.perDay)} a day, goes on. Four of five months end within the band, if days go on to differ as they did.`}
        >
          {money(forecast.usd)}{' '}
          <small>
            {money(forecast.low)} to {money(forecast.high)}
          </small>
        </Figure>
      )}
      {forecast !== undefined && <Figure says="a day">{money(forecast.perDay)}</Figure>}
      {isRecentKnown && change !== undefined && base > 0 && (
        <Figure
          says={`${whole} whole days, against those of last month`}
          href={href({ view: 'allocations', window: 'month' })}
        >
          <span class={signClass(change)}>{moneyChange(change) || 'unchanged'}</span>{' '}
          <small>{percentChange(change / base)}</small>
        </Figure>
      )}
    </div>
  );
}

function percentOf(part: number, whole: number): string {
  return whole > 0 ? `${Math.round((100 * part) / whole)} %` : '';
}

/** What the first sets cost, workloads and idle. */
function wholeSum({ totals, idle }: Series, sets: number): number {
  return sumOf(totals.subarray(0, sets)) + sumOf(idle.subarray(0, sets));
}

function useForecast(
  month: Series,
  recent: Series | undefined,
  nowMs: number,
  start: string,
): ReturnType<typeof forecastOf> {
  return useMemo(() => {
    if (recent === undefined) return undefined;
    const days = recent.spans.flatMap(({ endMs }, index) => {
      const usd = (recent.totals[index] ?? 0) + (recent.idle[index] ?? 0);
      // Days before the first that is stored cost nothing that is known.
      return endMs <= nowMs && usd > 0 ? [usd] : [];
    });
    const over = month.spans.reduce((sum, span) => sum + partOver(span, nowMs), 0);
    const spent = sumOf(month.totals) + sumOf(month.idle);
    return forecastOf(spent, days, daysOfMonth(start) - over);
  }, [month, recent, nowMs, start]);
}
