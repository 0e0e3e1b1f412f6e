/** Final sets of past days and hours, built once late samples have come. */
import { spanText, type Window } from '../../query/index.ts';
import { asQuery, buildSets, encodeWindow, metaOf, type BuildOptions } from './build-sets.ts';
import { NoSamples } from '../compute/refusals.ts';
import { spanOf, storedIn } from '../stored/set-index.ts';

/**
 * @returns false when the store has no samples of the day; then nothing is stored
 * @throws {NoSamples} when it has none any more: the stored set of the day stays
 * @throws as `buildSets`
 */
export async function sealDay(
  options: BuildOptions,
  day: Window,
  nowMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await buildSets(options, { windows: [day], nowMs, stateOf: () => 'sealed' }, signal);
    return true;
  } catch (error) {
    const isKnown = storedIn(options.sets).has(spanOf(day));
    if (!(error instanceof NoSamples) || isKnown) throw error;
    return false;
  }
}

/** Builds the hours of a day that is over; without samples they are stored as unknown. */
export async function sealHours(
  options: BuildOptions,
  hours: readonly Window[],
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    await buildSets(options, { windows: hours, nowMs, stateOf: () => 'sealed' }, signal);
  } catch (error) {
    if (!(error instanceof NoSamples)) throw error;
    for (const hour of hours) await storeBlank(options, hour, nowMs, signal);
  }
}

/** Stores a set without rows, with a warning that the cost is unknown. */
export async function storeBlank(
  options: BuildOptions,
  window: Window,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { sets, metrics } = options;
  const warning = `${metrics.source.name} has no samples of ${spanText(window)}: what it cost is unknown`;
  const caveats = { warnings: [warning], isPartial: true };
  const meta = metaOf(options, { nowMs, stateOf: () => 'sealed' }, window, caveats);
  const set = { ...window, index: 0, resolutionMs: 0 };
  await asQuery(options, async (keeper) => {
    const input = { accounts: [], nodes: null, assets: null, set, meta, keeper };
    await sets.write(await encodeWindow(options, input, signal));
  });
}
