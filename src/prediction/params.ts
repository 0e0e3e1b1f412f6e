/** Reads the parameters of the cost prediction into a plan. */
import { readAllocationFilter } from '../allocation/index.ts';
import type { QueryParams } from '../http/index.ts';
import { daysOf, type Calendar, type Filter, type Window } from '../query/index.ts';

export interface PredictionPlan {
  readonly cluster: string;
  readonly namespaceByDefault: string;
  /** Whole days, newest first, for usage and allocation. */
  readonly usageDays: readonly Window[];
  /** Whole days, newest first, for costs. */
  readonly costDays: readonly Window[];
  readonly nowMs: number;
  /** Only requests count, not usage. */
  readonly noUsage: boolean;
  /** Past rows that are looked at; null: all. */
  readonly filter: Filter | null;
}

export interface PredictionParameter {
  readonly name: string;
  readonly value?: string;
  readonly help: string;
}

const WINDOW_DEFAULT = '2d';

/** All parameters of `readPredictionPlan`. */
export const PREDICTION_PARAMETERS: readonly PredictionParameter[] = [
  { name: 'clusterID', value: 'NAME', help: 'the cluster that it runs in; required' },
  {
    name: 'defaultNamespace',
    value: 'NAME',
    help: 'of what names no namespace; required',
  },
  {
    name: 'window',
    value: 'WINDOW',
    help: `whole days of usage and costs; default ${WINDOW_DEFAULT}`,
  },
  { name: 'windowAvgUsage', value: 'WINDOW', help: 'days of usage; default window' },
  { name: 'windowResourceCost', value: 'WINDOW', help: 'days of costs; default window' },
  { name: 'noUsage', value: 'BOOLEAN', help: 'true: requests alone count' },
];

/** @throws {Fault} naming the parameter, its value and what is accepted */
export function readPredictionPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
): PredictionPlan {
  const cluster = params.required('clusterID', 'the id of a cluster', 'cluster-one');
  const namespaceByDefault = params.required('defaultNamespace', 'a namespace', 'default');
  const window = params.text('window') ?? WINDOW_DEFAULT;
  const days = (name: string): Window[] => {
    const own = params.text(name);
    const parameter = own === undefined ? 'window' : name;
    const parsed = params.daysWindow(own ?? window, { nowMs, calendar, parameter });
    return daysOf(parsed, calendar);
  };
  return {
    cluster,
    namespaceByDefault,
    usageDays: days('windowAvgUsage'),
    costDays: days('windowResourceCost'),
    nowMs,
    noUsage: params.flag('noUsage', false),
    filter: params.scoped(null, readAllocationFilter),
  };
}
