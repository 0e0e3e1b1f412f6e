/** A query that would not fit the memory budget, with what would. */
import { ArenaFull, HeapFull, type Arena, type Owner } from '../../columnar/index.ts';
import type { ReadContext } from './read.ts';
import { Fault, formatDuration, Unavailable, type Window } from '../../query/index.ts';
import type { Passing } from '../ledger/fitting.ts';

const MIB = 2 ** 20;
const MORE_MEMORY = 'give the server more memory (--memory-limit)';

interface RefusedPlan {
  readonly window: Window;
  readonly nowMs: number;
  /** A step may not be given then. */
  readonly isByCalendar: boolean;
}

/** Part of the arena that is in use though nobody is at work: caches, and the sets that answers share. */
const KEPT_SHARE = 1 / 4;

/** The query, and what else holds memory. */
export interface Beside {
  readonly arena: Arena;
  readonly running: ReadonlySet<Owner>;
  readonly owner: Owner;
}

/** The error for a caller when the arena or a heap is full; other errors stay as they are. */
export function refused(
  error: unknown,
  beside: Beside,
  plan: RefusedPlan,
  readShare: number = 1,
): unknown {
  if (error instanceof HeapFull) {
    if (error.isForOthers) return crowdedOut(Math.max(1, queriesBeside(beside)));
    return ranOut(plan, error.budgetBytes, readShare);
  }
  if (!(error instanceof ArenaFull)) return error;
  if (isCrowded(beside)) return crowdedOut(queriesBeside(beside));
  return ranOut(plan, beside.arena.capacityBytes, readShare);
}

/** Whether there would be more room later: other queries run, or answers from stored sets hold memory. */
export function isCrowded(beside: Beside): boolean {
  const { arena, owner } = beside;
  const othersBytes = arena.usedBytes - arena.bytesOf(owner);
  return queriesBeside(beside) > 0 || othersBytes > KEPT_SHARE * arena.capacityBytes;
}

/** One that has ended is not among those that run. */
export function queriesBeside({ running, owner }: Beside): number {
  return running.size - (running.has(owner) ? 1 : 0);
}

/**
 * 422 naming the estimate, the limit and what would pass. Rows grow with pods and with sets, so a
 * longer step or a shorter window helps; a resolution does not: samples are never stored.
 */
export function tooLarge(
  plan: RefusedPlan,
  neededBytes: number,
  freeBytes: number,
  passing: Passing,
): Fault {
  const { stepMs, windowMs } = passing;
  const suggested = [
    ...(stepMs === null || plan.isByCalendar ? [] : [`step=${formatDuration(stepMs)}`]),
    ...(windowMs === null ? [] : [shorterWindow(plan, windowMs)]),
  ].join(' or ');
  const hint = suggested === '' ? '' : `${suggested} would pass at any resolution; or `;
  return refusal(
    `the answer needs ${inMiB(neededBytes)} MiB, ${inMiB(freeBytes)} MiB of the memory budget are free`,
    `${hint}${MORE_MEMORY}`,
  );
}

/**
 * 422 for a query that ran out of memory before its need was known.
 * @param read share of the reading that was done at least, in (0, 1]
 */
export function ranOut(plan: RefusedPlan, budgetBytes: number, read: number): Fault {
  const windowMs = wholeUnits(((plan.window.endMs - plan.window.startMs) * read) / 2);
  return refusal(
    `the answer needs more than the ${inMiB(budgetBytes)} MiB of the memory budget`,
    `try ${shorterWindow(plan, windowMs)}; or ${MORE_MEMORY}`,
  );
}

/** 503: it would fit if it were alone. @param others queries that run; 0: answers that are being sent */
export function crowdedOut(others: number): Unavailable {
  const who =
    ['other answers take', 'another query takes'][others] ?? `${others} other queries take`;
  return new Unavailable(`cannot compute this while ${who} most of the memory budget`, {
    retryAfterSeconds: 5,
    hint: `ask again a little later; or ${MORE_MEMORY}`,
  });
}

function refusal(what: string, hint: string): Fault {
  const options = { status: 422, parameter: 'window', hint, isOfAllRows: true };
  return new Fault(`parameter 'window': ${what}`, options);
}

function inMiB(bytes: number): string {
  return (bytes / MIB).toFixed(1);
}

/** A window in the form of the request: a duration that ends now, or a pair. */
function shorterWindow({ window, nowMs }: RefusedPlan, windowMs: number): string {
  if (window.endMs === nowMs) return `window=${formatDuration(windowMs)}`;
  const times = [window.endMs - windowMs, window.endMs].map((ms) => new Date(ms).toISOString());
  return `window=${times.join(',')}`;
}

/** Whole minutes, hours or days, at least one minute. */
function wholeUnits(ms: number): number {
  const unitMs = ms >= 2 * 86_400_000 ? 86_400_000 : ms >= 2 * 3_600_000 ? 3_600_000 : 60_000;
  return Math.max(1, Math.floor(ms / unitMs)) * unitMs;
}

/** The store shows no pod at all around the window. */
export class NoSamples extends Fault {}

/** 400: the store was not collecting then; with its first sample where it can tell. */
export async function noSamples(
  { source, range, signal }: Pick<ReadContext, 'source' | 'range' | 'signal'>,
  droppedSamples: number,
): Promise<NoSamples> {
  const text = `${droppedSamples > 0 ? 'but NaN ' : ''}from ${isoTime(range.startMs)} to ${isoTime(range.endMs)}`;
  // A hint only: a store that cannot tell, or fails to, changes nothing about the answer.
  const earliestMs = await source.earliestSampleMs?.(signal).catch(() => undefined);
  const since = earliestMs === undefined ? '' : `, its first sample is at ${isoTime(earliestMs)}`;
  return new NoSamples(
    `parameter 'window': ${source.name} has no samples of kube-state-metrics ${text}${since}`,
    { parameter: 'window', hint: 'ask for a window in which the store was collecting' },
  );
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
