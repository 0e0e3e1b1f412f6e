/** Reads the query string of cluster sizing into a plan. */
import type { QueryParams } from '../http/index.ts';
import type { Architecture } from '../pricing/index.ts';
import { daysOf, Fault, refuse, type Calendar, type Window } from '../query/index.ts';

export interface SizingPlan {
  readonly window: Window;
  /** Whole days that the window overlaps, newest first. */
  readonly days: readonly Window[];
  readonly nowMs: number;
  readonly targetUtilization: number;
  readonly minNodeCount: number;
  readonly allowSharedCore: boolean;
  /** '': the architectures of a cluster's current nodes. */
  readonly architecture: Architecture | '';
  /** Whether the providers' reservations for system and kubelet are subtracted. */
  readonly includeOverhead: boolean;
}

const WINDOW_DEFAULT = '2d';
const TARGET_DEFAULT = 0.65;
const NODES_DEFAULT = 2;
/** The limit that Kubernetes supports (https://kubernetes.io/docs/setup/best-practices/cluster-large/). */
const NODES_MAX = 5000;

/**
 * `range` is another name of `window`.
 * @throws {Fault} naming the parameter, its value and what is accepted
 */
export function readSizingPlan(
  params: QueryParams,
  calendar: Calendar,
  nowMs: number,
  nodesByDefault: number = NODES_DEFAULT,
): SizingPlan {
  const { parameter, text } = readWindowText(params);
  const window = params.daysWindow(text, { nowMs, calendar, parameter });
  return {
    window: { startMs: window.startMs, endMs: window.endMs },
    days: daysOf(window, calendar),
    nowMs,
    targetUtilization: params.parsed('targetUtilization', readTarget, TARGET_DEFAULT),
    minNodeCount: params.parsed('minNodeCount', readNodeCount, nodesByDefault),
    allowSharedCore: params.flag('allowSharedCore', false),
    architecture: params.parsed('architecture', readArchitecture, ''),
    includeOverhead: params.flag('includeOverhead', true),
  };
}

function readWindowText(params: QueryParams): {
  readonly parameter: string;
  readonly text: string;
} {
  const [window, range] = [params.text('window'), params.text('range')];
  if (window === undefined || range === undefined || window === range) {
    const isRange = window === undefined && range !== undefined;
    return { parameter: isRange ? 'range' : 'window', text: window ?? range ?? WINDOW_DEFAULT };
  }
  throw new Fault(`parameters 'window' and 'range' are the same, and came with two values`, {
    parameter: 'range',
    hint: `for example window=${window}`,
  });
}

function readTarget(text: string): number {
  const target = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : NaN;
  if (target > 0 && target <= 1) return target;
  throw refuse('targetUtilization', text, 'a number above 0, at most 1', '0.65');
}

function readNodeCount(text: string): number {
  const count = /^\d{1,5}$/.test(text.trim()) ? Number(text) : NaN;
  if (count >= 1 && count <= NODES_MAX) return count;
  throw refuse('minNodeCount', text, `a whole number in 1 to ${NODES_MAX}`, '2');
}

function readArchitecture(text: string): Architecture {
  if (text === 'x86' || text === 'ARM') return text;
  throw refuse('architecture', text, 'x86 or ARM, spelt so', 'x86');
}
