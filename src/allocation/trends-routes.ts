/** GET /allocation/trends: how costs of stored days changed since as many days before. */
import { answeringWhole, caveatFields, json, type AnswerCaching, type Route } from '../http/index.ts'; // prettier-ignore
import {
  daysOf,
  discreet,
  HOUR_MS,
  withNotes,
  type Calendar,
  type Caveats,
  type Window,
} from '../query/index.ts';
import { windowOf } from '../export/index.ts';
import { readRowsOfDays, type RowsOfDays } from './params/rows-of-days.ts';
import { storedItems } from './stored/stored-items.ts';
import { wholeOf, type StoredOptions } from './stored/stored.ts';

type Options = StoredOptions & { readonly answers: Pick<AnswerCaching, 'admission'> };

interface TrendsPlan extends RowsOfDays {
  readonly before: readonly Window[];
  readonly idle: 'shared' | 'none';
  readonly shareTenancyCosts: boolean;
}

interface Trends extends Caveats {
  /** USD by name. */
  readonly now: ReadonlyMap<string, number>;
  readonly before: ReadonlyMap<string, number>;
}

export function trendsRoutes(options: Options): Route[] {
  const { answers, clock } = options;
  return [
    {
      method: 'GET',
      path: '/allocation/trends',
      needs: 'viewer',
      scoping: 'joined',
      handle: answeringWhole<TrendsPlan, Trends>({
        plan(_, params) {
          const rows = readRowsOfDays(params, clock, 'namespace');
          return {
            ...rows,
            before: daysBefore(rows.days, clock.calendar),
            idle: params.showsIdle('shareIdle', params.flag('shareIdle', false))
              ? 'shared'
              : 'none',
            shareTenancyCosts: params.seesIdle,
          };
        },
        turns: answers.admission,
        value: (plan, { signal }) => readTrends(options, plan, signal),
        reply(trends, { days }, ignored, isScoped) {
          const told = isScoped ? discreet(trends, ignored) : withNotes(ignored, trends);
          return json({ code: 200, data: trendsJson(trends, days), ...caveatFields(told) });
        },
        isTagged: () => false,
      }),
    },
  ];
}

/** As many days, which end where the first of these begins. */
function daysBefore(days: readonly Window[], calendar: Calendar): Window[] {
  const { startMs } = wholeOf({ days });
  // Days are at most 25 hours long.
  const fromMs = Math.max(0, startMs - 25 * HOUR_MS * days.length);
  const span = { startMs: fromMs, endMs: startMs, form: 'duration' as const };
  return daysOf(span, calendar).slice(0, days.length);
}

async function readTrends(
  options: Options,
  { days, before, keys, filter, idle, shareTenancyCosts, nowMs }: TrendsPlan,
  signal: AbortSignal,
): Promise<Trends> {
  const costsIn = async (of: readonly Window[]) => {
    // Names are those that rows of allocations have.
    const names = { keys, controllers: 'whole', most: null, shareTenancyCosts } as const;
    const request = { ...names, days: of, nowMs, filter, idle, idleByNode: false };
    const { items, warnings, isPartial } = await storedItems(options, request, signal);
    return { usd: new Map(items.map(({ name, cost }) => [name, cost])), warnings, isPartial };
  };
  const [now, then] = [await costsIn(days), await costsIn(before)];
  return {
    now: now.usd,
    before: then.usd,
    warnings: [...new Set([...now.warnings, ...then.warnings])],
    isPartial: now.isPartial || then.isPartial,
  };
}

/** One set, with the trend of each name that costs something now, by name. */
function trendsJson({ now, before }: Trends, days: readonly Window[]): object {
  const whole = wholeOf({ days });
  const window = windowOf(whole);
  const names = [...now.keys()].toSorted((a, b) => (a < b ? -1 : 1));
  const trends = names.map((name) => [
    name,
    {
      trends: {
        costs: {
          totalCost: { relativeChange: changeOf(now.get(name) ?? 0, before.get(name) ?? 0) },
        },
      },
    },
  ]);
  const allocationTrends = Object.fromEntries(trends) as object;
  const step = (whole.endMs - whole.startMs) * 1e6;
  return { step, sets: [{ allocationTrends, window }], window };
}

/** now / before − 1; `value` is null where it is no number. */
function changeOf(now: number, before: number): object {
  const value = now / before - 1;
  return {
    isInfinite: before === 0 && now !== 0,
    isNaN: Number.isNaN(value),
    value: Number.isFinite(value) ? value : null,
  };
}
