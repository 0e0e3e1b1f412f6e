/** Parameters of the on-demand query, read once into a plan. */
import type { Dialect, QueryParams } from '../../http/index.ts';
import {
  ACCUMULATE_UNITS,
  AGGREGATE_NAMES,
  Fault,
  formatDuration,
  forwardEndMs,
  layBackward,
  layByCalendar,
  parseAggregate,
  parseDuration,
  parseWindow,
  oneOf,
  refuse,
  snappedEndMs,
  type Accumulate,
  type Calendar,
  type CalendarUnit,
  type ParsedWindow,
  type Spans,
  type Window,
} from '../../query/index.ts';
import { hasPaid, type AcceptedFormat, type Format } from './format.ts';
import { checkAssetShares, withoutAssetShares } from './asset-shares-flag.ts';
import type { Plan } from './plan.ts';
import { type Parameter, QUERY_PARAMETERS, readAllocationQuery } from './set-query-params.ts';
import { overheadUsd } from '../query/shared-overhead.ts';

export const WINDOW_ACCEPTED = 'a window such as 12h, 7d, today, lastweek, or start,end';
const DEFAULT_RESOLUTION_MS = 60_000;
/** Sets of one answer. */
const MAX_SETS = 10_000;

const FORMATS = ['json', 'csv', 'ndjson', 'arrow'] as const;

/** Every parameter that `readFormat` reads. */
export const FORMAT_PARAMETERS: readonly Parameter[] = [
  { name: 'format', value: FORMATS.join('|'), help: 'default json; csv is accumulated' },
  { name: 'columns', value: 'summary|full', help: 'csv: eleven columns, or every field' },
  { name: 'decimals', value: 'N', help: 'csv: places after the point; default all there are' },
];

export const AGGREGATE_PARAMETER: Parameter = {
  name: 'aggregate',
  value: 'LIST',
  help: `one or more of ${AGGREGATE_NAMES.join(' ')}:<name>`,
};

export const ACCUMULATE_PARAMETER: Parameter = {
  name: 'accumulate',
  value: 'UNIT',
  help: 'true gives one set for the window, hour, day, week, month or quarter one a calendar unit',
};

export const ACCUMULATE_BY_PARAMETER: Parameter = {
  name: 'accumulateBy',
  value: 'UNIT',
  help: 'the same; it goes before accumulate',
};

const ORDERS = ['asc', 'desc'] as const;

export const ORDER_PARAMETER: Parameter = {
  name: 'order',
  value: ORDERS.join('|'),
  help: 'of the sets: asc is from the oldest on',
};

/** Every parameter that `readPlan` reads. */
export const PARAMETERS: readonly Parameter[] = [
  { name: 'window', value: 'WINDOW', help: `required; ${WINDOW_ACCEPTED}` },
  AGGREGATE_PARAMETER,
  { name: 'resolution', value: 'DURATION', help: 'distance of the samples, or exact; default 1m' },
  { name: 'step', value: 'DURATION', help: 'length of one set; default the window' },
  ACCUMULATE_PARAMETER,
  ACCUMULATE_BY_PARAMETER,
  ORDER_PARAMETER,
  {
    name: 'partialResponse',
    value: 'BOOLEAN',
    help: 'true: without the metrics stores that fail, named in warnings; default 503',
  },
  ...QUERY_PARAMETERS,
  ...FORMAT_PARAMETERS,
];

/** What the dialects make of the same parameters. */
interface Manner {
  /** Null: as the request says. */
  readonly spans: Spans | null;
  /** Where the newest step ends. */
  readonly gridEndMs: (window: ParsedWindow, stepMs: number) => number;
  readonly isOldestFirst: boolean;
}

const MANNERS: Readonly<Record<Dialect, Manner>> = {
  kubecost: { spans: null, gridEndMs: snappedEndMs, isOldestFirst: false },
  // Its clients count dates along the list of sets, from the oldest on.
  opencost: { spans: 'units', gridEndMs: forwardEndMs, isOldestFirst: true },
};

/**
 * @param formatByDefault counts where none is requested
 * @throws {Fault} naming the parameter, its value and what is accepted
 */
function readAnyPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
  formatByDefault: AcceptedFormat = 'json',
  dialect: Dialect = 'kubecost',
): Plan {
  const manner = MANNERS[dialect];
  const text = params.required('window', WINDOW_ACCEPTED, '24h');
  // It is exact to the millisecond unless days are asked for.
  const spans = params.flag('exactWindow', false) ? 'days' : 'moving';
  const parsed = parseWindow(text, { nowMs, calendar, spans: manner.spans ?? spans });
  const window = { startMs: parsed.startMs, endMs: parsed.endMs };
  const keys = params.parsed('aggregate', (value) => parseAggregate(value, AGGREGATE_NAMES), []);
  const format = readFormat(params, formatByDefault);
  // The columns clients know have no window: they are always of one set.
  const isSummary = format.kind === 'csv' && !format.isFull;
  const { accumulate, sets, isStepped } = readSets(params, parsed, manner, calendar, format);
  const laid = isSummary && !isStepped ? [window] : sets;
  const isRaw = keys.length === 0 && accumulate === 'none' && !isSummary;
  const showsPaid = hasPaid(format, isRaw);
  const request = readAllocationQuery(params, keys, { idleByDefault: false, showsPaid });
  return {
    window,
    sets: laid,
    isByCalendar: !isSummary && isUnit(accumulate),
    resolutionMs: params.parsed('resolution', readResolution, DEFAULT_RESOLUTION_MS),
    keys,
    isSummed: laid.length > 1 && (isSummary || accumulate === 'all'),
    buildsSets: false,
    billsNodes: request.query.idle || request.query.shareIdle,
    query: request.query,
    overheadsUsd: laid.map((set) => overheadUsd(request.shareUsdPerMonth, set, nowMs, calendar)),
    costMetric: request.costMetric,
    paging: request.paging,
    dialect,
    isOldestFirst: readIsOldestFirst(params, manner.isOldestFirst),
    isRaw,
    format,
    view: 'allocations',
    nowMs,
    ...(params.flag('partialResponse', false) ? { allowsMissingStores: true } : {}),
  };
}

/**
 * As `readAnyPlan`, of whole rows.
 * @throws {Fault} likewise
 */
export function readPlan(...given: Parameters<typeof readAnyPlan>): Plan {
  const plan = readAnyPlan(...given);
  checkAssetShares(given[0], plan.query, plan.format);
  return plan;
}

/**
 * Summaries take the parameters of the computed query.
 * @throws {Fault} likewise
 */
export function readComputedSummary(...given: Parameters<typeof readAnyPlan>): Plan {
  const plan = readAnyPlan(...given);
  const { showsPaid: _, ...query } = withoutAssetShares(given[0], plan.query);
  return { ...plan, query, isOldestFirst: readIsOldestFirst(given[0], true), view: 'summary' };
}

const ACCUMULATES: readonly Accumulate[] = ['none', 'all', ...ACCUMULATE_UNITS];

function isUnit(accumulate: Accumulate): accumulate is CalendarUnit {
  return ACCUMULATE_UNITS.some((unit) => unit === accumulate);
}

/** Whether the sets of an answer begin with the oldest. @throws {Fault} naming `order` */
export function readIsOldestFirst(params: QueryParams, byDefault: boolean): boolean {
  const order = params.parsed('order', oneOf('order', ORDERS), null);
  return order === null ? byDefault : order === 'asc';
}

function readSets(
  params: QueryParams,
  parsed: ParsedWindow,
  { gridEndMs }: Manner,
  calendar: Calendar,
  format: Format,
): { accumulate: Accumulate; sets: readonly Window[]; isStepped: boolean } {
  const byDefault = format.kind === 'csv' ? 'all' : 'none';
  const accumulate = params.accumulate(ACCUMULATES, byDefault);
  const window = { startMs: parsed.startMs, endMs: parsed.endMs };
  const stepMs = params.parsed('step', (text) => parseDuration(text, 'step'), null);
  if (isUnit(accumulate)) {
    if (stepMs !== null) throw stepBesideUnit(stepMs, accumulate);
    const sets = layByCalendar(window, accumulate, calendar, MAX_SETS);
    return { accumulate, sets, isStepped: false };
  }
  if (stepMs === null) return { accumulate, sets: [window], isStepped: false };
  const sets = layBackward(window, stepMs, MAX_SETS, gridEndMs(parsed, stepMs));
  return { accumulate, sets, isStepped: true };
}

/** Steps are laid from the window's end: they do not meet at midnights. */
function stepBesideUnit(stepMs: number, unit: CalendarUnit): Fault {
  const step = formatDuration(stepMs);
  return new Fault(
    `parameter 'step': '${step}' beside accumulate=${unit}, which lays the sets by the calendar`,
    { parameter: 'step', hint: `ask without step=${step}, or without accumulate=${unit}` },
  );
}

/** `exact`, or the distance of the grid's points. */
function readResolution(text: string): number {
  if (text.trim().toLowerCase() === 'exact') return 0;
  try {
    return parseDuration(text, 'resolution');
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(`${error.message}, nor 'exact'`, {
      parameter: 'resolution',
      hint: 'for example resolution=exact or resolution=1m',
      cause: error,
    });
  }
}

const DECIMALS_MAX = 20;

export function readFormat(params: QueryParams, byDefault: AcceptedFormat): Format {
  const kind = params.parsed('format', oneOf('format', FORMATS, FORMATS.join(' or ')), byDefault);
  const columns = params.parsed(
    'columns',
    oneOf('columns', ['summary', 'full'], 'summary or full'),
    'summary',
  );
  const decimals = params.parsed('decimals', readDecimals, null);
  return kind === 'csv' ? { kind, isFull: columns === 'full', decimals } : { kind };
}

function readDecimals(text: string): number {
  const decimals = /^\d{1,2}$/.test(text.trim()) ? Number(text) : NaN;
  if (decimals <= DECIMALS_MAX) return decimals;
  throw refuse('decimals', text, `a whole number in 0 to ${DECIMALS_MAX}`, '3');
}
