/** Parameters of the recommendations, read once into a plan. */
import { readFilters } from '../../allocation/index.ts';
import { columnsOfFilter } from '../../allocation/stored-rows.ts';
import type { QueryParams } from '../../http/index.ts';
import {
  oneOf,
  refuse,
  wholeNumber,
  type Calendar,
  type Filter,
  type ParsedWindow,
} from '../../query/index.ts';
import { KEYS } from '../demand/demand-at.ts';
import {
  ALGORITHMS,
  SORT_FIELDS,
  type Algorithm,
  type ContainerFilters,
  type Rule,
  type Sizing,
} from './sizing-rules.ts';

export type Version = 'v1' | 'v2';

export interface SizingPlan {
  readonly version: Version;
  readonly window: ParsedWindow;
  readonly sizing: Sizing;
  readonly meant: ContainerFilters;
  readonly isLabelled: boolean;
  /** A list alone, as the first clients of V2 read it. */
  readonly isArray: boolean;
  readonly isCsv: boolean;
  /** Totals without rows. */
  readonly isTopline: boolean;
  readonly nowMs: number;
}

const MIB = 2 ** 20;
/** The quantile of usage, where the parameter has no number. */
const Q_DEFAULT = 0.95;
const FLOORS = { cpuMillicores: 10, ramBytes: 20 * MIB };
const DEFAULTS = {
  v1: { targetUtilization: 0.65, savings: 'byRun' },
  v2: { targetUtilization: 0.7, savings: 'byAverage' },
} as const;

/** The shape of an answer, unless the request names another. */
export type SizingShape = 'object' | 'array';

export interface SizingContext {
  readonly calendar: Calendar;
  readonly nowMs: number;
  /** The shape of V2; V1 is always an object. */
  readonly shape: SizingShape;
}

/** @throws {Fault} naming the parameter, its value and what is accepted */
export function readSizingPlan(
  params: QueryParams,
  version: Version,
  isTopline: boolean,
  context: SizingContext,
): SizingPlan {
  const text = params.required(
    'window',
    'a window such as 2d, 7d, lastweek or a pair of times',
    '7d',
  );
  const { targetUtilization, savings } = DEFAULTS[version];
  const filter = readFilters(params);
  const shape: SizingShape = version === 'v2' && !isTopline ? context.shape : 'object';
  return {
    version,
    window: params.daysWindow(text, context),
    sizing: {
      cpu: readRule(params, 'CPU', targetUtilization),
      ram: readRule(params, 'RAM', targetUtilization),
      gpuTargetUtilization: params.parsed(
        'targetGPUUtilization',
        fraction('targetGPUUtilization'),
        targetUtilization,
      ),
      savings,
      sortBy: params.parsed('sortBy', oneOf('sortBy', SORT_FIELDS), 'totalSavings'),
      isAscending: params.parsed('sortByOrder', readOrder, false),
      offset: params.parsed('offset', wholeNumber('offset'), 0),
      limit: params.parsed('limit', wholeNumber('limit'), null),
    },
    meant: {
      byKeys: filter !== null && isByKeys(filter) ? filter : null,
      byRows: filter === null || isByKeys(filter) ? null : filter,
    },
    isLabelled: params.flag('includeLabelsAndAnnotations', false),
    // A topline has no rows to list.
    isArray:
      params.parsed('shape', oneOf('shape', ['object', 'array']), shape) === 'array' && !isTopline,
    isCsv: params.parsed('format', oneOf('format', ['json', 'csv']), 'json') === 'csv',
    isTopline,
    nowMs: context.nowMs,
  };
}

/** Whether demand itself has all columns of the fields compared. */
function isByKeys(filter: Filter): boolean {
  return columnsOfFilter(filter).every((column) => KEYS.includes(column));
}

function readRule(params: QueryParams, of: 'CPU' | 'RAM', targetUtilization: number): Rule {
  const names = {
    algorithm: `algorithm${of}`,
    q: `q${of}`,
    target: `target${of}Utilization`,
    floor: of === 'CPU' ? 'minRecCPUMillicores' : 'minRecRAMBytes',
  };
  const algorithms = Object.keys(ALGORITHMS) as Algorithm[];
  const floor = of === 'CPU' ? FLOORS.cpuMillicores : FLOORS.ramBytes;
  const floors = params.parsed(names.floor, amount(names.floor, String(floor)), floor);
  return {
    algorithm: params.parsed(names.algorithm, oneOf(names.algorithm, algorithms), 'max'),
    q: params.parsed(names.q, readQuantile(names.q), Q_DEFAULT),
    targetUtilization: params.parsed(names.target, fraction(names.target), targetUtilization),
    floor: of === 'CPU' ? floors / 1000 : floors,
  };
}

function numberIn(text: string): number {
  return /^(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : NaN;
}

/** What is divided by less would be more than any machine has, or no number at all. */
const FRACTION_MIN = 0.001;

function fraction(parameter: string): (text: string) => number {
  return (text) => {
    const value = numberIn(text);
    if (value >= FRACTION_MIN && value <= 1) return value;
    const isTiny = value > 0 && value < FRACTION_MIN;
    const least = isTiny ? `of at least ${FRACTION_MIN}` : 'above 0';
    throw refuse(parameter, text, `a number ${least} and at most 1`, '0.8');
  };
}

/** Above 1 it is a percentage. */
function readQuantile(parameter: string): (text: string) => number {
  return (text) => {
    const value = numberIn(text);
    if (value > 0 && value <= 1) return value;
    if (value > 1 && value <= 100) return value / 100;
    throw refuse(
      parameter,
      text,
      'a number above 0 and at most 1, or a percentage up to 100',
      '0.95',
    );
  };
}

function amount(parameter: string, example: string): (text: string) => number {
  return (text) => {
    const value = numberIn(text);
    if (Number.isFinite(value) && value <= Number.MAX_SAFE_INTEGER) return value;
    throw refuse(parameter, text, 'a number, 0 or more', example);
  };
}

export const ORDERS: ReadonlyMap<string, boolean> = new Map([
  ['descending', false],
  ['desc', false],
  ['ascending', true],
  ['asc', true],
]);

function readOrder(text: string): boolean {
  const isAscending = ORDERS.get(text.trim().toLowerCase());
  if (isAscending !== undefined) return isAscending;
  const names = [...ORDERS.keys()];
  throw refuse('sortByOrder', text, `one of ${names.join(', ')}`, 'ascending', names);
}
