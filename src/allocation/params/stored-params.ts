/** Parameters of the allocation query over stored sets, read once into a plan. */
import type { QueryParams } from '../../http/index.ts';
import {
  ACCUMULATE_UNITS,
  type Accumulate,
  AGGREGATE_NAMES,
  type Calendar,
  daysOf,
  parseAggregate,
  type ParsedWindow,
  refuse,
  type Window,
} from '../../query/index.ts';
import {
  ACCUMULATE_BY_PARAMETER,
  ACCUMULATE_PARAMETER,
  AGGREGATE_PARAMETER,
  FORMAT_PARAMETERS,
  ORDER_PARAMETER,
  readFormat,
  readIsOldestFirst,
  WINDOW_ACCEPTED,
} from './params.ts';
import { checkAssetShares, withoutAssetShares } from './asset-shares-flag.ts';
import type { ChargesQuery } from '../reconcile/asset-charges.ts';
import { hasPaid, type AcceptedFormat, type Format } from './format.ts';
import {
  type AllocationQuery,
  type Parameter,
  QUERY_PARAMETERS,
  readAllocationQuery,
} from './set-query-params.ts';
import type { View } from '../query/stored-columns.ts';

/**
 * How long a window, read again later, is of the same days, of which the same are in the future.
 * Spans move with the clock; words change at midnight.
 * @returns Unix ms, in which they may be others; nowMs where nothing is sure
 */
export function sameUntilMs(window: ParsedWindow, nowMs: number, calendar: Calendar): number {
  const untilMidnight = (ms: number): number => (calendar.days(ms, ms + 1)[1] ?? ms) - ms;
  const { form, startMs, endMs } = window;
  const ends = form === 'duration' || endMs === nowMs ? [endMs - 1] : [];
  const moving = form === 'duration' ? [startMs, ...ends] : ends;
  return nowMs + Math.min(...[nowMs, ...moving].map(untilMidnight));
}

export interface StoredPlan {
  readonly view: View;
  /** Whole days, newest first. */
  readonly days: readonly Window[];
  /** Until then the window is of the same days. */
  readonly sameUntilMs: number;
  readonly unit: Accumulate;
  /** The order of the sets, where the request names one; absent: that of the view. */
  readonly isOldestFirst?: boolean;
  readonly request: AllocationQuery;
  readonly charges: ChargesQuery;
  /** Rows are neither aggregated nor accumulated. */
  readonly isRaw: boolean;
  readonly format: Format;
  readonly nowMs: number;
}

const ACCEPTED: readonly Accumulate[] = ['none', 'all', ...ACCUMULATE_UNITS];

const EXACT_WINDOW_PARAMETER: Parameter = {
  name: 'exactWindow',
  value: 'BOOLEAN',
  help: '3d is three whole days, today the last; default --window-days',
};

/** Every parameter that `readStoredPlan` reads and that changes the answer. */
export const STORED_PARAMETERS: readonly Parameter[] = [
  { name: 'window', value: 'WINDOW', help: `required, whole days; ${WINDOW_ACCEPTED}` },
  AGGREGATE_PARAMETER,
  ACCUMULATE_PARAMETER,
  ACCUMULATE_BY_PARAMETER,
  EXACT_WINDOW_PARAMETER,
  ORDER_PARAMETER,
  ...QUERY_PARAMETERS.map((parameter) =>
    parameter.name === 'idle'
      ? { ...parameter, help: parameter.help.replace('false', 'true') }
      : parameter,
  ),
  { name: 'reconcile', value: 'BOOLEAN', help: 'adjusts costs to the cloud bill; default true' },
  {
    name: 'shareTenancyCosts',
    value: 'BOOLEAN',
    help: 'shares cluster management and disks of nodes among the rows; default true',
  },
  ...FORMAT_PARAMETERS,
];

/**
 * @param formatByDefault counts where none is requested
 * @throws {Fault} naming the parameter, its value and what is accepted
 */
function readAnyPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
  formatByDefault: AcceptedFormat = 'json',
): StoredPlan {
  acceptStepsOfDays(params);
  const window = readWindow(params, calendar, nowMs);
  const keys = params.parsed('aggregate', (value) => parseAggregate(value, AGGREGATE_NAMES), []);
  const format = readFormat(params, formatByDefault);
  const isCsv = format.kind === 'csv';
  const byDefault: Accumulate = isCsv ? 'all' : 'none';
  const accumulate = params.accumulate(ACCEPTED, byDefault);
  // The columns clients know have no window: they are always of one set.
  const unit = isCsv && !format.isFull ? 'all' : accumulate;
  const isRaw = keys.length === 0 && unit === 'none';
  return {
    view: 'allocations',
    days: daysOf(window, calendar),
    sameUntilMs: sameUntilMs(window, nowMs, calendar),
    unit,
    ...readOrder(params),
    request: readAllocationQuery(params, keys, {
      idleByDefault: true,
      showsPaid: hasPaid(format, isRaw),
    }),
    charges: {
      reconcile: params.flag('reconcile', true),
      shareTenancyCosts: params.showsIdle(
        'shareTenancyCosts',
        params.flag('shareTenancyCosts', true),
      ),
    },
    isRaw,
    format,
    nowMs,
  };
}

function readOrder(params: QueryParams): Pick<StoredPlan, 'isOldestFirst'> {
  if (params.text('order') === undefined) return {};
  return { isOldestFirst: readIsOldestFirst(params, false) };
}

/** Clients send steps of a day and resolutions, too: stored sets are days, and as exact as can be. */
function acceptStepsOfDays(params: QueryParams): void {
  params.accept('step', ['', '1d', '24h']);
  params.accept('resolution');
}

/**
 * As `readAnyPlan`, of whole rows.
 * @throws {Fault} likewise
 */
export function readStoredPlan(...given: Parameters<typeof readAnyPlan>): StoredPlan {
  const plan = readAnyPlan(...given);
  checkAssetShares(given[0], plan.request.query, plan.format);
  return plan;
}

/** Summaries do not show what rows pay for, so that it is not read. */
function withoutPaid(params: QueryParams, plan: StoredPlan): StoredPlan {
  const { showsPaid: _, ...query } = withoutAssetShares(params, plan.request.query);
  return { ...plan, request: { ...plan.request, query } };
}

/**
 * Summaries take the parameters of the allocation query.
 * @throws {Fault} likewise
 */
export function readSummaryPlan(...given: Parameters<typeof readAnyPlan>): StoredPlan {
  return { ...withoutPaid(given[0], readAnyPlan(...given)), view: 'summary' };
}

/**
 * One summary of all rows of all days, in JSON: pages and units have no meaning.
 * @throws {Fault} likewise
 */
export function readToplinePlan(...given: Parameters<typeof readAnyPlan>): StoredPlan {
  const [params, calendar, nowMs] = given;
  const plan = withoutPaid(params, readAnyPlan(params, calendar, nowMs));
  if (plan.format.kind !== 'json') throw refuse('format', plan.format.kind, 'json', 'json');
  const request = { ...plan.request, paging: null };
  return { ...plan, request, unit: 'all', isRaw: false, view: 'topline' };
}

/**
 * The whole days of a window, newest first.
 * @throws {Fault} naming the window
 */
export function readDays(params: QueryParams, calendar: Calendar, nowMs: number): Window[] {
  return daysOf(readWindow(params, calendar, nowMs), calendar);
}

function readWindow(params: QueryParams, calendar: Calendar, nowMs: number): ParsedWindow {
  const text = params.required('window', WINDOW_ACCEPTED, '7d');
  return params.daysWindow(text, { nowMs, calendar });
}
