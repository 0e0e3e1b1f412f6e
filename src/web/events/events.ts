/** Cost events as the view has them: what came and went, how long it stood, and what it costs a month. */
import { addDays } from '../costs/periods.ts';
import { isoDate } from '../format.ts';
import type { Crumb } from '../url.ts';

/** As the API answers it. */
export interface CostEvent {
  readonly eventType: 'add' | 'delete';
  readonly resourceType: string;
  readonly timestamp: string;
  readonly properties: {
    readonly cluster: string;
    readonly namespace: string;
    readonly name: string;
  };
  readonly totalRequests: { readonly cpu: string; readonly memory: string };
  readonly costPrediction: { readonly totalMonthlyRate: number };
}

export interface Change {
  /** Tells it from others. */
  readonly key: string;
  readonly isComing: boolean;
  readonly kind: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly requests: string;
  readonly atMs: number;
  /** What came costs more, what went less. */
  readonly usdPerMonth: number;
  /** When it came, where that is known. */
  readonly cameMs: number | undefined;
  /** When it went, where it did. */
  readonly wentMs: number | undefined;
}

/** @param events newest first, as they are answered */
export function changesOf(events: readonly CostEvent[]): Change[] {
  // The event of the same workload after each, and the one before.
  const after = neighbours(events);
  const before = neighbours(events.toReversed()).toReversed();
  return events.map((event, at) => {
    const { eventType, resourceType, properties, totalRequests, costPrediction } = event;
    const isComing = eventType === 'add';
    const atMs = Date.parse(event.timestamp);
    const other = isComing ? after[at] : before[at];
    const isPair = other !== undefined && (other.eventType === 'delete') === isComing;
    const otherMs = isPair ? Date.parse(other.timestamp) : undefined;
    const sign = isComing ? 1 : -1;
    return {
      key: `${event.timestamp} ${workloadOf(event)}`,
      isComing,
      kind: resourceType,
      ...properties,
      requests: `${totalRequests.cpu} CPU, ${totalRequests.memory}`,
      atMs,
      usdPerMonth: sign * costPrediction.totalMonthlyRate,
      cameMs: isComing ? atMs : otherMs,
      wentMs: isComing ? otherMs : atMs,
    };
  });
}

function workloadOf({ resourceType, properties: { cluster, namespace, name } }: CostEvent): string {
  return JSON.stringify([cluster, namespace, resourceType, name]);
}

/** The nearest event of the same workload that stands before each in the list. */
function neighbours(events: readonly CostEvent[]): (CostEvent | undefined)[] {
  const last = new Map<string, CostEvent>();
  return events.map((event) => {
    const workload = workloadOf(event);
    const found = last.get(workload);
    last.set(workload, event);
    return found;
  });
}

export interface Wanted {
  /** '' for all. */
  readonly namespace: string;
  readonly kind: string;
  /** `came`, `went`, or '' for both. */
  readonly what: string;
  readonly startMs: number;
  readonly endMs: number;
}

export function selected(
  changes: readonly Change[],
  { namespace, kind, what, startMs, endMs }: Wanted,
): Change[] {
  return changes.filter(
    (change) =>
      (namespace === '' || change.namespace === namespace) &&
      (kind === '' || change.kind === kind) &&
      (what === '' || change.isComing === (what === 'came')) &&
      change.atMs >= startMs &&
      change.atMs < endMs,
  );
}

export interface Tally {
  readonly count: number;
  readonly usdPerMonth: number;
}

export function tallyOf(changes: readonly Change[], isComing: boolean): Tally {
  const own = changes.filter((change) => change.isComing === isComing);
  return {
    count: own.length,
    usdPerMonth: own.reduce((sum, { usdPerMonth }) => sum + usdPerMonth, 0),
  };
}

/** How long a workload stood; undefined: it still stands, or nobody saw it come. */
export function stoodMs({ cameMs, wentMs }: Change): number | undefined {
  return cameMs === undefined || wentMs === undefined ? undefined : wentMs - cameMs;
}

const UNITS = [
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** `20 s`, `5 min`, `3 h`, `1 day`, `12 days`: to the whole of the largest unit. */
export function durationWords(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, each]) => ms >= each) ?? ['s', 1000];
  const count = Math.floor(ms / unitMs);
  return `${count} ${unit}${unit === 'day' && count !== 1 ? 's' : ''}`;
}

/** Days before a workload went, where nobody saw it come. */
const DAYS_BEFORE = 7;

/** The days in which a workload stood, as the API reads windows. @param zone in which days begin */
export function windowOf({ cameMs, wentMs }: Change, nowMs: number, zone: string): string {
  const end = addDays(isoDate(wentMs ?? nowMs, zone), 1);
  const start = cameMs === undefined ? addDays(end, -DAYS_BEFORE) : isoDate(cameMs, zone);
  return `${start},${end}`;
}

/** The way down to the pods of a workload. */
export function pathTo({ cluster, namespace, kind, name }: Change): Crumb[] {
  return [
    { field: 'cluster', value: cluster },
    { field: 'namespace', value: namespace },
    { field: 'controller', value: `${kind}:${name}` },
  ];
}

/** Names that changes have, by letters. */
export function namesIn(changes: readonly Change[], field: 'namespace' | 'kind'): string[] {
  return [...new Set(changes.map((change) => change[field]))].toSorted();
}
