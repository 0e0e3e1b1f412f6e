/** Parameters of the on-demand query, read once into a plan. */
import type { QueryParams } from '../http/index.ts';
import {
  Fault,
  layBackward,
  parseAccumulate,
  parseAggregate,
  parseDuration,
  parseWindow,
  type AggregateName,
  type Calendar,
} from '../query/index.ts';
import type { Plan } from './on-demand.ts';

const WINDOW_ACCEPTED = 'a window such as 12h, 7d, today, lastweek, or start,end';
const DEFAULT_RESOLUTION_MS = 60_000;
/** Sets of one answer. */
const MAX_SETS = 10_000;

const AGGREGATES: readonly AggregateName[] = [
  'cluster',
  'node',
  'namespace',
  'controllerKind',
  'controller',
  'pod',
  'container',
  'label',
];

/** @throws {Fault} naming the parameter, its value and what is accepted */
export function readPlan(params: QueryParams, calendar: Calendar, nowMs: number): Plan {
  const text = params.required('window', WINDOW_ACCEPTED, '24h');
  const { startMs, endMs } = parseWindow(text, { nowMs, calendar });
  if (startMs >= nowMs) throw inTheFuture(text, nowMs);
  const window = { startMs, endMs };
  const keys = params.parsed('aggregate', (value) => parseAggregate(value, AGGREGATES), []);
  const accumulate = params.parsed('accumulate', (value) => parseAccumulate(value), 'none');
  const stepMs = params.parsed('step', (value) => parseDuration(value, 'step'), endMs - startMs);
  const laid = layBackward(window, stepMs, MAX_SETS);
  const isAccumulated = accumulate === 'all';
  return {
    window,
    // Sums of all steps are the sums of the window.
    sets: isAccumulated ? [window] : laid,
    resolutionMs: params.parsed('resolution', readResolution, DEFAULT_RESOLUTION_MS),
    keys,
    isRaw: keys.length === 0 && !isAccumulated,
    nowMs,
  };
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

function inTheFuture(text: string, nowMs: number): Fault {
  return new Fault(
    `parameter 'window': '${text}' begins in the future; it is now ${new Date(nowMs).toISOString()}`,
    { parameter: 'window', hint: 'for example window=24h' },
  );
}
