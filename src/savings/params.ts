/** Reads the query strings of savings into plans. */
import { readFilters } from '../allocation/index.ts';
import { ASSET_FILTERS } from '../assets/index.ts';
import { readPageLimits, readRowFilter, type QueryParams } from '../http/index.ts';
import {
  daysOf,
  refuse,
  wholeNumber,
  type Calendar,
  type Filter,
  type Window,
} from '../query/index.ts';

/** The clock of a request. */
export interface SavingsContext {
  readonly calendar: Calendar;
  readonly nowMs: number;
}

export interface SavingsWindow {
  /** Whole days that have begun, newest first. */
  readonly days: readonly Window[];
  /** The window up to now. */
  readonly window: Window;
  /** As it was requested. */
  readonly text: string;
}

export interface AbandonedPlan extends SavingsWindow {
  readonly threshold: number;
  readonly filter: Filter | null;
  readonly offset: number;
  readonly limit: number | null;
}

export interface DiskPlan extends SavingsWindow {
  readonly filter: Filter | null;
  readonly headroom: number;
  readonly mostUsed: number;
}

export interface QuotaPlan extends SavingsWindow {
  readonly targetUtilization: number;
}

const DAYS_DEFAULT = 2;
const DAYS_MAX = 92;
/** Bytes a second, as Kubecost has it. */
export const THRESHOLD_DEFAULT = 500;
export const HEADROOM_DEFAULT = 0.5;
export const LOW_DEFAULT = 0.2;
const TARGET_DEFAULT = 0.8;

/** @throws {Fault} naming the parameter, its value and what is accepted */
export function readAbandonedPlan(params: QueryParams, context: SavingsContext): AbandonedPlan {
  const days = params.parsed('days', readDayCount, DAYS_DEFAULT);
  return {
    ...windowOf(params, `${days}d`, 'days', context),
    threshold: params.parsed('threshold', amount('threshold', '500'), THRESHOLD_DEFAULT),
    filter: readFilters(params),
    ...readPageLimits(params),
  };
}

/** @throws {Fault} likewise */
export function readDiskPlan(params: QueryParams, context: SavingsContext): DiskPlan {
  return {
    ...readWindow(params, context, '2d'),
    filter: readRowFilter(params, ASSET_FILTERS),
    headroom: 0,
    mostUsed: 1,
  };
}

/** @throws {Fault} likewise */
export function readVolumePlan(params: QueryParams, context: SavingsContext): DiskPlan {
  return {
    ...readDiskPlan(params, context),
    headroom: params.parsed('headroom', amount('headroom', '0.5'), HEADROOM_DEFAULT),
  };
}

/** @throws {Fault} likewise */
export function readLowDiskPlan(params: QueryParams, context: SavingsContext): DiskPlan {
  return {
    ...readVolumePlan(params, context),
    mostUsed: params.parsed('threshold', part('threshold', '0.2'), LOW_DEFAULT),
  };
}

/** @throws {Fault} likewise */
export function readQuotaPlan(params: QueryParams, context: SavingsContext): QuotaPlan {
  return {
    ...readWindow(params, context, '7d'),
    targetUtilization: params.parsed(
      'targetUtilization',
      part('targetUtilization', '0.8'),
      TARGET_DEFAULT,
    ),
  };
}

/** @throws {Fault} likewise */
export function readOverviewWindow(params: QueryParams, context: SavingsContext): SavingsWindow {
  return readWindow(params, context, '2d');
}

function readWindow(
  params: QueryParams,
  context: SavingsContext,
  byDefault: string,
): SavingsWindow {
  return windowOf(params, params.text('window') ?? byDefault, 'window', context);
}

function windowOf(
  params: QueryParams,
  text: string,
  parameter: string,
  { calendar, nowMs }: SavingsContext,
): SavingsWindow {
  const parsed = params.daysWindow(text, { calendar, nowMs, parameter });
  const days = daysOf(parsed, calendar).filter(({ startMs }) => startMs < nowMs);
  const window = { startMs: parsed.startMs, endMs: Math.max(parsed.startMs, Math.min(parsed.endMs, nowMs)) }; // prettier-ignore
  return { days, window, text };
}

function readDayCount(text: string): number {
  const days = wholeNumber('days')(text);
  if (days >= 1 && days <= DAYS_MAX) return days;
  throw refuse('days', text, `a whole number in 1 to ${DAYS_MAX}`, String(DAYS_DEFAULT));
}

function amount(parameter: string, example: string): (text: string) => number {
  return (text) => {
    const value = numberIn(text);
    if (value <= Number.MAX_SAFE_INTEGER) return value;
    throw refuse(parameter, text, 'a number, 0 or more', example);
  };
}

function part(parameter: string, example: string): (text: string) => number {
  return (text) => {
    const value = numberIn(text);
    if (value > 0 && value <= 1) return value;
    throw refuse(parameter, text, 'a number above 0, at most 1', example);
  };
}

/** NaN for anything but a number that is not negative. */
function numberIn(text: string): number {
  return /^(\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : NaN;
}
