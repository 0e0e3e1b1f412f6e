/**
 * A day that is not over: sets of its hours, of which only the last are read anew, and its own set as
 * their sum. So a refresh costs the store an hour of samples, not a day of them.
 */
import type { Owner } from '../../columnar/index.ts';
import {
  isPassing,
  addedWarnings,
  layByCalendar,
  messageOf,
  storedWarnings,
  warningsOfSet,
  type Calendar,
  type WarningLike,
  type Window,
} from '../../query/index.ts';
import type { SetMeta, StoredSet } from '../../storage/index.ts';
import { buildSets, encodedBy, asQuery, type BuildOptions } from './build-sets.ts';
import { ALLOCATIONS, ASSETS, USAGE, type EncodedAt } from '../sets/set-files.ts';
import { MARGIN_MS } from '../params/plan.ts';
import { fromOpen, storedIn, wholeSet } from '../stored/set-index.ts';

/** After an hour's end its last samples, and those a margin later, have surely come. */
export const HOUR_GRACE_MS: number = MARGIN_MS + 300_000;
/** A day has at most 25 hours, and one more where clocks change by half an hour. */
const HOURS_MAX = 26;

/** The hours of the day that have begun, oldest first; their ends may lie ahead. */
export function hoursBegun(calendar: Calendar, day: Window, nowMs: number): Window[] {
  const hours = layByCalendar(day, 'hour', calendar, HOURS_MAX);
  return hours.filter(({ startMs }) => startMs < nowMs).reverse();
}

/**
 * Builds the sets of hours together; an hour is final once its grace is over.
 * @throws as `buildSets`
 */
async function buildHours(
  options: BuildOptions,
  hours: readonly Window[],
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const stateOf = ({ endMs }: Window): SetMeta['state'] =>
    nowMs >= endMs + HOUR_GRACE_MS ? 'sealed' : 'partial';
  await buildSets(options, { windows: hours, nowMs, stateOf }, signal);
}

/**
 * Brings the hours of a day up to now, and its set to their sum.
 * @throws {NoSamples} (refusals.ts) when the store has nothing new
 * @throws as `buildSets`; then the day's set stays as it was
 */
export async function extendDay(
  options: BuildOptions,
  calendar: Calendar,
  day: Window,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const hours = hoursBegun(calendar, day, nowMs);
  const open = fromOpen(storedIn(options.sets), hours);
  if (open.length > 0) await buildHours(options, open, nowMs, signal);
  await sumHours(options, day, hours, { state: 'partial', nowMs, warnings: [] }, signal);
}

export interface SumState {
  readonly state: SetMeta['state'];
  readonly nowMs: number;
  /** Warnings beside those of its hours. */
  readonly warnings: readonly string[];
}

/** Makes the day's set of those of its hours that are there. */
export async function sumHours(
  options: BuildOptions,
  window: Window,
  hours: readonly Window[],
  { state, nowMs, warnings }: SumState,
  signal: AbortSignal,
): Promise<void> {
  const { sets, timezone, metrics, compute } = options;
  const stored = storedIn(sets);
  const infos = hours.map((hour) => wholeSet(stored, hour)).filter((info) => info !== undefined);
  const locate = (kind: string): StoredSet[] =>
    infos.map(({ key }) => sets.locate({ ...key, kind })).filter((set) => set !== undefined);
  const meta: SetMeta = {
    state,
    timezone,
    createdMs: nowMs,
    source: metrics.source.name,
    ...storedWarnings([...latest(infos.flatMap(({ meta }) => warningsOfSet(meta))), ...warnings]),
    untilMs: Math.max(...infos.map((info) => info.meta.untilMs ?? 0)),
    hasGaps: infos.some((info) => info.meta.hasGaps === true),
  };
  const [allocations, assets, usage] = [locate(ALLOCATIONS), locate(ASSETS), locate(USAGE)];
  try {
    await asQuery(options, async (keeper) => {
      const input = { window, allocations, assets, usage, meta, keeper };
      const sum = (owner: Owner): Promise<EncodedAt[]> =>
        compute.pool.run('sumDay', { ...input, owner }, signal);
      await sets.write(await encodedBy(options, sum));
    });
  } catch (error) {
    // An hour that is damaged indeed is set aside, and built again the next time.
    if (!isPassing(error))
      for (const set of [...allocations, ...assets, ...usage]) await sets.setAside(set);
    throw error;
  }
}

/** The last warning of each kind: those of one kind differ in their numbers. Money is that of all. */
function latest(warnings: readonly WarningLike[]): Iterable<WarningLike> {
  const added = addedWarnings(warnings);
  const byKind = new Map(added.map((one) => [messageOf(one).replace(/\d+/g, '0'), one]));
  return byKind.values();
}
